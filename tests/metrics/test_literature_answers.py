"""Literature tables read from JSON rows and from models' texts."""

from typing import Any

import pytest

from vivavoce.errors import InputError
from vivavoce.metrics.tables.literature_answers import PaperNames, table_from_json, table_from_text
from vivavoce.metrics.tables.literature_tables import LiteratureTable, TableRow, score_table
from vivavoce.text.table_lines import MAX_CELLS

GOLD_ROW: dict[str, Any] = {
    "papers": ["111", 222],
    "titles": {"111": "Deep Nets: A Survey", "222": "Shallow Nets", "333": "A Distractor"},
    "table": {
        "columns": ["Task", "Year"],
        "rows": [
            {"paper": "111", "cells": {"Task": ["QA", "MT"], "Year": 2019}},
            {"paper": 222, "cells": {"Task": "QA", "Open": True}},
        ],
    },
}
GOLD = table_from_json(GOLD_ROW)
NAMES = PaperNames(GOLD, GOLD_ROW["titles"])


def test_a_json_row_becomes_a_table() -> None:
    table = table_from_json(GOLD_ROW)
    assert table == LiteratureTable(
        papers=("111", "222"),
        columns=("Task", "Year", "Open"),
        rows=(TableRow("111", ("QA, MT", "2019", None)), TableRow("222", ("QA", None, "yes"))),
    )


def test_a_text_names_papers_by_id_or_title_in_its_first_column() -> None:
    text = """My review:

    | Paper | Task | Year | Open |
    |---|---|---|---|
    | **Deep nets - a survey** [1] | QA, MT | 2019 | |
    | 222 | qa | n/a | ✓ |
    | [333] | QA | | |
    | Never Written | QA | 2020 | |"""
    table = table_from_text(text, NAMES)
    assert table.papers == ("111", "222", "333", "unknown: neverwritten")
    values = score_table(GOLD, table).values()
    assert (values["paper_r"], values["paper_p"]) == (1.0, 0.5)
    assert (values["schema_f1"], values["unary_r"], values["unary_p"]) == (1.0, 1.0, 4 / 7)


def test_a_column_that_counts_the_rows_is_left_out() -> None:
    text = "| {} | Paper | Task |\n|-|-|-|\n| {} | 111 | MT |\n| {} | 222 | QA |"
    counted = table_from_text(text.format("No.", "1.", "2."), NAMES)
    assert counted.columns == ("Task",)
    assert counted.rows == (TableRow("111", ("MT",)), TableRow("222", ("QA",)))
    scored = table_from_text(text.format("Year", "1", "3"), NAMES)
    assert scored.columns == ("Year", "Task")


@pytest.mark.parametrize(
    "text",
    [
        "| Paper | Task |\n|-|-|\n| 111 | QA |",
        "| Task | Paper |\n|-|-|\n| QA | 111 |",
        "| | 111 |\n|-|-|\n| Task | QA |",
    ],
    ids=["papers first", "papers last", "papers as columns"],
)
def test_a_table_of_one_paper_is_read_whichever_way_it_lies(text: str) -> None:
    table = table_from_text(text, NAMES)
    assert (table.columns, table.rows) == (("Task",), (TableRow("111", ("QA",)),))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Paper 111", "Paper 222"),
        ("#111", "#222"),
        ("Ref. [111]", "Ref. [222]"),
        ("Paper 1: Deep Nets: A Survey", "Paper 2: Shallow Nets"),
        ("Deep Nets: A Survey (111)", "Shallow Nets (p. 222)"),
    ],
)
def test_a_name_may_have_a_word_an_id_or_a_title_beside_it(first: str, second: str) -> None:
    table = table_from_text(f"| Paper | Task |\n|-|-|\n| {first} | MT |\n| {second} | QA |", NAMES)
    assert table.papers == ("111", "222")


def test_numbers_of_models_are_no_names_of_papers() -> None:
    table = table_from_text("| Model | Task |\n|-|-|\n| GPT 111 | MT |\n| Llama 222 | QA |", NAMES)
    assert table.papers == ("unknown: gpt111", "unknown: llama222")


def test_papers_given_beside_a_text_are_the_selection() -> None:
    assert table_from_text("", NAMES, ["222", "Shallow nets"]).papers == ("222",)


def test_a_second_table_adds_rows_or_columns() -> None:
    first = "| Paper | Task |\n|-|-|\n| 111 | QA, MT |\n"
    rows = table_from_text(first + "\ntext\n\n| Paper | Task |\n|-|-|\n| 222 | QA |", NAMES)
    assert [row.cells for row in rows.rows] == [("QA, MT",), ("QA",)]
    columns = table_from_text(first + "\ntext\n\n| Paper | Year |\n|-|-|\n| 111 | 2019 |", NAMES)
    assert columns.rows == (TableRow("111", ("QA, MT", "2019")),)


def test_an_answer_without_a_table_is_an_empty_system() -> None:
    for text in (None, "", "I cannot.", '{"table": ' * 100_000):
        assert table_from_text(text, NAMES) == LiteratureTable((), (), ())


def test_a_wide_table_is_bounded_too() -> None:
    columns = [f"c{number}" for number in range(3000)]
    rows = [{"paper": str(number), "cells": {}} for number in range(3000)]
    table = table_from_json({"table": {"columns": columns, "rows": rows}}, NAMES)
    assert table.truncated
    assert len(table.rows) * len(table.columns) <= MAX_CELLS


def test_a_homoglyph_of_a_title_is_another_paper() -> None:
    assert NAMES.find("Shallow Nets") == "222"
    assert NAMES.find("Shаllow Nets").startswith("unknown")  # with a Cyrillic a


def test_a_huge_integer_and_a_nan_are_values_like_others() -> None:
    cells = {"A": 10**5000, "B": float("nan"), "C": [None, 1.5, True]}
    table = table_from_json({"table": {"rows": [{"paper": 1, "cells": cells}]}})
    assert table.rows[0].cells[1:] == ("nan", "1.5, yes")
    assert score_table(table, table).values()["unary_f1"] == 1.0


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ({"table": []}, None),
        ({"table": 1}, "table must be an object"),
        ({"table": {"rows": {}}}, None),
        ({"table": {"rows": [1]}}, "table.rows must be objects"),
        ({"table": {"rows": [{"cells": {}}]}}, "needs a paper"),
        ({"table": {"rows": [{"paper": True}]}}, "needs a paper"),
        ({"table": {"rows": [{"paper": 1, "cells": 1}]}}, "cells must be an object"),
        ({"table": {"rows": [{"paper": 1, "cells": {"A": {}}}]}}, "A cell of a table must be"),
        ({"table": {"rows": [{"paper": 1, "cells": {"A": [[1]]}}]}}, "nested list"),
        ({"table": {"columns": "Task"}}, "table.columns must be a list"),
        ({"papers": "111"}, "papers must be a list"),
    ],
)
def test_a_wrong_type_is_named(row: dict[str, Any], what: str | None) -> None:
    if what is None:
        assert table_from_json(row) == LiteratureTable((), (), ())
        return
    with pytest.raises(InputError, match=what):
        table_from_json(row)
