"""Runs that stop when their question is answered.

Items are asked in whole clusters, in an order drawn from a seed. At each interim look the
contestants are compared on their answers so far. Those whose places are decided are asked no more
items. The run ends when its question is answered. A restarted run takes the same looks at the same
answers, and so resumes where it stopped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import asdict, dataclass, fields
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic_core import to_jsonable_python

from vivavoce.errors import InputError
from vivavoce.metrics import sense_of
from vivavoce.requests.run import RunSpec
from vivavoce.running.logs import (
    COMPARISON,
    PAIRS,
    item_values,
    log_path,
    settle,
    settled,
    why_incomplete,
)
from vivavoce.running.spec import cutoffs_of, decoding_of
from vivavoce.statistics.ranks import MIN_CLUSTERS
from vivavoce.statistics.sequential import Decision, StoppingRule
from vivavoce.store import Row, hash_of
from vivavoce.tasks import CEILING, short_name

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog

Ask = Callable[[list["Task"]], list["EvalLog"]]
"""Runs tasks, resuming the logs of those that ran before."""


def first_items(task: Task, rule: StoppingRule, look: int) -> Task:
    """Cut a task to the items that contestants answer before a look."""
    from inspect_ai import task_with

    items = rule.items_at(look, _clusters(task))
    return task_with(
        copy(task), dataset=task.dataset.filter(lambda sample: str(sample.id) in items)
    )


def ask_again(task: Task, log: EvalLog) -> Task:
    """Cut a task to the items that a log's run asked, if that run could stop early.

    An interrupted run was at the first look with at least as many items as its log has.
    """
    about, record = (log.eval.metadata or {}).get(COMPARISON), settled(log)
    if about is None:
        return task
    rule = _rule_of(log)
    asked = _in_comparison(task, rule, about["comparison"], about["contestant"])
    if record is not None:
        return first_items(asked, rule, record["look"])
    # An interrupted run was at the first look with at least as many items as its log has.
    looks = min(rule.looks, len(set(_clusters(task).values())))
    taken = (first_items(asked, rule, look) for look in range(1, looks + 1))
    size = log.eval.dataset.samples or 0
    return next((one for one in taken if len(one.dataset) >= size), asked)


def comparisons_of(
    tasks: Sequence[Task], rule: StoppingRule, spec: RunSpec
) -> dict[str, Comparison]:
    """Comparisons of the tasks, by name; `InputError` if one has too few contestants."""
    groups: dict[tuple[str, ...], list[Task]] = defaultdict(list)
    for task in tasks:
        groups[section_of(task)].append(task)
    made = (Comparison(members, rule, spec) for members in groups.values())
    return {one.name: one for one in made}


def run_to_decision(
    comparisons: Mapping[str, Comparison], folder: Path, ask: Ask
) -> tuple[list[EvalLog], list[Row]]:
    """Ask the contestants of every comparison until its question is answered.

    Returns:
        The last log of every contestant, and the outcome of each comparison that ended.
    """
    kept = {str(path.absolute()) for path in folder.iterdir()}
    while asked := [task for one in comparisons.values() for task in one.next_look()]:
        for log in ask(asked):
            about = (log.eval.metadata or {})[COMPARISON]
            logs = comparisons[about["comparison"]].logs
            # Each log includes the answers of the one before it.
            before = logs.get(about["contestant"])
            if before and (path := log_path(before)) not in {log_path(log), *kept}:
                Path(path).unlink(missing_ok=True)
            logs[about["contestant"]] = log
        for comparison in comparisons.values():
            comparison.take_look()
    last = [log for one in comparisons.values() for _, log in sorted(one.logs.items())]
    return last, [report for one in comparisons.values() if (report := one.report())]


@dataclass
class Looks:
    """Interim looks at a task's contestants, each on more items than the last."""

    rule: StoppingRule
    facts: Mapping[str, Any]
    """Metadata of the task."""
    clusters: Mapping[str, str]
    """Cluster of each item of the whole task."""
    ranked: Sequence[int]
    """Numbers of the contestants to compare: all but ceilings."""

    def __post_init__(self) -> None:
        self.values: dict[int, dict[str, float]] = {}
        self.taken, self.is_over = 0, False
        self.decision: Decision | None = None
        self.looks = min(self.rule.looks, len(set(self.clusters.values())))
        is_higher_better, span = sense_of(self.facts["family"], self.facts["metrics"][0])
        self.sign = 1 if is_higher_better else -1
        self.test = self.rule.test(self.looks, span)
        self.active = self.ranked

    def take(self, paths: Mapping[int, str]) -> dict[int, Row]:
        """Compare the contestants on the answers in their logs at the next look.

        Returns:
            Records, by number, of the contestants that are asked no more items.
        """
        self.taken += 1
        items = self.rule.items_at(self.taken, self.clusters)
        metric = self.facts["metrics"][0]
        for n in self.active:
            self.values[n] = item_values(paths[n], metric, items)
        places = {cluster: n for n, cluster in enumerate(self.rule.order(self.clusters))}
        rows = sorted(items, key=lambda item: (places[self.clusters[item]], item))
        table = np.array([[self.values[n].get(item, nan) for n in self.ranked] for item in rows])
        decision = self.decision = self.test.look(
            self.sign * table, [self.clusters[item] for item in rows]
        )
        asked, self.active = self.active, [self.ranked[column] for column in decision.active]
        self.is_over = decision.done or self.taken == self.looks
        ended = sorted(paths) if self.is_over else [n for n in asked if n not in self.active]
        return {n: self.record(decision, n) for n in ended}

    def record(self, decision: Decision, contestant: int | None = None) -> Row:
        """State of the comparison, or of one contestant in it, in the form that logs hold."""
        is_decided = decision.done if contestant is None else contestant not in self.active
        reason = f"decided at look {self.taken} of {self.looks}"
        if not is_decided:
            papers = len(set(self.clusters.values()))
            reason = f"not decided in {self.looks} looks"
            if papers < MIN_CLUSTERS:
                reason += f": {papers} of at least {MIN_CLUSTERS} papers"
        elif contestant in self.ranked and self.rule.question == "top":
            is_in = self.ranked.index(contestant) in decision.top
            reason += f": {'' if is_in else 'not '}among the {self.rule.k} best"
        return {
            "contestant": contestant,
            "question": self.rule.label,
            "decided": is_decided,
            "look": self.taken,
            "looks": self.looks,
            "items": len(self.rule.items_at(self.taken, self.clusters)),
            "of": len(self.clusters),
            **{
                name: sorted([self.ranked[i], self.ranked[j]] for i, j in pairs)
                for name, pairs in (("beats", decision.beats), ("ties", decision.ties))
            },
            "reason": reason,
        }


