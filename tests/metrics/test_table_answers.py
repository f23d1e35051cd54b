"""What is wrong with an answer that should be a table."""

from __future__ import annotations

from vivavoce.metrics.tables.literature_tables import (
    LiteratureTable,
    TableRow,
    count_faults,
)

GOLD = LiteratureTable(("a", "b"), ("Size",), (TableRow("a", ("3",)), TableRow("b", ("4",))))


def test_papers_that_are_not_gold_and_empty_cells_are_counted() -> None:
    rows = (TableRow("a", ("3", None)), TableRow("c", (None, None)))
    answer = LiteratureTable(("a", "c", "d"), ("Size", "Year"), rows)
    # c and d are invented; of four cells one has a value.
    assert count_faults(GOLD, answer) == {"success": 1.0, "invented": 2.0, "empty_cells": 0.75}
    assert count_faults(GOLD, GOLD) == {"success": 1.0, "invented": 0.0, "empty_cells": 0.0}


def test_an_empty_table_is_a_table_and_no_answer_is_none() -> None:
    empty = LiteratureTable((), (), ())
    assert count_faults(GOLD, empty) == {"success": 1.0, "invented": 0.0, "empty_cells": None}
    assert count_faults(GOLD, None) == {"success": 0.0, "invented": 0.0, "empty_cells": None}
