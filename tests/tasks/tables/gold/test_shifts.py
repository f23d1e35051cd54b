"""Headers over the wrong columns are set right where there is one way, else seen; tables go on."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tasks.tables.printed_tables import printed, survey_corpus
from tests.tasks.tables.table_rounds import round_of

from vivavoce.tasks.tables.items.cited_tables import join_continued, settle_header
from vivavoce.tasks.tables.items.table_headers import Grid, Line

ROWS = (
    ("Ash [1]", "2019", "LSTM", "✓", "12"),
    ("Bay [2]", "2020", "CNN", "✗", "24"),
    ("Cob [3]", "2021", "LSTM", "✓", "6"),
)
TRUE = ("Method", "Year", "Encoder", "Code", "# layers")


def settled(*names: str, rows: tuple[tuple[str, ...], ...] = ROWS) -> tuple[str, ...] | str:
    lines = tuple(Line(number, cells) for number, cells in enumerate(rows, start=1))
    found = settle_header(Grid(names, lines), lines)
    return found if isinstance(found, str) else found.columns


def test_names_over_their_own_columns_stay() -> None:
    assert settled(*TRUE) == TRUE


def test_names_that_moved_over_the_labels_go_back() -> None:
    assert settled("Year", "Encoder", "Code", "# layers", "") == ("", *TRUE[1:])


def test_names_over_the_labels_stay_where_no_value_tells() -> None:
    rows = (("Ash [1]", "a", "b"), ("Bay [2]", "c", "d"))
    assert settled("Input", "Output", "", rows=rows) == (
        "column 3 has no name, and nothing says that the names are in place"
    )
    assert settled("Method", "Input", "", rows=rows) == ("Method", "Input", "")


def test_names_that_moved_away_from_a_column_go_back() -> None:
    rows = tuple((*row[:4], "", row[4]) for row in ROWS)
    found = settled("Method", "", "Year", "Encoder", "Code", "# layers", rows=rows)
    assert found == ("Method", "Year", "Encoder", "Code", "", "# layers")


def test_a_shift_of_several_names_is_undone() -> None:
    rows = (("Ash [1]", "", "a", "b", ""), ("Bay [2]", "", "c", "d", ""))
    found = settled("Method", "Input", "Output", "", "", rows=rows)
    assert found == ("Method", "", "Input", "Output", "")


def test_a_shift_that_may_be_undone_in_two_ways_is_told() -> None:
    rows = (("Ash [1]", "a", "", "b"), ("Bay [2]", "c", "", "d"))
    assert settled("Method", "", "Input", "", rows=rows) == (
        "'Input' stands over nothing, and column 2 has no name"
    )


def test_ticks_below_a_year_are_told() -> None:
    rows = (("Ash [1]", "✓", "2019"), ("Bay [2]", "✗", "2020"))
    assert settled("Method", "Year", "Code", rows=rows) == "below 'Year' stand other things"


@pytest.mark.parametrize("name", ["", "Group"])
def test_groups_before_the_labels_are_no_shift(name: str) -> None:
    rows = (("Neural", "Ash [1]", "2019", ""), ("Rules", "Bay [2]", "2020", ""))
    assert settled(name, "Method", "Year", "Note", rows=rows) == (name, "Method", "Year", "Note")


NAME = st.sampled_from(["", "Year", "Code", "# layers", "Encoder", "Data"])
CELL = st.sampled_from(["", "2019", "✓", "12", "LSTM", "Ash [1]"])


@given(st.lists(NAME, min_size=3, max_size=6), st.data())
def test_names_keep_their_order_and_none_is_lost(names: list[str], data: st.DataObject) -> None:
    row = st.lists(CELL, min_size=len(names), max_size=len(names)).map(tuple)
    rows = tuple(data.draw(st.lists(row, min_size=1, max_size=4)))
    found = settled(*names, rows=rows)
    if not isinstance(found, str):
        assert [name for name in found if name] == [name for name in names if name]
        assert len(found) == len(names)
        assert settled(*found, rows=rows) == found


def test_a_table_that_goes_on_is_one_table(tmp_path: Path) -> None:
    first, second = (
        printed(ordinal=n, caption=c)
        for n, c in ((0, "Table 1: Parsers."), (1, "Table 1 (continued)"))
    )
    second["cells"][1:] = [
        ["Dan [4]", "MLP", "books"],
        ["Eve [5]", "GRU", "books"],
        ["Fay [1]", "GRU", "-"],
    ]
    second["row_cited"] = [[], [3], [4], [0]]
    second["cited"] = [0, 3, 4]
    [joined] = join_continued([first, second])
    assert len(joined["cells"]) == 7
    assert [row[:1] for row in joined["row_cited"]] == [[], [0], [1], [2], [3], [4], [0]]
    made = round_of(
        tmp_path, corpus=survey_corpus(tmp_path / "corpus", first, second), distractors=0
    )
    [item] = made.items("tables", "table")
    assert [row["ordinal"] for row in item["rows"]] == [1, 2, 3, 4, 5, 6]


def test_a_continuation_of_another_width_stays_a_table() -> None:
    first = printed()
    second = printed(
        [["Dan [4]", "MLP"]], header=[["Method", "Encoder"]], caption="Table 1 (cont.)", ordinal=1
    )
    assert join_continued([first, second]) == [first, second]


def test_a_round_leaves_a_shifted_table_out_and_says_why(tmp_path: Path) -> None:
    shifted = printed(
        [["Ash [1]", "✓", "2019"], ["Bay [2]", "✗", "2020"]], header=[["Method", "Year", "Code"]]
    )
    whole = printed(ordinal=1, caption="Table 2: Parsers of trees.")
    made = round_of(
        tmp_path, corpus=survey_corpus(tmp_path / "corpus", shifted, whole), distractors=0
    )
    assert [item["id"][-1] for item in made.items("tables", "table")] == ["1"]
    assert "shifted_header" in (made.folder / "leakage.json").read_text("utf-8")
