"""What the tables of a corpus hold when several sources describe one paper."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

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


JATS = """<article><front><article-meta><article-id pub-id-type="doi">10.1234/tides.7</article-id>
<title-group><article-title>Tides of the Sea</article-title></title-group></article-meta></front>
<body><sec><title>Results</title><p>Words of the text.</p></sec><table-wrap><label>Table 1</label>
<caption><p>{caption}</p></caption><table>{rows}</table></table-wrap></body></article>"""
TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
<title level="a" type="main">Tides of the Sea</title></titleStmt><sourceDesc><biblStruct>
<idno type="DOI">10.1234/tides.7</idno></biblStruct></sourceDesc></fileDesc></teiHeader><text>
<body><div><head>Results</head><p>Words of the text.</p></div><figure type="table">
<head>Table 1 :</head><figDesc>Heights of all tides at sea in the north</figDesc>
<table><row><cell>Sea</cell>
<cell>Height</cell></row><row><cell>North</cell><cell>3.1</cell></row></table></figure></body>
</text></TEI>"""
CAPTION = "Heights of all tides at sea in the north"
LOST = "<tr><td>Sea Height</td></tr><tr><td>North 3.1</td></tr>"
KEPT = "<tr><td>Sea</td><td>Depth</td></tr>"
CELLS = [["Sea", "Height"], ["North", "3.1"]]


def table_of(folder: Path, caption: str, rows: str) -> dict[str, Any]:
    """The one table of a paper that JATS gives the text of, with TEI beside it."""
    files = (("tei", "a.tei.xml", TEI), ("jats", "b.nxml", JATS.format(caption=caption, rows=rows)))
    for kind, name, text in files:
        (folder / kind).mkdir()
        (folder / kind / name).write_text(text, "utf-8")
        ingest(kind, folder / kind, folder / "c")
    found: list[dict[str, Any]] = list(load_corpus(folder / "c").rows("tables"))
    (table,) = found
    return table


def test_a_caption_may_go_on_with_the_cells(tmp_path: Path) -> None:
    assert table_of(tmp_path, f"{CAPTION} Sea Height North 3.1", LOST)["cells"] == CELLS


@pytest.mark.parametrize(
    ("caption", "rows"), [(CAPTION, KEPT), ("Depths of all seas", LOST), ("Heights", LOST)]
)
def test_cells_that_are_there_and_others_stay(caption: str, rows: str, tmp_path: Path) -> None:
    assert table_of(tmp_path, caption, rows)["cells"] != CELLS


def test_rows_cite_what_the_source_of_the_text_says_they_cite(tmp_path: Path) -> None:
    def cites(place: int) -> str:
        return f'<xref ref-type="bibr" rid="b{place}">{place + 1}</xref>'

    def work(place: int, title: str) -> str:
        return f'<ref id="b{place}"><mixed-citation>{title}</mixed-citation></ref>'

    rows = f"<tr><th>Work</th></tr><tr><td>A {cites(0)}</td></tr><tr><td>B {cites(1)}</td></tr>"
    works = f"<back><ref-list>{work(0, 'One')}{work(1, 'Two')}</ref-list></back></article>"
    text = JATS.format(caption=CAPTION, rows=rows).replace("</article>", works)
    (tmp_path / "a.nxml").write_text(text, "utf-8")
    (tmp_path / "m.jsonl").write_text('{"file": "a.nxml", "title": "A Title"}\n', "utf-8")
    ingest("metadata", tmp_path / "m.jsonl", tmp_path / "c")
    ingest("jats", tmp_path / "a.nxml", tmp_path / "c")
    (table,) = load_corpus(tmp_path / "c").rows("tables")
    assert table["cells"] == [["Work"], ["A 1"], ["B 2"]]
    assert (table["cited"], table["row_cited"]) == ([0, 1], [[], [0], [1]])
