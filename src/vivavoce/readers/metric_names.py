"""The vocabulary of metrics: names, other ways to write them, and which values are better.

`metric_names.toml` holds it. Readers of tables and sentences, the keys of boards, their directions
and tables of literature all take their words from there.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
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
    better: Literal["higher", "lower", "none"] = "higher"
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
