"""Comparisons of the contestants that stand next to each other on the boards of a site."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from itertools import combinations
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.results.board.groups import Board, Group
from vivavoce.results.board.head_to_head import DIFFERING, duel
from vivavoce.results.board.pairing import Side
from vivavoce.results.logs.reading import read_log
from vivavoce.results.logs.records import (
    CEILING,
    NO_MODEL,
    LogHeader,
    RowKey,
    RunLog,
    distinct_labels,
)
from vivavoce.store import Row

Names = tuple[str, str]


def compare_neighbours(
    board: Board,
    count: int,
    resamples: int,
    seed: int,
    split: str | None,
    sealed: Collection[str] = (),
) -> dict[Names, list[Row]]:
    """Duels of up to `count` pairs of ranked contestants.

    Pairs of models go before those with a baseline, and then those nearest in rank. A pair is
    compared on every board that has both; items of `sealed` rounds are not named. A board that
    was read from a file has no logs, and so no pairs.
    """
    heads = {head.key: head for head in board.heads}
    standings = [_standing(group, heads) for group in board.groups] if count and heads else []
    gaps: dict[Names, list[int]] = defaultdict(list)
    for standing in standings:
        for (i, a), (j, b) in combinations(enumerate(standing), 2):
            gaps[_ordered(a, b)].append(j - i)
    baselines = {
        name for each in standings for name, head in each.items() if head.key.model == NO_MODEL
    }
    chosen = sorted(
        gaps,
        key=lambda names: (len(baselines & {*names}), min(gaps[names]), -len(gaps[names]), names),
    )[:count]
    found: dict[Names, list[Row]] = {names: [] for names in chosen}
    for group, standing in zip(board.groups, standings, strict=False):
        here = [names for names in chosen if standing.keys() >= set(names)]
        sides = {
            name: Side(name, _read(standing[name], split), Path())
            for name in sorted({name for names in here for name in names})
        }
        for a, b in here:
            named = 0 if group.place[0] in sealed else DIFFERING
            fought = duel(sides[a], sides[b], resamples=resamples, seed=seed, differing=named)
            found[a, b].append(fought)
    return found


def _standing(group: Group, heads: Mapping[RowKey, LogHeader]) -> dict[str, LogHeader]:
    """The logs of a group's ranked contestants by their names there, the first in rank first."""
    rows = [row for row in group.leads if row["metric"] == group.metrics[0]]
    named = zip(distinct_labels(rows), rows, strict=True)
    ranked = [
        (row["rank"], name, heads[key])
        for name, row in named
        if row["rank"] is not None and row["method"] not in _LIMITS and (key := _key(row)) in heads
    ]
    return {name: head for _, name, head in sorted(ranked, key=lambda each: each[:2])}


_LIMITS = (CEILING, "null")


def _key(row: Row) -> RowKey:
    return RowKey(**{name: row[name] or "" for name in RowKey.__slots__})


def _ordered(a: str, b: str) -> Names:
    return (a, b) if a < b else (b, a)


def _read(head: LogHeader, split: str | None) -> RunLog:
    log = read_log(head.path, split)
    if not isinstance(log, RunLog):
        raise InputError(f"{head.name} {log.reason}. Build the board again.")
    return log
