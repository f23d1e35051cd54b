"""Ranks of contestants, undecided pairs, and the smallest detectable difference.

In each metric, all contestants are compared together, on the items that all of them answered. A
contestant that stopped early is compared with each of the others on the items that both answered.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from vivavoce.metrics import sense_of
from vivavoce.results.board.columns import MAX_UNDEFINED
from vivavoce.results.logs.records import distinct_labels
from vivavoce.statistics.comparison import (
    more_clusters,
    rank_contestants,
    smallest_detectable_difference,
)
from vivavoce.statistics.estimates import Draws
from vivavoce.statistics.ranks import MIN_CLUSTERS, Contrasts, rank
from vivavoce.store import Row
from vivavoce.tasks import CEILING
from vivavoce.text.printing import counted, visible

ALPHA = 0.05
"""Probability of any false claim in a metric, apart from the decisions of stopped runs."""
_ROUNDING = 1e-12
"""Relative size below which a difference counts as rounding."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """A log's rows and values, from which a board is made."""

    rows: dict[str, Row]
    """Rows by metric."""
    family: str
    clusters: dict[str, str]
    """Clusters by item id."""
    values: dict[str, list[float | None]]
    """Values by item id, one per row, in the order of the rows; None if undefined."""
    diagnostics: Collection[str] = ()
    """Metrics that are not ranked."""
    judged: Collection[str] = ()
    """Metrics that depend on the rows' judge."""


def add_ranks(contestants: Sequence[Contestant], draws: Draws) -> None:
    """Fill in ranks, ties, undecided pairs and reasons for missing ranks, for one task and setting.

    Contestants with different judges are not ranked together in judged metrics; in others, a
    contestant is ranked once, in its first row.
    """
    for contestant in contestants:
        for metric, row in contestant.rows.items():
            row["unranked"] = _why_unranked(contestant, metric)
    groups: dict[tuple[int, ...], list[str]] = {}
    for metric in dict.fromkeys(name for contestant in contestants for name in contestant.rows):
        for members in _comparable(contestants, metric):
            groups.setdefault(tuple(members), []).append(metric)
    for places, metrics in groups.items():
        _rank_group([contestants[place] for place in places], metrics, draws)


def _why_unranked(contestant: Contestant, metric: str) -> str | None:
    """Reason in the contestant itself why it has no rank in a metric; None if there is none."""
    row = contestant.rows[metric]
    if row["method"] == CEILING:
        return "it is the ceiling"
    if row.get("set_aside"):
        return str(row["set_aside"])
    if row["partial"]:
        return "answers are missing"
    if metric in contestant.diagnostics:
        return "this metric does not rank"
    if row.get("stopped") and not row["headline"]:
        return "its run stopped at a decision on another metric"
    return None


def decided(records: Sequence[Row]) -> npt.NDArray[np.bool_]:
    """Significant differences between contestants of one comparison, of shape (better, worse)."""
    ahead = _pairs(records, "beats")
    for place in range(len(records)):  # being better is transitive
        ahead |= np.outer(ahead[:, place], ahead[place])
    return ahead


def tied(records: Sequence[Row]) -> npt.NDArray[np.bool_]:
    """Pairs of one comparison shown to differ by too little to matter; (n, n), symmetric."""
    near = _pairs(records, "ties")
    return (near | near.T) & ~(decided(records) | decided(records).T)


def _pairs(records: Sequence[Row], name: str) -> npt.NDArray[np.bool_]:
    places = {record["contestant"]: place for place, record in enumerate(records)}
    matrix = np.zeros((len(records), len(records)), dtype=bool)
    for one, other in {tuple(pair) for record in records for pair in record[name]}:
        if one in places and other in places:
            matrix[places[one], places[other]] = True
    return matrix


def why_undecided(papers: int, more: int | None) -> str:
    """Explain why papers do not decide a pair, and how many more would."""
    if papers < MIN_CLUSTERS:
        count = "is only 1 paper" if papers == 1 else f"are only {papers} papers"
        return f"there {count}, and at least {MIN_CLUSTERS} are needed"
    if more is None:
        return "they are too close to tell apart with any realistic number of papers"
    return f"about {more:,} more papers would probably decide"


