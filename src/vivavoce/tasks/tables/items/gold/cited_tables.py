"""Tables of papers in which each row is about the one work that it cites."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from vivavoce.corpus import Corpus
from vivavoce.records import Paper, Window
from vivavoce.rounds.family import Exclusion
from vivavoce.store import Row
from vivavoce.tasks.tables.items.gold.headers import (
    Grid,
    Line,
    distinct_names,
    read_grid,
    read_values,
    why_not,
)
from vivavoce.tasks.tables.items.gold.shifts import settle_header
from vivavoce.tasks.tables.items.gold.works import GivenTables, work_of_reference
from vivavoce.tasks.tables.items.table_items import (
    TASK,
    GoldRow,
    GoldTable,
    Kind,
    TablesOptions,
    Work,
    is_known,
)
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
