"""Sentences that name a table are found by its printed number."""

from __future__ import annotations

import pytest

from vivavoce.tasks.tables.items.gold.cited_tables import find_mentions, table_number


@pytest.mark.parametrize(
    ("caption", "number"),
    [
        ("Table 3: Datasets.", "3"),
        ("TABLE IV Datasets", "IV"),
        ("Tab. 12. Datasets", "12"),
        ("Table A.1: More", "A.1"),
        ("Comparison of Table 3", None),
        ("Tables are listed", None),
    ],
)
def test_a_caption_opens_with_the_number(caption: str, number: str | None) -> None:
    assert table_number(caption) == number


def test_sentences_that_name_a_table_or_several() -> None:
    text = (
        "We list parsers. Table 1 lists all. Tables 1 and 2 do too. See Tab. 3. Table 12 is other."
    )
    assert find_mentions([text], {"1": 0, "2": 4}) == {
        0: ("Table 1 lists all.", "Tables 1 and 2 do too."),
        4: ("Tables 1 and 2 do too.",),
    }


def test_of_many_sentences_the_first_ten_are_kept() -> None:
    text = " ".join(f"Table 1 says number {n}." for n in range(30))
    found = find_mentions([text], {"1": 0})
    assert found[0] == tuple(f"Table 1 says number {n}." for n in range(10))
