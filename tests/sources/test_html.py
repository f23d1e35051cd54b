"""LaTeXML pages: what is read, and what is refused with a reason.

The pages in fixtures/html were typed by hand after the classes that LaTeXML documents for its HTML
and what arXiv and ar5iv put around it; no page of theirs is among them.
"""

from pathlib import Path

import pytest

from vivavoce.corpus import ingest
from vivavoce.corpus.reading import load_corpus
from vivavoce.records import Document
from vivavoce.sources.fulltext.html import SOURCE, read_document

PAGES = Path(__file__).parent / "fixtures" / "html"
START, END = '<html><body><article class="ltx_document">', "</article></body></html>"
TEXT = '<div class="ltx_abstract"><p class="ltx_p">Some words.</p></div>'


def read_page(name: str) -> Document:
    return read_document((PAGES / name).read_bytes(), name)


def page(inside: str, before: str = "", name: str = "x.html") -> Document:
    return read_document(f"{before}{START}{inside}{TEXT}{END}".encode(), name)


def test_a_page_is_read_in_the_encoding_that_it_declares() -> None:
    title = '<h1 class="ltx_title ltx_title_document">Река</h1>'
    for meta in (
        '<meta charset="windows-1251">',
        '<meta content="text/html; charset=windows-1251">',
    ):
        content = f"<html>{meta}{START}{title}{TEXT}{END}".encode("cp1251", "ignore")
        assert read_document(content, "x.html").title == "Река"


def paragraphs(inside: str) -> str:
    """The text of the one section of a page."""
    (section,) = page(f'<section class="ltx_section"><h2>A</h2>{inside}</section>').sections
    return section.text


# What a page says


def test_a_page_of_arxiv_tells_who_it_is() -> None:
    found = read_page("2401.00001v2.html")
    assert (found.kind, found.key, found.source_file) == ("html", *["2401.00001v2.html"] * 2)
    assert (found.arxiv_id, found.version) == ("2401.00001", "v2")
    assert found.categories == ("cs.CL",)
    assert found.published is None  # the day printed is that of the second version
    assert found.licence == "CC BY 4.0"
    assert found.title == "Small Networks at $\\alpha$"
    assert found.abstract == "First part.\n\nSecond & last."
    assert [(author.name, author.author_id) for author in found.authors] == [
        ("Author One", None),
        ("Author B. Two", None),
        ("Author van Three", None),
        ("Author Four", "0000-0001-2345-6789"),
    ]


def test_sections_have_levels_numbers_and_roles_from_the_markup() -> None:
    found = read_page("2401.00001v2.html").sections
    assert [(s.level, s.number, s.heading, s.role) for s in found] == [
        (1, "1", "Introduction", None),
        (2, "1.1", "Inner", None),
        (1, "A", "More", "appendix"),
        (2, "A.1", "Sub", "appendix"),
    ]
    assert found[0].text.split("\n\n") == [
        "Words, then [1, 2] and $x_{i}$. So \\[a=b\\] where b is.",
        "One item.",
        "Two item.",
        "After it.",
    ]
    assert found[1].text == "Lemma 1 (Name). It holds."


def test_references_keep_what_is_printed_and_what_links_hide() -> None:
    first, second, third = read_page("2401.00001v2.html").references
    assert first.raw == (
        "Author One and Author Two. 2016a. A first work: with a tail. In Proc. 2015. "
        "arXiv:1601.00001."
    )
    assert first.title == "A first work: with a tail"
    # The label says 2016; the last year printed is that of the proceedings.
    assert (first.year, first.first_author, first.arxiv_id) == (2016, "One", "1601.00001")
    assert (second.raw, second.title) == ("F. Three (2008) Second work.", "Second work")
    assert (second.year, second.doi) == (2008, "10.1234/abc")
    assert second.arxiv_id == "0801.00002"  # not that of the page, where it is cited
    assert (third.title, third.year) == ("A third work by colon", 2011)


