"""A table under construction: what changes it, what does not, and what it refuses."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.metrics.tables.literature_tables import LiteratureTable, TableRow
from vivavoce.tasks.tables.working_table import (
    MAX_COLUMNS,
    MAX_NAME,
    MAX_VALUE,
    TableFault,
    WorkingTable,
)


def table() -> WorkingTable:
    return WorkingTable(["P1", "P2", "P3", "P12"])


def test_papers_stand_in_the_order_of_the_pool() -> None:
    made = table()
    assert [made.include("P3"), made.include("P1"), made.include("P3")] == [True, True, False]
    assert list(made.papers) == ["P1", "P3"]
    assert made.exclude("P3")
    assert not made.exclude("P3")
    assert list(made.papers) == ["P1"]


@pytest.mark.parametrize(
    "name", ["P12", "p12", " [P12] ", "12", "P12: Trees", '"P12"', "(p12).", "P12 " * 999]
)
def test_a_paper_is_found_by_what_models_call_it(name: str) -> None:
    assert table().find_paper(name) == "P12"


@pytest.mark.parametrize("name", ["", "P4", "P", "1 2", "12 papers", "Trees P12"])
def test_a_name_that_no_paper_has_is_reported(name: str) -> None:
    with pytest.raises(TableFault, match="no paper"):
        table().find_paper(name)


def test_a_row_selects_its_paper_and_brings_its_columns() -> None:
    made = table()
    assert made.set_row("P2", {"Data": "apple", "F1": "91.5", "Year": None})
    assert made.columns == ("Data", "F1", "Year")
    assert made.cells("P2") == {"Data": "apple", "F1": "91.5"}
    assert made.as_table() == LiteratureTable(
        ("P2",), ("Data", "F1", "Year"), (TableRow("P2", ("apple", "91.5", None)),)
    )
    assert not made.set_row("P2", {"Data": "apple"})
    assert made.cell("P1", "Data") is None


@pytest.mark.parametrize("nothing", [None, "", "N/A", "-", "not reported", "?"])
def test_what_says_nothing_is_no_value(nothing: str | None) -> None:
    made = table()
    made.set_row("P1", {"Data": "apple"})
    assert made.set_cell("P1", "Data", nothing)
    assert made.cells("P1") == {}


def test_a_column_is_the_same_in_other_letters_unless_names_are_exact() -> None:
    made = table()
    assert made.add_column("Data set")
    assert not made.add_column(" data  Set ")
    assert made.columns == ("Data set",)
    exact = WorkingTable(["P1"], exact_names=True)
    assert exact.add_column("Data set")
    assert exact.add_column("data set")
    assert not exact.add_column(" data  set")
    assert exact.columns == ("Data set", "data set")


def test_a_column_is_renamed_in_its_place() -> None:
    made = table()
    made.set_row("P1", {"A": "1", "B": "2"})
    assert made.rename_column("a", "First")
    assert made.columns == ("First", "B")
    assert made.cells("P1") == {"First": "1", "B": "2"}
    assert made.rename_column("First", "FIRST")
    assert made.columns == ("FIRST", "B")
    assert not made.rename_column("FIRST", "FIRST")


def test_two_columns_of_one_name_are_merged() -> None:
    made = table()
    made.set_row("P1", {"Data": "apple", "Dataset": "fig"})
    made.set_row("P2", {"Data": "date"})
    assert made.rename_column("Data", "dataset")
    assert made.columns == ("Dataset",)
    assert made.cells("P1") == {"Dataset": "fig"}  # it had the name already
    assert made.cells("P2") == {"Dataset": "date"}


def test_a_dropped_column_takes_its_cells_with_it() -> None:
    made = table()
    made.set_row("P1", {"A": "1", "B": "2"})
    assert made.drop_column("A")
    made.add_column("A")
    assert made.cells("P1") == {"B": "2"}


def test_changes_to_what_is_not_there_are_reported() -> None:
    made = table()
    made.add_column("A")
    with pytest.raises(TableFault, match='no column "B"'):
        made.drop_column("B")
    with pytest.raises(TableFault, match='no column "B"'):
        made.rename_column("B", "C")
    with pytest.raises(TableFault, match="include it first"):
        made.set_cell("P1", "A", "1")
    with pytest.raises(TableFault, match="needs a name"):
        made.add_column(" \n ")
    with pytest.raises(TableFault, match="needs a name"):
        made.rename_column("A", "")
    assert made.columns == ("A",)


def test_nothing_grows_without_end() -> None:
    made = table()
    for number in range(MAX_COLUMNS):
        made.add_column(f"column {number}")
    with pytest.raises(TableFault, match="40 columns"):
        made.add_column("one more")
    made.drop_column("column 0")
    made.add_column("n" * 10_000)
    made.set_row("P1", {"n" * 10_000: "v" * 10_000})
    assert made.cells("P1") == {"n" * MAX_NAME: "v" * MAX_VALUE}


def test_a_value_is_one_line_that_a_log_can_hold() -> None:
    made = table()
    made.set_row("P1", {"A\nB": "x\n\ty \ud800"})
    assert made.cells("P1") == {"A B": "x y ?"}


def test_the_table_is_shown_whole_or_by_rows_with_short_cells() -> None:
    made = table()
    made.set_row("P1", {"A": "a|b", "B": "0123456789"})
    made.include("P2")
    assert made.markdown().splitlines() == [
        "| Paper | A | B |",
        "| --- | --- | --- |",
        "| P1 | a\\|b | 0123456789 |",
        "| P2 | N/A | N/A |",
    ]
    assert made.markdown(["P1"], 5).splitlines()[2:] == ["| P1 | a\\|b | 0123… |"]
    assert made.markdown([]).splitlines() == ["| Paper | A | B |", "| --- | --- | --- |"]


def test_a_value_that_was_shown_short_and_comes_back_stays_long() -> None:
    made = table()
    made.set_row("P1", {"B": "0123456789"})
    assert not made.set_row("P1", {"B": "0123…"})
    assert made.cell("P1", "B") == "0123456789"
    assert made.set_row("P1", {"B": "99…"})


_NAMES = st.sampled_from(["A", "a", "B", "C c", "", "-"])
_PAPERS = st.sampled_from(["P1", "p2", "3", "P9"])
_CHANGES = st.one_of(
    st.tuples(st.sampled_from(["include", "exclude"]), _PAPERS),
    st.tuples(st.sampled_from(["add_column", "drop_column"]), _NAMES),
    st.tuples(st.just("rename_column"), _NAMES, _NAMES),
    st.tuples(st.just("set_cell"), _PAPERS, _NAMES, st.text(max_size=4)),
)


@settings(deadline=None, max_examples=60)
@given(st.lists(_CHANGES, max_size=25))
def test_a_table_is_always_a_rectangle_of_known_papers(changes: list[tuple[str, ...]]) -> None:
    made = table()
    for name, *arguments in changes:
        before = made.as_table()
        try:
            changed = getattr(made, name)(*arguments)
        except TableFault:
            changed = False
        assert changed == (made.as_table() != before)
    found = made.as_table()
    assert set(found.papers) <= set(made.labels)
    assert len({column.casefold().replace(" ", "") for column in found.columns}) == len(
        found.columns
    )
    assert all(len(row.cells) == len(found.columns) for row in found.rows)
