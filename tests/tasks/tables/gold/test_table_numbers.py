"""The printed number that a caption opens with."""

from __future__ import annotations

import pytest

from vivavoce.tasks.tables.items.cited_tables import table_number


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