def open_question(row: Row) -> str:
    """A sentence on the rivals against which a contestant is undecided; empty if there are none."""
    pairs = zip(row["undecided_with"] or (), row["more_papers_needed"] or (), strict=True)
    ordered = sorted(pairs, key=lambda pair: (pair[1] is None, pair[1] or 0, pair[0]))
    if not ordered:
        return ""
    (rival, more), *others = ordered
    rest = f" and {counted(len(others), 'other')}" if others else ""
    return f"Undecided against {visible(rival)}{rest}: {why_undecided(row['clusters'], more)}."


def _comparable(contestants: Sequence[Contestant], metric: str) -> list[list[int]]:
    """Indices of contestants to compare in a metric, one list per judge if it is judged."""
    by_judge: dict[str, list[int]] = defaultdict(list)
    seen: dict[tuple[str, ...], str] = {}
    for place in sorted(range(len(contestants)), key=lambda i: (_judge(contestants[i]), i)):
        contestant = contestants[place]
        if metric not in contestant.rows or contestant.rows[metric]["unranked"]:
            continue
        if metric in contestant.judged:
            by_judge[_judge(contestant)].append(place)
            continue
        row = contestant.rows[metric]
        name = tuple(str(row[field]) for field in ("method", "model", "decoding", "prompt_hash"))
        if name in seen:
            row["unranked"] = f"it is ranked in its row with {seen[name]}"
            continue
        seen[name] = f"the judge {judge}" if (judge := _judge(contestant)) else "no judge"
        by_judge[""].append(place)
    return [sorted(places) for places in by_judge.values()]


def outcomes(contestants: Sequence[Contestant], a: int, b: int) -> dict[str, Row]:
    """Outcome of a pair of ranked contestants, in every metric in which both are ranked."""
    found = dict[str, Row]()
    for metric, row in contestants[a].rows.items():
        for members in _comparable(contestants, metric):
            if not {a, b} <= {*members} or row["rank_interval"] is None:
                continue
            rival = _names([contestants[place] for place in members])[members.index(b)]
            more = dict(zip(row["undecided_with"], row["more_papers_needed"], strict=True))
            found[metric] = {
                "tied": rival in row["tied_with"],
                "undecided": rival in more,
                "more_papers_needed": more.get(rival),
                "detectable": row["detectable"],
            }
    return found


def _names(ranked: Sequence[Contestant]) -> list[str]:
    return distinct_labels([next(iter(contestant.rows.values())) for contestant in ranked])


def _judge(contestant: Contestant) -> str:
    return str(next(iter(contestant.rows.values())).get("judge") or "")


def _rank_group(ranked: Sequence[Contestant], metrics: Sequence[str], draws: Draws) -> None:
    names = _names(ranked)
    for metric in metrics:
        rows = [contestant.rows[metric] for contestant in ranked]
        gaps = [row["undefined"] > MAX_UNDEFINED * row["n"] for row in rows]
        if any(gaps):
            who = names[gaps.index(True)]
            for row in rows:
                row["unranked"] = f"over {MAX_UNDEFINED:.0%} of the answers of {who} are undefined"
            continue
        is_higher_better, span = sense_of(ranked[0].family, metric)
        whole = {
            n: one
            for n, one, row in zip(names, ranked, rows, strict=True)
            if not row.get("stopped")
        }
        if whole:
            # Complete runs are ranked together, on the items that all of them answered.
            shared = sorted(
                set.intersection(*(set(contestant.values) for contestant in whole.values()))
            )
            clusters = next(iter(whole.values())).clusters
            drawn = draws.of([clusters[item] for item in shared])
            values = {
                name: _column(contestant, metric, shared) for name, contestant in whole.items()
            }
            standing = rank_contestants(values, drawn, is_higher_better, span)
            detectable = smallest_detectable_difference(values, drawn, span)
            for name, contestant in whole.items():
                place = standing[name]
                contestant.rows[metric] |= {
                    "rank": place.rank,
                    "rank_interval": list(place.rank_interval) if place.rank_interval else None,
                    "tied_with": [] if place.rank_interval else None,
                    "undecided_with": list(place.undecided_with) if place.rank_interval else None,
                    "more_papers_needed": list(place.more_needed) if place.rank_interval else None,
                    "detectable": detectable,
                }
        if len(whole) < len(ranked):
            _rank_with_stopped(ranked, names, metric, is_higher_better, span, draws)


