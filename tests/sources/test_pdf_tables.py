"""Cells, spans and bold marks of tables in PDFs that are set by hand."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.sources.pdf_pages import BOLD, FILLER, HEIGHT, TEXT, Paper

from vivavoce.records import CitedTable
from vivavoce.sources.fulltext.pdf.document import read_file

COLUMNS = (120.0, 220.0, 270.0, 320.0, 370.0)


def rule(paper: Paper, y: float, x0: float = 115.0, x1: float = 405.0) -> None:
    paper.canvas.setLineWidth(0.6)
    paper.canvas.line(x0, HEIGHT - y, x1, HEIGHT - y)


def start(path: Path, caption: str = "Table 1: Scores of all systems.") -> Paper:
    paper = Paper(path)
    paper.centred("A Paper with Tables in It")
    paper.heading("1 Introduction")
    paper.paragraph(f"{FILLER} {FILLER}")
    paper.y += 30
    paper.say(caption, 200, paper.y, size=9)
    return paper


def row(paper: Paper, cells: Sequence[str], bold: int = -1, gap: float = 12.0) -> None:
    paper.y += gap
    for place, (x, text) in enumerate(zip(COLUMNS, cells, strict=False)):
        paper.say(text, x, paper.y, BOLD if place == bold else TEXT, 9)


def table_of(paper: Paper) -> CitedTable:
    paper.y += 30
    paper.paragraph(f"{FILLER} {FILLER}")
    paper.canvas.save()
    (table,) = read_file(paper.path).tables
    return table


def test_heads_span_what_the_rule_below_them_covers(tmp_path: Path) -> None:
    paper = start(tmp_path / "a.pdf")
    rule(paper, paper.y + 4)
    paper.y += 14
    paper.say("Method", 120, paper.y, size=9)
    paper.say("News", 238, paper.y, size=9)
    paper.say("Web", 341, paper.y, size=9)
    rule(paper, paper.y + 3, 218, 292)
    rule(paper, paper.y + 3, 318, 392)
    row(paper, ["", "P", "R", "P", "R"])
    rule(paper, paper.y + 3)
    row(paper, ["Tree parser", "91.2", "90.1", "71.5", "70.4"])
    row(paper, ["Graph parser", "93.4", "89.9", "72.0", "–"], bold=1)
    rule(paper, paper.y + 3)
    table = table_of(paper)
    assert table.caption == "Table 1: Scores of all systems."
    assert table.cells == (
        ("Method", "News", "", "Web", ""),
        ("", "P", "R", "P", "R"),
        ("Tree parser", "91.2", "90.1", "71.5", "70.4"),
        ("Graph parser", "93.4", "89.9", "72.0", "–"),
    )
    assert table.spans == ((0, 1, 1, 2), (0, 3, 1, 2))
    assert table.bold == ((3, 1),)


def test_rows_without_rules_keep_their_empty_cells(tmp_path: Path) -> None:
    paper = start(tmp_path / "a.pdf")
    row(paper, ["Method", "P", "R", "F1"], gap=16)
    row(paper, ["Tree parser", "91.2", "", "90.6"])
    row(paper, ["Graph parser of Lee et al.", "", "89.9", "91.6"])
    row(paper, ["Span parser", "88.0", "87.1", "87.5"])
    assert table_of(paper).cells == (
        ("Method", "P", "R", "F1"),
        ("Tree parser", "91.2", "", "90.6"),
        ("Graph parser of Lee et al.", "", "89.9", "91.6"),
        ("Span parser", "88.0", "87.1", "87.5"),
    )


def test_lines_that_go_on_with_a_cell_are_one_row(tmp_path: Path) -> None:
    paper = start(tmp_path / "a.pdf")
    rule(paper, paper.y + 4)
    row(paper, ["System", "What it does", "", "", "Year"], gap=14)
    rule(paper, paper.y + 3)
    row(paper, ["Tree", "reads each sentence before it is", "", "", "2015"])
    row(paper, ["", "joined with others"])
    row(paper, ["Graph", "reads all of them", "", "", "2017"])
    rule(paper, paper.y + 3)
    assert table_of(paper).cells == (
        ("System", "What it does", "Year"),
        ("Tree", "reads each sentence before it is joined with others", "2015"),
        ("Graph", "reads all of them", "2017"),
    )


def test_deviations_below_estimates_are_rows_of_their_own(tmp_path: Path) -> None:
    paper = start(tmp_path / "a.pdf")
    rule(paper, paper.y + 4)
    row(paper, ["", "First", "Second", "Third"], gap=14)
    rule(paper, paper.y + 3)
    row(paper, ["Age", "0.211", "0.341***", "0.185"])
    row(paper, ["", "(0.055)", "(0.061)***", "(0.047)"])
    row(paper, ["Income", "0.102", "0.098", "0.091"])
    row(paper, ["", "(0.032)", "(0.030)", "(0.029)"])
    rule(paper, paper.y + 3)
    assert table_of(paper).cells == (
        ("", "First", "Second", "Third"),
        ("Age", "0.211", "0.341***", "0.185"),
        ("", "(0.055)", "(0.061)***", "(0.047)"),
        ("Income", "0.102", "0.098", "0.091"),
        ("", "(0.032)", "(0.030)", "(0.029)"),
    )


@pytest.mark.parametrize("word", ["Tabla", "Tabela", "Tableau", "Tabelle", "Cuadro", "Quadro"])
def test_captions_name_tables_in_other_languages(tmp_path: Path, word: str) -> None:
    paper = start(tmp_path / "a.pdf", f"{word} 1: Algunos resultados.")
    row(paper, ["A", "P", "R", "F1"], gap=16)
    row(paper, ["B", "91.2", "90.0", "90.6"])
    row(paper, ["C", "93.4", "89.9", "91.6"])
    table = table_of(paper)
    assert table.caption == f"{word} 1: Algunos resultados."
    assert table.cells[1] == ("B", "91.2", "90.0", "90.6")


def test_a_label_between_rules_spans_its_rows(tmp_path: Path) -> None:
    paper = start(tmp_path / "a.pdf")
    rule(paper, paper.y + 4)
    row(paper, ["Family", "Method", "", "F1"], gap=14)
    rule(paper, paper.y + 3)
    for label, names in (("Graphs", ("one", "two", "three")), ("Rules", ("four", "five", "six"))):
        for place, name in enumerate(names):
            row(paper, [label if place == 1 else "", name, "", f"9{place}.5"])
        rule(paper, paper.y + 3)
    table = table_of(paper)
    assert [cells[0] for cells in table.cells] == ["Family", "Graphs", "", "", "Rules", "", ""]
    assert table.spans == ((1, 0, 3, 1), (4, 0, 3, 1))


def test_figures_close_together_are_columns_of_their_own(tmp_path: Path) -> None:
    paper = start(tmp_path / "a.pdf")
    for cells in (["Method", "P", "R"], ["one", "91.2", "90.1"], ["two", "8.4", "89.9"]):
        paper.y += 12
        for x, text in zip((120.0, 220.0, 241.0), cells, strict=True):
            paper.say(text, x, paper.y, size=9)
    assert [cells[1:] for cells in table_of(paper).cells] == [
        ("P", "R"),
        ("91.2", "90.1"),
        ("8.4", "89.9"),
    ]


def test_cells_of_two_numbers_put_a_table_in_doubt(tmp_path: Path) -> None:
    paper = start(tmp_path / "a.pdf")
    row(paper, ["Method", "P R"], gap=16)
    row(paper, ["one", "91.2 90.1"])
    row(paper, ["two", "from 8 to 9"])
    row(paper, ["three", "many"])
    assert table_of(paper).cells == ()


def test_an_exponent_in_a_cell_stays_one(tmp_path: Path) -> None:
    paper = start(tmp_path / "a.pdf")
    row(paper, ["Corpus", "Tokens", "F1"], gap=16)
    for name, power in (("small", "6"), ("large", "9")):
        row(paper, [name, "10"])
        paper.say(power, 229, paper.y - 3.5, size=6)
        paper.say("88.1", 270, paper.y, size=9)
    assert [cells[1] for cells in table_of(paper).cells] == ["Tokens", "10^6", "10^9"]


def test_tables_stand_on_the_side_of_their_captions_that_is_usual(tmp_path: Path) -> None:
    paper = start(tmp_path / "a.pdf", "Table 1: The first.")
    for caption, name in (("Table 2: The second.", "one"), ("", "two")):
        rule(paper, paper.y + 4)
        row(paper, ["Method", "P", "R", "F1"], gap=14)
        rule(paper, paper.y + 3)
        for _ in range(2 if name == "one" else 4):
            row(paper, [name, "91.2", "90.1", "90.6"])
        rule(paper, paper.y + 3)
        paper.y += 16
        if caption:
            paper.say(caption, 200, paper.y, size=9)
    paper.y += 30
    paper.paragraph(f"{FILLER} {FILLER}")
    paper.canvas.save()
    tables = read_file(paper.path).tables
    assert [table.cells[1][0] for table in tables] == ["one", "two"]
