"""Tables as blocks: a block is the rows under one header, each with a label and values.

The values of a cell are its last words, as far back as these are numbers or mark a missing number.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from vivavoce.readers.terms import STUBS, terms_in
from vivavoce.text.cell_text import plain_words, spread_cells
from vivavoce.text.normalise import normalise

MAX_ROWS = 4_000
"""Maximum number of rows read from a table."""
MAX_COLUMNS = 60
MAX_CELLS = 20_000
"""Maximum number of cells read from a table."""
MAX_TEXT = 400_000
"""Maximum number of characters read from a table."""
_MERGED = 0.25
"""If more than this share of cells have several values, a table's columns are distrusted."""
MAX_CELL = 1_000
"""Maximum number of characters read from a cell."""
_CELLS = 4_096
"""Size of the cache for cells, as each cell is read twice."""
MISSING = ""
"""Stands for a missing value, which a table prints as a dash, for example."""

_VALUE = re.compile(
    r"[~≈<>]?[-−–+]?(?P<number>(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,12})(?:\.\d{1,10})?|\.\d{1,10})"
    r"(?P<unit>[%KMBkmb]|bn)?[*†‡§¶⋆★]{0,4}[,;]?"
)
_MINUS = re.compile(r"[~≈<>]?[-−–]")
_MISSING = re.compile(r"[-−–—?]{1,3}|[nN]\.?/?[aA]\.?|[xX✗✓]")
_ASIDE = re.compile(r"[(\[](?:[±+-]?\d[\d.,]*%?)[)\]]|±\d[\d.]*%?")
_MARK = re.compile(r"[*†‡§¶⋆★%↑↓]{1,4}|\^[\w*†‡]{1,2}")
_GLUED_ASIDE = re.compile(r"(?<=\d)\((?=[±\d])|(?<=\d)±")
_SPREAD = re.compile(r"(?:±|\+/-|\\pm)\s*(?=\d)")
_SLASH = re.compile(r"(?<=[\d.%–−-])\s*/\s*(?=[\d.–−-])")
_UNIT = re.compile(r"(?<=\d)\s(?=[MKB%](?:\s|$))")
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class ReadCell:
    """The parts of a cell's text."""

    label: str
    values: tuple[str, ...]
    """The values as printed, without marks; `MISSING` for a dash."""


@lru_cache(maxsize=_CELLS)
def read_cell(text: str) -> ReadCell:
    """Split a cell into its label and its values."""
    words = _words(text)
    start = len(words)
    values: list[str] = []
    while start:
        value = _value(words[start - 1])
        if value is None:
            break
        start -= 1
        values += value
    label = " ".join(words[:start])
    if label and len(values) == 1 and _YEAR.fullmatch(values[0]):
        return ReadCell(f"{label} {values[0]}", ())
    return ReadCell(label, tuple(reversed(values)))


def _words(text: str) -> list[str]:
    plain = normalise("NFKC", plain_words(text[:MAX_CELL]))
    plain = _SPREAD.sub("±", _GLUED_ASIDE.sub(lambda match: " " + match.group(), plain))
    return _UNIT.sub("", _SLASH.sub(" / ", plain)).split()


def _value(word: str) -> list[str] | None:
    """Values in a word: none for an aside, one for a number; None if the word is no value."""
    if word == "/" or _ASIDE.fullmatch(word) or _MARK.fullmatch(word):
        return []
    if _MISSING.fullmatch(word):
        return [MISSING]
    match = _VALUE.fullmatch(word)
    if match is None:
        return None
    sign = "-" if _MINUS.match(word) else ""
    return [f"{sign}{match['number']}{match['unit'] or ''}"]


@dataclass(frozen=True, slots=True)
class Record:
    """One row of results."""

    label: str
    values: tuple[str, ...]
    context: str
    """Other text about the row: its group's heading, a split, another text column."""
    row: int
    """Index of the row in the table, from 0."""
    bold: tuple[int, ...]
    """Indices of the values printed in bold."""


@dataclass(frozen=True, slots=True)
class Block:
    """Rows under one header."""

    records: tuple[Record, ...]
    places: tuple[int, ...]
    """Index of each column of values in the table, from 0."""
    levels: tuple[tuple[str, ...], ...]
    """The header cells above each column of values, from the top."""
    corner: str
    """Header above the column of labels."""


def read_blocks(
    cells: Sequence[Sequence[str]],
    spans: Sequence[tuple[int, ...]] = (),
    bold: Sequence[tuple[int, ...]] = (),
) -> list[Block]:
    """Split a table into blocks; there are none if its columns were lost in conversion.

    `spans` and `bold` are in the format of `CitedTable`.
    """
    rows = list(_bounded(cells))
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    return _Grid(rows, spans, bold).blocks() if _is_grid(filled) else []


