"""One paper read from its LaTeX and from the HTML that LaTeXML made of it, field by field.

`latexmlc --dest=paper.html --nodefaultresources paper.tex` made the page (LaTeXML 0.8.7); its
comment with the time and its footer were taken out.
"""

import re
from pathlib import Path

import pytest

from vivavoce.records import Document
from vivavoce.sources.fulltext.html import read_document as read_html
from vivavoce.sources.fulltext.latex import read_document as read_latex

PAIR = Path(__file__).parent / "fixtures" / "pair"
_FORMULA = re.compile(r"\\\[.*?\\\]|\\begin\{equation\}.*?\\end\{equation\}|\$[^$]*\$")


@pytest.fixture(scope="module")
def pair() -> tuple[Document, Document]:
    html = (PAIR / "paper.html").read_bytes()
    return read_latex(PAIR / "paper.tex"), read_html(html, "paper.html")


def alike(text: str) -> str:
    """A text with one kind of apostrophe, and formulas as bare letters and signs."""
    plain = text.replace("’", "'")
    return _FORMULA.sub(lambda found: _bare(found[0]), plain)


def _bare(formula: str) -> str:
    inside = re.sub(r"\\(?:begin|end)\{equation\}|\\[\[\]]", "", formula)
    return re.sub(r"[\s{}]", "", inside)


def test_header_and_sections_agree(pair: tuple[Document, Document]) -> None:
    latex, html = pair
    assert latex.title == html.title == "Reading Tides from Harbour Noise"
    assert latex.abstract == html.abstract
    assert [alike(author.name) for author in html.authors] == ["Ada Brandt", "Bo O'Neil"]
    assert [author.name for author in latex.authors] == ["Ada Brandt", "Bo O'Neil"]
    shown = [[(s.level, s.number, s.heading, s.role) for s in paper.sections] for paper in pair]
    assert shown[0] == shown[1]
    assert [number for _, number, _, _ in shown[0]] == [
        *("1", "1.1", "2", None, None, "3", None, "A")
    ]


def test_texts_agree_with_their_citations_and_formulas(pair: tuple[Document, Document]) -> None:
    latex, html = pair
    for ours, theirs in zip(latex.sections, html.sections, strict=True):
        assert alike(ours.text) == alike(theirs.text)
    assert "costs less [2, 3]. See §2 for" in latex.sections[0].text
    assert "(Appendix A)" in latex.sections[5].text


def test_references_and_tables_agree(pair: tuple[Document, Document]) -> None:
    latex, html = pair
    for ours, theirs in zip(latex.references, html.references, strict=True):
        assert alike(ours.raw) == alike(theirs.raw)
        assert (ours.title, ours.year, ours.arxiv_id, ours.doi) == (
            *(theirs.title, theirs.year),
            *(theirs.arxiv_id, theirs.doi),
        )
        surnames = [alike(one.first_author or "").split()[-1] for one in (ours, theirs)]
        assert surnames[0] == surnames[1]
    (table,), (printed,) = latex.tables, html.tables
    assert printed.caption == f"Table 1: {table.caption}"
    assert (table.cells, table.cited, table.row_cited) == (
        *(printed.cells, printed.cited),
        printed.row_cited,
    )