def wrong_stops(logs: Mapping[int, EvalLog], whole: Task) -> dict[int, str]:
    """Contestants whose logs misstate where or why a comparison stopped asking them, with details.

    `whole` is the task with all items. The looks are repeated on the answers in the logs.
    """
    ranked = [n for n, log in logs.items() if short_name(log.plan.steps[0].solver) != CEILING]
    if sorted(logs) != list(range(len(logs))) or len(ranked) < 2:
        raise InputError("logs of the contestants it was compared with are missing")
    rule = _rule_of(next(iter(logs.values())))
    looks = Looks(rule, whole.metadata or {}, _clusters(whole), sorted(ranked))
    right: dict[int, Row] = {}
    while not looks.is_over:
        ended = looks.take({n: log_path(log) for n, log in logs.items()})
        right = ended | right
    ends = {n: settled(log) or {} for n, log in logs.items()}
    return {
        n: f"it states its end as: {ends[n].get('reason')}, at {ends[n].get('items')} items. "
        f"Its answers give: {record['reason']}, at {record['items']}."
        for n, record in right.items()
        if any(record[name] != ends[n].get(name) for name in record.keys() - PAIRS)
        or any(list(map(tuple, record[name])) != ends[n].get(name) for name in PAIRS)
    }


def _rule_of(log: EvalLog) -> StoppingRule:
    about = (log.eval.metadata or {})[COMPARISON]
    return StoppingRule(**{field.name: about[field.name] for field in fields(StoppingRule)})


