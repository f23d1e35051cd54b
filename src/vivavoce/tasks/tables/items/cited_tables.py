"""Tables of papers in which each row is about the one work that it cites.

Headers that are printed, or were read, over the wrong columns are repaired. Below a name stand
values of its kind: years below `Year`, numbers below `# layers` or `Size (M)`, ticks below `Code?`.
A header is shifted when they do not, or when a column of values has no name while a name has no
values. It is repaired when moving a run of names by one place is the only way to set all of this
right.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from vivavoce.corpus import Corpus
from vivavoce.metrics.tables.cell_matching import NUMBER_WORDS, cell_key
from vivavoce.metrics.tables.table_schema import column_unit
from vivavoce.records import Paper, Window
from vivavoce.rounds.family import Exclusion
from vivavoce.store import Row
from vivavoce.tasks.tables.items.cited_works import GivenTables, work_of_reference
from vivavoce.tasks.tables.items.table_headers import (
    Grid,
    Line,
    distinct_names,
    label_columns,
    read_grid,
    read_values,
    why_not,
    without_citations,
)
from vivavoce.tasks.tables.items.table_items import (
    TASK,
    GoldRow,
    GoldTable,
    Kind,
    TablesOptions,
    Work,
    is_known,
)
from vivavoce.text.data import read_data
from vivavoce.text.dates import inside

_NUMBER = r"[0-9]{1,3}|[IVXL]{1,6}|[A-Z]\.?[0-9]{1,2}"
_CAPTION = re.compile(rf"(?:table|tab\.?)\s{{0,3}}({_NUMBER})(?![\w])", re.IGNORECASE)


def table_number(caption: str) -> str | None:
    """The number that a caption opens with, such as `3` in `Table 3: Datasets`."""
    found = _CAPTION.match(caption.strip())
    return found[1].upper() if found else None


_CONTINUED = re.compile(
    rf"(?:table|tab\.?)\s{{0,3}}({_NUMBER})\W{{0,4}}(?:continued|cont(?:inue)?d?\b|ctd\b)|"
    r"\W{0,3}continu(?:ed|ation)\W{0,2}(?:from|of)?\W{0,9}(?:table|tab\.?)\s{0,3}"
    rf"({_NUMBER})(?![\w])",
    re.IGNORECASE,
)


def join_continued(tables: Sequence[Row]) -> list[Row]:
    """The tables of a paper, with those that go on below a caption such as `Table 3 (continued)`.

    Lines of a continuation are added to its table when both are equally wide; a header that is
    printed once more is left out. Other continuations stay tables of their own.
    """
    joined: list[Row] = []
    by_number: dict[str, int] = {}
    for row in tables:
        caption = row["caption"].strip()
        continued = _CONTINUED.match(caption)
        number = (continued[1] or continued[2]).upper() if continued else table_number(caption)
        place = by_number.get(number or "")
        if continued and place is not None and _width(joined[place]) == _width(row):
            joined[place] = _with_lines(joined[place], row)
            continue
        if number:
            by_number.setdefault(number, len(joined))
        joined.append(row)
    return joined


def _width(row: Row) -> int:
    return max(map(len, row["cells"]), default=0)


def _with_lines(table: Row, more: Row) -> Row:
    header = 0
    while header < min(len(more["cells"]), len(table["cells"])) and (
        more["cells"][header] == table["cells"][header] and not _cites_at(more, header)
    ):
        header += 1
    cited = [[_cites_at(row, at) for at in range(len(row["cells"]))] for row in (table, more)]
    return table | {
        "cells": [*table["cells"], *more["cells"][header:]],
        "row_cited": [*cited[0], *cited[1][header:]],
        "cited": sorted({*table["cited"], *more["cited"]}),
    }


def _cites_at(row: Row, place: int) -> Sequence[int]:
    cites: Sequence[Sequence[int]] = row.get("row_cited") or ()
    return cites[place] if place < len(cites) else ()


_DIGESTABLES: Kind = "digestables"
_NOT_OURS = ("standard", "baseline")


@dataclass(slots=True)
class Source:
    """A paper with tables whose rows cite."""

    paper: Paper
    tables: list[Row] = field(default_factory=list)
    cited: set[int] = field(default_factory=set)
    """Ordinals of the references that any of its tables cites."""
    works: dict[int, Work] = field(default_factory=dict)
    """What they mean, by ordinal."""

    @property
    def kin(self) -> frozenset[str]:
        """The works that any of its tables cites."""
        return frozenset(work.paper_id for work in self.works.values())


@dataclass(frozen=True, slots=True)
class Made:
    """A gold table, and what is known beside it."""

    table: GoldTable
    kin: frozenset[str]
    """Works that are no distractors of it."""
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Rows of the printed table that are not in it, by reason."""