def _rank_with_stopped(
    ranked: Sequence[Contestant],
    names: Sequence[str],
    metric: str,
    is_higher_better: bool,
    span: float,
    draws: Draws,
) -> None:
    """Rank contestants of which some stopped early, each pair on the items that both answered.

    Pairs within one stopped run keep its decision, since another test would be an uncounted look.
    Pairs of complete runs are tested as usual. For all other pairs, the probability of a false
    claim is divided by the number of looks at which the runs could stop: stopping favours nobody.
    """
    items = sorted(set[str]().union(*(contestant.values for contestant in ranked)))
    clusters = {item: one for each in ranked for item, one in each.clusters.items()}
    labels = [clusters[item] for item in items]
    table = np.column_stack([_column(contestant, metric, items) for contestant in ranked])
    table = table if is_higher_better else -table
    contrasts = Contrasts(table, labels, span)
    needed = np.full((len(ranked), len(ranked)), None)
    needed[contrasts.first, contrasts.second] = more_clusters(contrasts, len(contrasts.first))
    needed[contrasts.second, contrasts.first] = needed[contrasts.first, contrasts.second]
    near = np.zeros((len(ranked), len(ranked)), dtype=bool)
    records = [contestant.rows[metric].get("stopped") for contestant in ranked]
    runs = np.array([record["comparison"] if record else "" for record in records])
    looks = {record["comparison"]: record["looks"] for record in records if record}
    # Two stopped runs meet at some pair of their looks, so multiply the two largest numbers.
    alpha = ALPHA / math.prod(sorted(looks.values())[-2:])
    ahead = _tested(table, labels, span, alpha, draws)
    for run in sorted(set(runs)):
        members = np.flatnonzero(runs == run)
        stopped = [record for n in members if (record := records[n])]
        whole = _tested(table[:, members], labels, span, ALPHA, draws)
        ahead[np.ix_(members, members)] = decided(stopped) if run else whole
        if run:
            near[np.ix_(members, members)] = tied(stopped)
    size = float(np.abs(np.nan_to_num(table)).max(initial=0.0)) * len(items)
    is_tested = draws.resamples > 0 or len(set(runs)) == 1
    for n, contestant in enumerate(ranked):
        leads = np.nansum(table - table[:, [n]], axis=0)
        place = 1 + int((leads > _ROUNDING * size).sum())
        low, high = 1 + int(ahead[:, n].sum()), len(ranked) - int(ahead[n].sum())
        is_open = ~(ahead[n] | ahead[:, n] | near[n])
        is_open[n] = False
        undecided = sorted(np.flatnonzero(is_open).tolist(), key=lambda m: names[m])
        ties = np.flatnonzero(near[n]).tolist()
        contestant.rows[metric] |= {
            "rank": place,
            "rank_interval": [min(low, place), max(high, place)] if is_tested else None,
            "tied_with": sorted(names[m] for m in ties) if is_tested else None,
            "undecided_with": [names[m] for m in undecided] if is_tested else None,
            "more_papers_needed": [needed[n, m] for m in undecided] if is_tested else None,
        }


def _tested(
    table: npt.NDArray[np.float64], labels: Sequence[str], span: float, alpha: float, draws: Draws
) -> npt.NDArray[np.bool_]:
    """Significant differences between columns of values, of shape (better, worse)."""
    ahead = np.zeros((table.shape[1], table.shape[1]), dtype=bool)
    standings = rank(table, labels, span=span, level=1 - alpha, **asdict(draws))
    for better, standing in enumerate(standings):
        ahead[better, list(standing.beats)] = True
    return ahead


def _column(contestant: Contestant, metric: str, items: Sequence[str]) -> npt.NDArray[np.float64]:
    """A contestant's values in one metric; NaN for items that it was not asked.

    The rows of two contestants may be in different orders.
    """
    column = list(contestant.rows).index(metric)
    values = contestant.values
    return np.array([values[i][column] if i in values else None for i in items], dtype=float)
