"""Opening, counting and exporting a corpus."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from vivavoce.corpus import Corpus, corpus_stats, export_table, ingest, load_corpus
from vivavoce.corpus.schema import TABLES
from vivavoce.errors import InputError, VivaError

REQUIRED_COLUMNS = {
    "papers": "paper_id source_file title abstract published date_precision date_source categories "
    "source licence",
    "authorships": "paper_id ordinal author_id name",
    "sections": "paper_id source_file ordinal level heading role text",
    "references": "paper_id ordinal raw title year arxiv_id doi cited_paper_id resolver confidence",
    "tables": "paper_id ordinal caption cells cited row_cited spans bold",
    "results": "dataset task metric method score score_text paper_id paper_url date area modality "
    "higher_is_better",
}
"""Columns that every export has."""


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("sample") / "corpus"
    ingest("sample", Path("30"), folder)
    return load_corpus(folder)


def test_stats_count_the_rows_of_all_tables(sample: Corpus) -> None:
    stats = corpus_stats(sample)
    assert stats["tables"] == {table: len(list(sample.rows(table))) for table in TABLES}
    assert stats["tables"]["papers"] == 30
    # The sample has one paper without an abstract, and one without a date.
    assert (stats["gates"]["no_abstract"], stats["gates"]["undated"], stats["fit"]) == (1, 1, 28)
    assert stats["dates"] == {"metadata": 29, "undated": 1}
    assert stats["date_precision"] == {"day": 29, "undated": 1}
    assert sum(stats["references"].values()) == stats["tables"]["references"]
    assert stats["published"] == ["2023-01-03", "2023-12-16"]
    json.dumps(stats, allow_nan=False)


@pytest.mark.parametrize("table", REQUIRED_COLUMNS)
def test_an_export_has_the_required_columns(sample: Corpus, tmp_path: Path, table: str) -> None:
    count = export_table(sample, table, tmp_path / "out.jsonl")
    assert export_table(sample, table, tmp_path / "out.parquet") == count
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert len(lines) == count
    assert set(REQUIRED_COLUMNS[table].split()) <= set(lines[0])
    assert pq.read_table(tmp_path / "out.parquet").to_pylist() == lines


def test_an_export_with_a_wrong_path_is_refused(sample: Corpus, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\.jsonl or \.parquet"):
        export_table(sample, "papers", tmp_path / "out.csv")
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(VivaError, match="could not be written"):
        export_table(sample, "papers", tmp_path / "folder.jsonl")
    assert list(tmp_path.glob(".*.tmp")) == []
