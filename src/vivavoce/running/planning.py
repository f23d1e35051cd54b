"""Plans of runs that stop when their question is answered: what they would cost, by simulation.

Contestants that have answered the task before stand for themselves, the others for such as have.
Their clusters are drawn with replacement, as many as the planned round has, and looked at as the
run would look at them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from pathlib import Path
from statistics import fmean, quantiles

import numpy as np
import numpy.typing as npt

from vivavoce.errors import InputError
from vivavoce.metrics import metrics_of
from vivavoce.running.earlier import Contestant, contestant_name, earlier_contestants
from vivavoce.running.resolving import resolve
from vivavoce.running.spec import RunSpec
from vivavoce.running.stopping import Comparison, comparisons_of, step_of
from vivavoce.statistics.sequential import Sequential
from vivavoce.store import Row

WORLDS, RESAMPLES = 40, 999
"""Simulated runs of a task, and draws of signs of each."""


def plan_run(spec: RunSpec) -> tuple[list[Row], list[str]]:
    """Cost of a run until a question is answered, by task; and reasons for skipped tasks.

    Raises:
        InputError: As `run` says, or earlier logs hold fewer contestants than the run would ask.
    """
    if spec.until is None:
        raise InputError("--plan simulates runs that stop: ask a question with --until.")
    tasks, skipped = resolve(spec)
    folders = spec.learn_from or [spec.logs]
    return [_plan(each, folders) for each in comparisons_of(tasks, spec.until, spec)], skipped


def _plan(comparison: Comparison, folders: Sequence[Path]) -> Row:
    facts = comparison.facts
    known = earlier_contestants(folders, comparison.tasks[0])
    names = [
        contestant_name(step_of(task)[0], str(task.model))
        for n, task in enumerate(comparison.tasks)
        if n in comparison.looks.ranked
    ]
    if len(known) < len(names):
        raise InputError(
            f"A plan for {len(names)} contestants of {facts['task']} takes as many in earlier "
            f"logs; there are {len(known)}. Name logs of theirs with --learn-from."
        )
    clusters = len(set(comparison.looks.clusters.values()))
    of_cluster = len(comparison.looks.clusters) / clusters * comparison.spec.epochs
    generator = np.random.default_rng(comparison.until.seed)
    answers: list[float] = []
    tokens = {"input": 0.0, "output": 0.0}
    decided = 0
    for world in range(WORLDS):
        asked = _stand_ins(names, known, generator)
        counts, is_decided = _simulate(asked, comparison, clusters, world, generator)
        answers.append(sum(counts) * of_cluster)
        decided += is_decided
        for kind in tokens:
            used = fsum(n * each.usage[kind] for n, each in zip(counts, asked, strict=True))
            tokens[kind] += used * of_cluster / WORLDS
    low, *_, high = quantiles(answers, n=10, method="inclusive")
    return {
        **{name: facts[name] for name in ("task", "setting")},
        "question": comparison.until.label,
        "contestants": len(names),
        "known": sum(name in {each.name for each in known} for name in names),
        "answers": fmean(answers),
        "answers_range": [low, high],
        "of_answers": len(names) * len(comparison.looks.clusters) * comparison.spec.epochs,
        "decided": decided / WORLDS,
        **{f"{kind}_tokens": total for kind, total in tokens.items()},
    }


def _stand_ins(
    names: Sequence[str], known: Sequence[Contestant], generator: np.random.Generator
) -> list[Contestant]:
    """An earlier contestant for each planned one: itself, or one that nobody else stands for."""
    own = {each.name: each for each in known}
    rest = [each for each in known if each.name not in names]
    drawn = iter(generator.permutation(len(rest)))
    return [own[name] if name in own else rest[next(drawn)] for name in names]


def _table(
    asked: Sequence[Contestant], family: str, metric: str
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.str_]]:
    """Values by item and contestant, higher is better, and the cluster of each item."""
    clusters = {item: label for each in asked for item, label in each.clusters.items()}
    items = sorted({item for each in asked for item in each.values})
    table = np.array([[each.values.get(item, np.nan) for each in asked] for item in items])
    known = metrics_of(family).get(metric)
    sign = 1.0 if known is None or known.higher_is_better else -1.0
    return sign * table, np.array([clusters[item] for item in items])


def _simulate(
    asked: Sequence[Contestant],
    comparison: Comparison,
    clusters: int,
    world: int,
    generator: np.random.Generator,
) -> tuple[list[int], bool]:
    """One run: clusters asked of each contestant, and whether the question was answered."""
    until, looks = comparison.until, comparison.looks.looks
    table, labels = _table(asked, comparison.facts["family"], comparison.facts["metrics"][0])
    rows = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    drawn = [rows[n] for n in generator.integers(0, len(rows), clusters)]
    values = table[np.concatenate(drawn)]
    of = [n for n, each in enumerate(drawn) for _ in each]
    test = Sequential(
        until.question, until.k, until.indifference, until.alpha, looks, world, resamples=RESAMPLES
    )
    counts, active = np.zeros(len(asked), dtype=int), list(range(len(asked)))
    seen, is_done = np.full_like(values, np.nan), False
    for look in range(1, looks + 1):
        before, after = (clusters * at // looks for at in (look - 1, look))
        start, stop = np.searchsorted(of, [before, after])
        seen[start:stop, active] = values[start:stop, active]
        counts[active] += after - before
        decision = test.look(seen[:stop], of[:stop])
        active, is_done = list(decision.active), decision.done
        if is_done:
            break
    return counts.tolist(), is_done
