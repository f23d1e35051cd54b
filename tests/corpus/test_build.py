"""What the tables of a corpus hold when several sources describe one paper."""

from collections.abc import Callable
from pathlib import Path

import pytest

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.store import hash_tree

Write = Callable[..., Path]


def fill(corpus: Path, *inputs: tuple[str, Path]) -> Corpus:
    for kind, where in inputs:
        ingest(kind, where, corpus)
    return load_corpus(corpus)


def table_hashes(corpus: Path) -> dict[str, str]:
    """Hash of every table; the manifest beside them says in which order sources were read."""
    return {k: v for k, v in hash_tree(corpus / "tables").items() if k.endswith(".parquet")}


def test_metadata_gives_title_authors_and_date_and_the_text_gives_the_rest(
    tmp_path: Path, write_tei: Write, write_rows: Write
) -> None:
    abstract = "The abstract that only the text has."
    write_tei("a.tei.xml", "OF GRAPHS", abstract=abstract, authors=["Two", "One"])
    author = {"title": "Of Graphs", "authors": ["First Author"], "published": "2020-05"}
    rows = write_rows("m.jsonl", [{"file": "a.tei.xml", "abstract": "", **author}])
    corpus = fill(tmp_path / "c", ("tei", tmp_path / "tei"), ("metadata", rows))
    (paper,) = corpus.papers
    assert (paper.title, paper.abstract) == ("Of Graphs", abstract)
    assert (paper.published, paper.date_precision, paper.date_source) == (
        "2020-05",
        "month",
        "metadata",
    )
    assert (paper.source, paper.source_file) == ("metadata+tei", "a.tei.xml")
    assert [row["name"] for row in corpus.rows("authorships")] == ["First Author"]
    assert [row["source_file"] for row in corpus.rows("sections")] == ["a.tei.xml"]


def test_the_order_in_which_sources_come_does_not_matter(
    tmp_path: Path, write_tei: Write, write_rows: Write
) -> None:
    write_tei("a.tei.xml", "Of graphs", doi="10.1000/a", cited=["Of trees and of woods"])
    write_tei("b.tei.xml", "Of trees and of woods", authors=["One"])
    write_tei("broken.tei.xml", "x").write_text("<TEI>")
    by_file = write_rows("file.jsonl", [{"file": "b.tei.xml", "year": 2001}, {"file": "no.xml"}])
    by_doi = write_rows("doi.jsonl", [{"doi": "10.1000/A", "authors": "A One; B Two"}, {"year": 1}])
    inputs = [("tei", tmp_path / "tei"), ("metadata", by_file), ("metadata", by_doi)]
    seen = {
        str(sorted(table_hashes(fill(tmp_path / str(n), *order).folder).items()))
        for n, order in enumerate((inputs, inputs[::-1], inputs[1:] + inputs[:1]))
    }
    assert len(seen) == 1
    corpus = load_corpus(tmp_path / "0")
    assert [row["cited_paper_id"] for row in corpus.rows("references")] == ["file:b.tei.xml"]
    assert [row["where"] for row in corpus.rows("faults")] == [
        "doi.jsonl:2",
        "file no.xml",
        "broken.tei.xml",
    ]


def test_a_row_that_only_names_a_file_completes_the_paper_once_the_file_comes(
    tmp_path: Path, write_tei: Write, write_rows: Write
) -> None:
    rows = write_rows("m.jsonl", [{"file": "dir/a.tei.xml", "title": "Of graphs", "year": 1999}])
    first = ingest("metadata", rows, tmp_path / "c")
    assert (first.read, first.papers) == (0, 0)
    assert [fault.where for fault in first.failed] == ["file a.tei.xml"]
    second = ingest("tei", write_tei("a.tei.xml", "0f gr4phs"), tmp_path / "c")
    assert (second.read, second.papers, second.completed, second.failed) == (1, 1, 1, ())
    (paper,) = load_corpus(tmp_path / "c").papers
    assert (paper.title, paper.published) == ("Of graphs", "1999")
    assert list(load_corpus(tmp_path / "c").rows("faults")) == []


def test_an_id_from_the_same_kind_of_source_replaces(tmp_path: Path, write_rows: Write) -> None:
    old = write_rows("old.jsonl", [{"id": "p", "title": "Old", "licence": "CC0", "year": 1999}])
    new = write_rows("new.jsonl", [{"id": "p", "title": "New"}, {"id": "q", "title": "Other"}])
    corpus = fill(tmp_path / "c", ("metadata", old), ("metadata", new))
    # Replaced whole: nothing of the old row is left.
    assert [(p.paper_id, p.title, p.licence, p.published) for p in corpus.papers] == [
        ("p", "New", None, None),
        ("q", "Other", None, None),
    ]
    assert fill(tmp_path / "c", ("metadata", old)).papers[0].title == "Old"


def test_a_file_that_is_read_again_after_it_was_mended_is_no_fault_any_more(
    tmp_path: Path, write_tei: Write
) -> None:
    path = write_tei("a.tei.xml", "Of graphs")
    whole = path.read_bytes()
    path.write_bytes(whole[:100])
    assert ingest("tei", path, tmp_path / "c").read == 0
    path.write_bytes(whole)
    assert ingest("tei", path, tmp_path / "c").read == 1
    assert list(load_corpus(tmp_path / "c").rows("faults")) == []


@pytest.mark.data
def test_the_real_papers_get_their_dates_from_the_list_beside_them_in_either_order(
    tmp_path: Path, data_dir: Path, read_tei: Callable[[Path], Path]
) -> None:
    papers = ("tei", data_dir / "tei")
    index = ("metadata", data_dir / "tei" / "index.jsonl")
    there = fill(read_tei(tmp_path / "there"), index)
    assert len(there.papers) == 101
    assert sum(paper.published is not None for paper in there.papers) == 90
    assert table_hashes(there.folder) == table_hashes(fill(tmp_path / "back", index, papers).folder)
