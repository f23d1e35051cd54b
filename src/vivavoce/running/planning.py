"""Costs of a run before anything is sent, those of a run that stops by simulation.

To estimate, every method runs on items of every task, but its requests go nowhere: what is asked
is counted, and the answer is the gold. Where the folder holds earlier logs of a contestant, an
answer costs what it cost there.

To plan a run that stops when its question is answered, looks are simulated.

Contestants that have answered the task before stand for themselves, the others for such as have.
Their clusters are drawn with replacement, as many as the planned round has, and looked at as the
run would look at them.
"""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from io import StringIO
from math import fsum
from pathlib import Path
from statistics import fmean, quantiles
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from vivavoce.errors import InputError
from vivavoce.metrics import metrics_of
from vivavoce.metrics.judgement import ASPECTS
from vivavoce.running.logs import Contestant, contestant_name, earlier_contestants
from vivavoce.running.requests import Request, Send, current_attempt, follow_attempts, intercept
from vivavoce.running.resolving import models_of, resolve
from vivavoce.running.spec import RunSpec
from vivavoce.running.stopping import Comparison, comparisons_of, step_of
from vivavoce.statistics.sequential import Sequential
from vivavoce.store import Row, hash_of

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.model import Model, ModelOutput


ITEMS = 100
"""Items of a task that are tried: their prompts stand for the others'."""
_BYTES_A_TOKEN = 4.3
"""Of English prose, for models whose vocabulary is not known: between 4 and 4.7."""
_OF_A_MESSAGE = 4
_VERDICT = json.dumps(
    {name: {"reason": "It names what was done and leaves no step out.", "winner": 1}
     for name in ASPECTS}
)  # fmt: skip


@dataclass
class _Count:
    """Requests of one model for one task."""

    requests: int = 0
    input: float = 0.0
    output: float = 0.0
    most: float = 0.0
    """Output tokens if every answer were as long as it may be."""
    uses_tools: bool = False


@dataclass
class _Counter:
    """Requests that are counted and not sent, by model."""

    targets: dict[str, str]
    is_judged: bool
    counts: dict[str, _Count] = field(default_factory=lambda: defaultdict(_Count))

    def _answer(self, gold: str) -> str:
        """The gold; with its words in another order where a judge would not be asked about it."""
        words = gold.split()
        return " ".join(words[1:] + words[:1]) if self.is_judged else gold

    def watch(self, model: Model, *, is_judge: bool) -> None:
        """Count a model's requests; each is answered with the gold, or by a judge's verdict."""
        from inspect_ai.model import ModelOutput

        from vivavoce.tasks.prompting.windows import measure

        measured = measure(str(model), model.api).counter

        def tokens(text: str) -> float:
            if measured.is_estimated:
                return len(text.encode("utf-8", "surrogatepass")) / _BYTES_A_TOKEN
            return measured.count(text)

        async def counted(request: Request, send: Send) -> ModelOutput:
            attempt = current_attempt()
            gold = self.targets.get(attempt.sample, "") if attempt else ""
            text = _VERDICT if is_judge else self._answer(gold)
            count = self.counts[str(model)]
            count.requests += 1
            count.input += sum(tokens(each.text) + _OF_A_MESSAGE for each in request.input)
            if request.tools:
                count.input += tokens(str([tool.model_dump() for tool in request.tools]))
            count.output += tokens(text)
            count.most += request.config.max_tokens or 0
            count.uses_tools = count.uses_tools or bool(request.tools)
            return ModelOutput.from_content(str(model), text)

        intercept(model, counted)


def estimate(spec: RunSpec) -> tuple[list[Row], list[str]]:
    """Tokens and dollars by task, setting, method and model; and why tasks were skipped.

    Raises:
        InputError: As `run` says.
    """
    # No reply comes from a cache, and none of those made up here goes into one.
    tasks, skipped = resolve(replace(spec, cache=False))
    follow_attempts()
    rows: list[Row] = []
    for task in tasks:
        rows += _rows(task, spec)
    return rows, skipped


def _rows(task: Task, spec: RunSpec) -> list[Row]:
    """One row a model that a task asks with one method: its contestant, and judges."""
    facts = task.metadata or {}
    models = models_of([task])
    if not models:
        return []
    answers = min(len(task.dataset), spec.limit or len(task.dataset)) * spec.epochs
    method = step_of(task)[0]
    targets = {str(one.id): "".join(one.target) for one in task.dataset}
    counter = _Counter(targets, bool(task.model_roles))
    tried = _try(task, counter, models)
    folders = [each for each in spec.learn_from or [spec.logs] if each.is_dir()]
    before = {each.name: each for each in earlier_contestants(folders, task)}
    known = before.get(contestant_name(method, str(task.model))) if not task.model_roles else None
    rows = []
    for name, count in sorted(counter.counts.items()):
        scale = answers / tried
        input, output = count.input * scale, count.output * scale
        if known is not None and name == str(task.model):
            input, output = (known.usage[kind] * answers for kind in ("input", "output"))
        rows.append(
            {
                **{each: facts[each] for each in ("task", "setting")},
                "method": method.rpartition("/")[2],
                "model": name,
                "requests": round(count.requests * scale),
                "input_tokens": round(input),
                "output_tokens": round(output),
                "max_output_tokens": round(count.most * scale),
                **_dollars(name, input, output, count.most * scale),
                "from": "earlier logs" if known is not None else "prompts",
                "at_least": count.uses_tools and known is None,
            }
        )
    return rows


def _dollars(model: str, input: float, output: float, most: float) -> Row:
    """Dollars expected, and with the longest answers; None where the price is not known."""
    from inspect_ai.model import get_model_info

    info = get_model_info(model)
    if info is None or info.cost is None:
        return {"usd": None, "max_usd": None}
    taken = input * info.cost.input / 1e6
    return {
        "usd": taken + output * info.cost.output / 1e6,
        "max_usd": taken + max(output, most) * info.cost.output / 1e6,
    }


def _try(task: Task, counter: _Counter, models: list[Model]) -> int:
    """Run a task's method on some of its items without sending anything; how many they were."""
    from copy import copy

    from inspect_ai import eval, task_with

    judges = list((task.model_roles or {}).values())
    samples = sorted(task.dataset, key=lambda one: hash_of(str(one.id)))[:ITEMS]
    chosen = {str(one.id) for one in samples}
    part = task_with(copy(task), dataset=task.dataset.filter(lambda one: str(one.id) in chosen))
    for model in models:
        counter.watch(model, is_judge=model in judges)
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(StringIO()):
        eval(
            part,
            log_dir=folder,
            model=None,
            epochs=1,
            score=bool(task.model_roles),
            display="none",
            log_realtime=False,
            log_samples=False,
            ctl_server=False,
            log_level="error",
            score_display=False,
        )
    return len(samples)


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
