"""Ranks of contestants, ties, and the smallest difference the items can show.

Contestants of one metric are compared all together, on the items that all of them have answered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vivavoce.metrics import metrics_of
from vivavoce.results.board.columns import MAX_UNDEFINED
from vivavoce.results.logs.records import distinct_labels
from vivavoce.statistics.comparison import rank_contestants, smallest_detectable_difference
from vivavoce.statistics.intervals import resample
from vivavoce.store import Row
from vivavoce.tasks import CEILING


@dataclass(frozen=True, slots=True)
class Contestant:
    """One log's values: what a board's rows are made from."""

    rows: dict[str, Row]
    """By metric."""
    family: str
    clusters: dict[str, str]
    """By item id."""
    values: dict[str, npt.NDArray[np.float64]]
    """By item id, in the order of the rows; NaN where undefined."""
    diagnostics: frozenset[str] = frozenset()
    """Metrics that nobody is ranked by."""
    judged: frozenset[str] = frozenset()
    """Metrics that rest on the rows' judge."""

    @property
    def is_ranked(self) -> bool:
        """True if it is neither the ceiling nor partial nor set aside."""
        row = next(iter(self.rows.values()))
        return row["method"] != CEILING and not (row["partial"] or row.get("set_aside"))


def add_ranks(contestants: Sequence[Contestant], *, resamples: int, seed: int) -> None:
    """Fill in rank, rank_interval, tied_with and detectable of the rows of one task and setting.

    A metric that rests on a judge ranks those of one judge. By any other metric a contestant that
    several judges have seen is ranked once, by its first row.
    """
    ranked, stopped = [], defaultdict(list)
    for contestant in contestants:
        record = next(iter(contestant.rows.values())).get("stopped")
        if contestant.is_ranked and record:
            stopped[record["comparison"]].append(contestant)
        elif contestant.is_ranked:
            ranked.append(contestant)
    for compared in stopped.values():
        _rank_stopped(compared)
    groups: dict[tuple[int, ...], list[str]] = {}
    for metric in dict.fromkeys(name for contestant in ranked for name in contestant.rows):
        for members in _comparable(ranked, metric):
            groups.setdefault(tuple(members), []).append(metric)
    for places, metrics in groups.items():
        _rank_group([ranked[place] for place in places], metrics, resamples, seed)


def _rank_stopped(compared: Sequence[Contestant]) -> None:
    """Rank contestants of a run that stopped by the run's decisions alone.

    Their values are of different items, and tests of them would be looks that it did not count.
    """
    leads = [row for each in compared for row in each.rows.values() if row["headline"]]
    ahead, names = decided([row["stopped"] for row in leads]), distinct_labels(leads)
    for place, row in enumerate(leads):
        low, high = 1 + int(ahead[:, place].sum()), len(leads) - int(ahead[place].sum())
        known = ahead[place] | ahead[:, place]
        tied = [name for n, name in enumerate(names) if n != place and not known[n]]
        row |= {"rank": low, "rank_interval": [low, high], "tied_with": sorted(tied)}


def decided(records: Sequence[Row]) -> npt.NDArray[np.bool_]:
    """Significant differences between contestants of one comparison, shape (better, worse)."""
    places = {record["contestant"]: place for place, record in enumerate(records)}
    ahead = np.zeros((len(records), len(records)), dtype=bool)
    for better, worse in {tuple(pair) for record in records for pair in record["beats"]}:
        if better in places and worse in places:
            ahead[places[better], places[worse]] = True
    for place in range(len(records)):  # who is better than a better one is better too
        ahead |= np.outer(ahead[:, place], ahead[place])
    return ahead


def _comparable(contestants: Sequence[Contestant], metric: str) -> list[list[int]]:
    """Places of those who are compared by a metric: one list for each judge it rests on."""
    by_judge: dict[str, list[int]] = defaultdict(list)
    seen: set[tuple[str, ...]] = set()
    for place in sorted(range(len(contestants)), key=lambda i: (_judge(contestants[i]), i)):
        contestant = contestants[place]
        if metric not in contestant.rows or metric in contestant.diagnostics:
            continue
        if metric in contestant.judged:
            by_judge[_judge(contestant)].append(place)
            continue
        row = contestant.rows[metric]
        name = tuple(str(row[field]) for field in ("method", "model", "decoding", "prompt_hash"))
        if name not in seen:
            seen.add(name)
            by_judge[""].append(place)
    return [sorted(places) for places in by_judge.values()]


def _judge(contestant: Contestant) -> str:
    return str(next(iter(contestant.rows.values())).get("judge") or "")


def _rank_group(
    ranked: Sequence[Contestant], metrics: Sequence[str], resamples: int, seed: int
) -> None:
    names = distinct_labels([next(iter(contestant.rows.values())) for contestant in ranked])
    shared = sorted(set.intersection(*(set(contestant.values) for contestant in ranked)))
    draws = resample([ranked[0].clusters[i] for i in shared], resamples=resamples, seed=seed)
    directions = metrics_of(ranked[0].family)
    for metric in metrics:
        rows = [contestant.rows[metric] for contestant in ranked]
        if any(row["undefined"] > MAX_UNDEFINED * row["n"] for row in rows):
            continue
        values = {
            name: _column(contestant, metric, shared)
            for name, contestant in zip(names, ranked, strict=True)
        }
        is_higher_better = metric not in directions or directions[metric].higher_is_better
        standing = rank_contestants(values, draws, is_higher_better)
        detectable = smallest_detectable_difference(values, draws)
        for name, row in zip(names, rows, strict=True):
            place = standing[name]
            row["rank"] = place.rank
            row["rank_interval"] = list(place.rank_interval) if place.rank_interval else None
            row["tied_with"] = list(place.tied_with) if place.rank_interval else None
            row["detectable"] = detectable


def _column(contestant: Contestant, metric: str, items: Sequence[str]) -> npt.NDArray[np.float64]:
    """A contestant's values of one metric; the rows of two may be in different orders."""
    column = list(contestant.rows).index(metric)
    return np.array([contestant.values[item][column] for item in items])