def read_sources(
    corpus: Corpus, papers: Mapping[str, Paper], window: Window, *, undated: bool = False
) -> tuple[dict[str, Source], list[Exclusion]]:
    """The papers of a window with tables in which a row cites exactly one work.

    Such tables of other papers are told with the reason. What the references mean is not read yet.
    """
    sources: dict[str, Source] = {}
    excluded: list[Exclusion] = []
    for name, tables in groupby(corpus.rows("tables"), key=lambda row: str(row["paper_id"])):
        of_paper = join_continued(list(tables))
        citing = [
            row for row in of_paper if any(len(cited) == 1 for cited in row.get("row_cited") or ())
        ]
        if not citing:
            continue
        source = Source(papers[name], citing)
        if why := _outside(source.paper, window, undated=undated):
            excluded += [Exclusion(TASK, table_id(row), *why) for row in citing]
            continue
        source.cited.update(ordinal for row in of_paper for ordinal in row["cited"])
        sources[name] = source
    return sources, excluded


def read_references(corpus: Corpus, sources: Mapping[str, Source], given: GivenTables) -> None:
    """Note what the references mean that the tables of some papers cite."""
    for row in corpus.rows("references"):
        source = sources.get(row["paper_id"])
        if source is not None and row["ordinal"] in source.cited:
            source.works[row["ordinal"]] = given.work_of(row) or work_of_reference(row)


def make_table(
    source: Source, row: Row, works: Mapping[str, Work], options: TablesOptions
) -> Made | Exclusion:
    """The gold table of a printed one, or why there is none."""
    name = table_id(row)
    if not row["caption"].strip():
        return Exclusion(TASK, name, "no_caption")
    unknown = len(row["cells"]) - len(row["row_cited"])
    cited = [*row["row_cited"], *([()] * unknown)]
    grid = read_grid(row["cells"], [bool(ordinals) for ordinals in cited])
    if grid is None:
        return Exclusion(TASK, name, "no_header", "its first row cites, or is empty")
    chosen, dropped = _choose_lines(source, grid, cited, works, options)
    settled = settle_header(grid, [line for line, _ in chosen])
    if isinstance(settled, str):
        return Exclusion(TASK, name, "shifted_header", settled)
    values = read_values(settled, [line for line, _ in chosen])
    if why := why_not(values, [paper for _, paper in chosen], options):
        lacking = dropped["no_title"] + dropped["too_little_known"]
        if lacking and why[0] in ("few_rows", "few_papers"):
            why = ("no_evidence", f"{why[1]}; of {lacking} cited works too little is known")
        return Exclusion(TASK, name, *why)
    table = GoldTable(
        id=name,
        source_paper=source.paper.paper_id,
        kind=_DIGESTABLES if _DIGESTABLES in source.paper.source.split("+") else "cited",
        caption=" ".join(row["caption"].split()),
        columns=distinct_names(values.columns),
        rows=tuple(
            GoldRow(line.ordinal, paper, label, cells)
            for (line, paper), label, cells in zip(chosen, values.labels, values.rows, strict=True)
        ),
        published=source.paper.first_public,
    )
    return Made(table, source.kin, dropped)


def table_id(row: Row) -> str:
    """The id of a gold table from a row of `tables`."""
    return f"{row['paper_id']}/table/{row['ordinal']}"


def _outside(paper: Paper, window: Window, *, undated: bool) -> tuple[str, str] | None:
    if paper.first_public is None:
        return None if undated else ("undated_source", "")
    return None if inside(paper.first_public, window) else ("outside_window", paper.first_public)


def _choose_lines(
    source: Source,
    grid: Grid,
    cited: Sequence[Sequence[int]],
    works: Mapping[str, Work],
    options: TablesOptions,
) -> tuple[list[tuple[Line, str]], Counter[str]]:
    """Lines that are about one work each with its id, and the reasons of those that are not."""
    dropped: Counter[str] = Counter()
    chosen: list[tuple[Line, str]] = []
    own = source.paper.paper_id if options.own_row and source.paper.title else None
    for line in grid.lines:
        meant = [source.works[one].paper_id for one in cited[line.ordinal] if one in source.works]
        if len(cited[line.ordinal]) > 1:
            dropped["several_works"] += 1
        elif not meant and own and _is_own(line, grid):
            chosen.append((line, own))
        elif not meant:
            dropped["no_work"] += 1
        elif not works[meant[0]].title:
            dropped["no_title"] += 1
        elif not is_known(works[meant[0]], options.evidence):
            dropped["too_little_known"] += 1
        else:
            chosen.append((line, meant[0]))
    return chosen, dropped


def _is_own(line: Line, grid: Grid) -> bool:
    """Check that a line without citation is the last, and not about common baselines."""
    label = line.cells[0].casefold()
    return line is grid.lines[-1] and not any(word in label for word in _NOT_OURS)


_WORDS = read_data(__file__, "table_headers.toml")
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
