"""Two ways to the same result, timed in turn in one process."""

import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

SMOKE_SHARE = 0.5
"""Of its target, what a ratio must reach where the work is too small to reach all of it."""


class DifferenceError(Exception):
    """The two ways do not come to the same result, so that their times mean nothing."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A job, and two ways to do it."""

    job: str
    peer: str
    """What users would take instead."""
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    agree: Callable[[Any, Any], bool]
    """Whether the two results are the same."""
    target: float | None = None
    """How many times as fast ours has to be; below 1 for what may cost more."""
    before: Callable[[], None] = lambda: None
    """What is made ready for each of them, untimed."""
    smoke_target: float | None = None
    """In place of half the target, where small work says something else."""


@dataclass(frozen=True, slots=True)
class Limited:
    """A job that nothing else does, and the seconds that it may take."""

    job: str
    limit: float
    ours: Callable[[], Any]
    before: Callable[[], None] = lambda: None
    """What is made ready for each call, untimed."""
    most_rounds: int = 1_000
    is_told: bool = False
    """Whether the job says itself how many seconds count, instead of its CPU time."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a comparison came to; seconds are of process CPU time, children with it."""

    job: str
    peer: str
    ours_seconds: float
    peer_seconds: float
    ratio: float
    """The peer's median by ours."""
    lowest: float
    highest: float
    """Of the ratios of single rounds."""
    rounds: int
    target: float | None

    @property
    def is_met(self) -> bool:
        """Whether the ratio reaches its target, where there is one."""
        return self.target is None or self.ratio >= self.target

    def fields(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return {**asdict(self), "met": self.is_met}


def cpu_seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of one call in this process and its children, and its result."""
    start = _spent()
    result = work()
    return _spent() - start, result


def _spent() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def measure(comparison: Comparison, rounds: int, *, smoke: bool = False) -> Measured:
    """Check that both come to the same, then time them in turn.

    Raises:
        DifferenceError: They do not.
    """
    seconds: dict[str, list[float]] = {"ours": [], "theirs": []}
    sides = {"ours": comparison.ours, "theirs": comparison.theirs}
    results = {}
    for side, work in sides.items():  # the first round warms up and is not counted
        comparison.before()
        results[side] = work()
    if not comparison.agree(results["ours"], results["theirs"]):
        raise DifferenceError(f"{comparison.job}: not what {comparison.peer} gives.")
    for _ in range(rounds):
        for side, work in sides.items():
            comparison.before()
            seconds[side].append(cpu_seconds(work)[0])
    ours, theirs = (statistics.median(seconds[side]) for side in sides)
    single = [t / o for o, t in zip(seconds["ours"], seconds["theirs"], strict=True)]
    return Measured(
        job=comparison.job,
        peer=comparison.peer,
        ours_seconds=ours,
        peer_seconds=theirs,
        ratio=theirs / ours,
        lowest=min(single),
        highest=max(single),
        rounds=rounds,
        target=_target(comparison, smoke=smoke),
    )


def measure_limited(job: Limited, rounds: int, *, smoke: bool = False) -> Measured:
    """Time a job; its limit takes the place of a peer's seconds."""
    taken = []
    for _ in range(min(rounds, job.most_rounds)):
        job.before()
        seconds, result = cpu_seconds(job.ours)
        taken.append(float(result) if job.is_told else seconds)
    median = statistics.median(taken)
    return Measured(
        job=job.job,
        peer="target",
        ours_seconds=median,
        peer_seconds=job.limit,
        ratio=job.limit / median,
        lowest=job.limit / max(taken),
        highest=job.limit / min(taken),
        rounds=len(taken),
        target=_target_limited(job, smoke=smoke),
    )


def _target_limited(job: Limited, *, smoke: bool) -> float | None:
    if not smoke:
        return 1.0
    # Seconds that a job tells are wall time, which a busy machine makes longer.
    return None if job.is_told else SMOKE_SHARE


def _target(comparison: Comparison, *, smoke: bool) -> float | None:
    if not smoke or comparison.target is None:
        return comparison.target
    if comparison.smoke_target is not None:
        return comparison.smoke_target
    return comparison.target * SMOKE_SHARE