@pytest.mark.parametrize(
    ("blocks", "title"),
    [
        (
            ["A. One.", "A Book of Rows (Row Press, Town, 2012).", "and (Second) too."],
            "A Book of Rows",
        ),
        (
            ["A. One, B. C. de Two, Ł. Three, On some rows, in: Proc. of Rows, 2012."],
            "On some rows",
        ),
        (
            ["A. One, B. Two, Of rows, and columns, Rows Today 10 (2) (2010) 1–6."],
            "Of rows, and columns",
        ),
        (["A. One, B. Two, Phys. Rev. Lett. 19 (1967) 1264."], None),
        (["A. One and B. Two, in 2011 Conference on Rows (Row Press, 2011) pp. 2–3."], None),
        (["One, A., & Two, B. 2010, Journal of Rows, 44, 61"], None),
        (
            ["Ann One and Bo Two, <em>Of rows and columns</em>, Rows <b>2</b> (2010)."],
            "Of rows and columns",
        ),
        (["Ann One.", "2010.", "Why Rows? In Proc. of Rows. Row Press, 6–9."], "Why Rows?"),
        (["Ann One.", "2010.", "Of rows. In Proc. of Rows. Row Press, 6–9."], "Of rows"),
    ],
)
def test_the_title_of_an_entry_is_found_in_any_style(blocks: list[str], title: str | None) -> None:
    entry = "".join(f'<span class="ltx_bibblock">{block}</span>' for block in blocks)
    found = page(
        f'<section class="ltx_bibliography"><li class="ltx_bibitem">{entry}</li></section>'
    )
    assert found.references[0].title == title


# Details of markup


@pytest.mark.parametrize(
    ("inside", "names"),
    [
        ("A One<br>Town University<br>a@b.org", ["A One"]),
        ("A One<sup>1</sup><br>B Two<sup>2</sup><br><sup>1</sup>Town", ["A One", "B Two"]),
        ("A One &amp; B Two and C Three Jr.", ["A One", "B Two", "C Three Jr."]),
        ("A One\u2003B Two", ["A One", "B Two"]),
        ("A One<br>Town Lab<br>a@b.org<br>&amp;B Two<br>Other Town", ["A One", "B Two"]),
        ('<span class="ltx_p">A One,</span><span class="ltx_p">B Two</span>', ["A One", "B Two"]),
        ('A One<span class="ltx_note">Footnote: B Two</span>', ["A One"]),
        ("Anonymous authors", []),
        ('A One<span class="ltx_ERROR">\\corref</span>cor1, B Two', ["A One", "B Two"]),
        (
            '<span class="ltx_ERROR">\\fnm</span>A <span class="ltx_ERROR">\\sur</span>One',
            ["A One"],
        ),
        ('A One<br>Town <span class="ltx_ERROR">\\And</span>B Two<br>Town', ["A One", "B Two"]),
        ("[0.5em] A One", ["A One"]),
        ("affiliation=1", []),
        ("A One, B Two, CNRS", ["A One", "B Two"]),
        ("A One, <em>Member, IEEE</em>, B Two", ["A One", "B Two"]),
    ],
)
def test_names_are_taken_out_of_what_stands_around_them(inside: str, names: list[str]) -> None:
    authors = f'<div class="ltx_authors"><span class="ltx_personname">{inside}</span></div>'
    assert [author.name for author in page(authors).authors] == names


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ('<p class="ltx_p">a<span class="ltx_note">n</span>b</p>', "ab"),
        ('<p class="ltx_p">50&nbsp;%&#x2009;&lt; &eacute; &#65;</p>', "50 % < é A"),
        ('<p class="ltx_p">e<math alttext="a\\%"></math></p>', "e$a\\%$"),
        ('<p>f<math><annotation encoding="application/x-tex">y</annotation></math></p>', "f$y$"),
        ("<p>g <math><msup><mn>10</mn><mn>8</mn></msup></math></p>", "g 10^8"),
        ("<p>2<sup>n+1</sup>, 101<sub>2</sub>, H<sub>2</sub></p>", "2^(n+1), 101_2, H2"),
        ('<p>g<img class="ltx_Math" alt="z"> <img alt="Refer to caption"></p>', "g$z$"),
        ("<p>x<script>var y</script><style>p {}</style> z</p>", "x z"),
        (
            '<ol><li><span class="ltx_tag ltx_tag_item">(iv)</span><p>a</p></li>'
            '<li><span class="ltx_tag ltx_tag_item">Step:</span> b</li></ol>',
            "a\n\nStep: b",
        ),
        (
            '<ul><li><span class="ltx_tag ltx_tag_itemize"> • </span><p>a</p></li></ul>'
            '<ol><li><span class="ltx_tag ltx_tag_enumerate">2.</span><p>b</p></li></ol>',
            "a\n\nb",
        ),
        ('<div class="ltx_para"><p>a</p></div><div class="ltx_para"><p>b</p></div>', "a\n\nb"),
        ('<p>a<cite class="ltx_cite">(<a href="#bib.bib1">One</a>)</cite></p>', "a(One)"),
        ('<p>a<sup>th</sup> <sup><a href="#S1">1</a></sup></p>', "ath 1"),
    ],
)
def test_text_is_what_a_reader_sees(inside: str, text: str) -> None:
    assert paragraphs(inside) == text


