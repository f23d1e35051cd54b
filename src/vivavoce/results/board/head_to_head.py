"""Comparison of two contestants on the same items: differences, wins, and largest differences.

The difference is between their mean values over these items, with an interval. Wins count items.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from vivavoce.errors import InputError
from vivavoce.metrics import metrics_of, sense_of
from vivavoce.models.cutoffs import Cutoffs
from vivavoce.reports import UNLISTED, Column, Report, Sheet, sheet
from vivavoce.results.board.building import contestant_of
from vivavoce.results.board.ranks import add_ranks, decided, outcomes, tied, why_undecided
from vivavoce.results.logs.records import PLACE, Place, RunLog
from vivavoce.results.logs.sample_texts import ItemTexts, texts_of_items
from vivavoce.results.logs.selection import open_logs
from vivavoce.statistics.comparison import (
    more_clusters,
    paired_difference,
    smallest_detectable_difference,
)
from vivavoce.statistics.estimates import Draws
from vivavoce.statistics.intervals import Floats, Resample
from vivavoce.statistics.ranks import Contrasts
from vivavoce.store import SHORT_HASH, Row
from vivavoce.text.printing import counted, figure, interval, visible

_LISTED = 20
"""Maximum number of names listed in an error."""
DIFFERING = 10
"""Default number of items to list, those with the largest differences."""

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two contestants in one round, task and setting."""

    name: str
    log: RunLog


Pair = tuple[Side, Side]


@dataclass(frozen=True, slots=True)
class HeadToHead(Report):
    """Report of `viva board compare`."""

    duels: tuple[Row, ...]
    """One duel per shared round, task and setting."""
    notes: tuple[str, ...]
    pairs: tuple[Pair, ...] = field(metadata=UNLISTED)
    """Both logs of each duel, in the order of `duels`."""

    def parts(self) -> Iterator[Sheet | str]:
        """Sheets for each duel: metrics with the verdict, and the largest differences."""
        for row in self.duels:
            a, b = (visible(row[side]["name"]) for side in "ab")
            place = f"{row['task']} · {row['setting']} · round {row['round']}"
            yield f"{place} · version {row['task_version']}\na: {a}   b: {b}"
            yield metric_sheet(row)
            yield sheet(
                f"Items that differ most in {row['headline']}",
                row["differ_most"],
                *(Column("id", "item", form=".160"), "a", "b", Column("difference", "a - b")),
            )
        yield "Means over shared items [95% interval]; better: the board's test of all its pairs"
        yield "together. What the board does not rank, such as oracle, is tested pair by pair."


def metric_sheet(duel: Row) -> Sheet:
    """Sheet of a duel: one line per metric, with the verdict below."""
    return sheet(
        "",
        duel["metrics"],
        *(Column("metric", form=".60"), Column("a", ci="ci_a"), Column("b", ci="ci_b")),
        Column("difference", "a - b", ci="ci"),
        Column(_outcome, "better"),
        *map(_wins, ("wins_a", "equal", "wins_b"), ("a wins", "equal", "b wins")),
        "n",
        below=[duel["verdict"]],
    )


def _outcome(row: Row) -> str | None:
    """The side that is better in a metric, or `tied` or `undecided`."""
    states = (name for name in ("tied", "undecided") if row[name])
    return row["better"] or next(states, None)


def _wins(name: str, head: str) -> Column:
    """Column of wins; its cells are empty for metrics without a direction."""
    return Column(lambda m: None if m["higher_is_better"] is None else m[name], head)


def verdict(row: Row) -> str:
    """Describe the outcome of a duel in its headline metric, in words."""
    metric = next((m for m in row["metrics"] if m["metric"] == row["headline"]), None)
    if metric is None or metric["difference"] is None:
        return "They share no item with a value in the headline metric."
    name = visible(row["headline"], 60)
    gap = figure(abs(metric["difference"]))
    if metric["better"]:
        leader = visible(row[metric["better"]]["name"])
        won = metric[f"wins_{metric['better']}"]
        ends = sorted(abs(bound) for bound in metric["ci"] or ())
        between = f" (95% interval {interval((ends[0], ends[1]))})" if ends else ""
        return (
            f"{leader} is ahead by {gap} in {name}{between}, and better on {won:,} of "
            f"{counted(metric['n'], 'item')}."
        )
    if metric["equal"] == metric["n"]:
        return f"They have the same value in {name} on all {counted(metric['n'], 'item')}."
    if metric["ci"] is None:
        return f"They differ by {gap} in {name}; there are too few items for an interval."
    amount = f"a − b is {figure(metric['difference'])}, and may be {interval(metric['ci'])}"
    if metric["tied"]:
        return f"They are tied in {name}: they differ by less than the --indifference of their run."
    why = why_undecided(row["clusters"], metric["more_papers_needed"])
    return f"Who is better in {name} is undecided: {amount}. {why[:1].upper()}{why[1:]}."


