"""Metrics: pure functions from predictions and references to numbers.

One file per metric family; no Inspect, no files, no model calls. `METRICS` holds the descriptions
in metrics.toml, and `@metric` describes a metric that is a single function; `viva list metrics`,
the docs and the contract tests read both.

A family's package, or its module `metrics`, may define more metrics. A package that has only
metrics is registered like a family, under the group `vivavoce.families`, but has no card.
"""

import importlib.util
import inspect
import math
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, pairwise
from pathlib import Path
from types import ModuleType
from typing import Literal, TypeAlias, TypeVar

from vivavoce.errors import InputError, PluginError
from vivavoce.plugins import FAMILIES, Plugins, described, load_plugins, wrong_result
from vivavoce.requests import nearest
from vivavoce.store import SHORT_HASH, Row, hash_file
from vivavoce.text import read_data

T = TypeVar("T")

Compute = Callable[[str, Row], float | None]
Values: TypeAlias = Mapping[str, float | None]
"""Metrics of an answer by name; None if undefined."""
_TOLERANCE = 1e-6
"""Values of 32 bits may exceed a bound of 1 by this much."""


class FaultyAnswer(Exception):
    """An answer has a fault, such as `malformed`.

    `values` are the metrics that it has nevertheless; None if there is nothing to score.
    """

    def __init__(self, fault: str, values: Values | None = None) -> None:
        super().__init__(fault)
        self.fault = fault
        self.values = values


@dataclass(frozen=True, slots=True)
class Metric:
    """Description of a metric."""

    name: str
    """Name as printed on boards and in files, such as `rougeL`."""
    summary: str
    """One line: what it measures."""
    family: str
    """The score family it belongs to, such as `writing`."""
    low: float
    high: float | None
    """Upper end of the values; None if there is none."""
    source: str
    """Origin of the definition: paper and equation or table."""
    higher_is_better: bool = True
    compute: Compute | None = None
    """Function of an answer and its row; None for metrics that are computed together."""

    @property
    def failed(self) -> float | None:
        """Value of a faulty answer: 0, or None if 0 is best."""
        return 0.0 if self.higher_is_better else None

    def of(self, answer: str, row: Row) -> float | None:
        """Compute the metric; `PluginError` if its function fails or gives an impossible value."""
        if self.compute is None:
            raise TypeError(f"{self.name} is not computed from one answer")
        try:
            value = self.compute(answer, row)
        except FaultyAnswer:
            raise
        except Exception as error:  # the code of another package can raise anything
            raise PluginError(
                f"The metric {self.name} failed on the item {row.get('id')}: {described(error)}. "
                f"Its row has: {', '.join(sorted(row))}."
            ) from error
        return self.checked(value, self.compute)

    def checked(self, value: object, made_by: Callable[..., object]) -> float | None:
        """Check a value; `PluginError` names the function that made it if it is impossible."""
        if value is None:
            return None
        if not isinstance(value, int | float) or not math.isfinite(value):
            raise wrong_result(made_by, f"gave {value!r} as {self.name}, which is not a number")
        high = math.inf if self.high is None else self.high
        if not self.low - _TOLERANCE <= value <= high + _TOLERANCE:
            bounds = f"at least {self.low:g}"
            if self.high is not None:
                bounds = f"from {self.low:g} to {high:g}"
            raise wrong_result(made_by, f"gave {value:g} as {self.name}, whose values are {bounds}")
        return float(value)


def metric(
    family: str,
    source: str,
    *,
    low: float = 0.0,
    high: float | None = 1.0,
    higher_is_better: bool = True,
) -> Callable[[Compute], Metric]:
    """Describe a function as a metric, using its name and the first line of its docstring.

    The arguments are those of `Metric`. A row has the item's fields, with `id` and `target`.
    """

    def describe(compute: Compute) -> Metric:
        summary = (compute.__doc__ or "").partition("\n")[0].rstrip(".")
        name = str(getattr(compute, "__name__", ""))
        return Metric(name, summary, family, low, high, source, higher_is_better, compute)

    return describe


def _read() -> Iterator[Metric]:
    for group in read_data(__file__, "metrics.toml")["group"]:
        common = {"low": 0.0, "high": 1.0, **group}
        metrics = common.pop("metrics")
        common["high"] = common["high"] if math.isfinite(common["high"]) else None
        for name, summary in metrics.items():
            yield Metric(name, summary, **common)


METRICS = tuple(_read())


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric with its settings, ready to compare answers with references."""

    score: Callable[[Sequence[tuple[str, str]]], Sequence[Mapping[str, float | None]]]
    """Takes (answer, reference) pairs; returns the values of each pair by name."""
    settings: Mapping[str, str | int] = field(default_factory=dict)
    """Settings that the values depend on."""
    batch: int = 1_024
    """Best number of pairs to pass at once."""


@dataclass(frozen=True, slots=True)
class TextMetric:
    """A metric of an answer's text, which can be added to logs after their runs."""

    name: str
    family: str
    """Family of tasks, such as `writing`."""
    names: tuple[str, ...]
    """Names of its values, each described by a `Metric`."""
    open: Callable[..., Measure]
    """Makes the measure from named settings."""
    takes: tuple[str, ...] = ()
    """Names of these settings."""

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """Descriptions of its values."""
        known = metrics_of(self.family)
        return tuple(known[name] for name in self.names)