def test_cells_that_span_and_bold_ones_are_marked() -> None:
    bold = '<span class="ltx_text ltx_font_bold">{}</span>'
    (table,) = page(
        '<section class="ltx_section"><h2 class="ltx_title">A</h2><figure class="ltx_table">'
        '<table class="ltx_tabular"><tr class="ltx_tr"><td class="ltx_td" rowspan="2">M</td>'
        '<td class="ltx_td ltx_colspan_2" colspan="2">News</td></tr>'
        f'<tr class="ltx_tr"><td class="ltx_td">{bold.format("91.2")}</td>'
        f'<td class="ltx_td">{bold.format("9")} of 10</td></tr></table>'
        "<figcaption>Table 1: C</figcaption></figure></section>"
    ).tables
    assert table.cells == (("M", "News", ""), ("", "91.2", "9 of 10"))
    assert table.spans == ((0, 0, 2, 1), (0, 1, 1, 2))
    assert table.bold == ((1, 1),)


def test_a_float_left_open_does_not_swallow_the_sections_after_it() -> None:
    grid = "<table class='ltx_tabular'><tr><td>a</td><td>b</td></tr></table>"
    caption = "<figcaption>Table {}: {}</figcaption>"
    found = page(
        '<section class="ltx_section"><h2 class="ltx_title">First</h2><p>Words.</p>'
        f'<figure class="ltx_table">{grid}{caption.format(1, "One")}'
        '<section class="ltx_section"><h2 class="ltx_title">Second</h2><p>More words.</p>'
        f'<figure class="ltx_table">{caption.format(2, "Two")}'
        '<section class="ltx_appendix"><h2 class="ltx_title">Third</h2><p>Last words.</p>'
        "</section></figure></section></figure></section>"
    )
    assert [(s.heading, s.role, s.text) for s in found.sections] == [
        ("First", None, "Words."),
        ("Second", None, "More words."),
        ("Third", "appendix", "Last words."),
    ]
    assert [table.caption for table in found.tables] == ["Table 1: One", "Table 2: Two"]


@pytest.mark.parametrize(
    ("before", "name", "known"),
    [
        ('<base href="/html/2401.00001v3/">', "x.html", ("2401.00001", "v3")),
        ('<base href="/html/hep-th/9901001v1/">', "x.html", ("hep-th/9901001", "v1")),
        (
            '<link rel="canonical" href="https://ar5iv.labs.arxiv.org/html/2401.00001">',
            *("2401.00001v4.html", ("2401.00001", "v4")),
        ),
        ('<link rel="stylesheet" href="/2401.00001.css">', "x.html", (None, None)),
        ("", "2401.00001v1.html", ("2401.00001", "v1")),
        ('<base href="/html/2401.00001v1/">', "2401.00002v5.html", ("2401.00001", "v1")),
    ],
)
def test_identity_comes_from_the_page_then_from_the_file(
    before: str, name: str, known: tuple[str | None, str | None]
) -> None:
    found = page("", before, name)
    assert (found.arxiv_id, found.version) == known


@pytest.mark.parametrize(("version", "published"), [("v1", "2024-01-03"), ("v2", None), ("", None)])
def test_the_first_version_alone_dates_a_paper(version: str, published: str | None) -> None:
    stamp = f'<div id="watermark-tr">arXiv:2401.00001{version} [math.AG] 3 Jan 2024</div>'
    assert page("", stamp).published == published


def test_a_licence_with_an_address_is_given_by_it() -> None:
    address = "http://creativecommons.org/licenses/by/4.0/"
    assert page("", f'<a id="license-tr" href="{address}">License: CC BY</a>').licence == address
    plain = '<div id="license-tr">License: arXiv.org perpetual non-exclusive license</div>'
    assert page("", plain).licence == "arXiv.org perpetual non-exclusive license"


def test_a_folder_of_pages_becomes_a_corpus(tmp_path: Path) -> None:
    report = ingest("html", PAGES, tmp_path / "corpus")
    assert (report.read, report.failed) == (3, ())
    papers = {paper.source_file: paper for paper in load_corpus(tmp_path / "corpus").papers}
    assert papers["2401.00001v2.html"].published == "2024-01"
    assert [SOURCE.matches(Path(name)) for name in ("a.HTM", "a.xhtml", "a.xml", "html")] == [
        *(True, True),
        *(False, False),
    ]
