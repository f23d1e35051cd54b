"""Content of a site's pages: boards, contestants and the facts beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from vivavoce.metrics import Metric, metrics_of
from vivavoce.results.board.groups import Board, Group
from vivavoce.results.logs.records import PLACE, Place
from vivavoce.store import Row, hash_of
from vivavoce.web.board.entries import identity_of, kind_of, slug, title_of
from vivavoce.web.board.page import Link
from vivavoce.web.board.sections import Section, best_of, is_first, make_section


@dataclass(frozen=True, eq=False)
class BoardOf:
    """All that was measured on one task, in one setting of one round: a page of its own."""

    group: Group
    path: str
    """Path of its page: `boards/ROUND/TASK--SETTING.html`."""
    known: Mapping[str, Metric]
    """Its metrics by name, as far as they are known."""

    round: str
    """Round as its rows spell it, like the next three; print them through `visible`."""
    task: str
    version: str
    setting: str
    key: str
    """Changes whenever a row does."""
    metrics: tuple[str, ...]
    """Metrics in the order of the task's card; it is ranked by the first."""

    @property
    def place(self) -> Place:
        """Its round, task, version and setting."""
        return self.round, self.task, self.version, self.setting

    @property
    def rows(self) -> tuple[Row, ...]:
        """All its rows; of a large board they are loaded when first asked for."""
        return self.group.rows

    @cached_property
    def title(self) -> str:
        """The task in words."""
        return title_of(self.task)

    @cached_property
    def headline(self) -> str:
        """The metric it is ranked by."""
        return self.metrics[0]

    @cached_property
    def family(self) -> str:
        """The family of its task."""
        return family_of(self.group)

    @cached_property
    def higher_is_better(self) -> bool:
        """The direction of its headline metric."""
        return self.headline not in self.known or self.known[self.headline].higher_is_better

    @cached_property
    def identities(self) -> tuple[tuple[str, str], ...]:
        """Kind and name of the contestant behind each of the group's leads."""
        return tuple(map(identity_of, self.group.leads))

    @cached_property
    def headline_rows(self) -> tuple[Row, ...]:
        """One row for each contestant measured by the headline metric, in the order given."""
        return tuple(row for row in self.group.leads if row["metric"] == self.headline)

    @cached_property
    def valued(self) -> tuple[Row, ...]:
        """The headline rows with a value, in the order given; the ceiling is not among them."""
        found = self.headline_rows
        return tuple(r for r in found if r["value"] is not None and kind_of(r) != "ceiling")

    @cached_property
    def ranked(self) -> tuple[Row, ...]:
        """The valued rows that have a rank, best first."""
        found = [row for row in self.valued if row["rank"] is not None]
        sign = -1 if self.higher_is_better else 1
        return tuple(sorted(found, key=lambda row: (row["rank"], sign * row["value"])))

    @cached_property
    def items(self) -> int:
        """The most items that any of its contestants answered."""
        return max((int(row["n"]) for row in self.headline_rows), default=0)

    @property
    def best(self) -> Row | None:
        """The headline row with the best value; a floor is none. None where nobody is ranked."""
        return best_of(self.ranked)

    @property
    def winner(self) -> Row | None:
        """The best row where it differs from everybody else, else None."""
        best = self.best
        return best if best is not None and is_first(best) else None

    @cached_property
    def section(self) -> Section:
        """Its table, with every number and sentence ready to print; made when first asked for."""
        return make_section(self.rows, self.known, self.metrics)


class ModelOf(NamedTuple):
    """One model, or one method that needs none; kind and name are as of `identity_of` its rows."""

    kind: str
    """`model`, `baseline`, `floor` or `ceiling`."""
    name: str
    """Name as the rows spell it; print it through `visible`."""
    is_own: bool
    """True if it comes from the reader's own logs alone."""


@dataclass(frozen=True)
class Site:
    """Content of all pages. The order of boards and contestants is that of the rows."""

    rounds: tuple[Row, ...]
    headlines: Mapping[str, str]
    metrics: Mapping[str, Sequence[str]]
    notes: tuple[str, ...]
    boards: tuple[BoardOf, ...]
    contestants: tuple[ModelOf, ...]
    nav: tuple[Link, ...] = ()
    """The links in the head of every page."""
    note: str = ""
    """A note at the top of the first page."""
    updated: str = ""
    """Day on which the newest of its logs was begun; empty without logs."""
    status: str = ""
    """Path of the page on its state, which every page names."""
    next_round: str = ""
    """Day on which the next round is due; empty where none is."""
    submit: str = ""
    """Address where a model is submitted."""
    answered: frozenset[str] = frozenset()
    """Paths of the boards that lead to pages of items with all answers."""

    @property
    def rows(self) -> Iterator[Row]:
        """All rows, board after board; those of a large board are loaded one board at a time."""
        for board in self.boards:
            yield from board.rows

    @cached_property
    def key(self) -> str:
        """Changes whenever a row, a round or a note does."""
        return hash_of([[board.key for board in self.boards], self.rounds, self.notes])

    @cached_property
    def round_names(self) -> tuple[str, ...]:
        """The rounds that have a board, by the end of their window and then by name."""
        ends = {str(entry["id"]): str(entry["window"][1]) for entry in self.rounds}
        named = dict.fromkeys(board.round for board in self.boards)
        return tuple(sorted(named, key=lambda name: (ends.get(name, ""), name)))

    @cached_property
    def by_task(self) -> dict[str, list[BoardOf]]:
        """The boards of each task, in all settings and rounds."""
        found: dict[str, list[BoardOf]] = {}
        for board in self.boards:
            found.setdefault(board.task, []).append(board)
        return found


def site_of(board: Board) -> Site:
    """Site of a board."""
    contestants: dict[tuple[str, str], bool] = {}
    families = dict.fromkeys(map(family_of, board.groups))
    known = {family: metrics_of(family) for family in families}
    boards = tuple(_board(group, known[family_of(group)]) for group in board.groups)
    for each in boards:
        for one, row in zip(each.identities, each.group.leads, strict=True):
            contestants[one] = contestants.get(one, True) and bool(row.get("own"))
    return Site(
        rounds=board.rounds,
        headlines=board.headlines,
        metrics=board.metrics,
        notes=board.notes,
        boards=boards,
        contestants=tuple(ModelOf(kind, name, own) for (kind, name), own in contestants.items()),
        updated=max((head.created[:10] for head in board.heads), default=""),
    )


def _board(group: Group, known: Mapping[str, Metric]) -> BoardOf:
    name, task, version, setting = map(str, group.place)
    path = board_path(group.leads[0])
    return BoardOf(group, path, known, name, task, version, setting, group.key, group.metrics)


def family_of(group: Group) -> str:
    """The family of a group's task."""
    return str(group.leads[0]["family"])


def board_path(row: Row) -> str:
    """Path of the page of a row's board."""
    name, setting = str(row["task"]).rpartition("/")[2], str(row["setting"])
    page = slug(f"{name[:200]}--{setting[:200]}", *(row[key] for key in PLACE))
    return f"boards/{slug(str(row['round']))}/{page}.html"
