"""The column `row_cited` of a corpus: what rows of tables cite, and corpora from before it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.corpus.in_memory_build import tables_in_memory

from vivavoce.corpus import ingest, load_corpus
from vivavoce.corpus.reading import export_table, list_batches
from vivavoce.corpus.schema import DOCUMENT, TABLES
from vivavoce.store import DONE_SUFFIX, mark_done, read_sealed


def write_paper(folder: Path, name: str, *titles: str) -> None:
    """A paper whose one table has a row for each work that it cites, below its head."""
    rows = "".join(
        f'<tr><td>{title} <xref ref-type="bibr" rid="b{place}">{place + 1}</xref></td></tr>'
        for place, title in enumerate(titles)
    )
    works = "".join(
        f'<ref id="b{place}"><mixed-citation>{title}</mixed-citation></ref>'
        for place, title in enumerate(titles)
    )
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(
        f"<article><front><article-meta><title-group><article-title>Of {name}</article-title>"
        f"</title-group></article-meta></front><body><table-wrap><caption><p>Works</p></caption>"
        f"<table><tr><th>Work</th></tr>{rows}</table></table-wrap></body><back><ref-list>{works}"
        "</ref-list></back></article>"
    )


def rows_cited(corpus: Path) -> dict[str, Any]:
    return {row["paper_id"]: row["row_cited"] for row in load_corpus(corpus).rows("tables")}


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_an_export_tells_for_each_row_what_it_cites(tmp_path: Path, suffix: str) -> None:
    write_paper(tmp_path / "in", "a.nxml", "One", "Two")
    ingest("jats", tmp_path / "in", tmp_path / "c")
    out = tmp_path / f"out.{suffix}"
    export_table(load_corpus(tmp_path / "c"), "tables", out)
    found = pq.read_table(out).to_pylist() if suffix == "parquet" else [json.loads(out.read_text())]
    (table,) = found
    assert table["cells"] == [["Work"], ["One 1"], ["Two 2"]]
    assert (table["cited"], table["row_cited"]) == ([0, 1], [[], [0], [1]])


def test_rows_of_a_paper_are_those_of_the_source_that_gives_its_text(tmp_path: Path) -> None:
    write_paper(tmp_path / "in", "a.nxml", "One", "Two")
    metadata = tmp_path / "m.jsonl"
    metadata.write_text(json.dumps({"file": "a.nxml", "title": "A Title", "year": 2020}) + "\n")
    ingest("metadata", metadata, tmp_path / "c")
    ingest("jats", tmp_path / "in", tmp_path / "c")
    assert rows_cited(tmp_path / "c") == {"file:a.nxml": [[], [0], [1]]}


def test_papers_read_before_rows_were_told_stay_beside_those_read_since(tmp_path: Path) -> None:
    corpus = tmp_path / "c"
    write_paper(tmp_path / "old", "old.nxml", "One")
    ingest("jats", tmp_path / "old", corpus)
    forget_rows(corpus)
    write_paper(tmp_path / "new", "new.nxml", "Two")
    ingest("jats", tmp_path / "new", corpus)
    assert rows_cited(corpus) == {"file:new.nxml": [[], [0]], "file:old.nxml": []}
    assert list(load_corpus(corpus).rows("tables")) == tables_in_memory(corpus)["tables"]


def forget_rows(corpus: Path) -> None:
    """Write the import as it was before its tables had the field `row_cited`."""
    (batch,) = list_batches(corpus)
    path = batch.folder / "00000.parquet"
    marker = read_sealed(path.with_name(path.name + DONE_SUFFIX))
    rows = pq.read_table(path).to_pylist()
    for row in rows:
        for table in row["tables"]:
            del table["row_cited"]
    now = DOCUMENT.field("tables").type.value_type
    before = pa.struct([field for field in now if field.name != "row_cited"])
    place = DOCUMENT.get_field_index("tables")
    schema = DOCUMENT.set(place, pa.field("tables", pa.list_(before)))
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path)
    extra = {"faults": marker["faults"], "n": marker["n"]}
    mark_done(path, config=marker["config"], inputs=marker["inputs"], extra=extra)


def test_rows_are_lists_of_lists_of_numbers() -> None:
    assert TABLES["tables"].field("row_cited").type == pa.list_(pa.list_(pa.int32()))
