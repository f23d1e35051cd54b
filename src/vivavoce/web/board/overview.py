"""The first page: who leads where, every board, and how each contestant stands in each family."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any, NamedTuple

from vivavoce.store import Row
from vivavoce.tasks import list_families
from vivavoce.web.board.model import BoardOf, ModelOf, Site
from vivavoce.web.board.names import identity_of, is_floor, title_of
from vivavoce.web.board.sections import is_first
from vivavoce.web.printing import share, visible

Interval = tuple[float, float]

SHADES = 5
MAX_CONTESTANTS = 300
"""In the table of the first page; the pages of further ones are found from their boards."""


class Standing(NamedTuple):
    """One contestant across families."""

    model: ModelOf
    boards: int
    firsts: int
    """Boards on which everybody else is told apart as worse; a floor has none."""
    shares: tuple[tuple[str, int] | None, ...]
    """By family: between which shares of the others it is better than, as text and as a shade."""


def overview(site: Site) -> dict[str, Any]:
    """Everything that `index.html.j2` prints."""
    newest = site.round_names[-1] if site.round_names else ""
    boards = [board for board in site.boards if board.round == newest]
    families: dict[str, list[BoardOf]] = defaultdict(list)
    for board in boards:
        families[board.family].append(board)
    # Versions of a task share a line: a round has one of them, or the last one stands for it.
    lines: dict[tuple[str, str], dict[str, BoardOf]] = defaultdict(dict)
    for board in site.boards:
        lines[board.task, board.setting][board.round] = board
    standings = standings_of(site, boards, list(families))
    return {
        "newest": newest,
        "families": [(*family_of(name), found) for name, found in families.items()],
        "rounds": site.round_names,
        "lines": lines,
        "standings": standings[:MAX_CONTESTANTS],
        "unlisted": max(0, len(standings) - MAX_CONTESTANTS),
        "counts": (len(site.contestants), len(site.boards), len(site.round_names)),
        "about_rounds": [about_round(entry) for entry in site.rounds],
    }


def family_of(family: str) -> tuple[str, str]:
    """A family's title and summary; of one that is not ours, its name in words."""
    card = list_families().get(family)
    return (card.title, card.summary) if card else (title_of(family) or "Tasks", "")


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


def standings_of(site: Site, boards: Sequence[BoardOf], families: Sequence[str]) -> list[Standing]:
    """Everybody but the ceiling, first who is surely better than the most on average."""
    shares: dict[tuple[str, str], dict[str, list[Interval]]] = defaultdict(
        lambda: defaultdict(list)
    )
    firsts: dict[tuple[str, str], int] = defaultdict(int)
    for board in boards:
        for identity, row in best_rows(board).items():
            if (above := shares_above(row, len(board.ranked))) is not None:
                shares[identity][board.family].append(above)
            firsts[identity] += is_first(row) and not is_floor(row)
    made = []
    for one in site.contestants:
        if one.kind == "ceiling":
            continue
        identity = one.kind, one.name
        means = {name: _mean(of) for name, of in shares[identity].items()}
        surely, at_most = _mean(list(means.values())) if means else (-1.0, -1.0)
        boards_of = len(site.appearances.get(identity, ()))
        shown = tuple(_shaded(means[name]) if name in means else None for name in families)
        made.append((-surely, -at_most, Standing(one, boards_of, firsts[identity], shown)))
    return [standing for *_, standing in sorted(made, key=lambda each: each[:2])]


def _mean(intervals: Sequence[Interval]) -> Interval:
    low, high = (fsum(ends) / len(intervals) for ends in zip(*intervals, strict=True))
    return low, high


def _shaded(mean: Interval) -> tuple[str, int]:
    low, high = mean
    text = share(low) if low == high else f"{share(low).removesuffix('%')}–{share(high)}"
    return text, min(SHADES - 1, int(low * SHADES))


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


def shares_above(row: Row, ranked: int) -> Interval | None:
    """The share of the others on a board that a row is better than: the least and the greatest.

    None where contestants were not compared item by item.
    """
    if not row["rank_interval"] or ranked < 2:
        return None
    low, high = row["rank_interval"]
    return max(0.0, (ranked - high) / (ranked - 1)), max(0.0, (ranked - low) / (ranked - 1))