def head_to_head(
    a: str,
    b: str,
    logs: Path,
    *,
    differing: int = DIFFERING,
    **reading: Any,
) -> HeadToHead:
    """Compare two contestants in a folder of logs, named as on the board.

    `differing` is the number of items to list, largest difference first; `reading` has fields of
    `Reading`.
    """
    if a == b:
        raise InputError(f"{a} cannot be compared with itself.")
    chosen, notes, draws = open_logs(logs, **reading)
    places: dict[Place, list[RunLog]] = defaultdict(list)
    for log in chosen:
        places[log.key.place].append(log)
    sides = [
        {place: [log for log in group if log.is_named(name)] for place, group in places.items()}
        for name in (a, b)
    ]
    for name, side in zip((a, b), sides, strict=True):
        if not any(side.values()):
            names = sorted({log.contestant for group in places.values() for log in group})
            raise InputError(f"{logs} has no contestant {name!r}. There are: {_listed(names)}.")
    pairs, duels = [], []
    for place, group in sorted(places.items()):
        matched = [*_matched(sides[0][place], sides[1][place])]
        contestants = [contestant_of(log, Draws(0), Cutoffs(())) for log in group if matched]
        add_ranks(contestants, draws)
        numbers = {log.path: number for number, log in enumerate(group)}
        for first, second in matched:
            on_board = outcomes(contestants, numbers[first.path], numbers[second.path])
            pair = Side(a, first), Side(b, second)
            pairs.append(pair)
            duels.append(duel(*pair, draws, differing, on_board=on_board))
    if not pairs:
        raise InputError(f"{logs} has no task and setting that both {a} and {b} ran in.")
    return HeadToHead(tuple(duels), tuple(notes), tuple(pairs))


def _matched(first: Sequence[RunLog], second: Sequence[RunLog]) -> Iterator[tuple[RunLog, RunLog]]:
    """Yield the pair if each side has one log, otherwise one pair per shared judge."""
    if len(first) == len(second) == 1:
        yield first[0], second[0]
        return
    for judge in sorted({log.key.judge for log in first} & {log.key.judge for log in second}):
        ones, others = ([log for log in logs if log.key.judge == judge] for logs in (first, second))
        for logs in (ones, others):
            if len(logs) > 1:
                key = logs[0].key
                raise InputError(
                    f"{logs[0].key.contestant} has {len(logs)} logs of {key.task} in the setting "
                    f"{key.setting}. Name one of: {_listed([_longest_name(log) for log in logs])}."
                )
        yield ones[0], others[0]


def _longest_name(log: RunLog) -> str:
    judge = f" (judge {log.key.judge})" if log.key.judge else ""
    return f"{log.contestant} ({log.key.decoding}) ({log.key.prompt_hash[:SHORT_HASH]}){judge}"


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {rest} more" if rest > 0 else "")


def differing_items(comparison: HeadToHead) -> list[list[ItemTexts]]:
    """The items with the largest differences in every duel, with both answers."""
    return [
        texts_of_items([side.log for side in pair], [row["id"] for row in fought["differ_most"]])
        for fought, pair in zip(comparison.duels, comparison.pairs, strict=True)
    ]


def duel(
    a: Side,
    b: Side,
    draws: Draws,
    differing: int = DIFFERING,
    *,
    judged_alike: Collection[str] = (),
    on_board: Mapping[str, Row] = MappingProxyType({}),
) -> Row:
    """Compare two logs of one round, task and setting, metric by metric.

    `judged_alike` are metrics that one judge gave for both sides, although it answered more
    questions for one of them. `on_board` has the outcome of the board's test by metric; in other
    metrics the pair is tested alone.
    """
    clusters = a.log.item_clusters()
    in_b = {sample.id for sample in b.log.samples}
    shared = sorted(clusters.keys() & in_b)
    drawn = draws.of([clusters[item] for item in shared])
    directions = metrics_of(a.log.family)
    stopped = [side.log.stopped for side in (a, b) if side.log.stopped]
    looks = math.prod(record["looks"] for record in stopped)
    rows = []
    for name in _comparable(a.log, b.log, judged_alike):
        known = directions.get(name)
        # A metric without an upper end, such as a length ratio, has no better direction.
        sign = 1 if known is None else 0 if known.high is None else known.higher_is_better * 2 - 1
        rows.append(_metric_row(a.log, b.log, name, sign, shared, drawn, looks, on_board.get(name)))
    headline = a.log.metrics[0]
    if len(stopped) == 2 and len({record["comparison"] for record in stopped}) == 1:
        _take_decision(rows, headline, stopped)
    comparison = {
        **{name: getattr(a.log.key, name) for name in PLACE},
        "family": a.log.family,
        "a": _side(a),
        "b": _side(b),
        "headline": headline,
        "items": len(shared),
        "only_a": len(clusters) - len(shared),
        "only_b": len(in_b) - len(shared),
        "clusters": drawn.clusters,
        "metrics": rows,
        "differ_most": _differ_most(a.log, b.log, headline, shared, differing),
    }
    return {**comparison, "verdict": verdict(comparison)}


