"""JATS files: what is read, and what is refused with a reason."""

from pathlib import Path

import pytest

from vivavoce.records import Document
from vivavoce.sources.fulltext.jats import read_documents

META = """
<article-id pub-id-type="pmc">77</article-id>
<article-id pub-id-type="doi">10.1234/ABC.5</article-id>
<title-group><article-title>Small <italic>Networks</italic><xref ref-type="fn" rid="f">*</xref>
</article-title></title-group>
<contrib-group>
<contrib contrib-type="author"><contrib-id contrib-id-type="orcid">
https://orcid.org/0000-0001-2345-678x</contrib-id>
<name><surname>One</surname><given-names>Author B</given-names></name></contrib>
<contrib contrib-type="editor"><name><surname>Ed</surname></name></contrib>
<contrib contrib-type="author"><collab>The Group<contrib-group/></collab></contrib>
</contrib-group>
<permissions><license xlink:href="https://creativecommons.org/licenses/by/4.0/">
<license-p>Open.</license-p></license></permissions>
<abstract abstract-type="graphical"><p>A picture.</p></abstract>
<abstract><sec><title>Background</title><p>First.</p></sec>
<sec><title>Results:</title><p>Second.</p><p>Third.</p></sec></abstract>
"""
REFERENCES = """<ref-list><title>References</title>
<ref id="r1"><label>1</label><element-citation publication-type="journal">
<person-group person-group-type="author"><name><surname>Two</surname>
<given-names>A</given-names></name></person-group>
<article-title>A first work.</article-title><source>Journal</source><year>1999</year>
<pub-id pub-id-type="doi">10.1/First</pub-id></element-citation></ref>
<ref id="r2"><label>2</label><mixed-citation><string-name><surname>Three</surname>
</string-name>. <article-title>Second work</article-title>. arXiv:1706.03762, <year>2017</year>.
</mixed-citation></ref>
<ref id="r3"><mixed-citation id="a">Four. Works in parts. 2001.</mixed-citation>
<mixed-citation id="b" publication-type="book"><source>A Book</source></mixed-citation></ref>
<ref id="r4">Unmarked entry.</ref></ref-list>"""


def paper(body: str = "<p>Text.</p>", back: str = REFERENCES, meta: str = META) -> Document:
    xml = (
        '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS//EN" "JATS-archivearticle1.dtd">'
        '<article xmlns:xlink="http://www.w3.org/1999/xlink" article-type="research-article">'
        "<front><journal-meta><journal-title>Journal of X</journal-title></journal-meta>"
        f"<article-meta>{meta}</article-meta></front><body>{body}</body><back>{back}</back></article>"
    )
    return read_documents(xml.encode(), "x.nxml")[0]


def test_the_front_matter_gives_the_paper() -> None:
    found = paper()
    assert found.title == "Small Networks"
    assert found.abstract == "Background: First.\n\nResults: Second.\n\nThird."
    assert [(a.name, a.author_id) for a in found.authors] == [
        ("Author B One", "0000-0001-2345-678X"),
        ("The Group", None),
    ]
    assert (found.doi, found.venue) == ("10.1234/abc.5", "Journal of X")
    assert found.licence == "https://creativecommons.org/licenses/by/4.0/"
    assert (found.kind, found.key, found.source_file) == ("jats", "x.nxml", "x.nxml")


@pytest.mark.parametrize(
    ("dates", "published"),
    [
        ("<pub-date><day>3</day><month>2</month><year>2018</year></pub-date>", "2018-02-03"),
        ("<pub-date><month>February</month><year>2018</year></pub-date>", "2018-02"),
        ("<pub-date><day>31</day><month>2</month><year>2018</year></pub-date>", "2018-02"),
        ("<pub-date><season>Spring</season><year>2018</year></pub-date>", "2018"),
        # 2018 is over on 2019-01-01, after 2018-02-03: the day says more.
        (
            "<pub-date><year>2018</year></pub-date>"
            "<pub-date><day>3</day><month>2</month><year>2018</year></pub-date>",
            "2018-02-03",
        ),
        ('<pub-date pub-type="pmc-release"><year>2018</year></pub-date>', None),
        ("<pub-date><year>MMXVIII</year></pub-date>", None),
        ("", None),
    ],
)
def test_the_earliest_sure_date_counts(dates: str, published: str | None) -> None:
    assert paper(meta=META + dates).published == published


