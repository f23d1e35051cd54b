"""The page on published tables: every table has its line."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "reproductions.md").read_text("utf-8")


def test_every_table_of_the_papers_has_its_line() -> None:
    sections = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S))
    tables = {"LEGOBench": 10, "AcademicEval": 6, "RD2Bench": 5, "arXiv2Table": 18}
    for paper, count in tables.items():
        first_cells = re.findall(r"^\| ([\d, ]+) \|", sections[paper], re.M)
        numbers = [int(number) for cell in first_cells for number in cell.split(",")]
        assert numbers == list(range(1, count + 1)), paper
