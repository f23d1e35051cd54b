"""Runs that stop when their question is answered.

The items of a task come in whole clusters, in an order drawn from a seed. After each of the looks
that a run may take, the contestants are compared on what they have answered so far; those whose
places are known are asked no more, and when the question is answered nobody is. A run that is asked
for again takes the same looks at the same answers, and so goes on where it was.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vivavoce.errors import InputError
from vivavoce.metrics import metrics_of
from vivavoce.running.logs import log_path, why_incomplete
from vivavoce.running.resolving import Contestant
from vivavoce.running.settled import COMPARISON, Settled, settle
from vivavoce.running.specs import CEILING, Stopped
from vivavoce.running.until import Until, ask_until, clusters_of, first_looks
from vivavoce.running.values import item_values
from vivavoce.statistics.sequential import Decision
from vivavoce.store import hash_of

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog

Ask = Callable[[list["Task"]], list["EvalLog"]]
"""Carries tasks out, going on with the logs of those that were asked before."""


@dataclass
class _Comparison:
    """The contestants of one task, asked look by look."""

    name: str
    tasks: list[Task]
    ranked: list[int]
    """Places of the contestants that are compared; the ceiling is asked as long as one of them."""
    until: Until
    epochs: int
    held: dict[int, EvalLog]
    """The log of each contestant, by its place among the tasks."""
    values: dict[int, dict[str, float]] = field(default_factory=dict)
    decision: Decision | None = None
    is_broken: bool = False
    """True if an answer is lacking that a look needs."""

    def __post_init__(self) -> None:
        self.facts = self.tasks[0].metadata or {}
        self.clusters = clusters_of(self.tasks[0])
        self.order = self.until.order(self.clusters.values())
        self.looks = self.until.looks_at(len(self.order))
        self.test = self.until.sequential(self.looks)
        self.active = self.ranked

    @property
    def is_over(self) -> bool:
        """True if nobody is asked any more."""
        look = self.decision.look if self.decision else 0
        return self.is_broken or not self.active or look == self.looks

    def items_at(self, look: int) -> set[str]:
        """The items that are answered before a look."""
        return self.until.items_at(look, self.clusters)

    def lacking(self, look: int) -> list[Task]:
        """The tasks, cut to the items of a look, of contestants whose logs lack some of them."""
        items = self.items_at(look)
        return [
            first_looks(task, self.until, look)
            for n, task in enumerate(self.tasks)
            if (n in self.active or n not in self.ranked)
            and not _holds(self.held.get(n), len(items) * self.epochs)
        ]

    def look(self, look: int) -> None:
        """Compare the contestants on the answers of a look, and let go whom it decides."""
        items = self.items_at(look)
        waiting = [log for n in self.active if (log := self.held.get(n))]
        self.is_broken = len(waiting) < len(self.active) or any(map(why_incomplete, waiting))
        if self.is_broken:
            return
        metric, pooling = self.facts["metrics"][0], self.facts.get("pooling")
        for n in self.active:
            self.values[n] = item_values(log_path(self.held[n]), metric, items, pooling)
        places = {cluster: place for place, cluster in enumerate(self.order)}
        rows = sorted(items, key=lambda item: (places[self.clusters[item]], item))
        table = np.array([[self.values[n].get(item, nan) for n in self.ranked] for item in rows])
        known = metrics_of(self.facts["family"]).get(metric)
        decision = self.test.look(
            table if known is None or known.higher_is_better else -table,
            [self.clusters[item] for item in rows],
        )
        before, self.decision = self.active, decision
        self.active = [self.ranked[column] for column in decision.active]
        for n in range(len(self.tasks)) if self.is_over else before:
            if n in self.held and (self.is_over or n not in self.active):
                self.held[n] = settle(self.held[n], self._record(n, decision))

    def _record(self, contestant: int, decision: Decision) -> Settled:
        is_decided = contestant not in self.active
        told = ""
        if is_decided and self.until.question == "top" and contestant in self.ranked:
            is_in = self.ranked.index(contestant) in decision.top
            told = f": {'' if is_in else 'not '}among the {self.until.k} best"
        return {
            "comparison": self.name,
            "contestant": contestant,
            "question": self.until.label,
            "look": decision.look,
            "looks": self.looks,
            "items": self.held[contestant].eval.dataset.samples or 0,
            "of": len(self.clusters),
            "decided": is_decided,
            "beats": sorted((self.ranked[i], self.ranked[j]) for i, j in decision.beats),
            "reason": _reason(is_decided, decision.look, self.looks) + told,
        }

    def report(self) -> Stopped | None:
        """How it ended; None where it lacks answers."""
        if self.decision is None or self.is_broken:
            return None
        made = [log.results.completed_samples for log in self.held.values() if log.results]
        look = self.decision.look
        return Stopped(
            task=self.facts["task"],
            setting=self.facts["setting"],
            reason=_reason(self.decision.done, look, self.looks),
            decided=self.decision.done,
            look=look,
            looks=self.looks,
            items=len(self.items_at(look)),
            of=len(self.clusters),
            answers=sum(made),
            of_answers=len(self.tasks) * len(self.clusters) * self.epochs,
        )


def run_until(
    contestants: Sequence[Contestant],
    until: Until,
    *,
    epochs: int,
    identity: Any,
    logs: Path,
    ask: Ask,
) -> tuple[list[EvalLog], list[Stopped]]:
    """Ask the contestants of every task until its question is answered.

    Args:
        contestants: One for each task, method and model.
        until: The question.
        epochs: Answers asked for each item.
        identity: Whatever else the answers depend on: logs of another one are not gone on with.
        logs: Folder of the logs.
        ask: Carries tasks out.

    Returns:
        The last log of every contestant, and how each comparison that came to its end did.

    Raises:
        InputError: Too few contestants for the question.
    """
    there = _logs_in(logs)
    kept = {log_path(log) for log in there}
    comparisons = _comparisons(contestants, until, epochs, identity, there)
    for look in range(1, until.looks + 1):
        going = [each for each in comparisons if not each.is_over]
        lacking = [task for each in going for task in each.lacking(look)]
        for log in ask(lacking) if lacking else []:
            about = _told(log)
            (held,) = (each.held for each in comparisons if each.name == about["comparison"])
            before = held.get(about["contestant"])
            held[about["contestant"]] = log
            # Each log holds what the one before it did.
            if before and (path := log_path(before)) not in kept | {log_path(log)}:
                Path(path).unlink(missing_ok=True)
        for each in going:
            each.look(look)
    found = [log for each in comparisons for _, log in sorted(each.held.items())]
    return found, [report for each in comparisons if (report := each.report())]


def _comparisons(
    contestants: Sequence[Contestant],
    until: Until,
    epochs: int,
    identity: Any,
    there: Sequence[EvalLog],
) -> list[_Comparison]:
    groups: dict[str, list[Contestant]] = defaultdict(list)
    for each in contestants:
        groups[each.task.name].append(each)
    found = []
    for task_name, members in groups.items():
        facts = members[0].task.metadata or {}
        ranked = [n for n, each in enumerate(members) if each.method != CEILING]
        if len(ranked) < 2 or (until.question == "top" and until.k >= len(ranked)):
            raise InputError(
                f"--until {until.label} is no question of {len(ranked)} contestants of "
                f"{facts['task']}. Name more models or methods, or ask for fewer of the best."
            )
        who = [[str(each.task.model), each.method, each.arguments] for each in members]
        pinned = [facts[name] for name in ("round_sha256", "prompt_hash", "setting")]
        name = hash_of([asdict(until), epochs, identity, who, pinned, task_name])[:12]
        tasks = [ask_until(each.task, until, name, n) for n, each in enumerate(members)]
        held = {
            told["contestant"]: log
            for log in sorted(there, key=_answers)
            if (told := _told(log)).get("comparison") == name
        }
        found.append(_Comparison(name, tasks, ranked, until, epochs, held))
    return found


def _logs_in(folder: Path) -> list[EvalLog]:
    """The headers of the logs of a folder."""
    from inspect_ai.log import list_eval_logs, read_eval_log

    found = list_eval_logs(str(folder), recursive=False)
    return [read_eval_log(each, header_only=True) for each in found]


def _told(log: EvalLog) -> dict[str, Any]:
    """The comparison and the contestant of a log; empty for a log of another kind."""
    return (log.eval.metadata or {}).get(COMPARISON) or {}


def _answers(log: EvalLog) -> int:
    return log.results.completed_samples if log.results else 0


def _holds(log: EvalLog | None, answers: int) -> bool:
    """Whether a log holds so many answers, and lacks none that it was to hold."""
    return log is not None and why_incomplete(log) is None and _answers(log) >= answers


def _reason(is_decided: bool, look: int, looks: int) -> str:
    return f"decided at look {look} of {looks}" if is_decided else f"not decided in {looks} looks"