def test_sections_have_levels_numbers_and_roles() -> None:
    body = """<p>Opening.</p>
    <sec sec-type="methods"><label>1.</label><title>What we did</title><p>One.</p>
      <sec><title>1.1 Data<fn><p>A note.</p></fn></title><p>Two <fig><caption><p>Floats.</p>
      </caption></fig>halves.</p><list><list-item><p>a</p></list-item><list-item><p>b</p>
      </list-item></list></sec></sec>
    <sec><title>Empty</title></sec>"""
    back = """<ack><p>Thanks.</p></ack>
    <app-group><app><title>Proofs</title><sec><title>Lemma</title><p>Three.</p></sec></app>
    </app-group>"""
    found = [(s.level, s.number, s.heading, s.role, s.text) for s in paper(body, back).sections]
    assert found == [
        (1, None, None, None, "Opening."),
        (1, "1", "What we did", "method", "One."),
        (2, "1.1", "Data", None, "Two halves.\n\na\n\nb"),
        (1, None, None, "acknowledgements", "Thanks."),
        (1, None, "Proofs", "appendix", ""),
        (2, None, "Lemma", "appendix", "Three."),
    ]


def test_raised_citation_marks_do_not_grow_into_words() -> None:
    body = (
        '<p>Known<sup><xref ref-type="bibr" rid="r1">1</xref>,<xref ref-type="bibr" rid="r2">2'
        '</xref></sup>, x<sup>2</sup> and [<xref ref-type="bibr" rid="r1">1</xref>].</p>'
    )
    assert paper(body).sections[0].text == "Known [1,2], x2 and [1]."


def test_formulas_are_printed_once() -> None:
    body = (
        "<p>So <alternatives><tex-math>\\documentclass{a}\\begin{document}$x$\\end{document}"
        "</tex-math><math>x</math></alternatives> and <tex-math>\\begin{document}$y$"
        "\\end{document}</tex-math>&nbsp;end.</p>"
    )
    assert paper(body).sections[0].text == "So x and $y$ end."


def test_raised_and_lowered_text_keeps_numbers() -> None:
    body = "<p>10<bold><sup>6</sup></bold>, 101<sub>2</sub>, H<sub>2</sub>, 3<sup>rd</sup></p>"
    assert paper(f"<sec><title>A</title>{body}</sec>").sections[0].text == "10^6, 101_2, H2, 3rd"


def test_a_formula_in_mathml_keeps_powers_indices_and_fractions() -> None:
    power = "<msup><mn>10</mn><mrow><mo>-</mo><mn>6</mn></mrow></msup>"
    body = (
        f"<p>In <alternatives><math><mn>2</mn><mo>×</mo>\n{power}</math><tex-math>2</tex-math>"
        "</alternatives> and <math><msubsup><mi>a</mi><mi>i</mi><mn>2</mn></msubsup><mo>=</mo>"
        "<mfrac><mn>1</mn><mn>4</mn></mfrac><mtext>if</mtext><mi>i</mi></math>.</p>"
    )
    found = paper(body, meta=META.replace("Small ", f"Of <math>{power}</math> "))
    assert found.title == "Of 10^-6 Networks"
    assert found.sections[0].text == "In 2×10^-6 and a_i^2=1/4 if i."


@pytest.mark.parametrize(
    ("meta", "status"),
    [
        ('<related-article related-article-type="retraction-forward"/>', "retracted"),
        ('<related-article related-article-type="retracted-article"/>', "retracted"),
        ('<pub-history><event event-type="retraction"/></pub-history>', "retracted"),
        ('<related-article related-article-type="correction-forward"/>', None),
    ],
)
def test_an_article_is_marked_by_the_retraction_that_it_is_linked_with(
    meta: str, status: str | None
) -> None:
    assert paper(meta=META + meta).withdrawn == status


def test_references_keep_what_is_printed() -> None:
    first, second, third, fourth, fifth = paper().references
    assert first.raw == "A Two. A first work. Journal. 1999. 10.1/First."
    assert (first.title, first.year, first.first_author) == ("A first work", 1999, "Two")
    assert second.raw == "Three . Second work. arXiv:1706.03762, 2017."
    assert (second.arxiv_id, second.year, second.first_author) == ("1706.03762", 2017, "Three")
    assert (third.raw, third.year) == ("Four. Works in parts. 2001.", 2001)
    assert fourth.title == "A Book"
    assert fifth.raw == "Unmarked entry."
    assert [r.ordinal for r in paper().references] == [0, 1, 2, 3, 4]


def test_titles_that_the_markup_does_not_name_are_found_in_the_text() -> None:
    back = """<ref-list><ref><mixed-citation>Gray L, Stone P. Moss on old barns. <italic>Plant
    Mats</italic> 2010;<bold>3</bold>:1-10.</mixed-citation></ref></ref-list>"""
    assert paper(back=back).references[0].title == "Moss on old barns"


