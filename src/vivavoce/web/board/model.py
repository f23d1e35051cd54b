"""Content of a site's pages: boards, contestants and facts about them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from vivavoce.metrics import Metric, metrics_of
from vivavoce.requests import SiteOptions
from vivavoce.results.board.groups import Board, Group
from vivavoce.results.logs.records import PLACE, Place
from vivavoce.store import Row, hash_of
from vivavoce.web.board.entries import identity_of, kind_of, slug, title_of
from vivavoce.web.board.page import Link
from vivavoce.web.board.sections import Section, best_of, is_first, make_section


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
    key: str
    """Hash that changes whenever a row changes."""
    metrics: tuple[str, ...]
    """Metrics in the order of the task's card; the first one decides the ranks."""

    @property
    def place(self) -> Place:
        """Round, task, version and setting of the board."""
        return self.round, self.task, self.version, self.setting

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows of the board, loaded on first use if there are many."""
        return self.group.rows

    @cached_property
    def title(self) -> str:
        """The task's name as a title."""
        return title_of(self.task)

    @cached_property
    def headline(self) -> str:
        """The metric that decides the ranks."""
        return self.metrics[0]

    @cached_property
    def family(self) -> str:
        """The family of the board's task."""
        return family_of(self.group)

    @cached_property
    def higher_is_better(self) -> bool:
        """True if higher values of the headline metric are better."""
        return self.headline not in self.known or self.known[self.headline].higher_is_better

    @cached_property
    def identities(self) -> tuple[tuple[str, str], ...]:
        """Kind and name of the contestant in each lead row of the group."""
        return tuple(map(identity_of, self.group.leads))

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
        return make_section(self.rows, self.known, self.metrics)


class ModelOf(NamedTuple):
    """A model, or a method without a model; `identity_of` gives its kind and name."""

    kind: str
    """`model`, `baseline`, `floor` or `ceiling`."""
    name: str
    """Raw text from logs; print it through `visible`."""
    is_own: bool
    """True if all its rows come from the reader's own logs."""


@dataclass(frozen=True)
class Site:
    """Content of all pages; boards and contestants keep the order of the rows."""

    whole: Board
    """The leaderboard that the pages show."""
    boards: tuple[BoardOf, ...]
    contestants: tuple[ModelOf, ...]
    options: SiteOptions = field(default_factory=SiteOptions)
    nav: tuple[Link, ...] = ()
    """Links at the top of every page."""
    answered: frozenset[str] = frozenset()
    """Paths of the boards that link to item pages, which show all answers."""

    @property
    def rows(self) -> Iterator[Row]:
        """All rows, board by board; large boards are loaded one at a time."""
        for board in self.boards:
            yield from board.rows

    @cached_property
    def key(self) -> str:
        """Hash that changes whenever a row, a round or a note changes."""
        about = [self.whole.rounds, self.whole.notes]
        return hash_of([[board.key for board in self.boards], *about])

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


def site_of(board: Board) -> Site:
    """Make the site of a board."""
    contestants: dict[tuple[str, str], bool] = {}
    families = dict.fromkeys(map(family_of, board.groups))
    known = {family: metrics_of(family) for family in families}
    boards = tuple(_board(group, known[family_of(group)]) for group in board.groups)
    for each in boards:
        for one, row in zip(each.identities, each.group.leads, strict=True):
            contestants[one] = contestants.get(one, True) and bool(row.get("own"))
    models = tuple(ModelOf(kind, name, own) for (kind, name), own in contestants.items())
    return Site(board, boards, models)


def _board(group: Group, known: Mapping[str, Metric]) -> BoardOf:
    name, task, version, setting = map(str, group.place)
    path = board_path(group.leads[0])
    return BoardOf(group, path, known, name, task, version, setting, group.key, group.metrics)


def family_of(group: Group) -> str:
    """The family of a group's task."""
    return str(group.leads[0]["family"])


def board_path(row: Row) -> str:
    """Path of the page for a row's board."""
    name, setting = str(row["task"]).rpartition("/")[2], str(row["setting"])
    page = slug(f"{name[:200]}--{setting[:200]}", *(row[key] for key in PLACE))
    return f"boards/{slug(str(row['round']))}/{page}.html"
