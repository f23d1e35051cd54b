"""TEI files: what is read, and what is refused with a reason."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce.corpus.fields import assign_roles
from vivavoce.records import Document
from vivavoce.sources.fulltext.tei import clean_title, read_document

HEADER = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0" xmlns:xlink="http://www.w3.org/1999/xlink">
<teiHeader xml:lang="en"><fileDesc>
<titleStmt><title level="a" type="main">Small
  Networks</title></titleStmt>
<publicationStmt><publisher/><availability status="unknown"><licence>CC BY 4.0</licence>
</availability><date type="published" when="1931-01-01"/></publicationStmt>
<sourceDesc><biblStruct><analytic>
<author><persName><forename type="first">Author</forename><forename type="middle">B</forename>
<surname>One</surname></persName><idno type="ORCID">https://orcid.org/0000-0001-2345-678x</idno>
</author>
<author><persName><forename type="first">†</forename></persName></author>
<author><affiliation><orgName>Introduction</orgName></affiliation></author>
<author><persName><forename type="first">Author</forename><surname>Two</surname></persName></author>
</analytic><monogr><imprint><date/></imprint></monogr>
<idno type="MD5">0123456789ABCDEF0123456789ABCDEF</idno>
<idno type="arXiv">arXiv:1706.03762v5[cs.CL]</idno>
<idno type="DOI">10.18653/V1/N18-1001</idno>
</biblStruct></sourceDesc></fileDesc>
<profileDesc><abstract><div><p><s>First.</s><s>Second.</s></p><p>Third.</p></div></abstract>
</profileDesc></teiHeader>
"""


def paper(body: str = "", back: str = "", *, name: str = "x.tei.xml") -> Document:
    content = f"{HEADER}<text><body>{body}</body><back>{back}</back></text></TEI>"
    return read_document(content.encode(), name)


def div(head: str, text: str = "Text.", n: str | None = None) -> str:
    label = f' n="{n}"' if n else ""
    paragraph = f"<p>{text}</p>" if text else ""
    return f'<div xmlns="http://www.tei-c.org/ns/1.0"><head{label}>{head}</head>{paragraph}</div>'


def outline(document: Document) -> list[tuple[int, str | None, str | None]]:
    return [(s.level, s.number, s.heading) for s in document.sections]


# Header


def test_the_header_gives_title_abstract_authors_licence_and_identifiers() -> None:
    found = paper("<p>Text.</p>", name="paper.tei.xml")
    assert found.title == "Small Networks"
    assert found.abstract == "First. Second.\n\nThird."
    assert [a.name for a in found.authors] == ["Author B One", "Author Two"]
    assert [a.author_id for a in found.authors] == ["0000-0001-2345-678X", None]
    assert (found.arxiv_id, found.version) == ("1706.03762", "v5")
    assert found.doi == "10.18653/v1/n18-1001"
    assert found.licence == "CC BY 4.0"
    assert (found.key, found.source_file, found.kind) == ("paper.tei.xml", "paper.tei.xml", "tei")


def test_the_header_dates_a_paper_that_no_id_does() -> None:
    assert paper("<p>Text.</p>").published is None  # its arXiv id is of 2017
    without = HEADER.replace('<idno type="arXiv">arXiv:1706.03762v5[cs.CL]</idno>', "")
    program = '<encodingDesc><appInfo><application when="2025-01-02"/></appInfo></encodingDesc>'

    def published(header: str) -> str | None:
        content = f"{header.replace('<profileDesc>', f'{program}<profileDesc>')}<text/></TEI>"
        return read_document(content.encode(), "x.tei.xml").published

    assert published(without) == "1931-01-01"
    assert published(without.replace('type="published" ', "")) is None
    assert published(without.replace("1931-01-01", "sometime")) is None
    assert (
        published(without.replace(' when="1931-01-01"/>', ">2 March 1931</date>")) == "1931-03-02"
    )
    assert published(without.replace('"published"', '"datePub"')) == "1931-01-01"