def test_entries_of_fields_alone_are_put_together_from_them() -> None:
    back = """<ref-list><ref id="a"><mixed-citation publication-type="journal"><person-group
    person-group-type="author"><name><surname>One</surname><given-names>A</given-names></name>
    <name><surname>Two</surname><given-names>B</given-names></name></person-group><year>2006</year>
    <article-title>A work.</article-title><source>J X</source>(accepted)</mixed-citation></ref>
    <ref id="b"><citation citation-type="book"><name><surname>Three</surname><given-names>C
    </given-names></name><etal/><source>The Book.</source><year>1930</year></citation></ref>
    <ref id="c"><mixed-citation><name><surname>Four</surname><given-names>D</given-names></name>,
    <article-title>Printed work</article-title>, <year>2001</year>.</mixed-citation></ref>
    </ref-list>"""
    first, second, third = paper(back=back).references
    assert first.raw == "A One, B Two. A work. J X. 2006."
    assert (second.raw, second.title) == ("C Three. The Book. 1930.", "The Book")
    assert third.raw == "Four D, Printed work, 2001."


def test_tables_keep_their_grid_and_cite_by_mark_and_range() -> None:
    body = """<table-wrap><label>Table 1.</label><caption><p>Works</p></caption><table>
    <tr><th rowspan="2">a</th><th colspan="2">b</th></tr><tr><td>c</td><td>d</td></tr>
    <tr><td>e [<xref ref-type="bibr" rid="r1">1</xref>]–[<xref ref-type="bibr" rid="b">3</xref>]
    </td></tr></table></table-wrap>"""
    (table,) = paper(body).tables
    assert table.caption == "Table 1: Works"
    assert table.cells == (("a", "b", ""), ("", "c", "d"), ("e [1]–[3]",))
    assert table.spans == ((0, 0, 2, 1), (0, 1, 1, 2))
    assert table.bold == ()
    assert table.cited == (0, 1, 2, 3)  # r1 is 0, b is 3, and the dash takes in 1 and 2


def test_cells_all_in_bold_are_marked() -> None:
    body = """<table-wrap><caption><p>Works</p></caption><table><tr><td><bold>a</bold></td>
    <td><bold>b</bold> c</td><td><p><bold>9</bold>.<bold>1</bold></p></td><td>d</td></tr></table>
    </table-wrap>"""
    (table,) = paper(body).tables
    assert table.bold == ((0, 0), (0, 2))


# Real files


@pytest.mark.parametrize(
    ("name", "sections", "references", "tables", "cited", "published"),
    [
        ("PMC5828200.nxml", 29, 52, 1, 0, "2018-01-31"),
        ("PMC7417471.nxml", 20, 206, 4, 52, "2020-08-10"),
    ],
)
def test_real_articles_are_read_whole(
    data_dir: Path,
    name: str,
    sections: int,
    references: int,
    tables: int,
    cited: int,
    published: str,
) -> None:
    path = data_dir / "fulltext" / name
    (found,) = read_documents(path.read_bytes(), name)
    assert len(found.sections) == sections
    assert len(found.references) == references == path.read_bytes().count(b"<ref id=")
    assert len(found.tables) == tables == path.read_bytes().count(b"</table-wrap>")
    assert sum(len(table.cited) for table in found.tables) == cited
    assert found.published == published
    assert found.licence is not None
    assert "creativecommons.org" in found.licence
    assert all(reference.title and reference.year for reference in found.references)


# Hostile files


def test_an_encoding_that_a_file_declares_is_read() -> None:
    declared = '<?xml version="1.0" encoding="ISO-8859-1"?>'
    paper = (
        f"{declared}<article><body><sec><title>Größe</title><p>Straße.</p></sec></body></article>"
    )
    for encoding in ("latin-1", "utf-8"):  # which is read as such, whatever is declared
        assert read_documents(paper.encode(encoding), "a.nxml")[0].sections[0].heading == "Größe"


def test_a_set_of_articles_holds_several_papers() -> None:
    articles = "".join(
        f"<article><front><article-meta><title-group><article-title>{title}</article-title>"
        "</title-group></article-meta></front></article>"
        for title in ("Dawn", "Dusk")
    )
    found = read_documents(f"<pmc-articleset>{articles}</pmc-articleset>".encode(), "x.nxml")
    assert [(one.key, one.title) for one in found] == [("x.nxml", "Dawn"), ("x.nxml-2", "Dusk")]
