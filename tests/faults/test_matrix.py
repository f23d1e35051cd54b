"""The registry of faults names every row, and only tests that there are."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest
from tests.faults.matrix import (
    PAGE,
    TESTS,
    Count,
    Row,
    count_row,
    fill_page,
    main,
    markdown_table,
    print_matrix,
    read_registry,
    read_report,
)

ROWS, SHARED = read_registry()
NAMED = Counter(name for row in ROWS for name in row.tests)


def functions_of(path: Path) -> set[str]:
    """The test functions of a file, found without running it."""
    return {
        node.name
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
    }


def test_every_row_is_there_once_and_in_order():
    assert [row.number for row in ROWS] == list(range(1, 43))


def test_every_row_has_tests_or_a_reason_and_not_both():
    for row in ROWS:
        assert bool(row.tests) != bool(row.reason), row.number
        assert row.fault, row.number
        assert row.expected, row.number


def test_every_named_test_exists():
    files = {name.partition("::")[0] for name in NAMED}
    found = {f"{name}::{function}" for name in files for function in functions_of(TESTS / name)}
    assert set(NAMED) - found == set()


def test_a_test_stands_in_several_rows_only_with_a_reason():
    for row in ROWS:
        assert len(set(row.tests)) == len(row.tests), row.number
    assert {name for name, count in NAMED.items() if count > 1} == set(SHARED)
    assert all(SHARED.values())


def test_a_test_named_after_a_row_stands_in_that_row():
    rows = {row.number: set(row.tests) for row in ROWS}
    for path in sorted(TESTS.rglob("test_*.py")):
        for function in sorted(functions_of(path)):
            for number in re.findall(r"row_(\d\d)_", function):
                assert f"{path.relative_to(TESTS).as_posix()}::{function}" in rows[int(number)]


def test_the_page_on_trust_has_the_table_of_now():
    text = PAGE.read_text("utf-8")
    assert fill_page(text, markdown_table(ROWS)) == text


REPORT = """<testsuites><testsuite>
<testcase classname="tests.a.test_x" file="tests/a/test_x.py" name="test_one[1]"/>
<testcase classname="tests.a.test_x" file="tests/a/test_x.py" name="test_one[2::3]"/>
<testcase classname="tests.a.test_x" name="test_two"><failure/></testcase>
<testcase classname="tests.a.test_x" name="test_three"><skipped/></testcase>
<testcase classname="tests.a.test_x" name="test_four"><error/></testcase>
</testsuite></testsuites>"""


def test_cases_are_counted_by_their_test(tmp_path):
    (tmp_path / "report.xml").write_text(REPORT, "utf-8")
    ends = read_report(tmp_path / "report.xml")
    one, two, three, four, never = (
        f"a/test_x.py::test_{n}" for n in "one two three four never".split()
    )

    def verdict(*names: str, reason: str = "") -> str:
        row = Row(1, "fault", "expected", names, reason)
        return count_row(row, ends).verdict(row)

    assert ends[one] == {"passed": 2}
    assert verdict(one) == "held"
    assert verdict(one, three) == "held, some skipped"
    assert verdict(three) == "skipped"
    assert verdict(one, two) == verdict(four) == verdict(one, never) == "FAILED"
    assert verdict(reason="it is not ours") == "no test"
    assert verdict() == "NO TEST"


@pytest.mark.parametrize(
    ("row", "is_sound"),
    [
        (Row(1, "f", "e", ("x",)), False),
        (Row(1, "f", "e", reason="it is not ours"), True),
        (Row(1, "f", "e"), False),
    ],
)
def test_a_row_that_is_not_held_and_not_explained_fails_the_matrix(row, is_sound, capsys):
    assert print_matrix([row], {}) is is_sound
    assert Count().verdict(row) in capsys.readouterr().out or row.tests


def test_the_list_runs_nothing_and_names_every_test(capsys):
    assert main(["--list"]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in NAMED)
