"""Tables whose columns are known, read as blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.readers.lines import MISSING, Line
from vivavoce.readers.terms import STUBS, terms_in


@dataclass(frozen=True, slots=True)
class Record:
    """One row of results."""

    label: str
    values: tuple[str, ...]
    context: str = ""
    """Other names of the row: a group's heading, a split, another column of words."""


@dataclass(frozen=True, slots=True)
class Block:
    """Rows under one header."""

    heads: tuple[str, ...]
    """Lines before the rows."""
    columns: tuple[str, ...]
    """Headers of each column of values."""
    records: tuple[Record, ...]


def grid_blocks(rows: Sequence[Sequence[str]], parsed: Sequence[Sequence[Line]]) -> list[Block]:
    """The blocks of a table.

    Args:
        rows: Its cells.
        parsed: The same, read.
    """
    width = max(map(len, rows))
    blocks: list[Block] = []
    header: list[Sequence[str]] = []
    body: list[int] = []
    group = ""
    groups: dict[int, str] = {}
    for place, row in enumerate(rows):
        filled = [column for column in range(len(row)) if row[column].strip()]
        numbers = sum(_is_number(parsed[place][column]) for column in filled)
        if numbers and numbers * 3 >= len(filled) - 1:
            body.append(place)
            groups[place] = group
        elif len(filled) == 1 and body:
            group = row[filled[0]]
        else:
            if body:
                blocks.append(_grid_block(header, rows, parsed, body, groups, width))
                header, body, group = [], [], ""
            header.append(row)
    if body:
        blocks.append(_grid_block(header, rows, parsed, body, groups, width))
    return blocks


def _is_number(line: Line) -> bool:
    return not line.label and any(value != MISSING for value in line.values)


def _grid_block(
    header: Sequence[Sequence[str]],
    rows: Sequence[Sequence[str]],
    parsed: Sequence[Sequence[Line]],
    body: Sequence[int],
    groups: dict[int, str],
    width: int,
) -> Block:
    numeric = [
        2 * sum(c < len(parsed[p]) and _is_number(parsed[p][c]) for p in body)
        >= sum(c < len(rows[p]) and bool(rows[p][c].strip()) for p in body)
        and any(c < len(parsed[p]) and _is_number(parsed[p][c]) for p in body)
        for c in range(width)
    ]
    tops = [_heads_above(header, column) for column in range(width)]
    wordy = [column for column in range(width) if not numeric[column]] or [0]
    named = [column for column in wordy if set(terms_in(tops[column])) & STUBS]
    main = (named or wordy)[0]
    values = [column for column in range(width) if column not in wordy]
    records: list[Record] = []
    last = dict.fromkeys(wordy, "")
    for place in body:
        row = rows[place]
        for column in wordy:
            cell = " ".join(row[column].split()) if column < len(row) else ""
            last[column] = cell or last[column]
        others = [last[column] for column in wordy if column != main]
        found = [
            next(iter(parsed[place][column].values), MISSING) if column < len(row) else MISSING
            for column in values
        ]
        context = " ".join([groups[place], *others]).strip()
        records.append(Record(last[main], tuple(found), context))
    heads = [" ".join(cell for cell in row if cell.strip()) for row in header]
    return Block(tuple(heads), tuple(tops[column] for column in values), tuple(records))


def _heads_above(header: Sequence[Sequence[str]], column: int) -> str:
    """The cells above a column; an empty one is a part of the last filled one to its left."""
    found: list[str] = []
    for place, row in enumerate(header):
        cell = row[column].strip() if column < len(row) else ""
        if not cell and column and place < len(header) - 1:
            cell = next((c.strip() for c in reversed(row[1 : column + 1]) if c.strip()), "")
        if cell and cell not in found:
            found.append(cell)
    return " ".join(found)