def test_numbers_keep_their_powers() -> None:
    power = "<math><msup><mn>10</mn><mn>8</mn></msup></math>"
    raised, lowered = '<hi rend="superscript">6</hi>', '<hi rend="subscript">2</hi>'
    text = f"<p>10{raised}, 101{lowered}, <formula>{power}</formula></p>"
    assert paper(f"<div><head>One</head>{text}</div>").sections[0].text == "10^6, 101_2, 10^8"


@pytest.mark.parametrize(
    ("printed", "title"),
    [
        ("Published as a conference paper at ICLR 2017 REAL TITLE", "REAL TITLE"),
        ("Under review as a conference paper REAL TITLE", "REAL TITLE"),
        ("Workshop track -ICLR 2017 REAL TITLE", "REAL TITLE"),
        ("Accepted at NeurIPS 2020. Real Title", "Real Title"),
        ("To appear in Proceedings of ACL 2018: Real Title", "Real Title"),
        ("Preprint. Under review. Real Title", "Real Title"),
        ("Published in Transactions on Machine Learning (08/2022) Real Title", "Real Title"),
        ("Published as a conference paper at ICLR 2017", None),
        ("Published Opinions: a Study of 2017 Essays", None),
        ("Accepted Wisdom and Its Limits", None),
        ("Review Spam in 2015", None),
    ],
)
def test_a_venue_banner_leaves_the_title(printed: str, title: str | None) -> None:
    assert clean_title(printed) == (title or printed)


# Sections


def test_numbers_give_the_levels_wherever_they_stand() -> None:
    body = div("Introduction", n="1.") + div("2 Model") + div("Encoder", n="2.1.")
    body += div("2.1.1 Cells") + div("Conclusion", n="3")
    assert outline(paper(body)) == [
        (1, "1", "Introduction"),
        (1, "2", "Model"),
        (2, "2.1", "Encoder"),
        (3, "2.1.1", "Cells"),
        (1, "3", "Conclusion"),
    ]


def test_a_number_in_another_style_stands_where_the_others_leave_it_out() -> None:
    heads = div("Introduction", n="1") + div("Data", n="2") + div("Corpus", n="2.1")
    heads += div("III. RESULTS") + div("A. Setup") + div("Conclusion", n="4")
    assert outline(paper(heads)) == [
        (1, "1", "Introduction"),
        (1, "2", "Data"),
        (2, "2.1", "Corpus"),
        (1, "III", "RESULTS"),
        (2, "A", "Setup"),
        (1, "4", "Conclusion"),
    ]


def test_roman_sections_have_lettered_subsections() -> None:
    body = div("INTRODUCTION", n="I.") + div("DATA", n="II.") + div("Sources", n="A.")
    body += div("Cleaning", n="B.") + div("RESULTS", n="III.")
    body += div("Speed", n="A.") + div("CONCLUSION", n="IV.") + div("V. ACKNOWLEDGMENT")
    assert outline(paper(body)) == [
        (1, "I", "INTRODUCTION"),
        (1, "II", "DATA"),
        (2, "A", "Sources"),
        (2, "B", "Cleaning"),
        (1, "III", "RESULTS"),
        (2, "A", "Speed"),
        (1, "IV", "CONCLUSION"),
        (1, "V", "ACKNOWLEDGMENT"),
    ]


def test_letters_after_the_last_number_are_appendices() -> None:
    body = div("Introduction", n="1") + div("Method", n="2") + div("Conclusion", n="3")
    body += div("B More proofs") + div("B.1 Lemmas") + div("C 1 BILLION WORDS")
    found = paper(body + div("Appendix D Samples"))
    assert outline(found)[3:] == [
        (1, "B", "More proofs"),
        (2, "B.1", "Lemmas"),
        (1, "C", "1 BILLION WORDS"),
        (1, "D", "Samples"),
    ]
    assert [s.role for s in assign_roles(found.sections)][3:] == ["appendix"] * 4


