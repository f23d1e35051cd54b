"""Author lines of every common form, and tables that are not the caption's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.sources.pdf_pages import BOLD, FILLER, TEXT, Paper, paper_with_table

from vivavoce.sources.fulltext.pdf.document import read_file

NAMES = ("1 Introduction", "2 Method", "3 Results", "4 Conclusion")


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (["Ada Brandt (Harbour University), Ben Okafor (Institute of Tides)"], "Ada Ben"),
        (["Ada Brandt (Harbour University)", "Ben Okafor (Tidal Institute, Oslo)"], "Ada Ben"),
        (["Authors: Ada Brandt, Ben Okafor", "Harbour University"], "Ada Ben"),
        (["Author: Ada Brandt"], "Ada"),
        (["Ada Brandt / Ben Okafor", "Harbour University"], "Ada Ben"),
        (["Brandt, Ada; Okafor, Ben"], "Ada Ben"),
        (["Ada Brandt - Harbour University", "Ben Okafor - Tidal Institute"], "Ada Ben"),
        (["Ada Brandt and Ben Okafor, Harbour University, Norway"], "Ada Ben"),
        (["Ada Brandt [Harbour University]", "Ben Okafor [Tidal Institute]"], "Ada Ben"),
    ],
)
def test_author_lines_of_every_form(tmp_path: Path, lines: Sequence[str], names: str) -> None:
    page = Paper(tmp_path / "a.pdf")
    page.centred("A Study of Small Papers")
    for line in lines:
        page.centred(line, TEXT, 11, 16)
    page.centred("Abstract", BOLD, 12, 30)
    page.paragraph("We study papers that are small. " + FILLER)
    for heading in NAMES:
        page.heading(heading)
        page.paragraph(FILLER)
    found = [author.name for author in read_file(page.save()).authors]
    assert found == [{"Ada": "Ada Brandt", "Ben": "Ben Okafor"}[name] for name in names.split()]


def test_a_table_whose_columns_are_not_told_apart_has_no_cells(tmp_path: Path) -> None:
    rows = [("Reader one", ""), ("Reader two", ""), ("Reader three", "")]
    page = paper_with_table(tmp_path / "a.pdf", rows, "Table 1: Readers that were tried.")
    [table] = read_file(page.save()).tables
    assert table.caption == "Table 1: Readers that were tried."
    assert table.cells == ()