def _bounded(cells: Sequence[Sequence[str]]) -> Iterator[Sequence[str]]:
    """The first rows, up to the limits on cells and characters."""
    cells_left, left = MAX_CELLS, MAX_TEXT
    for row in cells[:MAX_ROWS]:
        if cells_left <= 0 or left <= 0:
            return
        kept = [cell[:MAX_CELL] for cell in row[:MAX_COLUMNS]]
        cells_left -= len(kept)
        left -= sum(map(len, kept))
        yield kept


def _is_grid(rows: Sequence[Sequence[str]]) -> bool:
    wide = [row for row in rows if sum(bool(cell.strip()) for cell in row) > 1]
    if len(wide) * 2 < len(rows) or not wide:
        return False
    counts = [len(read_cell(cell).values) for row in wide[:200] for cell in row]
    several = sum(count > 1 for count in counts)
    return several <= _MERGED * max(1, sum(count > 0 for count in counts))


class _Grid:
    """A table with columns, split into blocks where a new header begins."""

    def __init__(
        self,
        rows: Sequence[Sequence[str]],
        spans: Sequence[tuple[int, ...]],
        bold: Sequence[tuple[int, ...]],
    ) -> None:
        spread = spread_cells(rows, spans)
        self._width = max(map(len, spread))
        self._rows = [[*row, *[""] * (self._width - len(row))] for row in spread]
        self._wide = {row for row, _, _, width in spans if width > 1}
        self._parsed = [[read_cell(cell) for cell in row] for row in self._rows]
        self._bold = frozenset(bold)

    def blocks(self) -> list[Block]:
        """The blocks from top to bottom."""
        blocks: list[Block] = []
        header: list[int] = []
        body: list[int] = []
        groups: dict[int, str] = {}
        group = ""
        for place, row in enumerate(self._rows):
            filled = [column for column, cell in enumerate(row) if cell.strip()]
            filled = [c for c in filled if not _is_missing(self._parsed[place][c])] or filled
            if not filled:
                continue
            numbers = sum(_is_number(self._parsed[place][column]) for column in filled)
            if numbers and numbers * 3 >= len(filled) - 1:
                body.append(place)
                groups[place] = group
            elif self._is_group(place, filled, header, body):
                group = row[filled[0]]
            else:
                if body:
                    blocks.append(self._block(header, body, groups))
                    header, body, group = [], [], ""
                header.append(place)
        return [*blocks, self._block(header, body, groups)] if body else blocks

    def _is_group(self, place: int, filled: list[int], header: list[int], body: list[int]) -> bool:
        """Check whether a row is the heading of a group of rows below it."""
        if len({self._rows[place][column] for column in filled}) > 1:
            return False
        is_headed = any(len(set(filter(None, self._rows[above]))) > 1 for above in header)
        return bool(body) or (is_headed and len(filled) > 1 and len(filled) * 2 > self._width)

    def _block(self, header: list[int], body: list[int], groups: dict[int, str]) -> Block:
        levels = [self._heads_above(header, column) for column in range(self._width)]
        tops = [" ".join(heads) for heads in levels]
        wordy = [c for c in range(self._width) if not self._is_numeric(c, body)] or [0]
        named = [column for column in wordy if set(terms_in(tops[column])) & STUBS]
        main = (named or wordy)[0]
        values = [column for column in range(self._width) if column not in wordy]
        records: list[Record] = []
        last = dict.fromkeys(wordy, "")
        for place in body:
            row, parsed = self._rows[place], self._parsed[place]
            for column in wordy:
                last[column] = " ".join(row[column].split()) or last[column]
            others = [last[column] for column in wordy if column != main]
            row_values = [next(iter(parsed[column].values), MISSING) for column in values]
            bold = tuple(n for n, column in enumerate(values) if (place, column) in self._bold)
            context = " ".join([groups[place], *others]).strip()
            records.append(Record(last[main], tuple(row_values), context, place, bold))
        return Block(
            tuple(records),
            tuple(values),
            tuple(levels[column] for column in values),
            tops[main],
        )

    def _is_numeric(self, column: int, body: list[int]) -> bool:
        """Check whether at least half of a column's filled cells are numbers."""
        numbers = sum(_is_number(self._parsed[place][column]) for place in body)
        filled = sum(bool(self._rows[place][column].strip()) for place in body)
        return numbers > 0 and filled <= 2 * numbers

    def _heads_above(self, header: list[int], column: int) -> tuple[str, ...]:
        """The header cells above a column.

        If no cell in a header row is known to span columns, an empty cell takes the nearest filled
        cell to its left.
        """
        heads: list[str] = []
        for place in header:
            row = self._rows[place]
            cell = row[column].strip()
            if not cell and column and place != header[-1] and place not in self._wide:
                cell = next((c.strip() for c in reversed(row[1 : column + 1]) if c.strip()), "")
            if cell and cell not in heads:
                heads.append(cell)
        return tuple(heads)


def _is_missing(cell: ReadCell) -> bool:
    return not cell.label and bool(cell.values) and set(cell.values) == {MISSING}


def _is_number(cell: ReadCell) -> bool:
    return not cell.label and any(value != MISSING for value in cell.values)