@pytest.mark.parametrize(
    ("head", "n"),
    [("88.7 200D CAFE", "91.6"), ("8 GPUs", "31.9"), ("Table 7.", None), ("Small networks", None)],
)
def test_debris_opens_no_section_and_its_text_stays(head: str, n: str | None) -> None:
    body = div("Introduction", "One.", "1") + div("Model", "Two.", "2") + div(head, "Three.", n)
    found = paper(body + div("Conclusion", "Four.", "3"))
    assert [s.heading for s in found.sections] == ["Introduction", "Model", "Conclusion"]
    assert found.sections[1].text == "Two.\n\nThree."


def test_two_headings_that_grew_together_are_parted() -> None:
    body = div("Introduction", n="1") + div("Experiments 2.1 Data", n="2") + div("Speed", n="2.2")
    found = paper(body)
    assert outline(found)[1:] == [(1, "2", "Experiments"), (2, "2.1", "Data"), (2, "2.2", "Speed")]
    assert [s.text for s in found.sections] == ["Text.", "", "Text.", "Text."]


def test_a_sentence_taken_for_a_heading_stays_in_the_text() -> None:
    body = div("Introduction", "One.", "1") + div("Our contributions are as follows:", "Two.")
    assert paper(body).sections[0].text == "One.\n\nOur contributions are as follows:\n\nTwo."


def test_text_keeps_marks_and_formulas_and_leaves_floats_and_notes_out() -> None:
    body = (
        '<div><head n="1">Model</head><p>As <ref type="bibr" target="#b0">[1]</ref>\n say'
        '<note place="foot" n="1">aside</note>, with <formula>x = y</formula> here</p>'
        "<formula>a = b <label>(1)</label></formula><p>where a is b.</p>"
        '<figure type="table"><head>Table 1</head><table>cell</table></figure>'
        "<list><item>One</item><item>Two</item></list></div>"
        '<note place="foot" n="2">another</note>'
    )
    assert paper(body).sections[0].text == (
        "As [1] say, with x = y here a = b (1) where a is b.\n\nOne\n\nTwo"
    )


def test_end_matter_gets_its_role_from_the_markup() -> None:
    back = (
        f'<div type="acknowledgement">{div("Thanks")}</div>'
        '<div type="funding"><div><p>Money.</p></div></div>'
        f'<div type="availability">{div("Data", "On request.")}</div>'
        f'<div type="annex">{div("A Proofs")}{div("B.1 Lemmas")}{div("Samples")}</div>'
        '<div type="references"><listBibl/></div>'
    )
    found = paper(div("Introduction", n="1"), back)
    assert [(s.heading, s.role) for s in found.sections[1:]] == [
        ("Thanks", "acknowledgements"),
        (None, "acknowledgements"),
        ("Data", "other"),
        ("Proofs", "appendix"),
        ("Lemmas", "appendix"),
        ("Samples", "appendix"),
    ]


def test_a_body_section_taken_for_an_annex_is_no_appendix() -> None:
    body = div("Introduction", n="1") + div("Results", n="2")
    found = paper(body, f'<div type="annex">{div("Conclusion", n="3")}</div>')
    assert [s.role for s in assign_roles(found.sections)][-1] == "conclusion"


def test_limitations_at_the_start_of_an_annex_are_no_appendix() -> None:
    annex = div("Limitations") + div("Ethics Statement") + div("Proofs", n="A") + div("Lemmas")
    found = paper(
        div("Introduction", n="1") + div("Conclusion", n="2"), f'<div type="annex">{annex}</div>'
    )
    assert [(s.level, s.role) for s in assign_roles(found.sections)] == [
        (1, "introduction"),
        (1, "conclusion"),
        (1, "discussion"),
        (1, "appendix"),
        (1, "appendix"),
        (2, "appendix"),
    ]


# References and tables

