"""The table of the baseline that asks no model."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.metrics.tables.literature_tables import LiteratureTable, TableRow, score_table
from vivavoce.tasks.tables.item import PoolText
from vivavoce.tasks.tables.solvers import MAX_COLUMNS, make_table

POOL = [
    PoolText("P1", "Parsing English treebanks", "A parser.", "Trained on German, too."),
    PoolText("P2", "Jam in winter", "We boil sugar.", "The pot is stirred."),
    PoolText("P3", "Parsing Dutch treebanks", "A fast parser.", "No other language."),
    PoolText("P4", "Parsing Danish treebanks", "A parser.", ""),
    PoolText("P5", "Sugar in jam", "We boil jam.", "The pot is stirred."),
]
DEMAND = "Parsing of treebanks: which language, and how fast is a parser?"


def test_papers_are_those_that_share_the_demands_words() -> None:
    table = make_table(DEMAND, POOL)
    assert table.papers == ("P1", "P3", "P4")
    assert [row.paper for row in table.rows] == ["P1", "P3", "P4"]


def test_columns_are_words_that_some_have_and_cells_the_phrases_around_them() -> None:
    table = make_table(DEMAND, POOL)
    assert table.columns == ("Language", "Fast")
    assert [row.cells for row in table.rows] == [
        (None, None),
        ("No other language", "A fast parser"),
        (None, None),
    ]


def test_a_gold_table_of_such_papers_is_partly_right() -> None:
    gold = LiteratureTable(
        ("P1", "P3", "P4"),
        ("Fast", "Depth"),
        tuple(TableRow(label, ("A fast parser", "2")) for label in ("P1", "P3", "P4")),
    )
    score = score_table(gold, make_table(DEMAND, POOL)).values()
    assert (score["paper_f1"], score["schema_r"], score["unary_r"]) == (1.0, 0.5, 1 / 6)


def test_a_demand_that_shares_no_word_has_no_column() -> None:
    assert make_table("zymurgy", POOL).columns == ()
    assert make_table(DEMAND, []) == LiteratureTable((), (), ())


def test_the_order_of_the_pool_changes_no_row() -> None:
    first = make_table(DEMAND, POOL)
    for seed in range(4):
        shuffled = POOL[:]
        random.Random(seed).shuffle(shuffled)
        other = make_table(DEMAND, shuffled)
        assert (other.columns, set(other.rows)) == (first.columns, set(first.rows))


@pytest.mark.timeout(60)
def test_noise_without_end_makes_a_table_without_columns() -> None:
    noise = ("a" * 500_000, "a " * 250_000, "fast" * 100_000, "-" * 500_000)
    pool = [PoolText(f"P{n}", "T", "", text) for n, text in enumerate(noise)]
    assert make_table(DEMAND, pool).columns == ()


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=80), st.lists(st.tuples(*[st.text(max_size=60)] * 3), max_size=6))
def test_whatever_the_pool_says_there_is_a_table(
    demand: str, parts: list[tuple[str, str, str]]
) -> None:
    pool = [PoolText(f"P{number}", *texts) for number, texts in enumerate(parts)]
    table = make_table(demand, pool)
    assert set(table.papers) <= {paper.label for paper in pool}
    assert bool(table.papers) == bool(pool)
    assert len(table.columns) <= MAX_COLUMNS
    assert all(len(row.cells) == len(table.columns) for row in table.rows)
