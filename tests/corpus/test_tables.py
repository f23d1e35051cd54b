"""Tables of a paper read from two files: cells that the one lost, and what each row cites."""

from pathlib import Path
from typing import Any

import pytest

from vivavoce.corpus import ingest, load_corpus

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
