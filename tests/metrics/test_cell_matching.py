"""Cells that say the same have one key; others have not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.metrics.tables.cell_matching import cell_key, folded, read_number


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Semi-Supervised", "  semi-supervised "),
        ("**Transformer**", "transformer"),
        ("[BERT](https://example.org)", "bert"),
        ("ﬁne", "fine"),
        ("1,000", "1k"),
        ("1 000", "1000.0"),
        ("340M", "340 million"),
        ("0.34B", "340,000,000"),
        ("85.20%", "85.2"),
        ("10 percent", "10%"),
        ("5 min", "300 s"),
        ("2 hours", "120 minutes"),
        ("1.5 GB", "1500MB"),
        ("12 layers", "12 layer"),
        ("−3", "-3"),
        ("1e-3", "0.001"),
        ("$\\checkmark$", "Yes"),
        ("✗", "no"),
        ("N/A", "—"),
        ("not reported", ""),
        (None, "-"),
    ],
)
def test_these_cells_match(one: str, other: str) -> None:
    assert cell_key(one) == cell_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("BERT", "ВERT"),  # the second begins with a Cyrillic letter
        ("10%", "0.1"),
        ("5 min", "5 s"),
        ("340M", "340"),
        ("1,23,4", "1234"),
        ("yes", "no"),
        ("N/A", "0"),
        ("BERT", "BERT-large"),
        ("9" * 5000, "8" * 5000),
    ],
)
def test_these_cells_do_not(one: str, other: str) -> None:
    assert cell_key(one) != cell_key(other)


def test_a_bare_number_takes_the_unit_of_its_column() -> None:
    assert cell_key("340", "m") == cell_key("340M")
    assert cell_key("340K", "m") == cell_key("340,000")


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_a_number_keeps_its_key_through_spelling(number: float) -> None:
    assert cell_key(repr(number)) == cell_key(f" {number:.17g} %")


@given(st.text(max_size=30))
def test_folding_twice_changes_nothing_more_for_plain_words(text: str) -> None:
    plain = "".join(mark for mark in text if mark.isalnum())
    assert folded(folded(plain)) == folded(plain)


@pytest.mark.parametrize(
    ("printed", "number"),
    [
        ("88.5", 88.5),
        ("**88.5%**", 88.5),
        ("88.5 ± 0.2", 88.5),
        ("88.5 (0.2)", 88.5),
        ("(88.5)", 88.5),
        ("88,5", 88.5),
        ("1,234.5", 1234.5),
        ("17 043", 17043.0),
        ("F1: 88.5", 88.5),
        ("~88.5 BLEU", 88.5),
        ("1.2 × 10^-3", 0.0012),
        ("1.2e3", 1200.0),
        ("35M", 35e6),
        ("−1.5", -1.5),
        ("88.5†", 88.5),
        ("88.5²", 88.5),
        ("88.5 / 90.1", None),
        ("n/a", None),
        ("", None),
        ("9" * 5000, None),
        ("1e999", None),
    ],
)
def test_the_number_of_a_printed_score(printed: str, number: float | None) -> None:
    assert read_number(printed) == (None if number is None else pytest.approx(number, rel=1e-12))
