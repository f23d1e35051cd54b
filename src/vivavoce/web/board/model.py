"""Content of a site's pages: boards with their tables, and the contestants on them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from vivavoce.metrics import Metric, metrics_of
from vivavoce.requests import SiteOptions
from vivavoce.results.board.columns import BoardColumn, page_columns
from vivavoce.results.board.groups import Board, Group, by_contestant
from vivavoce.results.logs.records import CONTESTANT, PLACE
from vivavoce.store import Row, canonical_json, hash_of
from vivavoce.text.printing import figure
from vivavoce.web.board import entries
from vivavoce.web.board.entries import (
    MetricColumn,
    best_of,
    identity_of,
    is_first,
    kind_of,
    make_column,
    slug,
    title_of,
)
from vivavoce.web.board.page import Link

MAX_COLUMNS = 5
"""Maximum number of metrics in the main table; further metrics are in a table below."""

_ByMetric = dict[str, Row]
"""A contestant's rows by metric."""


class Entry(NamedTuple):
    """A contestant's row in the table."""

    kind: str
    """`model`, `baseline`, `floor` or `ceiling`."""
    name: str
    details: tuple[str, ...]
    lead: Row | None
    """Row with the headline metric."""
    row: Row
    """The lead row, or the contestant's first row if it has no headline metric."""
    cells: tuple[Row | None, ...]
    """The contestant's rows, one per metric."""
    faults: list[tuple[int, str]]

    @property
    def is_complete(self) -> bool:
        """True if every item has a valid answer and every metric a value."""
        return not self.faults and all(row and row["value"] is not None for row in self.cells)


@dataclass(frozen=True, slots=True)
class Section:
    """Content of a board's table."""

    detectable: str
    """Smallest detectable difference in the headline metric; empty if unknown."""
    shared: tuple[str, ...]
    """Settings that all contestants with a model share."""
    columns: tuple[MetricColumn, ...]
    """Columns of the main table, the headline metric first."""
    further: tuple[MetricColumn, ...]
    """Columns of the second table, below."""
    entries: tuple[Entry, ...]
    """Ranked entries, then unranked entries by value, then entries without a value."""
    ceilings: tuple[Entry, ...]
    facts: tuple[BoardColumn, ...]
    """Columns of facts: those always shown, and optional columns in which a row has a value."""


@dataclass(frozen=True, eq=False)
class BoardOf:
    """All results of one task in one setting of one round; each board has its own page."""

    group: Group
    path: str
    """Path of the board's page: `boards/ROUND/TASK--SETTING.html`."""
    known: Mapping[str, Metric]
    """Known metrics of the task's family, by name."""
    round: str
    """Raw text from logs, like the next three fields; print it through `visible`."""
    task: str
    version: str
    setting: str

    @cached_property
    def title(self) -> str:
        """The task's name as a title."""
        return title_of(self.task)

    @property
    def headline(self) -> str:
        """The metric that decides the ranks."""
        return self.group.metrics[0]

    @property
    def family(self) -> str:
        """The family of the board's task."""
        return str(self.group.leads[0]["family"])

    @property
    def higher_is_better(self) -> bool:
        """True if higher values of the headline metric are better."""
        return self._is_higher_better(self.headline)

    def _is_higher_better(self, metric: str) -> bool:
        return metric not in self.known or self.known[metric].higher_is_better

    @cached_property
    def headline_rows(self) -> tuple[Row, ...]:
        """The headline metric's rows, one per contestant, in the given order."""
        return tuple(row for row in self.group.leads if row["metric"] == self.headline)

    @cached_property
    def valued(self) -> tuple[Row, ...]:
        """The headline rows that have a value, without the ceiling, in the given order."""
        rows = self.headline_rows
        return tuple(r for r in rows if r["value"] is not None and kind_of(r) != "ceiling")

    @cached_property
    def ranked(self) -> tuple[Row, ...]:
        """The valued rows with a rank, best first."""
        rows = [row for row in self.valued if row["rank"] is not None]
        sign = -1 if self.higher_is_better else 1
        return tuple(sorted(rows, key=lambda row: (row["rank"], sign * row["value"])))

    @cached_property
    def items(self) -> int:
        """The largest number of items that a contestant answered."""
        return max((int(row["n"]) for row in self.headline_rows), default=0)

    @property
    def best(self) -> Row | None:
        """The best ranked headline row that is not a floor; None if there is none."""
        return best_of(self.ranked)

    @property
    def above(self) -> Row | None:
        """The best headline row without a rank, if its value is better than that of `best`."""
        sign, best = (1 if self.higher_is_better else -1), self.best
        rows = [row for row in self.valued if row["rank"] is None and best]
        first = max(rows, key=lambda row: sign * row["value"], default=None)
        return first if first and best and sign * (first["value"] - best["value"]) > 0 else None

    @property
    def winner(self) -> Row | None:
        """The best row if it is significantly ahead of others, otherwise None."""
        best = self.best
        return best if self.ranked[1:] and best is not None and is_first(best) else None

    @cached_property
    def section(self) -> Section:
        """The board's table, ready to print; made on first use."""
        rows, metrics = self.group.rows, self.group.metrics
        ordered = sorted(by_contestant(rows).values(), key=self._place)
        ranked = [of for of in ordered if kind_of(_first(of)) != "ceiling"]
        columns = tuple(
            make_column(
                name,
                [of[name] for of in ranked if name in of and of[name]["value"] is not None],
                self._is_higher_better(name),
                says=self.known[name].summary if name in self.known else "",
            )
            for name in metrics
        )
        shared = entries.shared_facts([_first(of) for of in ranked])
        listed = [_entry(of, metrics, shared) for of in ordered]
        differences = [row["detectable"] for row in rows if row["metric"] == self.headline]
        return Section(
            detectable=next((figure(value) for value in differences if value), ""),
            shared=shared,
            columns=columns[:MAX_COLUMNS],
            further=columns[MAX_COLUMNS:],
            entries=tuple(entry for entry in listed if entry.kind != "ceiling"),
            ceilings=tuple(entry for entry in listed if entry.kind == "ceiling"),
            facts=tuple(column for column in page_columns() if _is_shown(column, listed)),
        )

    def _place(self, rows: _ByMetric) -> tuple[Any, ...]:
        """Sort key: ranked rows, unranked rows by value, then rows without a value; then names."""
        row = rows.get(self.headline)
        name = canonical_json([_first(rows)[key] for key in ("model", *CONTESTANT)])
        if row is None or row["value"] is None:
            return (True, True, 0, 0.0, name)
        value = -row["value"] if self.higher_is_better else row["value"]
        return (False, row["rank"] is None, row["rank"] or 0, value, name)


