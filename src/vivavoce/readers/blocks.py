"""Tables as blocks: rows with a label and values, and the headings above each column.

A block is a part of a table under one header. Tables with columns are read as they are; of those
whose columns were lost on the way, rows are put together again out of lines, the number of columns
being that of most rows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from vivavoce.readers.lines import MAX_LINE, MISSING, Line, column_heads, read_line, split_head
from vivavoce.readers.terms import SPLITS, STUBS, is_head_word, terms_in
from vivavoce.text.cell_text import spread_cells

MAX_LINES = 4_000
"""Lines or rows of a table that are read."""
MAX_COLUMNS = 60
MAX_CELLS = 20_000
"""Cells of a table that are read."""
MAX_TEXT = 400_000
"""Characters of a table that are read."""
_PROSE_WORDS = 9
_MAX_LABEL = 14
_MAX_HEADS = 20
"""Lines of a header that are kept."""
_GROUP = re.compile(r"(?:single|ensemble)s?(?:[ -]models?)?:?", re.IGNORECASE)
_MERGED = 0.25
"""Share of cells with several values from which the columns of a table are not believed."""


class Marks(NamedTuple):
    """Cells of a table that span several places or are bold, as `CitedTable` has them."""

    spans: tuple[tuple[int, ...], ...] = ()
    bold: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """One row of results."""

    label: str
    values: tuple[str, ...]
    context: str = ""
    """Other names of the row: a group's heading, a split, another column of words."""
    row: int = -1
    """Row of the table, from 0; -1 where the table's columns were lost."""
    bold: tuple[int, ...] = ()
    """Places in `values` of those printed in bold."""


@dataclass(frozen=True, slots=True)
class Block:
    """Rows under one header."""

    heads: tuple[str, ...]
    """Lines before the rows."""
    columns: tuple[str, ...]
    """Headers of each column of values."""
    records: tuple[Record, ...]
    places: tuple[int, ...] = ()
    """The table's column of each column of values, from 0; empty where they were lost."""
    levels: tuple[tuple[str, ...], ...] = ()
    """The header cells above each column of values, from the top; empty where they were lost."""
    corner: str = ""
    """Header of the column of labels."""


def read_blocks(
    cells: Sequence[Sequence[str]], header: str = "", marks: Marks | None = None
) -> list[Block]:
    """The blocks of a table; a header found elsewhere is that of rows without one."""
    rows = list(_bounded(cells))
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    if _is_grid(filled):
        return _Grid(rows, marks or Marks()).blocks()
    return line_blocks((" ".join(row) for row in filled), header)


def _bounded(cells: Sequence[Sequence[str]]) -> Iterator[Sequence[str]]:
    """The first rows, until there are too many cells."""
    cells_left, left = MAX_CELLS, MAX_TEXT
    for row in cells[:MAX_LINES]:
        if cells_left <= 0 or left <= 0:
            return
        kept = [cell[:MAX_LINE] for cell in row[:MAX_COLUMNS]]
        cells_left -= len(kept)
        left -= sum(map(len, kept))
        yield kept


def _is_grid(rows: Sequence[Sequence[str]]) -> bool:
    wide = [row for row in rows if sum(bool(cell.strip()) for cell in row) > 1]
    if len(wide) * 2 < len(rows) or not wide:
        return False
    counts = [len(read_line(cell).values) for row in wide[:200] for cell in row]
    several = sum(count > 1 for count in counts)
    return several <= _MERGED * max(1, sum(count > 0 for count in counts))


def line_blocks(lines: Iterable[str], header: str = "") -> list[Block]:
    """The blocks of a table that is a list of lines."""
    reader = _LineReader(header)
    for number, text in enumerate(lines):
        if number == MAX_LINES:
            break
        reader.take(text)
    return reader.finish()


class _LineReader:
    def __init__(self, header: str) -> None:
        self._blocks: list[Block] = []
        self._heads: list[str] = [header] if header else []
        self._records: list[Record] = []
        self._pending: list[str] = []
        """Lines without a value since the last row."""
        self._label = ""
        self._method = ""
        self._group = ""
        self._values: list[str] = []

    def take(self, text: str) -> None:
        line = read_line(text)
        if line.values and not line.label and self._values:
            self._values += line.values[: MAX_COLUMNS - len(self._values)]
        elif line.values:
            self._start(line)
        elif line.label:
            self._close_row()
            if self._pending and line.label.startswith("("):
                self._pending[-1] += f" {line.label}"
            else:
                self._pending.append(line.label)

    def _start(self, line: Line) -> None:
        self._close_row()
        label = line.label
        if len(label.split()) > _MAX_LABEL:
            header, label = split_head(label)
            self._pending.append(header or label)
            label = label if header and len(label.split()) <= _MAX_LABEL else ""
            if not label:
                return
        if self._pending and (not label or label.startswith("(")):
            label = f"{self._pending.pop()} {label}".strip()
        if not label:
            return
        if self._pending and _is_split(label):
            self._method = self._pending.pop()
        if self._pending:
            self._open(self._pending)
            self._pending = []
        self._label, self._values = label, list(line.values)

    def _open(self, lines: list[str]) -> None:
        """A new block for a new header; a line without its words is the heading of a group."""
        is_header = any(_is_prose(line) or _is_header(line) for line in lines)
        if is_header or not (self._records or self._heads):
            self._close_block()
            has_group = len(lines) > 1 and _GROUP.fullmatch(lines[-1]) is not None
            self._heads = lines[:-1] if has_group else lines
            self._group = lines[-1] if has_group else ""
        else:
            self._group = " ".join(lines[-2:])

    def _close_row(self) -> None:
        if self._label and self._values:
            label, context = self._label, self._group
            if _is_split(label):
                label, context = self._method or label, f"{context} {label}".strip()
            else:
                self._method = label
            self._records.append(Record(label, tuple(self._values[:MAX_COLUMNS]), context))
        self._label, self._values = "", []

    def _close_block(self) -> None:
        if self._records:
            self._blocks.append(_aligned(self._heads[-_MAX_HEADS:], self._records))
        self._heads, self._records = [], []

    def finish(self) -> list[Block]:
        self._close_row()
        self._close_block()
        return _inherited(self._blocks)


