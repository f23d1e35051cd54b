"""Standings of a task: its contestants compared on the papers that all of them answered.

With several models, a run may have stopped asking some earlier than others. Values are compared on
the same papers, so papers that some contestant did not answer are left out.

With several models, the verdict on a pair is what the stopped run decided; the best baseline takes
part in that run, unless there is a judge. All other pairs are compared through the ranks of all
contestants.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np

from vivavoce.examining.planning import ExamTask, contrast_of, total, words
from vivavoce.examining.request import Request
from vivavoce.metrics import sense_of
from vivavoce.metrics.judged_text import SUPPORT, WIN_RATE
from vivavoce.results.board.columns import MAX_UNDEFINED
from vivavoce.results.board.head_to_head import Pair, Side, board_values, duel
from vivavoce.results.board.ranks import decided
from vivavoce.results.logs.records import NO_MODEL, RunLog, SampleScore, contestant_label
from vivavoce.statistics.comparison import more_clusters, rank_contestants
from vivavoce.statistics.estimates import Draws
from vivavoce.store import Row
from vivavoce.tasks import CEILING


@dataclass(frozen=True, slots=True)
class Standing:
    """The contestants of a task, with their values and comparisons."""

    chosen: ExamTask
    logs: Mapping[str, RunLog]
    """Logs by name: models, baselines, and the authors' text."""
    items: Sequence[str]
    """Items that all contestants answered."""
    papers: int
    values: Mapping[str, Row]
    """Value and interval by contestant."""
    beats: frozenset[tuple[str, str]]
    """Pairs (better, worse) with a significant difference."""
    sign: int
    """1 if higher is better, otherwise -1."""

    def score(self, name: str) -> float:
        """A contestant's value, signed so that higher is better; minus infinity if undefined."""
        value = self.values[name]["value"]
        return -math.inf if value is None else self.sign * float(value)

    @property
    def rivals(self) -> list[str]:
        """All contestants except the authors' text."""
        return [name for name, log in self.logs.items() if log.key.method != CEILING]

    @property
    def best_baseline(self) -> str:
        """The baseline with the best value."""
        return max((n for n in self.chosen.baselines if n in self.logs), key=self.score)

    def common_samples(self, name: str) -> Iterator[SampleScore]:
        """Scores of a contestant on the items that all contestants answered."""
        items = set(self.items)
        return (sample for sample in self.logs[name].samples if sample.id in items)

    def more_papers(self, names: tuple[str, str], pairs: int = 1) -> int | None:
        """Number of further papers that would show the observed difference: see `more_clusters`."""
        [more] = more_clusters(contrast_of([self.logs[name] for name in names], self.chosen), pairs)
        return more


def log_of(logs: Sequence[RunLog], task: str, model: str, method: str) -> RunLog | None:
    """The newest complete log of a contestant on a task."""
    wanted = contestant_label({"model": model, "method": method})
    of_contestant = [
        log
        for log in logs
        if (log.key.task, log.key.contestant) == (task, wanted) and log.is_complete
    ]
    return max(of_contestant, key=lambda log: log.created, default=None)


def best_baseline(chosen: ExamTask, logs: Sequence[RunLog]) -> str:
    """The baseline with the best mean over all items; it stays the same when an exam resumes."""
    is_higher_better, _ = sense_of(chosen.family, chosen.metric)

    def score(name: str) -> float:
        values = [
            list(log.item_values(chosen.metric).values())
            for log in logs
            if (log.key.task, log.key.method) == (chosen.task, name) and not log.stopped
        ]
        if not values or np.isnan(values[0]).all():
            return -math.inf
        mean = float(np.nanmean(values[0]))
        return mean if is_higher_better else -mean

    return max(chosen.baselines, key=score)


