"""The vocabulary of metrics: names, other ways to write them, and which values are better.

`metric_names.toml` holds it. Readers of tables and sentences, the keys of boards, their directions
and tables of literature all take their words from there.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Literal

_PHRASE = re.compile(r"\w+(?: [\w']+)+")


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric, or a word that names what a method costs."""

    term: str
    """The word that texts are folded to."""
    name: str = ""
    """As a table of literature prints it; empty where such tables do not look for it."""
    forms: tuple[str, ...] = ()
    """Other ways to write it."""
    loose: tuple[str, ...] = ()
    """Ways to write it that only tables of literature look for."""
    words: tuple[str, ...] = ()
    """Single words of headers and boards that mean it."""
    key: str = ""
    """Key of boards; empty for that of the name."""
    better: Literal["higher", "lower"] = "higher"
    free: bool = False
    """Values above 100 are possible."""
    signed: bool = False
    """Values below 0 are possible."""
    cost: bool = False
    """It tells what a method costs, not how good it is."""
    in_texts: bool = True
    """False for a word too common in texts to name a measure there."""
    vague: bool = False
    """A measure only above a column of numbers, not in a sentence."""

    @property
    def spellings(self) -> tuple[str, ...]:
        """Its name and other ways to write it."""
        return (self.name, *self.forms) if self.name else self.forms

    @property
    def single_words(self) -> tuple[str, ...]:
        """Other single words that mean it, without case."""
        forms = (form.rstrip(".").casefold() for form in self.forms)
        return (*self.words, *(form for form in forms if form.isalnum() and form != self.term))

    @property
    def phrases(self) -> tuple[str, ...]:
        """Spellings of several words, without case and hyphens."""
        forms = (form.casefold().replace("-", " ") for form in self.spellings)
        return tuple(form for form in forms if _PHRASE.fullmatch(form))


def _read() -> tuple[Metric, ...]:
    content = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return tuple(Metric(term, **_fields(row)) for term, row in content.items())


def _fields(row: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(v) if isinstance(v, list) else v for name, v in row.items()}


METRICS = _read()


def words_where(holds: Callable[[Metric], bool]) -> frozenset[str]:
    """Single words that mean one of the metrics for which something holds."""
    return frozenset(
        word for metric in METRICS if holds(metric) for word in (metric.term, *metric.single_words)
    )


_LOWER = words_where(lambda metric: metric.better == "lower")
_COSTS = words_where(lambda metric: metric.cost)
_UNBOUNDED = words_where(lambda metric: metric.free)
_SIGNED = words_where(lambda metric: metric.signed)
_AT_LEAST_ONE = words_where(lambda metric: metric.term == "perplexity")
_WORD = re.compile(r"\w+")
_FEW = 3
"""Values from which on the scale of a board can be told."""


@dataclass(frozen=True, slots=True)
class Direction:
    """The better end of a metric, and how it is known."""

    higher_is_better: bool
    source: str
    """`given` by the list, by the `name` of the metric, or `assumed`."""


def direction_of(metric: str, given: Sequence[bool | None] = ()) -> Direction:
    """The direction of a metric.

    Args:
        metric: Its key.
        given: What the rows of the board say; the most frequent goes, and of two the first.
    """
    told = [value for value in given if value is not None]
    if told:
        return Direction(max(told, key=told.count), "given")
    if _names(metric, _LOWER):
        return Direction(False, "name")
    return Direction(True, "name" if _is_bounded(metric) else "assumed")


def is_resource(metric: str) -> bool:
    """Check whether a metric tells what a method costs instead of how good it is."""
    return _names(metric, _COSTS)


def impossible(metric: str, value: float | None) -> str | None:
    """Reason why a value cannot be one of a metric's; None when it can."""
    if value is None:
        return "no number"
    if not math.isfinite(value):
        return "not finite"
    if value < 0 and not _names(metric, _SIGNED):
        return "negative"
    if _names(metric, _AT_LEAST_ONE) and value < 1:
        return "below 1"
    if _is_bounded(metric) and abs(value) > 100:
        return "above 100"
    return None


def off_scale(metric: str, values: Sequence[float]) -> list[bool]:
    """Flag values that are fractions among percentages, or percentages among fractions.

    Told only of metrics from 0 to 100, where most values are of one scale.
    """
    fractions = [abs(value) <= 1 for value in values]
    if not _is_bounded(metric) or len(values) < _FEW or len(set(fractions)) < 2:
        return [False] * len(values)
    are_fractions = median(map(abs, values)) <= 1
    others = [value != are_fractions for value in fractions]
    # A method may be no better than chance: an outlier has to be far from all others.
    rest = [abs(v) for v, is_other in zip(values, others, strict=True) if not is_other]
    far = min(rest) > 10 if not are_fractions else max(rest) <= 1
    return [is_other and far for is_other in others]


def _is_bounded(metric: str) -> bool:
    return not _names(metric, _UNBOUNDED)


def _names(metric: str, words: frozenset[str]) -> bool:
    return not words.isdisjoint(_WORD.findall(metric))