def _is_split(label: str) -> bool:
    terms = set(terms_in(label)) if len(label) < 20 else set()
    return bool(terms) and terms <= SPLITS


def _is_prose(line: str) -> bool:
    words = line.split()
    return len(words) >= _PROSE_WORDS and sum(word.islower() for word in words) * 2 > len(words)


def _is_header(line: str) -> bool:
    words = line.split()
    heads = [word for word in words if is_head_word(word)]
    stubs = [word for word in heads if set(terms_in(word)) <= STUBS]
    named = any(word[:1].isupper() for word in stubs)
    return len(heads) * 2 >= len(words) and (named or len(heads) > len(stubs))


def _aligned(heads: Sequence[str], records: Sequence[Record]) -> Block:
    """A block whose rows have, as far as can be told, the same columns."""
    heads = list(heads)
    records = list(records)
    header, label = split_head(records[0].label)
    if header:
        heads.append(header)
        records[0] = Record(label, records[0].values, records[0].context)
    counts = Counter(len(record.values) for record in records)
    width = max(counts, key=lambda count: (counts[count], count))
    fitted = [part for record in records for part in _fitted(record, width)]
    return Block(tuple(heads), column_heads(heads, width), tuple(fitted))


def _inherited(blocks: Sequence[Block]) -> list[Block]:
    """Blocks without a header of their own get that of the block before, if it fits."""
    found: list[Block] = []
    for block in blocks:
        last = found[-1] if found else None
        known = any(map(_is_known, block.columns))
        if last and not known and len(last.columns) == len(block.columns):
            group = " ".join(block.heads[-2:])
            records = [
                Record(one.label, one.values, f"{group} {one.context}".strip())
                for one in block.records
            ]
            block = Block(
                (*last.heads[:_MAX_HEADS], *block.heads[-2:]), last.columns, tuple(records)
            )
        found.append(block)
    return found


def _is_known(head: str) -> bool:
    return any(is_head_word(word) for word in head.split())


def _fitted(record: Record, width: int) -> list[Record]:
    """A row; several where its values are those of rows whose label stands once."""
    times, rest = divmod(len(record.values), width)
    if rest or times < 2 or width < 2:
        return [_without_number(record, width)]
    parts = [record.values[place * width : (place + 1) * width] for place in range(times)]
    return [Record(record.label, part, record.context) for part in parts]


def _without_number(record: Record, width: int) -> Record:
    """A whole number that is one value too many belongs to the name: `R 3`."""
    first = record.values[0]
    if len(record.values) == width + 1 and first.isdigit() and len(first) < 4:
        return Record(f"{record.label} {first}", record.values[1:], record.context)
    return record


class _Grid:
    """A table with columns, cut where a new header begins."""

    def __init__(self, rows: Sequence[Sequence[str]], marks: Marks) -> None:
        self._rows = spread_cells(rows, marks.spans)
        self._wide = {row for row, _, _, width in marks.spans if width > 1}
        self._parsed = [[read_line(cell) for cell in row] for row in self._rows]
        self._bold = frozenset(marks.bold)
        self._width = max(map(len, self._rows))

    def blocks(self) -> list[Block]:
        """The blocks, from the top."""
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
        """Check whether a row says one thing of those below it, under a header."""
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
                cell = " ".join(row[column].split()) if column < len(row) else ""
                last[column] = cell or last[column]
            others = [last[column] for column in wordy if column != main]
            found = [
                next(iter(parsed[column].values), MISSING) if column < len(row) else MISSING
                for column in values
            ]
            bold = tuple(n for n, column in enumerate(values) if (place, column) in self._bold)
            context = " ".join([groups[place], *others]).strip()
            records.append(Record(last[main], tuple(found), context, place, bold))
        return Block(
            tuple(" ".join(filter(str.strip, dict.fromkeys(self._rows[row]))) for row in header),
            tuple(tops[column] for column in values),
            tuple(records),
            tuple(values),
            tuple(levels[column] for column in values),
            tops[main],
        )

    def _is_numeric(self, column: int, body: list[int]) -> bool:
        """Check whether at least half of a column's filled cells are numbers."""
        numbers = sum(
            column < len(self._rows[place]) and _is_number(self._parsed[place][column])
            for place in body
        )
        filled = sum(
            column < len(self._rows[place]) and bool(self._rows[place][column].strip())
            for place in body
        )
        return numbers > 0 and filled <= 2 * numbers

    def _heads_above(self, header: list[int], column: int) -> tuple[str, ...]:
        """The cells above a column.

        Where no cell of a row is known to span, an empty one is a part of the last filled one to
        its left.
        """
        found: list[str] = []
        for place in header:
            row = self._rows[place]
            cell = row[column].strip() if column < len(row) else ""
            if not cell and column and place != header[-1] and place not in self._wide:
                cell = next((c.strip() for c in reversed(row[1 : column + 1]) if c.strip()), "")
            if cell and cell not in found:
                found.append(cell)
        return tuple(found)


def _is_missing(line: Line) -> bool:
    return not line.label and bool(line.values) and set(line.values) == {MISSING}


def _is_number(line: Line) -> bool:
    return not line.label and any(value != MISSING for value in line.values)