def stand(
    chosen: ExamTask, logs: Sequence[RunLog], models: Sequence[str], authors: str
) -> Standing:
    """Measure the contestants of a task; `authors` is the name for the authors' own text."""
    ask = [(name, name, chosen.method) for name in models]
    ask += [(name, NO_MODEL, name) for name in chosen.baselines]
    ask += [(authors, NO_MODEL, CEILING)]
    named = {
        name: log
        for name, model, method in ask
        if (log := log_of(logs, chosen.task, model, method)) is not None
    }
    clusters = next(iter(named.values())).item_clusters()
    items = sorted(set.intersection(*(set(log.item_clusters()) for log in named.values())))
    draws = Draws().of([clusters[item] for item in items])
    columns = {name: board_values(log, chosen.metric, items) for name, log in named.items()}
    is_higher_better, span = sense_of(chosen.family, chosen.metric)
    values: dict[str, Row] = {}
    for name, column in columns.items():
        values[name] = {"value": draws.mean(column)[0], "ci": draws.intervals(column)[0]}
    compared = {name: column for name, column in columns.items() if name != authors}
    beats = set[tuple[str, str]]()
    sign = 1 if is_higher_better else -1
    if not any(float(np.isnan(c).sum()) > MAX_UNDEFINED * len(items) for c in compared.values()):
        ranks = rank_contestants(compared, draws, is_higher_better, span)
        beats = {
            (one, other)
            for one, rank in ranks.items()
            for other in compared
            if rank.rank_interval
            and one != other
            and other not in rank.undecided_with
            and None not in (values[one]["value"], values[other]["value"])
            and sign * (values[one]["value"] - values[other]["value"]) > 0
        }
    for pair in permutations(named, 2):
        stopped = [record for name in pair if (record := named[name].stopped)]
        if len(stopped) == 2 and len({record["comparison"] for record in stopped}) == 1:
            beats = beats | {pair} if decided(stopped)[0, 1] else beats - {pair}
    return Standing(chosen, named, items, draws.clusters, values, frozenset(beats), sign)


_SHOWN_MISSES = 5
_SIDE_METRICS = 3
"""Maximum number of further metrics in a verdict."""


def compare(request: Request, standing: Standing) -> list[Row]:
    """Verdicts on all pairs of several models, or on one model and each baseline."""
    sides = [
        Side(name, log)
        for name, log in standing.logs.items()
        if name in (request.models if len(request.models) > 1 else standing.rivals)
    ]
    pairs = list(combinations(sides, 2))
    if len(request.models) <= 1:
        pairs = [pair for pair in pairs if pair[0].name in request.models]
    rows = []
    for pair in pairs:
        row = duel(*pair, Draws(), judged_alike=[standing.chosen.metric])
        lead = next(one for one in row["metrics"] if one["metric"] == standing.chosen.metric)
        names = (pair[0].name, pair[1].name)
        better = next((a for a, b in (names, names[::-1]) if (a, b) in standing.beats), None)
        rows.append(_verdict(standing, pair, row, lead, better, len(pairs)))
    return rows


def _verdict(
    standing: Standing, sides: Pair, row: Row, lead: Row, better: str | None, pairs: int
) -> Row:
    """Make a verdict; its difference is better minus worse, or first minus second if undecided."""
    chosen, rival = standing.chosen, standing.best_baseline
    names = [side.name for side in sides]
    is_turned = better == names[1]
    sign = -1 if is_turned else 1
    ci = lead["ci"] and sorted(sign * end for end in lead["ci"])
    judged = sides[0].log.judged
    further = [
        one
        for one in row["metrics"]
        if None not in (one["a"], one["b"], one["higher_is_better"])
        and (one["metric"] in (WIN_RATE, *SUPPORT) or not (one["ranks"] or one["metric"] in judged))
    ]
    verdict = {
        "task": chosen.task,
        "metric": chosen.metric,
        "better": better,
        "worse": next((name for name in names if better and name != better), None),
        "between": names,
        "difference": None if lead["difference"] is None else sign * lead["difference"],
        "ci": ci,
        "decided": better is not None,
        "beaten_by": rival if (rival, better) in standing.beats else None,
        "items": row["items"],
        "of": chosen.items,
        "papers": row["clusters"],
        "more_papers_needed": None if better else standing.more_papers((names[0], names[1]), pairs),
        "values": dict(zip(names, (lead["a"], lead["b"]), strict=True)),
        "also": [
            {"metric": one["metric"], **dict(zip(names, (one["a"], one["b"]), strict=True))}
            for one in further[:_SIDE_METRICS]
        ],
        "invalid": {
            side.name: sum(s.fault is not None for s in side.log.samples) for side in sides
        },
        "cost": {side.name: total(s.cost for s in side.log.samples) for side in sides},
    }
    return verdict | {"words": words(verdict)}


def worst_items(
    request: Request, chosen: ExamTask, logs: Sequence[RunLog], titles: Mapping[str, str | None]
) -> list[Row]:
    """The items on which a single model did worst, worst first."""
    log = log_of(logs, chosen.task, request.models[0], chosen.method)
    if log is None:
        return []
    values = log.item_values(chosen.metric)
    samples = {sample.id: sample for sample in reversed(log.samples)}
    worst = sorted(values, key=lambda item: (not math.isnan(values[item]), values[item], item))
    return [
        {
            "task": chosen.task,
            "id": item,
            "title": titles.get(samples[item].cluster),
            "value": None if math.isnan(values[item]) else values[item],
            "fault": samples[item].fault,
        }
        for item in worst[:_SHOWN_MISSES]
    ]
