"""Citation markers in plain text: what is found, and what is no citation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.text.citation_markers import find_author_year_markers, find_numeric_markers, name_key


def numbers(text: str) -> list[tuple[int, ...]]:
    return [marker.numbers for marker in find_numeric_markers(text)]


def years(text: str) -> list[tuple[str, str]]:
    """Markers as ("first+second+others", "2015a")."""
    return [
        (
            "+".join(marker.names) + ("+others" if marker.has_others else ""),
            f"{marker.year}{marker.letter}",
        )
        for marker in find_author_year_markers(text)
    ]


# Numbers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Reader [12]", [(12,)]),
        ("ResNet-101[31] 4.5", [(31,)]),
        ("as in [3-7] and [ 9 , 2 ]", [(3, 4, 5, 6, 7), (9, 2)]),
        ("as in [1, 3–5; 8]", [(1, 3, 4, 5, 8)]),
        ("as in [3]–[6], [9]", [(3,), (4, 5, 6), (9,)]),
        ("[4], [12]", [(4,), (12,)]),
        ("Reader [12]\n[4]\n0.5", [(12,), (4,)]),
    ],
)
def test_numbers_in_square_brackets_are_found_with_ranges_written_out(
    text: str, expected: list[tuple[int, ...]]
) -> None:
    assert numbers(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "scores in [0, 1]",
        "kernel size [3, 5]",
        "0.3 [12] 0.5",
        "x[1] and 0.5[2]",
        "from [7-3]",
        "from [1-900]",
        "year [2016]",
        "(12), 12 and {12}",
        "[12",
        "",
    ],
)
def test_quantities_in_brackets_are_no_citations(text: str) -> None:
    assert numbers(text) == []


# Surnames and years


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Kim (2014)", [("kim", "2014")]),
        ("Reader Kim et al. (2016b)", [("kim+others", "2016b")]),
        ("Kim and others (2016)", [("kim+others", "2016")]),
        ("NET (KIM ET AL., 2015A)", [("kim+others", "2015a")]),
        ("A. Kim and A. M. Rush (2016)", [("kim+rush", "2016")]),
        ("(Kim, Rush, and Lee 2016)", [("kim+rush+lee", "2016")]),
        ("(Luong et al., 2015a; Cho & Ba, 2014)", [("luong+others", "2015a"), ("cho+ba", "2014")]),
        ("(Kim et al., 2014; 2016)", [("kim+others", "2014"), ("kim+others", "2016")]),
        ("(Kim, 2014a,b)", [("kim", "2014a"), ("kim", "2014b")]),
        ("Kim's (2014)", [("kim", "2014")]),
        ("van den Oord et al. (2016)", [("oord+others", "2016")]),
        ("O'Connor et al. (2010)", [("oconnor+others", "2010")]),
        ("Søgaard (2011), Hajič 2012", [("sogaard", "2011"), ("hajic", "2012")]),
        ("Rockta¨schel and Kocisky´ (2016)", [("rocktaschel+kocisky", "2016")]),
        ("Her- mann et al. (2015)", [("hermann+others", "2015")]),
    ],
)
def test_surnames_and_years_are_found(text: str, expected: list[tuple[str, str]]) -> None:
    assert years(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(Kim et\nal., 2015)", [("kim+others", "2015")]),
        ("(Her-\nmann, 2015)", [("hermann", "2015")]),
        ("Kim et al.\n2015", []),
        ("Kim et al.\n\n(2015)", []),
    ],
)
def test_an_unfinished_marker_crosses_a_line(text: str, expected: list[tuple[str, str]]) -> None:
    assert years(text) == expected


@pytest.mark.parametrize("text", ["in 2016", "x1 (2016)", "K (2016)", "Kim 3016"])
def test_other_years_are_no_markers(text: str) -> None:
    assert years(text) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("van den Oord", "Oord"),
        ("MÜLLER", "Mu\u0308ller"),
        ("Al-Rfou'", "AlRfou"),
        ("Łø", "lo"),
        ("Strauß", "Strauss"),
    ],
)
def test_spellings_of_one_surname_have_one_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other) != ""


def test_a_surname_that_is_a_particle_stays() -> None:
    assert name_key("Le") == "le"


PIECES = st.lists(
    st.sampled_from("Kim|van| |et|al|.|,|;|&|and|(|[|]|2015|2015a|b|-|\n|[1|3-5|A.|0".split("|"))
).map(" ".join)


@given(PIECES | st.text())
def test_any_text_gives_markers_in_order_with_all_they_promise(text: str) -> None:
    found = list(find_author_year_markers(text))
    assert [m.start for m in found] == sorted({m.start for m in found})
    assert all(m.names and all(m.names) and 1900 <= m.year < 2100 for m in found)
    assert all(m.letter == m.letter.lower() and len(m.letter) < 2 for m in found)
    for marker in find_numeric_markers(text):
        assert text[marker.start] == "["
        assert all(0 < number < 1000 for number in marker.numbers)