def _take_decision(rows: Sequence[Row], headline: str, stopped: Sequence[Row]) -> None:
    """Use the decision of a run that stopped, since another test would be an uncounted look."""
    ahead = decided(stopped)
    better = "a" if ahead[0, 1] else "b" if ahead[1, 0] else None
    is_tied = bool(tied(stopped)[0, 1])
    for row in rows:
        is_asked = row["metric"] == headline
        row["better"] = better if is_asked else None
        row["tied"] = is_tied if is_asked else None
        row["undecided"] = not (better or is_tied) if is_asked else None
        row["detectable"] = None


def _side(side: Side) -> Row:
    key = {name: value for name, value in asdict(side.log.key).items() if name not in PLACE}
    return {"name": side.name, **key, "log": side.log.name, "partial": not side.log.is_complete}


def _comparable(a: RunLog, b: RunLog, judged_alike: Collection[str]) -> list[str]:
    """Metrics that both logs have; judged metrics only if the judge is the same."""
    names = [*a.metrics, *a.diagnostics]
    other_names = {*b.metrics, *b.diagnostics}
    judged = set() if a.key.judge == b.key.judge else {*a.judged, *b.judged} - {*judged_alike}
    return [name for name in names if name in other_names and name not in judged]


def _metric_row(
    a: RunLog,
    b: RunLog,
    metric: str,
    sign: int,
    shared: Sequence[str],
    draws: Resample,
    looks: int,
    on_board: Row | None,
) -> Row:
    """Row of one metric; `sign` is 1 if higher is better, -1 if lower is better, 0 if neither."""
    first, second = (board_values(log, metric, shared) for log in (a, b))
    both = ~np.isnan(first - second)
    _, span = sense_of(a.family, metric)
    gap = paired_difference(first, second, draws, span=span, looks=looks)
    [more] = more_clusters(Contrasts(np.column_stack([first, second]), draws.codes.tolist(), span))
    columns = {"a": np.where(both, first, np.nan), "b": np.where(both, second, np.nan)}
    leads = sign * (first - second) if sign else np.full(len(first), np.nan)
    leads[np.abs(leads) <= _ROUNDING * np.maximum(np.abs(first), np.abs(second))] = 0.0
    lead = sign * (gap.value or 0.0)
    outcome = on_board or {
        "tied": None if gap.undecided is None else False,
        "undecided": gap.undecided,
        "more_papers_needed": more if gap.undecided else None,
        "detectable": smallest_detectable_difference(columns, draws, span),
    }
    is_decided = outcome["undecided"] is False and not outcome["tied"]
    ends = dict(zip(columns, draws.intervals(np.column_stack([*columns.values()])), strict=True))
    return {
        "metric": metric,
        "ranks": metric in a.metrics,
        "higher_is_better": sign > 0 if sign else None,
        "n": int(both.sum()),
        "undefined": int((~both).sum()),
        **{side: draws.mean(column)[0] for side, column in columns.items()},
        **{f"ci_{side}": pair for side, pair in ends.items()},
        "difference": gap.value,
        "ci": gap.interval,
        **outcome,
        "better": None if not (is_decided and lead) else "a" if lead > 0 else "b",
        "wins_a": int((leads > 0).sum()),
        "wins_b": int((leads < 0).sum()),
        "equal": int((leads == 0).sum()),
    }


def board_values(log: RunLog, metric: str, items: Sequence[str]) -> Floats:
    """A log's values for the given items, shape (items,), as the board averages them."""
    values = log.item_values(metric)
    return np.array([values[item] for item in items], dtype=np.float64)


def _differ_most(a: RunLog, b: RunLog, metric: str, shared: Sequence[str], count: int) -> list[Row]:
    """The items with the largest differences, largest first."""
    a_values, b_values = a.item_values(metric), b.item_values(metric)
    facts = {sample.id: sample for sample in reversed(a.samples)}
    apart = {item: a_values[item] - b_values[item] for item in shared}
    known = [item for item, gap in apart.items() if gap and not math.isnan(gap)]
    known.sort(key=lambda item: (-abs(apart[item]), item))
    return [
        {
            "id": item,
            "title": facts[item].title or None,
            "cluster": facts[item].cluster,
            "category": facts[item].category or None,
            "difficulty": facts[item].difficulty or None,
            "published": facts[item].published or None,
            "a": a_values[item],
            "b": b_values[item],
            "difference": apart[item],
        }
        for item in known[:count]
    ]