REFERENCES = """<div type="references"><listBibl>
<biblStruct xml:id="b0"><analytic><title level="a" type="main">Deep Things</title>
<author><persName><forename type="first">A</forename><forename type="middle">B</forename>
<surname>First</surname></persName></author>
<author><persName><forename type="first">C</forename><surname>Second</surname></persName></author>
</analytic><monogr><title level="j">Journal of Things</title><imprint>
<date type="published" when="2015-06" /></imprint></monogr>
<idno type="DOI">10.1000/ABC.1</idno></biblStruct>
<biblStruct xml:id="b7"><monogr><title level="m">A Book</title><author><persName>
<surname>Third</surname></persName></author><idno type="arXiv">arXiv:1607.06450v2</idno>
<imprint><date>ca. 1999</date></imprint></monogr></biblStruct>
<biblStruct xml:id="b8"><monogr><title/><imprint><date type="published" when="0016" /></imprint>
</monogr><note type="raw_reference">Someone. Untitled. See abs/1409.0473.</note></biblStruct>
<biblStruct xml:id="b9"><analytic/><monogr><title level="j">Venue Only</title></monogr></biblStruct>
</listBibl></div>"""


def test_every_entry_of_the_list_is_a_reference_in_order() -> None:
    found = paper(back=REFERENCES).references
    assert [r.ordinal for r in found] == [0, 1, 2, 3]
    assert [r.title for r in found] == ["Deep Things", "A Book", None, None]
    assert [r.year for r in found] == [2015, 1999, None, None]
    assert [r.first_author for r in found] == ["First", "Third", None, None]
    assert [r.arxiv_id for r in found] == [None, "1607.06450", "1409.0473", None]
    assert [r.doi for r in found] == ["10.1000/abc.1", None, None, None]


def test_a_table_knows_the_references_cited_in_cells_and_caption() -> None:
    body = """<figure type="table" xml:id="tab_0"><head>Table 1 :</head><label>1</label>
<figDesc>Scores, as in <ref type="bibr" target="#b8">Someone</ref>.</figDesc><table>
<row><cell>Model</cell><cell cols="2">Score</cell></row>
<row><cell>Deep <ref type="bibr" target="#b0">(First, 2015)</ref></cell><cell>1</cell>
<cell>2 <ref type="bibr" target="#b99">?</ref><ref type="figure" target="#b7">3</ref></cell></row>
</table></figure><p>Elsewhere <ref type="bibr" target="#b9">x</ref></p>
<figure><head>Figure 1</head></figure>
<figure type="table"><head>Table 2. Sizes</head><label>2</label><figDesc>Table 2. Sizes of all
</figDesc><table>a 1

b  2</table></figure><figure type="table"><head/><label>3</label><figDesc/><table/></figure>"""
    first, second, third = paper(body, REFERENCES).tables
    assert first.caption == "Table 1 : Scores, as in Someone."
    assert first.cells == (("Model", "Score", ""), ("Deep (First, 2015)", "1", "2 ?3"))
    assert first.cited == (0, 2)
    assert (second.caption, second.cells) == ("Table 2. Sizes of all", (("a 1",), ("b 2",)))
    assert (third.caption, third.cells, third.ordinal) == ("Table 3:", (), 2)


# Files


@pytest.mark.timeout(60)
def test_many_headings_take_linear_time() -> None:
    body = "".join(div(f"{i % 30}.{i % 7} " + "A " * 60, n=f"{i % 30}") for i in range(4000))
    found = paper(body + div("(" * 20_000) + div("1." * 20_000))
    assert {section.number for section in found.sections} >= {str(n) for n in range(1, 30)}


HEADS = st.sampled_from(
    ["Introduction", "Model", "A Proofs", "IV. Data", "2.1 Encoder", "91.6", "===", "Appendix A"]
)
LABELS = st.sampled_from([None, "1", "2", "2.1", "3.", "A.", "IV.", "0.5", "•"])


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(divisions=st.lists(st.tuples(HEADS, LABELS, st.integers(0, 2)), max_size=10))
def test_no_heading_loses_a_paragraph(divisions: list[tuple[str, str | None, int]]) -> None:
    body, words = "", []
    for place, (head, label, nested) in enumerate(divisions):
        words.append(f"word{place}")
        inner = div(head, f"inner{place}", label) * nested
        words += [f"inner{place}"] * nested
        body += f"<div><head n='{label or ''}'>{head}</head><p>word{place}</p>{inner}</div>"
    found = " ".join(section.text for section in paper(body).sections).split()
    assert Counter(found) == Counter(words)
