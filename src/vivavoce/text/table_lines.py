"""Tables written line by line: Markdown pipe tables, similar formats, and delimited text."""

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from vivavoce.text.cell_text import collapse_spaces, unescape_entities

MAX_CHARACTERS = 1_000_000
"""About 250,000 tokens."""
MAX_TABLES = 1_000
MAX_ROWS = 10_000
"""Maximum body rows in all tables of one answer together; header rows do not count."""
MAX_COLUMNS = 1_000
MAX_CELLS = 200_000


@dataclass(frozen=True, slots=True)
class ParsedTable:
    """One table; every row has as many cells as the header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class TableBudget:
    """Counts the tables, rows and cells read from one answer, and stops at the limits."""

    def __init__(self) -> None:
        self.tables = 0
        self.rows = 0
        self.cells = 0
        self.truncated = False

    def admit(self, cells: int, *, rows: int = 0, tables: int = 0) -> bool:
        """Count a body row, or a table with its header cells, if the limits allow it."""
        over = (
            self.tables + tables > MAX_TABLES
            or self.rows + rows > MAX_ROWS
            or self.cells + cells > MAX_CELLS
        )
        if over:
            self.truncated = True
            return False
        self.tables += tables
        self.rows += rows
        self.cells += cells
        return True


def build_table(rows: Iterator[list[str]], budget: TableBudget) -> Iterator[ParsedTable]:
    """Build a table from rows, reading none beyond the budget; none without rows or budget."""
    header = next(rows, None)
    if header is None:
        budget.admit(0, tables=1)
        return
    if len(header) > MAX_COLUMNS:
        budget.truncated = True
        header = header[:MAX_COLUMNS]
    width = len(header)
    if not budget.admit(width, tables=1):
        return
    body: list[tuple[str, ...]] = []
    for row in rows:
        if not budget.admit(width, rows=1):
            break
        body.append(tuple(row[:width]) + ("",) * (width - len(row)))
    yield ParsedTable(tuple(header), tuple(body))


PIPES = "|│┃║｜"
_PIPE_OR_ESCAPES = re.compile(r"(?:\\.)+|\|", re.DOTALL)
_MARKDOWN_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_BREAK = re.compile(r"<br\s{0,9}/?>", re.IGNORECASE)
_RULE_CELL = re.compile(r"\s*:?(?:[-=─━═]+):?\s*")
_RULE_LINE = re.compile(r"[\s+\-=|:─━═┼├┤┌┐└┘┬┴╞╪╡╒╤╕╘╧╛╔╦╗╠╬╣╚╩╝]+")
_QUOTED = re.compile(r'"[^"]*"')
_BOX_BARS = str.maketrans(dict.fromkeys(PIPES, "|"))
_OPENING_PIPE = re.compile(rf"[> \t]*[{PIPES}]")
_ANY_PIPE = re.compile(f"[{PIPES}]")
_MOSTLY = 0.8


def is_pipe_line(line: str) -> bool:
    """Check whether a line may be a row of a pipe table."""
    return "|" in line or _ANY_PIPE.search(line) is not None


def is_rule_line(line: str) -> bool:
    """Check whether a line is only a border, as between rows of a grid table."""
    head = line.lstrip()[:1]
    return head != "" and head in "+├┌└╞╒╘╔╠╚" and _RULE_LINE.fullmatch(line) is not None


def split_pipes(line: str) -> list[str]:
    r"""Split a pipe row into raw cells; `\|` does not split, and outer pipes add no cells."""
    if "|" not in line:
        line = line.translate(_BOX_BARS)
    line = line.strip()
    if (quoted := line.lstrip("> \t")).startswith("|"):
        line = quoted
    cells: list[str] = []
    start = 0
    for match in _PIPE_OR_ESCAPES.finditer(line):
        if match.group() != "|":
            continue
        if match.start() > 0:
            cells.append(line[start : match.start()])
        start = match.end()
        if len(cells) > MAX_COLUMNS:
            return cells
    if line[start:].strip() or not cells:
        cells.append(line[start:])
    return cells


def starts_pipe_table(first: str, second: str) -> bool:
    """Check whether a pipe line opens a table rather than being prose with a bar."""
    return (
        _OPENING_PIPE.match(first) is not None
        or " | " in first
        or (is_pipe_line(second) and _is_rule(split_pipes(second), strict=True))
    )


def read_pipe_block(lines: Iterable[str], budget: TableBudget) -> Iterator[ParsedTable]:
    """Read the tables in a run of pipe lines; blank lines in the run are empty strings."""
    for _, rows in groupby(_numbered_rows(lines), key=itemgetter(0)):
        yield from build_table(([_read_cell(cell) for cell in raw] for _, raw in rows), budget)
        if budget.truncated:
            return


def _numbered_rows(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Raw rows, each with the number of its table.

    A row waits for the next line, because a rule line below may make the row the header of a new
    table. This is so if the rule is the table's first, or if the row follows a blank line or
    repeats the header. Any other rule line only separates rows.
    """
    number = 0
    header: list[str] | None = None
    waiting: list[str] | None = None
    has_rule = is_blank = waited_after_blank = False
    for line in lines:
        if not line.strip():
            is_blank = True
            continue
        if is_rule_line(line):
            has_rule = header is not None
            continue
        raw = split_pipes(line)
        if _is_rule(raw, strict=has_rule):
            if waiting is not None and (not has_rule or waited_after_blank or waiting == header):
                number, header = number + 1, waiting
            has_rule = header is not None
            continue
        if waiting is not None:
            yield number, waiting
        if header is None or (is_blank and len(raw) != len(header)):
            number, header, has_rule = number + 1, raw, False
        waiting, waited_after_blank, is_blank = raw, is_blank, False
    if waiting is not None:
        yield number, waiting


def _is_rule(raw: list[str], *, strict: bool) -> bool:
    """Check whether a row is only a rule; if `strict`, single dashes are data."""
    shortest = 2 if strict else 1
    return all(
        len(cell.strip()) >= shortest and _RULE_CELL.fullmatch(cell) is not None for cell in raw
    )


def _read_cell(cell: str) -> str:
    if "<" in cell:
        cell = _BREAK.sub(" ", cell)
    if "\\" in cell:
        cell = _MARKDOWN_ESCAPE.sub(r"\1", cell)
    return collapse_spaces(unescape_entities(cell))


def delimited_rows(
    lines: Iterable[str], delimiter: str, budget: TableBudget
) -> Iterator[list[str]]:
    """Read rows from delimited lines; a field beyond csv's own limit truncates the table."""
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    while True:
        try:
            row = next(reader, None)
        except csv.Error:
            budget.truncated = True
            return
        if row is None:
            return
        if row:
            yield [collapse_spaces(cell) for cell in row]


def choose_delimiter(line: str) -> str:
    """The most frequent delimiter in a header line, outside quotes; a comma by default."""
    line = _QUOTED.sub("", line)
    return max(",\t;", key=line.count)


def is_consistent(lines: list[str], delimiter: str) -> bool:
    """Check whether most lines of a text look like delimited rows, with equally many fields."""
    if len(lines) < 2 or lines[0].rstrip().endswith((".", "!", "?")):
        return False
    if lines[0].startswith("{"):  # JSON Lines
        return False
    expected = lines[0].count(delimiter)
    fitting = sum(_count_fields(line, delimiter) == expected + 1 for line in lines)
    return expected > 0 and fitting >= _MOSTLY * len(lines)


def _count_fields(line: str, delimiter: str) -> int:
    if '"' not in line:
        return line.count(delimiter) + 1
    try:
        return len(next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), []))
    except csv.Error:
        return 0
