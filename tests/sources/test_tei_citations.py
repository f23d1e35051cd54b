"""What the tables of a TEI paper cite, told from the markers they print."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.records import Document
from vivavoce.sources.fulltext.tei import read_document


def entry(number: int, authors: str, year: int | None, title: str = "", raw: str = "") -> str:
    """An entry of the reference list; authors as `A Kim, B Rush`."""
    people = ""
    for author in filter(None, authors.split(", ")):
        forename, _, surname = author.rpartition(" ")
        first = f"<forename>{forename}</forename>" if forename else ""
        people += f"<author><persName>{first}<surname>{surname}</surname></persName></author>"
    date = f'<date type="published" when="{year}"/>' if year else ""
    note = f'<note type="raw_reference">{raw}</note>' if raw else ""
    return (
        f'<biblStruct xml:id="b{number}"><analytic><title>{title or f"Work {number}"}</title>'
        f"{people}</analytic><monogr><imprint>{date}</imprint></monogr>{note}</biblStruct>"
    )


def mark(text: str, number: int | None = None) -> str:
    target = "" if number is None else f' target="#b{number}"'
    return f'<ref type="bibr"{target}>{text}</ref>'


def table(*rows: str, caption: str = "Scores.") -> str:
    """A table; cells are parted by `|`."""
    cells = "".join(
        f"<row>{''.join(f'<cell>{cell}</cell>' for cell in row.split('|'))}</row>" for row in rows
    )
    return (
        f'<figure type="table"><head>Table 1:</head><figDesc>{caption}</figDesc>'
        f"<table>{cells}</table></figure>"
    )


def paper(
    body: str, references: str, title: str = "This Work", name: str = "x.tei.xml"
) -> Document:
    content = (
        f"<TEI><teiHeader><fileDesc><titleStmt><title>{title}</title></titleStmt></fileDesc>"
        f"</teiHeader><text><body><p>Text.</p>{body}</body><back><div type='references'>"
        f"<listBibl>{references}</listBibl></div></back></text></TEI>"
    )
    return read_document(content.encode(), name)


def cited(body: str, references: str) -> tuple[int, ...]:
    return paper(body, references).tables[0].cited


# Numbers

BY_NUMBER = f"<p>{mark('[1]', 0)} and {mark('[4,', 3)} {mark('7]', 6)}.</p>"


# Author and year

WORKS = (
    entry(0, "Y Kim", 2014)
    + entry(1, "Y Kim, Y Jernite, D Sontag, A Rush", 2016)
    + entry(2, "Y Kim, A Rush", 2016)
    + entry(3, "A van den Oord, N Kalchbrenner", 2016)
    + entry(4, "A Søgaard, Y Goldberg", 2016)
    + entry(5, "J Same, K One", 2018)
    + entry(6, "J Same, K Two", 2018)
    + entry(7, "M Luong, H Pham, C Manning", 2015)
    + entry(8, "M Luong, I Sutskever, Q Le", 2015)
    + entry(9, "Q Le, T Mikolov", 2014)
    + entry(10, "Chen", 2017)
    + entry(11, "M Nickel, V Tresp, H Kriegel", 2011)
)


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("CNN (Kim, 2014)", (0,)),
        ("Kim et al. (2016)", (1,)),  # of the two papers by Kim, the one with more than two authors
        ("Seq (Kim &amp; Rush, 2016)", (2,)),
        ("Kim and Rush (2016) and CNN (Kim, 2014)", (0, 2)),
        ("van den Oord et al. (2016)", (3,)),
        ("(Sogaard and Goldberg 2016)", (4,)),
        ("Same and Two (2018)", (6,)),
        ("(Le and Mikolov, 2014)", (9,)),
        ("RESCAL (Nickel, Tresp, and Kriegel 2011)", (11,)),
        ("CNN, Kim et al. (2016)", (1,)),
        ("NICKEL ET AL., 2011", (11,)),
        ("Kim et al.|(2016)", (1,)),
    ],
)
def test_surname_and_year_find_their_reference(printed: str, expected: tuple[int, ...]) -> None:
    assert cited(table(f"{printed}|81.5"), WORKS) == expected
    assert cited(table("x", caption=printed.replace("|", " ")), WORKS) == expected


@pytest.mark.parametrize(
    ("printed", "reason"),
    [
        ("Same et al. (2018)", "two references fit"),
        ("Kim (2016)", "a single author is named, the references have more"),
        ("Kim and Sontag (2014)", "the reference has one author"),
        ("Same and Three (2018)", "the second author is another"),
        ("Kim et al. (2015)", "the year is another"),
        ("Luong et al. (2015a)", "nothing tells the letters"),
        ("GPT and Kim (2014)", "the names belong together"),
        ("Kim|2014", "two cells that do not belong together"),
        ("Kim CNN and BiDAF", "no year"),
    ],
)
def test_a_marker_in_doubt_stays_unresolved(printed: str, reason: str) -> None:
    assert cited(table(f"{printed}|81.5"), WORKS) == (), reason


def test_a_letter_is_read_as_the_running_text_reads_it() -> None:
    body = f"<p>As {mark('(Luong et al., 2015b', 7)} and {mark('Luong et al. (2015a)', 8)}.</p>"
    assert cited(body + table("Luong et al. (2015a)"), WORKS) == (8,)
    assert cited(body + table("(Luong et al., 2015a,b)"), WORKS) == (7, 8)


def test_a_letter_is_read_from_the_printed_entry() -> None:
    works = entry(0, "M Luong, H Pham", 2015, raw="M Luong, H Pham. 2015b. One.")
    works += entry(1, "M Luong, I Sutskever", 2015, raw="M Luong, I Sutskever. 2015a. Two.")
    assert cited(table("Luong et al. (2015a)"), works) == (1,)
    assert cited(table("Luong et al. (2015c)"), works) == ()


# Tables


def test_lines_of_a_table_without_rows_are_read_across_breaks() -> None:
    body = (
        '<figure type="table"><head>Table 1</head><table>Model\nScore\nReader (Kim and\n'
        "Rush, 2016)\n81.5\nKim\n2014\n</table><note>See Oord et al. (2016).</note></figure>"
    )
    assert cited(body, WORKS) == (2, 3)


def test_a_table_does_not_cite_the_paper_itself() -> None:
    works = entry(0, "Y Kim", 2014, "This work.") + entry(1, "A Rush", 2015)
    works += entry(2, "B Lee", 2016, raw="B Lee. arXiv:1410.5401. 2016.")
    body = table("Kim (2014)", f"{mark('x', 0)}", "Rush (2015)", "Lee (2016)")
    assert paper(body, works, "This Work").tables[0].cited == (1, 2)
    assert paper(body, works, "This Work", "1410.5401v2.tei.xml").tables[0].cited == (1,)


PRINTED = st.lists(
    st.sampled_from(
        "Kim/Same/et al./and/(2016)/2014/2015a/,/;/[1]/[4, 9]/[2-8]/[12]/Rush/|/\n".split("/")
    ),
    max_size=12,
).map(" ".join)
MARKS = st.lists(
    st.tuples(
        st.sampled_from(["[1]", "[4]", "9", "Kim et al., 2016", "Same, 2018", "Luong 2015a"]),
        st.none() | st.integers(0, 14),
    ),
    max_size=8,
)


@settings(deadline=None)
@given(printed=PRINTED, marks=MARKS, size=st.integers(0, 12))
def test_cited_works_exist(printed: str, marks: list[tuple[str, int | None]], size: int) -> None:
    works = "<biblStruct".join(WORKS.split("<biblStruct")[: size + 1])
    body = "".join(f"<p>{mark(text, number)}</p>" for text, number in marks)
    for printed_table in paper(body + table(printed, caption=printed), works).tables:
        assert list(printed_table.cited) == sorted(set(printed_table.cited))
        assert all(0 <= ordinal < size for ordinal in printed_table.cited)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", ["Kim et al., 2016; ", "Same and One, 2018 ", "[4] x ", "[1-9]a "])
def test_a_huge_table_takes_linear_time(unit: str) -> None:
    namesakes = "".join(entry(n, f"J Same, K Author{n}", 2018) for n in range(1000))
    body = BY_NUMBER + table(unit * (100_000 // len(unit)))
    assert len(paper(body, namesakes).references) == 1000


# Real files
