"""Titles, names and years compared across sources."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.corpus.matching import fold, names_agree, title_key, years_agree


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bi-directional nets", "Bidirectional  NETS"),
        ("Models of lan- guage", "Models of language"),
        ("Na\u00efve B\u0061yes", "Naive Bayes"),
        ("Łódź Straße", "Lodz strasse"),
        ("{BERT}: pre-training", "BERT — Pre\u2010Training"),
        ("soft\u00adware", "software"),
        ("\uff26ull width", "Full width"),
    ],
)
def test_titles_are_equal_in_any_spaces_hyphens_accents_and_case(one: str, other: str) -> None:
    assert title_key(one) == title_key(other)


def test_hidden_characters_and_letters_of_other_scripts_make_another_title() -> None:
    plain = "A study"
    for other in ("A\u200b study", "\u0410 study", "A stud\u0443"):
        assert title_key(other) != title_key(plain)


@given(st.text())
def test_folding_twice_changes_nothing_and_a_key_holds_no_space(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    key = title_key(text)
    assert not any(c.isspace() for c in key)
    assert title_key(text.upper()) == title_key(text.upper().lower())
    assert all(unicodedata.category(c)[0] != "P" for c in key)


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("J. Müller", "Muller, Jane", True),
        ("Jane Muller", "K. Muller", False),
        ("Smith JA", "John Smith", True),
        ("Wei Wang", "Wang Wei", True),
        ("Ha", "David Ha", True),
        ("Georg Zilly", "J G Zilly", True),
        ("García Márquez, Gabriel", "G. Garcia Marquez", True),
        ("Sammy Davis Jr.", "S. Davis", True),
        ("Johansson", "Johannson", True),  # one letter of a long name
        ("Ba", "Bo", False),
        ("Ann Lee", "Ann Ho", False),
        ("?", "Ann Ho", None),
    ],
)
def test_names_agree_in_surname_and_initials(one: str, other: str, agree: bool | None) -> None:
    assert names_agree(one, other) is agree
    assert names_agree(other, one) is agree


def test_years_agree_within_two() -> None:
    assert years_agree({2014}, {2016}) is True
    assert years_agree({2014}, {2017}) is False
    assert years_agree({2010, 2014}, {2016}) is True
    assert years_agree(set(), {2016}) is None
