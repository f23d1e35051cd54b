"""Which tables look like tables of results: numbers in most cells of their body."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.networks.columns import Flags, Longs, as_flags, as_numbers, column, numbers_in

_MOST = 0.5
_MOST_OF_A_LIST = 1 / 3
"""Where cells stand one below the other, as when a PDF's columns are lost, labels come between."""
_FEWEST_NUMBERS = 2
_LONGEST_NUMBER = 60
_EMPTY = r"^[\s\-–—−.·/]*$|^(?i:n/?a)$"
_WORD = r"\p{L}{2}"
_MARKER = r"^[\[(]?\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*\]$"


def result_like(cells: pa.Array) -> Flags:
    """For each table, whether most of its filled body cells are numbers.

    The body is what stands neither in the first row nor in the first column. A cell is a number
    when it has a digit, no two letters in a row, and is no citation such as `[12]`.

    Args:
        cells: Rows of cells of each table, as a list of lists of texts.
    """
    rows = cells.flatten()
    texts = rows.flatten()
    table_of_row = numbers_in(pc.list_parent_indices(cells))
    row_of_cell = numbers_in(pc.list_parent_indices(rows))
    width = as_numbers(pc.list_value_length(rows), missing=0).astype(np.int64)
    table_of_cell = table_of_row[row_of_cell]
    is_grid = _is_grid(table_of_row, width, len(cells))
    in_body = (_place(table_of_row)[row_of_cell] > 0) & (_place(row_of_cell) > 0)
    in_body |= ~is_grid[table_of_cell]
    filled, number = _read_cells(texts)

    def count(flags: Flags) -> Longs:
        return np.bincount(table_of_cell[in_body & flags], minlength=len(cells)).astype(np.int64)

    numbers, all_filled = count(number), count(filled)
    needed = np.where(is_grid, _MOST, _MOST_OF_A_LIST) * all_filled
    return np.asarray((numbers > needed) & (numbers >= _FEWEST_NUMBERS), dtype=np.bool_)


def _is_grid(table_of_row: Longs, width: Longs, count: int) -> Flags:
    """Which tables have at least as many rows of several cells as of one."""
    several = np.bincount(table_of_row[width > 1], minlength=count)
    return np.asarray(2 * several >= np.bincount(table_of_row, minlength=count), dtype=np.bool_)


def _place(groups: Longs) -> Longs:
    """The place of each member in its group, from 0; members of a group stand together."""
    if not len(groups):
        return np.zeros(0, dtype=np.int64)
    begins = np.flatnonzero(np.append(True, groups[1:] != groups[:-1]))
    sizes = np.diff(np.append(begins, len(groups)))
    return np.arange(len(groups)) - np.repeat(begins, sizes)


def _read_cells(texts: pa.Array) -> tuple[Flags, Flags]:
    """Which cells are filled, and which are numbers."""
    filled = pc.invert(pc.match_substring_regex(texts, _EMPTY))
    has_digit = pc.match_substring_regex(texts, r"\d")
    has_word = pc.match_substring_regex(texts, _WORD)
    is_marker = pc.match_substring_regex(texts, _MARKER)
    is_short = column(as_numbers(pc.utf8_length(texts), missing=0) <= _LONGEST_NUMBER)
    is_number = pc.and_(has_digit, pc.and_(is_short, pc.invert(pc.or_(has_word, is_marker))))
    return as_flags(filled), as_flags(is_number)
