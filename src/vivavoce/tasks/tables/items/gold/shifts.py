"""Headers that are printed, or were read, over the wrong columns.

Below a name stand values of its kind: years below `Year`, numbers below `# layers` or `Size (M)`,
ticks below `Code?`. A header is shifted when they do not, or when a column of values has no name
while a name has no values. It is repaired when moving a run of names by one place is the only way
to set all of this right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from vivavoce.metrics.tables.cell_matching import NUMBER_WORDS, cell_key
from vivavoce.metrics.tables.table_schema import column_unit
from vivavoce.tasks.tables.items.gold.headers import Grid, Line, label_columns, without_citations
from vivavoce.text.data import read_data

_WORDS = read_data(__file__, "words.toml")
_YEARS, _COUNTS = frozenset(_WORDS["years"]), frozenset(_WORDS["counts"])
_LABELS = frozenset(_WORDS["labels"])
_YEAR = re.compile(r"\b(?:19|20)\d\d\b|['’]\d\d\b")
_MOST, _FEW = 0.8, 0.2
_MIN_VALUES = 2
_MAX_COLUMNS = 24
"""Of a table whose header is repaired."""


@dataclass(frozen=True, slots=True)
class _Column:
    is_filled: bool
    years: float
    """Share of the values that hold a year."""
    digits: float
    """Share of the values that hold a number."""
    marks: float
    """Share of the values that are marks for yes or no."""

    def is_alien_to(self, name: str) -> bool:
        """True if none of these cells can be a value below a name."""
        if not self.is_filled:
            return False
        words = set(re.findall(r"[^\W\d_]+", name.casefold()))
        if words & _YEARS:
            return self.years <= _FEW
        return _is_count(name, words) and self.marks >= _MOST

    def is_odd_for(self, name: str) -> bool:
        """True if a name asks for numbers, and there are hardly any."""
        words = set(re.findall(r"[^\W\d_]+", name.casefold()))
        return self.is_filled and _is_count(name, words) and self.digits <= _FEW


def settle_header(grid: Grid, lines: Sequence[Line]) -> Grid | str:
    """The grid with names over their own columns, or what is seen of a shift that is not undone.

    Args:
        grid: A printed table.
        lines: Those of its lines that are about works.
    """
    printed = [line.cells for line in lines]
    labels = label_columns(grid.columns, printed)
    columns = [
        _column([without_citations(cells[at]) for cells in printed])
        for at in range(len(grid.columns))
    ]
    fault = _fault(grid.columns, columns, labels)
    if fault is None:
        return grid
    # A name leaves the labels only where the kinds of values speak for it.
    kinds = zip(columns, grid.columns, strict=True)
    is_free = any(column.is_alien_to(name) or column.is_odd_for(name) for column, name in kinds)
    found = {
        names: _cost(names, columns, labels)
        for names in _shifted(grid.columns)
        if _fault(names, columns, labels) is None
        and (is_free or all(names[at] or not grid.columns[at] for at in labels))
    }
    least = min(found.values(), default=0)
    best = {_named(names, columns, labels): names for names in found if found[names] == least}
    if len(best) != 1 or least >= _cost(grid.columns, columns, labels):
        return fault
    return replace(grid, columns=next(iter(best.values())))


def _column(cells: Sequence[str]) -> _Column:
    values = [cell for cell in cells if cell_key(cell)]
    count = max(len(values), 1)
    return _Column(
        is_filled=len(values) >= min(_MIN_VALUES, len(cells)) and bool(values),
        years=sum(bool(_YEAR.search(value)) for value in values) / count,
        digits=sum(map(_has_number, values)) / count,
        marks=sum(cell_key(value) in ("yes", "no") for value in values) / count,
    )


def _has_number(value: str) -> bool:
    return any(map(str.isdigit, value)) or any(w in NUMBER_WORDS for w in value.casefold().split())


def _is_count(name: str, words: set[str]) -> bool:
    return name.startswith("#") or bool(column_unit(name)) or bool(words & _COUNTS)


def _fault(names: Sequence[str], columns: Sequence[_Column], labels: Sequence[int]) -> str | None:
    """Evidence that a header is shifted; None where there is none."""
    # Before the labels stand the names of groups.
    nameless = [
        at
        for at, one in enumerate(columns)
        if one.is_filled and not names[at] and at > max(labels, default=0)
    ]
    empty = [at for at, one in enumerate(columns) if names[at] and not one.is_filled]
    for at, column in enumerate(columns):
        if at not in labels and column.is_alien_to(names[at]):
            return f"below {names[at]!r} stand other things"
    if nameless and empty:
        return f"{names[empty[0]]!r} stands over nothing, and column {nameless[0] + 1} has no name"
    if nameless and not any(names[at].casefold() in _LABELS for at in labels):
        return f"column {nameless[0] + 1} has no name, and nothing says that the names are in place"
    return None


def _cost(names: Sequence[str], columns: Sequence[_Column], labels: Sequence[int]) -> int:
    return sum(
        column.is_alien_to(name) + column.is_odd_for(name) + (name.casefold() in _LABELS)
        if name and column.is_filled
        else bool(name) != column.is_filled
        for at, (name, column) in enumerate(zip(names, columns, strict=True))
        if at not in labels
    )


def _shifted(names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The names with a run of them moved by one place into one without a name."""
    if len(names) > _MAX_COLUMNS:
        return
    for end in range(len(names)):
        if names[end]:
            continue
        for start in range(len(names)):
            if start < end:
                yield (*names[:start], "", *names[start:end], *names[end + 1 :])
            elif start > end:
                yield (*names[:end], *names[end + 1 : start + 1], "", *names[start + 1 :])


def _named(
    names: Sequence[str], columns: Sequence[_Column], labels: Sequence[int]
) -> tuple[str, ...]:
    """Names of the columns that say something."""
    return tuple(
        name if column.is_filled and at not in labels else ""
        for at, (name, column) in enumerate(zip(names, columns, strict=True))
    )
