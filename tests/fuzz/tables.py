"""What fuzzing runs of the table paths: answers with tables, and tables of papers."""

from collections.abc import Mapping

from tests.fuzz.documents import through_source

from vivavoce.metrics.leaderboards import Entry, read_board, score_board
from vivavoce.metrics.tables.literature_answers import PaperNames, table_from_text
from vivavoce.metrics.tables.literature_tables import LiteratureTable, TableRow, score_table
from vivavoce.metrics.titles_list import count_faults, find_titles
from vivavoce.readers import LibraryPaper, LibrarySection, LibraryTable
from vivavoce.tasks.leaderboards.solvers import board_of_tables
from vivavoce.tasks.tables.family import diagnose, read_answer
from vivavoce.text.table_lines import MAX_CELLS, MAX_COLUMNS, MAX_ROWS, MAX_TABLES
from vivavoce.text.table_parsing import parse_tables

TITLES = {"P1": "Deep Nets for Reading", "P2": "Shallow Nets for Writing", "P3": "SQuAD: 100,000+"}
BOARD = (Entry("BERT (large)", "93.2"), Entry("R-Net", 88.5), Entry("ours", None))
TABLE = LiteratureTable(
    ("P1", "P2"),
    ("Task", "Size", "F1"),
    (
        TableRow("P1", ("QA", "1.5M", "93.2%")),
        TableRow("P2", ("summaries; QA", None, "88.5 ± 0.2")),
    ),
)


def answer_with_tables(content: bytes) -> None:
    """Every reader of tables in a model's answer, and the scores of what they read."""
    text = as_text(content)
    parsed = parse_tables(text)
    rows = sum(len(table.rows) for table in parsed.tables)
    cells = sum((len(table.rows) + 1) * len(table.header) for table in parsed.tables)
    assert len(parsed.tables) <= MAX_TABLES
    assert rows <= MAX_ROWS
    assert cells <= MAX_CELLS
    for table in parsed.tables:
        assert len(table.header) <= MAX_COLUMNS
        assert all(len(row) == len(table.header) for row in table.rows), "rows of other lengths"
    check_values(score_board(BOARD, read_board(text)).values(), lowest={"ktau": -1.0})
    _score(table_from_text(text, PaperNames(TABLE, TITLES)))
    if (answer := read_answer(text, TITLES)) is not None:
        _score(answer)
        diagnose(TABLE, answer)


def answer_with_titles(content: bytes) -> None:
    """A ranked list of titles in a model's answer."""
    text, titles = as_text(content), list(TITLES.values())
    found = find_titles(text, titles)
    assert sorted(set(found.order)) == sorted(found.order), "a title twice"
    assert len(found.order) + found.missing == len(titles)
    count_faults(text, titles, found)


def tables_of_a_paper(content: bytes) -> None:
    """The board that the tables and the text of a paper give.

    The first line is the caption, a blank line ends the table, tabs part its cells.
    """
    table, _, rest = as_text(content).partition("\n\n")
    caption, *lines = table.split("\n")
    cells = tuple(tuple(line.split("\t")) for line in lines)
    paper = LibraryPaper(
        "P1",
        "BiDAF: A reader of texts",
        "2017-05",
        rest[:500],
        (LibrarySection("Results", rest),),
        (LibraryTable(caption, cells),),
    )
    for method, score in board_of_tables([paper], dataset="SQuAD", metric="F1").items():
        assert method
        assert score


def as_text(content: bytes) -> str:
    """Text as a model's answer can be: bytes that are no UTF-8 become halves of surrogate pairs."""
    return content.decode("utf-8", "surrogateescape")


def check_values(values: Mapping[str, float | None], lowest: Mapping[str, float]) -> None:
    """Metrics lie in their ranges; NaN does not."""
    for name, value in values.items():
        assert value is None or lowest.get(name, 0.0) <= value <= 1.0, f"{name} is {value}"


def _score(answer: LiteratureTable) -> None:
    there, back = score_table(TABLE, answer), score_table(answer, TABLE)
    for score in (there, back):
        check_values(score.values(), lowest={})


TABLE_PATHS = (
    answer_with_tables,
    answer_with_titles,
    tables_of_a_paper,
    through_source("metadata", "papers.csv"),
    through_source("tdms", "tdms.tsv"),
    through_source("survey", "survey.md"),
)
"""The first byte of an input chooses one."""
