"""Records exported as they were read: canonical JSON in is canonical JSON out.

The records are typed by hand from the published descriptions of the formats (S2ORC, unarXive,
arxivDIGESTables, arXiv2Table, AcademicEval), or real where a test says so.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce.corpus import ingest, load_corpus
from vivavoce.corpus.ingestion.upstream import export_as, not_exported
from vivavoce.corpus.reading import list_batches
from vivavoce.errors import DamagedError, InputError, StaleError
from vivavoce.store import canonical_json

S2ORC = {
    "paper_id": "p1",
    "title": "A title \u00e9\U0001f600 \u2028",
    "pdf_parse": {"body_text": [], "bib_entries": {}, "ref_entries": {}},
    "zeta": None,
    "alpha": [1.0, 1, -0.0, 1e22, 1e-7, 0.1, 12345678901234567890123, True, {}],
    "": {"b": 1, "a": [[], [None]]},
}
UNARXIVE = {
    "paper_id": "1805.00001",
    "_source_hash": "x",
    "metadata": {"id": "1805.00001", "title": "T"},
    "body_text": [],
    "bib_entries": {},
    "ref_entries": {},
}


def work(number: int, row: int, kind: str = "ref", name: str = "hash") -> dict[str, Any]:
    return {
        "bib_hash_or_arxiv_id": name,
        "row": row,
        "corpus_id": number,
        "type": kind,
        "title": f"Work {number}",
        "abstract": None,
    }


def table(name: str, arxiv: str, *works: dict[str, Any]) -> dict[str, Any]:
    return {
        "tabid": name,
        "table": {"Size": {str(w["corpus_id"]): ["1"] for w in works if w["corpus_id"] != -1}},
        "row_bib_map": list(works),
        "caption": "Sizes",
        "in_text_ref": ["See it."],
        "arxiv_id": arxiv,
    }


TABLES = [
    table("t1", "2301.00001", work(7, 0), work(8, 1)),
    table("t2", "2302.00002", work(7, 0), work(7, 1), work(-1, 2)),
    table("t3", "2301.00001", work(-1, 0)),
    table("t1", "2301.00001", work(7, 0), work(8, 1)),
]
PAPERS = [
    {"tabids": ["t1", "t2", "t2"], "corpus_id": 7, "title": "Work 7", "abstract": None},
    {"tabids": ["t1"], "corpus_id": 8, "title": "Work 8", "abstract": "Text \ud83d alone"},
]
BENCHMARK = {
    "table_id": "t1",
    "table_query_id": 3,
    "table_caption": "Sizes",
    "user_demand": "Compare sizes.",
    "table": {"Size": {"7": ["1"]}},
    "input_references_id": [7, 9],
    "input_references_label": [1, 0],
    "table_references": [7],
    "sampled_noisy_paper": [9],
}
SAMPLE = {
    "url": "http://arxiv.org/abs/2406.00001v2",
    "title": "Target",
    "abstract": "Short.",
    "authors": "A One, B Two",
    "published": "2024-06-01",
    "updated": "2024-06-02",
    "primary_cat": "cs.CL",
    "cats": ["cs.CL", "cs.LG"],
    "label": "Original Paper",
    "paper_cat": "Mamba",
    "main_content": "All of it.",
    "gt": "Target",
}


def lines(records: Sequence[Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def spelt(records: Sequence[Any]) -> list[str]:
    return [canonical_json(record) for record in records]


def exported(path: Path) -> list[str]:
    return [canonical_json(json.loads(line)) for line in path.read_bytes().splitlines()]


def around(folder: Path, kind: str, content: str, name: str) -> list[str]:
    """Ingest a file of records and export them again."""
    where = folder / "in" / name
    where.parent.mkdir(exist_ok=True)
    where.write_text(content, "utf-8")
    ingest(kind, where, folder / "corpus")
    out = folder / "out.jsonl"
    assert export_as(folder / "corpus", kind, out) == len(exported(out))
    return exported(out)


def test_records_come_back_in_order_with_repeated_papers(tmp_path: Path) -> None:
    records = [S2ORC, {**S2ORC, "paper_id": "p0"}, S2ORC, {**S2ORC, "year": 1999}]
    assert around(tmp_path, "s2orc", lines(records), "x.jsonl") == spelt(records)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(extra=st.lists(JSON, min_size=1, max_size=4))
def test_whatever_else_a_record_holds_comes_back(
    tmp_path_factory: pytest.TempPathFactory, extra: list[Any]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    s2orc = [{**S2ORC, "paper_id": f"p{n}", "extra": value} for n, value in enumerate(extra)]
    assert around(folder, "s2orc", lines(s2orc), "x.jsonl") == spelt(s2orc)


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(extra=st.lists(JSON, min_size=1, max_size=3))
def test_so_it_is_with_tables_and_samples(
    tmp_path_factory: pytest.TempPathFactory, extra: list[Any]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    samples = [{**SAMPLE, "extra": value} for value in extra]
    assert around(folder, "academiceval", lines(samples), "y.jsonl") == spelt(samples)
    tables = [{**one, "extra": value} for value in extra for one in TABLES]
    (folder / "tables.jsonl").write_text(lines(tables))
    ingest("digestables", folder / "tables.jsonl", folder / "corpus")
    export_as(folder / "corpus", "digestables", folder / "out")
    assert exported(folder / "out" / "tables.jsonl") == spelt(tables)


def test_digestables_come_back_file_by_file_and_line_by_line(tmp_path: Path) -> None:
    source = tmp_path / "high"
    source.mkdir()
    (source / "tables.jsonl").write_text(lines(TABLES))
    (source / "papers.jsonl").write_text(lines(PAPERS))
    (source / "arxiv2table.json").write_text(json.dumps([BENCHMARK, BENCHMARK]))
    keyed = {one["tabid"]: {k: v for k, v in one.items() if k != "tabid"} for one in TABLES[:3]}
    (source / "tabid2tables.json").write_text(json.dumps(keyed))
    ingest("digestables", source, tmp_path / "corpus")
    corpus = load_corpus(tmp_path / "corpus")
    assert not_exported(corpus, "digestables") == []
    out = tmp_path / "out"
    assert export_as(corpus, "digestables", out) == len(TABLES) + len(PAPERS) + 2 + len(keyed)
    assert exported(out / "tables.jsonl") == spelt(TABLES)
    assert exported(out / "papers.jsonl") == spelt(PAPERS)
    assert exported(out / "arxiv2table.jsonl") == spelt([BENCHMARK, BENCHMARK])
    assert exported(out / "tables_by_id.jsonl") == spelt([{k: v} for k, v in keyed.items()])
    assert sorted(path.name for path in out.iterdir()) == [
        "arxiv2table.jsonl",
        "papers.jsonl",
        "tables.jsonl",
        "tables_by_id.jsonl",
    ]


def test_samples_of_every_shape_come_back(tmp_path: Path) -> None:
    source = tmp_path / "in"
    for folder, name, sample in (
        ("title_10K", "title_short_2406.00001v2.json", SAMPLE),
        ("abs_9K", "abstract_short_2406.00001v2.json", {**SAMPLE, "gt": "Short."}),
        ("title_30K", "title_long_2406.00001v2.json", {**SAMPLE, "additional_info": [SAMPLE] * 2}),
        ("related_34K", "related_short_2406.00001v2.json", [SAMPLE, {"title": "C", "url": "u"}]),
    ):
        (source / folder).mkdir(parents=True)
        (source / folder / name).write_text(json.dumps(sample, indent=1))
    ingest("academiceval", source, tmp_path / "corpus")
    assert export_as(tmp_path / "corpus", "academiceval", tmp_path / "out.jsonl") == 4
    read = [json.loads(path.read_text()) for path in source.rglob("*.json")]
    assert Counter(exported(tmp_path / "out.jsonl")) == Counter(spelt(read))


def test_what_cannot_be_read_is_counted_and_not_exported(tmp_path: Path) -> None:
    twice = '{"paper_id": "p2", "title": "T", "pdf_parse": {"a": 1, "a": 1}}\n'
    infinite = '{"paper_id": "p3", "title": "T", "pdf_parse": {}, "n": 1e999}\n'
    array = "[1]\n"
    content = lines([S2ORC]) + twice + infinite + array
    assert around(tmp_path, "s2orc", content, "x.jsonl") == spelt([S2ORC])
    left = not_exported(tmp_path / "corpus", "s2orc")
    assert [fault.where for fault in left] == ["x.jsonl:2", "x.jsonl:3", "x.jsonl:4"]
    assert "stands twice" in left[0].reason


def test_a_merged_paper_still_has_the_record_of_each_source(tmp_path: Path) -> None:
    rows = tmp_path / "m.jsonl"
    rows.write_text(json.dumps({"arxiv_id": "1805.00001", "title": "Another title"}) + "\n")
    ingest("metadata", rows, tmp_path / "corpus")
    assert around(tmp_path, "unarxive", lines([UNARXIVE]), "x.jsonl") == spelt([UNARXIVE])
    (paper,) = load_corpus(tmp_path / "corpus").papers
    assert (paper.source, paper.title) == ("metadata+unarxive", "Another title")


def test_a_record_read_again_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    other = {**S2ORC, "paper_id": "p2"}
    around(tmp_path, "s2orc", lines([S2ORC, other]), "x.jsonl")
    newer = {**S2ORC, "year": 2001}
    assert around(tmp_path, "s2orc", lines([newer]), "new.jsonl") == spelt([other, newer])


def test_a_damaged_shard_is_named(tmp_path: Path) -> None:
    around(tmp_path, "s2orc", lines([S2ORC]), "x.jsonl")
    (batch,) = list_batches(tmp_path / "corpus")
    path = batch.folder / "00000.parquet"
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(DamagedError, match=r"00000\.parquet"):
        export_as(tmp_path / "corpus", "s2orc", tmp_path / "other.jsonl")
    assert not (tmp_path / "other.jsonl").exists()


def test_the_export_is_asked_for_what_there_is(tmp_path: Path) -> None:
    around(tmp_path, "s2orc", lines([S2ORC]), "x.jsonl")
    corpus = tmp_path / "corpus"
    for kind, out, error in (
        ("tei", "o.jsonl", InputError),
        ("s2orc", "o.json", InputError),
        ("digestables", "o.jsonl", InputError),
        ("unarxive", "o.jsonl", StaleError),
    ):
        with pytest.raises(error):
            export_as(corpus, kind, tmp_path / out)


def test_an_export_leaves_no_file_of_an_earlier_one_behind(tmp_path: Path) -> None:
    (tmp_path / "papers.jsonl").write_text(lines(PAPERS))
    ingest("digestables", tmp_path / "papers.jsonl", tmp_path / "corpus")
    out = tmp_path / "out"
    out.mkdir()
    (out / "tables.jsonl").write_text("old\n")
    assert export_as(tmp_path / "corpus", "digestables", out) == len(PAPERS)
    assert [path.name for path in out.iterdir()] == ["papers.jsonl"]


# Real files


def test_every_real_unarxive_record_comes_back(data_dir: Path, tmp_path: Path) -> None:
    path = data_dir / "fulltext" / "unarXive_sample.jsonl.gz"
    with gzip.open(path) as stream:
        records = [json.loads(line) for line in stream]
    ingest("unarxive", path, tmp_path / "corpus")
    assert export_as(tmp_path / "corpus", "unarxive", tmp_path / "out.jsonl") == 28
    assert exported(tmp_path / "out.jsonl") == spelt(records)


def test_every_real_s2orc_file_comes_back(data_dir: Path, tmp_path: Path) -> None:
    paths = sorted([*data_dir.glob("fulltext/s2orc_*.json"), *data_dir.glob("tei/s2orc_*.json")])
    assert paths
    for path in paths:
        ingest("s2orc", path, tmp_path / "corpus")
    assert export_as(tmp_path / "corpus", "s2orc", tmp_path / "out.jsonl") == len(paths)
    assert exported(tmp_path / "out.jsonl") == spelt([json.loads(p.read_text()) for p in paths])
