"""Questions about contestants that end a run when they are answered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from vivavoce.errors import InputError
from vivavoce.running.settled import COMPARISON, settled
from vivavoce.statistics.sequential import Question, Sequential
from vivavoce.store import hash_of

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog


@dataclass(frozen=True, slots=True)
class Until:
    """A question about the contestants of a task, which ends a run when it is answered."""

    question: Question = "all"
    """`top`: which are the k best; `all`: who is better, of every pair."""
    k: int = 1
    indifference: float = 0.0
    """A difference below this one does not matter."""
    alpha: float = 0.05
    """Chance that any decision is false."""
    looks: int = 20
    """The most looks; a task of fewer clusters gets one for each."""
    seed: int = 0
    """Of the order of the items, and of the signs."""

    def __post_init__(self) -> None:
        self.sequential(self.looks)

    @property
    def label(self) -> str:
        """The question as it is asked for: `top=3` or `all`."""
        return self.question if self.question == "all" else f"top={self.k}"

    @property
    def traits(self) -> str:
        """The question with what is not as by default, for the setting's name on a board."""
        usual = Until(self.question, self.k)
        changed = [
            f"{name} {getattr(self, name):g}"
            for name in ("indifference", "alpha", "looks", "seed")
            if getattr(self, name) != getattr(usual, name)
        ]
        return ", ".join([f"until {self.label}", *changed])

    def sequential(self, looks: int) -> Sequential:
        """The test that answers the question."""
        return Sequential(self.question, self.k, self.indifference, self.alpha, looks, self.seed)

    def looks_at(self, clusters: int) -> int:
        """The looks that so many clusters allow."""
        return min(self.looks, clusters)

    def items_at(self, look: int, clusters: Mapping[str, str]) -> set[str]:
        """The items that are answered before a look.

        Args:
            look: 1 for the first.
            clusters: The cluster of each item.
        """
        order = self.order(clusters.values())
        seen = set(order[: len(order) * look // self.looks_at(len(order))])
        return {item for item, cluster in clusters.items() if cluster in seen}

    def order(self, clusters: Iterable[str]) -> list[str]:
        """Clusters, each once, in the order in which they are asked."""
        return sorted(set(clusters), key=lambda one: (hash_of([self.seed, one]), one))


def clusters_of(task: Task) -> dict[str, str]:
    """The cluster of each item of a task."""
    return {str(one.id): str((one.metadata or {})["cluster"]) for one in task.dataset}


def ask_until(task: Task, until: Until, comparison: str, contestant: int) -> Task:
    """A task of a comparison, whose logs and boards say so."""
    from inspect_ai import task_with

    facts = task.metadata or {}
    return task_with(
        copy(task),
        # Inspect goes on with a log of the same name: that of another comparison is not meant.
        name=f"{task.name}-until-{comparison}",
        metadata={
            **facts,
            "setting": f"{facts['setting']} ({until.traits})",
            COMPARISON: {
                **asdict(until),
                "comparison": comparison,
                "contestant": contestant,
                "of": len(task.dataset),
            },
        },
    )


def first_looks(task: Task, until: Until, look: int) -> Task:
    """A task cut to the items that are answered before a look."""
    from inspect_ai import task_with

    items = until.items_at(look, clusters_of(task))
    return task_with(
        copy(task), dataset=task.dataset.filter(lambda sample: str(sample.id) in items)
    )


def ask_again(task: Task, log: EvalLog) -> Task:
    """A task as it was asked by the run of a log, where that was one of a comparison."""
    about = (log.eval.metadata or {}).get(COMPARISON)
    record = settled(log)
    if not isinstance(about, dict) or record is None:
        return task
    until = Until(**{each.name: about[each.name] for each in fields(Until)})
    asked = ask_until(task, until, about["comparison"], about["contestant"])
    return first_looks(asked, until, record["look"])


def parse_until(text: str, changed: Mapping[str, Any] | None = None) -> Until:
    """Read `top=K` or `all` into a question, with what is not as by default.

    Raises:
        InputError: It is neither, or an option is out of its range.
    """
    name, _, number = text.partition("=")
    if text == "all":
        return Until("all", **changed or {})
    if name == "top" and number.isdecimal() and 0 < len(number) < 7:
        return Until("top", int(number), **changed or {})
    raise InputError(f"--until {text} is no question. Write top=K, such as top=3, or all.")
