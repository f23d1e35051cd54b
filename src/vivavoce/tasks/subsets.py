"""Subsets of a task's items, the same for every contestant.

The choice depends only on the items' ids and a seed, so all methods, models and settings answer the
same items. Without strata, a smaller subset is part of a larger one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vivavoce.errors import InputError
from vivavoce.store import hash_of

if TYPE_CHECKING:
    from inspect_ai import Task

_SIZES = 3
"""Number of strata by length of gold answers."""


@dataclass(frozen=True, slots=True)
class Subset:
    """Number of items per task, and the way they are chosen."""

    size: int
    seed: int = 0
    stratify: bool = False

    def __post_init__(self) -> None:
        if self.size < 1:
            raise InputError(f"A subset of {self.size} items is empty. It must have at least 1.")


@dataclass(frozen=True, slots=True)
class Candidate:
    """Facts of an item for the choice."""

    id: str
    cluster: str
    grade: str = ""
    """Category and difficulty, if a task has them."""
    size: int = 0
    """Characters of the gold answer."""


def take_subset(task: Task, subset: Subset) -> Task:
    """Limit a task to a subset of its samples, recorded in logs and boards.

    A task with no more items than that is unchanged.
    """
    from inspect_ai import task_with

    total = len(task.dataset)
    if subset.size >= total:
        return task
    candidates = []
    for sample in task.dataset:
        facts = sample.metadata or {}
        grade = "/".join(str(facts.get(name) or "") for name in ("category", "difficulty"))
        cluster, size = str(facts.get("cluster") or sample.id), len("".join(sample.target))
        candidates.append(Candidate(str(sample.id), cluster, grade, size))
    chosen = choose(candidates, subset)
    metadata = task.metadata or {}
    traits = [f"{subset.size} of {total}"]
    traits += [f"seed {subset.seed}"] if subset.seed else []
    traits += ["stratified"] if subset.stratify else []
    record = {
        "size": subset.size,
        "of": total,
        "seed": subset.seed,
        "stratified": subset.stratify,
        "items": hash_of(sorted(chosen)),
    }
    return task_with(
        task,
        dataset=task.dataset.filter(lambda sample: str(sample.id) in chosen),
        # Inspect resumes a log of the same task name, which must not be of another subset.
        name="-".join([task.name, *traits]).replace(" ", "-"),
        metadata={
            **metadata,
            "setting": f"{metadata['setting']} ({', '.join(traits)})",
            "subset": record,
        },
    )


def choose(candidates: Sequence[Candidate], subset: Subset) -> frozenset[str]:
    """Choose the ids of a subset.

    A stratum is a grade and a third of the items by size of the gold. Each stratum contributes its
    rounded share. Within a stratum, each cluster contributes one item before any contributes two.
    """
    ordered = sorted(candidates, key=lambda one: (hash_of([subset.seed, one.id]), one.id))
    if not subset.stratify:
        return frozenset(one.id for one in ordered[: subset.size])
    strata: dict[tuple[str, int], list[Candidate]] = defaultdict(list)
    sizes = sorted(one.size for one in candidates)
    bounds = [sizes[len(sizes) * part // _SIZES] for part in range(1, _SIZES)]
    for one in ordered:
        # Part 0 has the shortest gold; equal lengths stay together.
        strata[one.grade, sum(one.size >= bound for bound in bounds)].append(one)
    shares = _shares({key: len(items) for key, items in strata.items()}, subset)
    chosen: set[str] = set()
    for key, items in strata.items():
        # The first items of all clusters, then the second ones, and so on.
        seen: Counter[str] = Counter()
        turns = []
        for one in items:
            turns.append((seen[one.cluster], one))
            seen[one.cluster] += 1
        turns.sort(key=lambda turn: turn[0])
        chosen.update(one.id for _, one in turns[: shares[key]])
    return frozenset(chosen)


def _shares(counts: dict[tuple[str, int], int], subset: Subset) -> dict[tuple[str, int], int]:
    """Number of items per stratum: shares rounded down, the rest by largest remainders."""
    total = sum(counts.values())
    shares = {key: count * subset.size // total for key, count in counts.items()}
    rest = subset.size - sum(shares.values())
    by_remainder = sorted(
        counts, key=lambda key: (-(counts[key] * subset.size % total), hash_of([subset.seed, *key]))
    )
    for key in by_remainder[:rest]:
        shares[key] += 1
    return shares