def find_text_metric(name: str) -> TextMetric:
    """Find a metric that can be added to logs; `InputError` for an unknown name lists them all.

    These are the metrics in `TEXT_METRICS` of a module, and those that are functions.
    """
    by_name = _text_metrics()
    if name not in by_name:
        raise InputError(
            f"No metric {name!r} can be added to logs.{nearest(name, sorted(by_name))}"
        )
    return by_name[name]


def _text_metrics() -> dict[str, TextMetric]:
    functions = [_text_metric(each) for each in list_metrics() if each.compute]
    listed = _load(lambda part: getattr(part, "TEXT_METRICS", ())).loaded.values()
    return {each.name: each for each in (*functions, *chain(*listed))}


def _text_metric(metric: Metric) -> TextMetric:
    """A metric that is a function, as one of texts; its row has only `target`."""
    compute = metric.compute
    assert compute is not None

    def score(pairs: Sequence[tuple[str, str]]) -> list[Values]:
        return [{metric.name: metric.of(answer, {"target": gold})} for answer, gold in pairs]

    def open() -> Measure:
        code = hash_file(Path(inspect.getfile(inspect.unwrap(compute))))
        return Measure(score, {"code": code[:SHORT_HASH]})

    return TextMetric(metric.name, metric.family, (metric.name,), open)


def list_metrics() -> tuple[Metric, ...]:
    """Every metric, by family and name; `PluginError` if two modules define the same one."""
    listed = [metric for metrics in _registered().loaded.values() for metric in metrics]
    ordered = sorted(listed, key=lambda metric: (metric.family, metric.name))
    for first, second in pairwise(ordered):
        if (first.family, first.name) == (second.family, second.name):
            raise PluginError(
                f"Two modules define the metric {first.name!r} of {first.family}: "
                f"{first.source!r} and {second.source!r}. Uninstall the package of one."
            )
    return tuple(ordered)


@cache
def _registered() -> Plugins[list[Metric]]:
    return _load(_metrics_of)


def _metrics_of(module: ModuleType) -> list[Metric]:
    """Metrics that a module lists in `METRICS`, and those that it defines with `@metric`."""
    functions = [value for value in vars(module).values() if isinstance(value, Metric)]
    own = [metric for metric in functions if metric.compute.__module__ == module.__name__]
    return [*getattr(module, "METRICS", ()), *own]


def has_metrics(package: ModuleType) -> bool:
    """Check whether a package, or its module `metrics`, describes metrics."""
    return any(_metrics_of(module) for module in _modules_of(package))


def _load(find: Callable[[ModuleType], Sequence[T]]) -> Plugins[list[T]]:
    """Collect what `find` returns for the project's own and all registered modules, by name."""

    def collect(modules: Iterable[ModuleType]) -> list[T]:
        return [item for module in modules for item in find(module)]

    plugins = load_plugins(FAMILIES, lambda _, module: collect(_modules_of(module)))
    own = pkgutil.walk_packages(__path__, f"{__name__}.")
    names = [__name__, *(part.name for part in own)]
    plugins.loaded["vivavoce"] = collect(map(importlib.import_module, names))
    return plugins


def _modules_of(package: ModuleType) -> Iterator[ModuleType]:
    """A family's package, and its module `metrics` if it has one."""
    yield package
    name = f"{package.__name__}.metrics"
    if hasattr(package, "__path__") and importlib.util.find_spec(name):
        yield importlib.import_module(name)


_PARTS = {
    "implementation": ("factor", "architecture", "extraction", "reproduction", "implementation")
}
"""Task families that have several score families."""


def metrics_of(family: str) -> dict[str, Metric]:
    """The metrics of one score family or task family, by name."""
    parts = _PARTS.get(family, (family,))
    return {metric.name: metric for metric in list_metrics() if metric.family in parts}


def sense_of(family: str, metric: str) -> tuple[bool, float]:
    """A metric's direction (true if higher is better) and its range (0 if it has no upper end)."""
    known = metrics_of(family).get(metric)
    if known is None:
        return True, 0.0
    return known.higher_is_better, 0.0 if known.high is None else known.high - known.low


Aggregate = Literal["macro", "micro"]


@dataclass(frozen=True, slots=True)
class Ratio:
    """`hits` out of `asked` questions."""

    hits: int
    asked: int
    when_none: float | None = None
    """Value if nothing was asked: None for undefined, 0 for a failure to answer anything."""

    @property
    def value(self) -> float | None:
        """The share of hits."""
        return self.hits / self.asked if self.asked else self.when_none


def harmonic_mean(precision: float | None, recall: float | None) -> float | None:
    """F1 of a precision and a recall; 0 when both are 0, None when either is undefined."""
    if precision is None or recall is None:
        return None
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0