def _first(rows: _ByMetric) -> Row:
    return next(iter(rows.values()))


def _entry(rows: _ByMetric, metrics: Sequence[str], shared: Sequence[str]) -> Entry:
    lead = rows.get(metrics[0])
    row = lead or _first(rows)
    kind = kind_of(row)
    name, details = entries.name_and_details(row)
    if kind in ("model", "baseline") and row["model"] not in entries.NO_MODEL:
        details += [fact for fact in entries.facts_of(row) if fact not in shared]
    details += entries.tries_of(row) if kind == "model" else []
    cells = tuple(map(rows.get, metrics))
    return Entry(kind, name, tuple(details), lead, row, cells, entries.faults_of(row))


def _is_shown(column: BoardColumn, listed: Sequence[Entry]) -> bool:
    counted = [e for e in listed if e.kind != "ceiling" or column.unit != "exposure"]
    return not column.is_optional or any(entries.fact(entry.row, column) for entry in counted)


@dataclass(frozen=True)
class Site:
    """Content of all pages; boards and contestants keep the order of the rows."""

    whole: Board
    """The leaderboard that the pages show."""
    boards: tuple[BoardOf, ...]
    contestants: Mapping[tuple[str, str], bool]
    """For each kind and name of `identity_of`: True if all rows come from the reader's own logs."""
    options: SiteOptions = field(default_factory=SiteOptions)
    nav: tuple[Link, ...] = ()
    """Links at the top of every page."""
    answered: frozenset[str] = frozenset()
    """Paths of the boards that link to item pages, which show all answers."""

    @property
    def rows(self) -> Iterator[Row]:
        """All rows, board by board; large boards are loaded one at a time."""
        for board in self.boards:
            yield from board.group.rows

    @cached_property
    def key(self) -> str:
        """Hash that changes whenever a row, a round or a note changes."""
        about = [self.whole.rounds, self.whole.notes]
        return hash_of([[board.group.key for board in self.boards], *about])

    @cached_property
    def round_names(self) -> tuple[str, ...]:
        """Rounds that have a board, sorted by the end of their window, then by name."""
        ends = {str(entry["id"]): str(entry["window"][1]) for entry in self.whole.rounds}
        named = dict.fromkeys(board.round for board in self.boards)
        return tuple(sorted(named, key=lambda name: (ends.get(name, ""), name)))

    @cached_property
    def by_task(self) -> dict[str, list[BoardOf]]:
        """Boards by task, in all settings and rounds."""
        boards_by_task: dict[str, list[BoardOf]] = {}
        for board in self.boards:
            boards_by_task.setdefault(board.task, []).append(board)
        return boards_by_task


def site_of(whole: Board) -> Site:
    """Make the site of a board."""
    contestants: dict[tuple[str, str], bool] = {}
    known: dict[str, Mapping[str, Metric]] = {}
    boards = []
    for group in whole.groups:
        family = str(group.leads[0]["family"])
        metrics = known.setdefault(family, metrics_of(family))
        boards.append(BoardOf(group, _board_path(group.leads[0]), metrics, *map(str, group.place)))
        for row in group.leads:
            one = identity_of(row)
            contestants[one] = contestants.get(one, True) and bool(row.get("own"))
    return Site(whole, tuple(boards), contestants)


def _board_path(row: Row) -> str:
    name, setting = str(row["task"]).rpartition("/")[2], str(row["setting"])
    page = slug(f"{name[:200]}--{setting[:200]}", *(row[key] for key in PLACE))
    return f"boards/{slug(str(row['round']))}/{page}.html"
