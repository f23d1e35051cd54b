"""Subsets: some of a task's items, the same ones for every contestant, and never by chance.

What is chosen depends on the items' ids and a seed alone, so that every method, model and setting
answers the same ones. Unless strata are asked for, a smaller subset is part of a larger one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vivavoce.errors import InputError
from vivavoce.store import hash_of

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample

_SIZES, _DIFFICULTIES = 3, 5
"""Parts that items are sorted into by the length of their gold answers, or by difficulty."""


@dataclass(frozen=True, slots=True)
class Subset:
    """Number of items of each task that are answered, and the way they are chosen."""

    size: int
    seed: int = 0
    stratify: bool = False
    difficulty: bool = False
    """True if strata are of other contestants' results, not of category and size of the gold."""

    def __post_init__(self) -> None:
        if self.size < 1:
            raise InputError(f"A subset of {self.size} items is none. Give a number from 1.")


@dataclass(frozen=True, slots=True)
class Candidate:
    """Facts of an item that the choice rests on."""

    id: str
    cluster: str
    grade: str = ""
    """Category and difficulty, where a task has such grades."""
    size: int = 0
    """Characters of the gold answer."""
    value: float | None = None
    """Mean of what other contestants reached; None to sort by grade and size."""


def take_subset(task: Task, subset: Subset, difficulty: Mapping[str, float] | None = None) -> Task:
    """A task with a subset of its samples, whose logs and boards say so.

    A task that has no more items is left as it is: that is the whole, and no subset.
    `difficulty` has the mean of what other contestants reached by item.
    """
    from inspect_ai import task_with

    total = len(task.dataset)
    if subset.size >= total:
        return task
    known = {item: round(value, 4) for item, value in sorted((difficulty or {}).items())}
    chosen = choose([_candidate(sample, known) for sample in task.dataset], subset)
    metadata = task.metadata or {}
    traits = [f"{subset.size} of {total}"]
    traits += [f"seed {subset.seed}"] if subset.seed else []
    if subset.difficulty:
        traits += [f"by difficulty {hash_of(sorted(chosen))[:6]}"]
    elif subset.stratify:
        traits += ["stratified"]
    record = {
        "size": subset.size,
        "of": total,
        "seed": subset.seed,
        "stratified": subset.stratify,
        "items": hash_of(sorted(chosen)),
        **({"difficulty": known} if subset.difficulty else {}),
    }
    return task_with(
        task,
        dataset=task.dataset.filter(lambda sample: str(sample.id) in chosen),
        # Inspect goes on with a log of the same name: that of another subset is not meant.
        name="-".join([task.name, *traits]).replace(" ", "-"),
        metadata={
            **metadata,
            "setting": f"{metadata['setting']} ({', '.join(traits)})",
            "subset": record,
        },
    )


def choose(candidates: Sequence[Candidate], subset: Subset) -> frozenset[str]:
    """The ids of a subset.

    A stratum is a grade and a third of the items by the size of their gold, or a fifth of them by
    difficulty. Each stratum gives its share of the items, rounded. Within a stratum each cluster
    gives one item before any gives two.
    """
    ordered = sorted(candidates, key=lambda one: (hash_of([subset.seed, one.id]), one.id))
    if not subset.stratify:
        return frozenset(one.id for one in ordered[: subset.size])
    strata: dict[tuple[str, int], list[Candidate]] = defaultdict(list)
    parts = _parts(candidates)
    for one in ordered:
        strata["" if one.value is not None else one.grade, parts[one.id]].append(one)
    shares = _shares({key: len(found) for key, found in strata.items()}, subset)
    return frozenset(
        one.id for key, found in strata.items() for one in _spread(found)[: shares[key]]
    )


def _candidate(sample: Sample, difficulty: Mapping[str, float]) -> Candidate:
    metadata = sample.metadata or {}
    grade = [str(metadata.get(name) or "") for name in ("category", "difficulty")]
    return Candidate(
        id=str(sample.id),
        cluster=str(metadata.get("cluster") or sample.id),
        grade="/".join(grade),
        size=len("".join(sample.target)),
        value=difficulty.get(str(sample.id)),
    )


def _parts(candidates: Sequence[Candidate]) -> dict[str, int]:
    """Number of the part of each item, by difficulty where that is known and else by size.

    0 is the part with the shortest gold, or the hardest; equals stay together.
    """
    by_size = [(one.id, float(one.size)) for one in candidates if one.value is None]
    by_value = [(one.id, one.value) for one in candidates if one.value is not None]
    found: dict[str, int] = {}
    for measured, parts, first in ((by_size, _SIZES, 0), (by_value, _DIFFICULTIES, _SIZES)):
        sizes = sorted(size for _, size in measured)
        bounds = [sizes[len(sizes) * part // parts] for part in range(1, parts)] if sizes else []
        found |= {item: first + sum(size >= at for at in bounds) for item, size in measured}
    return found


def _shares(counts: dict[tuple[str, int], int], subset: Subset) -> dict[tuple[str, int], int]:
    """Items of each stratum: its share rounded down, and the rest to the largest remainders."""
    total = sum(counts.values())
    shares = {key: count * subset.size // total for key, count in counts.items()}
    rest = subset.size - sum(shares.values())
    by_remainder = sorted(
        counts, key=lambda key: (-(counts[key] * subset.size % total), hash_of([subset.seed, *key]))
    )
    for key in by_remainder[:rest]:
        shares[key] += 1
    return shares


def _spread(ordered: Sequence[Candidate]) -> list[Candidate]:
    """The first of each cluster, then the second of each, and so on."""
    seen: Counter[str] = Counter()
    turns = []
    for one in ordered:
        turns.append((seen[one.cluster], one))
        seen[one.cluster] += 1
    return [one for _, one in sorted(turns, key=lambda turn: turn[0])]
