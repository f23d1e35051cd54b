"""The whole table of the baseline that asks no model."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tasks.tables.methods.method_runs import DEMAND, pool_of

from vivavoce.metrics.tables.literature_tables import LiteratureTable, TableRow, score_table
from vivavoce.tasks.tables.items.keyword_papers import PoolText, find_topics, read_pool
from vivavoce.tasks.tables.items.keyword_table import MAX_COLUMNS, make_table

POOL = [
    PoolText("P1", "OakNet: parsing English treebanks", "A CNN for parsing.", "Accuracy is high."),
    PoolText("P2", "Jam in winter", "We boil sugar.", "The pot is stirred."),
    PoolText("P3", "ElmNet: parsing German treebanks", "An LSTM for parsing.", "The F1 is high."),
    PoolText("P4", "AshNet: parsing Dutch treebanks", "A CNN for parsing.", "The F1 is high."),
    PoolText("P5", "Sugar in jam", "We boil jam.", "The pot is stirred."),
]
ASKED = "Which parsers of treebanks are there, and of which languages?"


def test_rows_are_near_papers_and_cells_what_they_say() -> None:
    table = make_table(ASKED, POOL)
    assert table.papers == ("P1", "P3", "P4")
    assert [row.paper for row in table.rows] == ["P1", "P3", "P4"]
    rows = {row.paper: dict(zip(table.columns, row.cells, strict=True)) for row in table.rows}
    assert {paper: row["Language"] for paper, row in rows.items()} == {
        "P1": "English",
        "P3": "German",
        "P4": "Dutch",
    }
    assert {paper: row["Metric"] for paper, row in rows.items()} == {
        "P1": "Accuracy",
        "P3": "F1",
        "P4": "F1",
    }
    assert rows["P3"]["Architecture"] == "LSTM"
    assert "Study type" not in table.columns


def test_a_gold_table_of_such_columns_is_partly_right() -> None:
    gold = LiteratureTable(
        ("P1", "P3", "P4"),
        ("Language", "Depth"),
        (
            TableRow("P1", ("English", "2")),
            TableRow("P3", ("German", "3")),
            TableRow("P4", ("Flemish", "4")),
        ),
    )
    score = score_table(gold, make_table(ASKED, POOL)).values()
    assert score["paper_f1"] == 1.0
    assert score["schema_r"] == 0.5  # Language of two
    assert score["unary_r"] == 2 / 6  # English and German of six cells
    assert score["pairwise_r"] == 1 / 6  # that pair, of three in each of two columns


def test_a_column_that_says_the_same_of_all_is_none_unless_it_is_asked_for() -> None:
    same = [PoolText(f"P{n}", f"Parsing German {n}", "It is in German.") for n in range(4)]
    assert "Language" in make_table("parsing in which languages?", same).columns
    assert "Language" not in make_table("parsing", same).columns


def test_the_columns_are_few_and_none_is_there_twice() -> None:
    pool = read_pool(pool_of(20, filler=50))
    table = make_table(DEMAND, pool)
    assert len(table.columns) <= MAX_COLUMNS
    assert len(set(table.columns)) == len(table.columns)


def test_titles_alone_give_phrases_that_some_have() -> None:
    pool = [
        PoolText("P1", "Grids of voxels"),
        PoolText("P2", "Voxels of pillars"),
        PoolText("P3", "Rays and cameras"),
    ]
    assert find_topics("rendering", pool, 1) == {"Voxels": {"P1": "✓", "P2": "✓", "P3": "✗"}}
    assert find_topics("rendering voxels", pool, 1) == {}
    assert find_topics("rendering", pool, 0) == {}


def test_the_same_pool_gives_the_same_table_in_any_order() -> None:
    first = make_table(ASKED, POOL)
    for seed in range(4):
        shuffled = POOL[:]
        random.Random(seed).shuffle(shuffled)
        other = make_table(ASKED, shuffled)
        assert set(other.papers) == set(first.papers)
        assert {row for row in other.rows if other.columns == first.columns} <= set(first.rows)
        assert set(other.columns) == set(first.columns)


def test_an_empty_pool_gives_an_empty_table() -> None:
    assert make_table(ASKED, []) == LiteratureTable((), (), ())


@settings(deadline=None, max_examples=30)
@given(st.text(max_size=80), st.lists(st.tuples(*[st.text(max_size=60)] * 3), max_size=6))
def test_whatever_the_pool_says_there_is_a_table(
    demand: str, parts: list[tuple[str, str, str]]
) -> None:
    names = ("title", "abstract", "text")
    pool = read_pool(
        {"label": f"P{n}", **dict(zip(names, texts, strict=True))} for n, texts in enumerate(parts)
    )
    table = make_table(demand, pool)
    assert set(table.papers) <= {paper.label for paper in pool}
    assert all(len(row.cells) == len(table.columns) for row in table.rows)
