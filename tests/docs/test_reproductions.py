"""The page on published tables: every table has its line, and the tests it names are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "reproductions.md").read_text("utf-8")
COMMANDS = sorted(set(re.findall(r"`viva ([^`]+)`", TEXT)))
TESTS = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TEXT)))


def test_every_test_named_on_the_page_is_there() -> None:
    assert len(TESTS) > 30
    for file, name in TESTS:
        tree = ast.parse((ROOT / file).read_text("utf-8"))
        names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert name in names, (file, name)


def test_every_table_of_the_papers_has_its_line() -> None:
    sections = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S))
    tables = {"LEGOBench": 10, "AcademicEval": 6, "RD2Bench": 5, "arXiv2Table": 18}
    for paper, count in tables.items():
        first_cells = re.findall(r"^\| ([\d, ]+) \|", sections[paper], re.M)
        numbers = [int(number) for cell in first_cells for number in cell.split(",")]
        assert numbers == list(range(1, count + 1)), paper


def test_the_page_names_a_test_for_every_table_that_is_computed() -> None:
    assert len(COMMANDS) >= 15
    for line in TEXT.splitlines():
        if line.startswith("| ") and "`viva " in line:
            assert "`tests/" in line or "the same" in line, line
