"""Boards read by rule from the tables of papers, and rows drawn from them."""

import random
from collections.abc import Callable, Sequence

import pytest

from vivavoce.readers import LibraryPaper, LibraryTable
from vivavoce.tasks.leaderboards.solvers import board_of_tables, draw_rows


def _table(caption: str, *rows: Sequence[str]) -> LibraryTable:
    return LibraryTable(caption, tuple(tuple(row) for row in rows))


def _board(*papers: LibraryTable, metric: str = "F1") -> dict[str, str]:
    """The board for SQuAD of papers with one table each."""
    return board_of_tables(
        [
            LibraryPaper(f"p{n}", "BetaReader: Reading Twice", "2017-05", "", (), (table,))
            for n, table in enumerate(papers)
        ],
        dataset="SQuAD",
        metric=metric,
    )


TWO_HEADS = _table(
    "Table 1: Results on SQuAD.",
    ["Model", "Dev", "", "Test", ""],
    ["", "EM", "F1", "EM", "F1"],
    ["AlphaReader (Smith et al., 2016)", "60.1", "70.2", "61.3", "71.4"],
    ["Our model", "62.5", "72.6", "63.7", "73.8"],
)


@pytest.mark.parametrize(
    ("metric", "scores"),
    [
        ("F1", ("71.4", "73.8")),
        ("EM", ("61.3", "63.7")),
        ("Validation F1", ("70.2", "72.6")),
        ("BLEU", ()),
    ],
)
def test_the_column_of_the_metric_and_of_the_part_of_the_data_is_read(
    metric: str, scores: tuple[str, ...]
) -> None:
    methods = ("AlphaReader", "BetaReader")
    assert _board(TWO_HEADS, metric=metric) == dict(zip(methods, scores, strict=False))


def test_a_table_of_another_dataset_is_left_out() -> None:
    other = _table("Table 1: F1 on NewsQA.", ["Model", "F1"], ["GammaReader", "50.1"])
    assert _board(other) == {}


def test_columns_may_be_datasets() -> None:
    table = _table(
        "Table 1: Results of all systems.",
        ["System", "NewsQA F1", "SQuAD F1", "TriviaQA F1"],
        ["AlphaReader", "50.1", "71.4", "61.2"],
        ["GammaReader", "52.3", "73.8", "63.4"],
    )
    assert _board(table) == {"AlphaReader": "71.4", "GammaReader": "73.8"}


def test_the_score_that_most_papers_give_a_method_is_taken() -> None:
    tables = [
        _table("Table 1: F1 on SQuAD.", ["Model", "F1"], ["AlphaReader", score], ["B-Net", "50.0"])
        for score in ("71.9", "71.4", "71.4")
    ]
    assert _board(*tables) == {"AlphaReader": "71.4", "B-Net": "50.0"}


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "make",
    [
        lambda: _table("F1 on SQuAD", *[["A" * 50 + str(n), "F1", "50.1"] for n in range(8_000)]),
        lambda: _table("Table 1", *[["x 1.5 " * 400] * 20 for _ in range(500)]),
        lambda: _table("Table 1", ["1.5 " * 250_000], ["A" * 1_000_000], ["(" * 500_000]),
        lambda: _table("Model F1 1.5 " * 50_000, ["Model", "F1"], ["A", "1.5"]),
    ],
    ids=["rows", "full cells", "huge cells", "caption"],
)
def test_hostile_tables_are_read_in_bounded_time(make: Callable[[], LibraryTable]) -> None:
    assert all(len(name) < 300 and len(score) < 100 for name, score in _board(make()).items())


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