@dataclass
class Comparison:
    """The contestants of one task, asked look by look."""

    tasks: Sequence[Task]
    rule: StoppingRule
    spec: RunSpec

    def __post_init__(self) -> None:
        self.logs: dict[int, EvalLog] = {}
        self.facts = self.tasks[0].metadata or {}
        steps = [step_of(task) for task in self.tasks]
        ranked = [n for n, (name, _) in enumerate(steps) if short_name(name) != CEILING]
        if len(ranked) < 2 or self.rule.label == f"top={len(ranked)}":
            raise InputError(
                f"--decide {self.rule.label} needs more contestants than {self.facts['task']} "
                f"has: {len(ranked)}. Name more models or methods, or ask for fewer of the best."
            )
        who = [
            [str(task.model), getattr(task.model, "model_args", {}), *step]
            for task, step in zip(self.tasks, steps, strict=True)
        ]
        pinned = [self.facts["round_sha256"], *section_of(self.tasks[0])]
        spec = self.spec
        given = [
            *(spec.context, spec.task_args, spec.max_tokens, decoding_of(spec)),
            *(spec.judge, spec.epochs, spec.time_limit, spec.cost_limit, cutoffs_of(spec)),
        ]
        about = [asdict(self.rule), who, pinned, given]
        self.name = hash_of(to_jsonable_python(about, serialize_unknown=True))[:12]
        self.looks = Looks(self.rule, self.facts, _clusters(self.tasks[0]), ranked)

    def next_look(self) -> list[Task]:
        """Tasks of the contestants still asked, cut to the items of the next look."""
        if self.looks.is_over:
            return []
        return [
            first_items(
                _in_comparison(task, self.rule, self.name, n), self.rule, self.looks.taken + 1
            )
            for n, task in enumerate(self.tasks)
            if n in self.looks.active or n not in self.looks.ranked
        ]

    def take_look(self) -> None:
        """Compare the contestants on the answers so far, and settle the logs of those decided."""
        looks = self.looks
        if looks.is_over:
            return
        waiting = [self.logs[n] for n in looks.active if n in self.logs]
        if len(waiting) < len(looks.active) or any(map(why_incomplete, waiting)):
            looks.is_over, looks.decision = True, None
            return
        ended = looks.take({n: log_path(log) for n, log in self.logs.items()})
        for n, record in ended.items():
            self.logs[n] = settle(self.logs[n], {"comparison": self.name, **record})

    def report(self) -> Row | None:
        """Outcome of the comparison; None if answers are missing."""
        if self.looks.decision is None:
            return None
        made = [log.results.completed_samples for log in self.logs.values() if log.results]
        return {
            **{name: self.facts[name] for name in ("task", "setting")},
            "comparison": self.name,
            **self.looks.record(self.looks.decision),
            "answers": sum(made),
            "of_answers": len(self.tasks) * len(self.looks.clusters) * self.spec.epochs,
        }


def _in_comparison(task: Task, rule: StoppingRule, comparison: str, contestant: int) -> Task:
    """Mark a task, and so its logs, as part of a comparison."""
    from inspect_ai import task_with

    position = {"comparison": comparison, "contestant": contestant, "of": len(task.dataset)}
    return task_with(
        copy(task),
        # Inspect resumes a log of the same name, which must not be another comparison's.
        name=f"{task.name}-decide-{comparison}",
        metadata={**(task.metadata or {}), COMPARISON: {**asdict(rule), **position}},
    )


def section_of(task: Task) -> tuple[str, ...]:
    """Facts that identify a section of a board: the task, its setting, prompts and judge."""
    facts = task.metadata or {}
    named = (str(facts.get(name, "")) for name in ("setting", "prompt_hash", "judge"))
    return task.name, *named


def step_of(task: Task) -> tuple[str, Any]:
    """The name and arguments of a task's method."""
    from inspect_ai._util.registry import registry_info, registry_params

    return registry_info(task.solver).name, registry_params(task.solver)


def _clusters(task: Task) -> dict[str, str]:
    return {str(one.id): str((one.metadata or {})["cluster"]) for one in task.dataset}
