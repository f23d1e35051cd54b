"""The first page: who leads where, every board, and how each contestant stands in each family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from vivavoce.store import Row
from vivavoce.tasks import list_families
from vivavoce.web.board.model import BoardOf, ModelOf, Site, identity_of
from vivavoce.web.board.names import TAGS, label, title_of
from vivavoce.web.board.sections import Verdict
from vivavoce.web.printing import figure, share, visible

SHADES = 5
MAX_CONTESTANTS = 300
"""In the table of the first page; the pages of further ones are found from their boards."""


@dataclass(frozen=True, slots=True)
class Leader:
    """The best at one task, in one setting of the newest round."""

    title: str
    setting: str
    path: str
    metric: str
    verdict: Verdict | None


@dataclass(frozen=True, slots=True)
class FamilyOf:
    """The boards of one family in the newest round."""

    title: str
    summary: str
    leaders: tuple[Leader, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One task and setting through the rounds."""

    title: str
    setting: str
    cells: tuple[tuple[str, str, str] | None, ...]
    """By round: path, best value and whose it is; None where it was not measured."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One contestant across families."""

    name: str
    tag: str
    path: str
    is_own: bool
    boards: int
    firsts: int
    """Boards on which nobody stands above it, ties of the first included."""
    shares: tuple[tuple[str, int] | None, ...]
    """By family: the share of the others it stands above, as text and as a shade."""


def overview(site: Site) -> dict[str, Any]:
    """What `index.html.j2` prints."""
    rounds = site.round_names
    newest = rounds[-1] if rounds else ""
    boards = [board for board in site.boards if board.round == newest]
    families = list(dict.fromkeys(board.family for board in boards))
    standings = _standings(site, boards, families)
    return {
        "newest": visible(newest),
        "families": [_family(name, boards) for name in families],
        "rounds": [visible(name) for name in rounds],
        "lines": _lines(site.boards, rounds),
        "family_titles": [family_title(name) for name in families],
        "standings": standings[:MAX_CONTESTANTS],
        "unlisted": max(0, len(standings) - MAX_CONTESTANTS),
        "counts": (len(site.contestants), len(site.boards), len(rounds)),
        "notes": site.notes,
        "about_rounds": [about_round(entry) for entry in site.rounds],
    }


def family_title(family: str) -> str:
    """A family's title; of one that is not ours, its name."""
    card = list_families().get(family)
    return card.title if card else title_of(family) or "Tasks"


def about_round(entry: Row) -> Row:
    """A round's window, manifest and counts, ready to print."""
    return {**entry, "counts": flat_counts(entry["counts"])}


def flat_counts(counts: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Nested counts as (name, number) pairs, in the order given."""
    pairs: list[tuple[str, str]] = []
    for key, value in counts.items():
        name = f"{prefix}{visible(key)}".replace("_", " ")
        if isinstance(value, Mapping):
            pairs += flat_counts(value, f"{name} ")
        else:
            pairs.append((name, f"{value:,}" if isinstance(value, int) else visible(value)))
    return pairs


def _family(name: str, boards: Sequence[BoardOf]) -> FamilyOf:
    card = list_families().get(name)
    leaders = tuple(_leader(board) for board in boards if board.family == name)
    return FamilyOf(family_title(name), card.summary if card else "", leaders)


def _leader(board: BoardOf) -> Leader:
    return Leader(
        title=board.title,
        setting=visible(board.setting),
        path=board.path,
        metric=visible(board.headline),
        verdict=board.verdict,
    )


def _lines(boards: Sequence[BoardOf], rounds: Sequence[str]) -> list[Line]:
    """Versions of a task share a line: a round has one of them, or the last one stands for it."""
    found: dict[tuple[str, str], dict[str, BoardOf]] = {}
    for board in boards:
        found.setdefault((board.task, board.setting), {})[board.round] = board
    return [
        Line(
            title_of(task),
            visible(setting),
            tuple(_best_cell(by_round.get(name)) for name in rounds),
        )
        for (task, setting), by_round in found.items()
    ]


def _best_cell(board: BoardOf | None) -> tuple[str, str, str] | None:
    if board is None:
        return None
    best = board.best
    return (board.path, figure(best["value"]), label(best)) if best else (board.path, "–", "")


def _standings(site: Site, boards: Sequence[BoardOf], families: Sequence[str]) -> list[Standing]:
    shares: dict[tuple[str, str], dict[str, list[float]]] = {}
    firsts: dict[tuple[str, str], int] = {}
    for board in boards:
        for identity, row in best_rows(board).items():
            above = share_above(row, len(board.ranked))
            if above is not None:
                shares.setdefault(identity, {}).setdefault(board.family, []).append(above)
            firsts[identity] = firsts.get(identity, 0) + _may_be_first(row)
    made = []
    for one in site.contestants:
        if one.kind == "ceiling":
            continue
        found = shares.get(one.identity, {})
        means = {name: fsum(values) / len(values) for name, values in found.items()}
        overall = fsum(means.values()) / len(means) if means else -1.0
        counts = len(site.appearances.get(one.identity, ())), firsts.get(one.identity, 0)
        made.append((overall, _standing(one, families, means, *counts)))
    made.sort(key=lambda pair: -pair[0])
    return [standing for _, standing in made]


def _standing(
    one: ModelOf, families: Sequence[str], means: Mapping[str, float], boards: int, firsts: int
) -> Standing:
    return Standing(
        name=visible(one.name),
        tag=TAGS[one.kind],
        path=one.path,
        is_own=one.is_own,
        boards=boards,
        firsts=firsts,
        shares=tuple(
            (share(means[name]), min(SHADES - 1, int(means[name] * SHADES)))
            if name in means
            else None
            for name in families
        ),
    )


def best_rows(board: BoardOf) -> dict[tuple[str, str], Row]:
    """The best ranked headline row of each contestant: several methods of a model are one."""
    found: dict[tuple[str, str], Row] = {}
    for row in board.headline_rows:
        identity = identity_of(row)
        if row["rank"] is None or identity[0] == "ceiling":
            continue
        if identity not in found or row["rank"] < found[identity]["rank"]:
            found[identity] = row
    return found


def share_above(row: Row, ranked: int) -> float | None:
    """The share of the others on a board that a ranked row stands above."""
    if row["rank"] is None or ranked < 2:
        return None
    return float(max(0.0, (ranked - row["rank"]) / (ranked - 1)))


def _may_be_first(row: Row) -> bool:
    low, _ = row["rank_interval"] or (row["rank"], row["rank"])
    return bool(low == 1)
