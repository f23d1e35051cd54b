"""Rows drawn from tables."""

from __future__ import annotations

import random

from vivavoce.readers.paper_tables import LibraryPaper, LibraryTable
from vivavoce.tasks.leaderboards.solvers import draw_rows

CELLS = (
    ("Model", "F1", "EM"),  # no number
    ("BiDAF (2016)", "77.3", "68.0"),
    ("r-net 72.3 80.7",),  # columns lost
    ("12.5", "13"),  # no name
    ("Bert 2", "91%", "−1.5"),
)
PAPER = LibraryPaper("p", "T", "2024", None, (), (LibraryTable("", CELLS),))


def test_a_row_is_a_name_and_a_number_behind_it() -> None:
    rows = dict(draw_rows([PAPER], 10, random.Random(0)))
    assert rows.keys() == {"BiDAF (2016)", "r-net", "Bert"}
    assert rows["BiDAF (2016)"] in {"77.3", "68.0"}
    assert rows["r-net"] in {"72.3", "80.7"}
    assert rows["Bert"] in {"2", "91%", "−1.5"}


def test_the_seed_decides_and_no_row_comes_twice() -> None:
    draws = {tuple(draw_rows([PAPER], 2, random.Random(seed))) for seed in range(20)}
    assert len(draws) > 3
    assert all(len({name for name, _ in rows}) == 2 for rows in draws)
    assert draw_rows([PAPER], 2, random.Random(7)) == draw_rows([PAPER], 2, random.Random(7))


def test_without_tables_nothing_is_drawn() -> None:
    assert draw_rows([], 10, random.Random(0)) == []
