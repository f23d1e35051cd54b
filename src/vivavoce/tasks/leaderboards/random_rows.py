"""Rows drawn from tables: what a baseline answers that reads without understanding."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from vivavoce.tasks.library.search import LibraryPaper

_NUMBER = re.compile(r"(?<!\S)[-−+]?\d{1,15}(?:[.,]\d{1,10})?%?(?!\S)", re.ASCII)
_LONGEST_ROW = 2_000
_LONGEST_NAME = 100


def draw_rows(
    papers: Sequence[LibraryPaper], count: int, drawn: random.Random
) -> list[tuple[str, str]]:
    """Different random rows of the papers' tables as (name, number), all where there are fewer.

    The name is what stands before the first number of a row, the number one of those behind it.
    """
    rows = [
        row
        for paper in papers
        for table in paper.tables
        for cells in table.cells
        if (row := _read_row(cells))
    ]
    chosen = drawn.sample(rows, min(count, len(rows)))
    return [(name, drawn.choice(numbers)) for name, numbers in chosen]


def _read_row(cells: Sequence[str]) -> tuple[str, list[str]] | None:
    """The name and the numbers of a row; None where it lacks either."""
    text = " ".join(" ".join(cells)[:_LONGEST_ROW].split())
    first = _NUMBER.search(text)
    name = text[: first.start()].strip() if first else ""
    if first is None or not any(character.isalpha() for character in name):
        return None
    return name[:_LONGEST_NAME], _NUMBER.findall(text, first.start())
