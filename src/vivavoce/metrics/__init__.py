"""Metrics: pure functions from predictions and references to numbers.

One file per metric family; no Inspect, no files, no model calls. Each file defines `METRICS`,
which describes what it computes; `viva list metrics`, the docs and the contract tests read it.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metric:
    """What a number means."""

    name: str
    """As printed on boards and in files, such as `rougeL`."""
    summary: str
    """One line: what it measures."""
    family: str
    """The score family it belongs to, such as `writing`."""
    low: float
    high: float | None
    """None where there is no upper end."""
    source: str
    """Where the definition comes from: paper and equation or table."""
    higher_is_better: bool = True


def list_metrics() -> tuple[Metric, ...]:
    """Every metric, by family and name; two families may use one name."""
    modules = (
        importlib.import_module(f"{__name__}.{module.name}")
        for module in pkgutil.iter_modules(__path__)
    )
    metrics = [metric for module in modules for metric in getattr(module, "METRICS", ())]
    return tuple(sorted(metrics, key=lambda metric: (metric.family, metric.name)))


_PARTS = {
    "implementation": ("factor", "architecture", "extraction", "reproduction", "implementation")
}
"""A family of tasks that is more than one score family."""


def metrics_of(family: str) -> dict[str, Metric]:
    """The metrics of one family, of scores or of tasks, by name."""
    parts = _PARTS.get(family, (family,))
    return {metric.name: metric for metric in list_metrics() if metric.family in parts}
