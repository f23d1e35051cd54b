"""Straight lines through what was measured, and what they say of larger sizes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

HOUR = 3600.0
GB = 1e9


@dataclass(frozen=True, slots=True)
class Line:
    """A least-squares line through the measurements of one quantity."""

    intercept: float
    slope: float
    """A paper's share."""
    residual: float
    """The largest distance of a measurement from the line, as a share of the measurement."""
    growth: float
    """The exponent between the smallest and the largest size: 1 is linear, 0 constant."""

    def at(self, papers: float) -> float:
        """What the line says of a size; never below 0."""
        return max(self.intercept + self.slope * papers, 0.0)

    def papers_at(self, limit: float) -> float | None:
        """The size at which the line meets a limit; None when it never does."""
        return (limit - self.intercept) / self.slope if self.slope > 0 else None


def fit(papers: Sequence[float], values: Sequence[float]) -> Line:
    """The line with the least squares; `ValueError` for fewer than two sizes."""
    x, y = np.asarray(papers, dtype=float), np.asarray(values, dtype=float)
    if len(np.unique(x)) < 2:
        raise ValueError("a line needs two sizes or more")
    centred = x - x.mean()
    slope = float(centred @ (y - y.mean()) / (centred @ centred))
    intercept = float(y.mean() - slope * x.mean())
    known = y > 0
    off = np.abs(y - (intercept + slope * x))[known] / y[known]
    low, high = int(x.argmin()), int(x.argmax())
    is_telling = y[low] > 0 and y[high] > 0
    growth = math.log(y[high] / y[low]) / math.log(x[high] / x[low]) if is_telling else 0.0
    return Line(intercept, slope, float(off.max(initial=0.0)), growth)


@dataclass(frozen=True, slots=True)
class Machine:
    """The kind of machine that is extrapolated to."""

    cores: int = 32
    memory_gb: float = 128.0
    disk_gb: float = 4_000.0
    hours: float = 24.0
    """How long the work that spreads may take; this decides how many machines are needed."""


@dataclass(frozen=True, slots=True)
class StageLines:
    """What one stage takes as a function of the number of papers."""

    name: str
    cpu_seconds: Line
    driver_seconds: Line
    """What the one process does that hands out the work; the rest spreads."""
    driver_bytes: Line
    """The most memory that this process holds."""
    worker_bytes: float
    """What each of the others holds at most, which depends on the size of a shard."""
    kept_bytes: Line
    """What its output takes on disk."""
    moved_bytes: Line
    """Written and not kept: what is dealt out on the way."""
    read_bytes: Line

    def memory(self, papers: float, cores: int) -> float:
        """Bytes on a machine that runs the driver, and a worker on every core."""
        return self.driver_bytes.at(papers) + cores * self.worker_bytes


@dataclass(frozen=True, slots=True)
class Need:
    """What a number of papers needs."""

    papers: float
    spread_hours: float
    """CPU hours of the work that processes on any machine can share."""
    single_hours: float
    """CPU hours of what one process does."""
    machines: int
    hours: float
    """From start to end on so many machines."""
    memory_gb: float
    """Of the stage that takes most."""
    memory_stage: str
    disk_gb: float
    shuffle_gb: float
    read_gb: float
    """From files; on a cluster from those that the machines share."""


def extrapolate(lines: Sequence[StageLines], input_bytes: Line, papers: float, on: Machine) -> Need:
    """What the stages together need at a size, on machines of one kind."""
    single = sum(line.driver_seconds.at(papers) for line in lines) / HOUR
    spread = max(sum(line.cpu_seconds.at(papers) for line in lines) / HOUR - single, 0.0)
    disk = (input_bytes.at(papers) + sum(line.kept_bytes.at(papers) for line in lines)) / GB
    shuffle = sum(line.moved_bytes.at(papers) for line in lines) / GB
    machines = max(
        math.ceil(spread / (on.cores * on.hours)), math.ceil((disk + shuffle) / on.disk_gb), 1
    )
    most = max(lines, key=lambda line: line.memory(papers, on.cores))
    return Need(
        papers=papers,
        spread_hours=spread,
        single_hours=single,
        machines=machines,
        hours=spread / (on.cores * machines) + single,
        memory_gb=most.memory(papers, on.cores) / GB,
        memory_stage=most.name,
        disk_gb=disk,
        shuffle_gb=shuffle,
        read_gb=sum(line.read_bytes.at(papers) for line in lines) / GB,
    )


def breaking_points(lines: Sequence[StageLines], on: Machine) -> list[tuple[str, float]]:
    """(Stage, papers at which it fills a machine's memory), the first to break in front."""
    found = []
    for line in lines:
        papers = line.driver_bytes.papers_at(on.memory_gb * GB - on.cores * line.worker_bytes)
        if papers is not None:
            found.append((line.name, papers))
    return sorted(found, key=lambda pair: pair[1])
