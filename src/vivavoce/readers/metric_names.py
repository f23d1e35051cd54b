"""Names, other spellings and directions of metrics, from `metric_names.toml`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from vivavoce.text.data import read_data
from vivavoce.text.normalise import words_of

_AT_RANK = re.compile(r"(h|hit|hits|p|prec|precision|r|rec|recall) @ (\d{1,6})")
_AT_RANK_NAMES = {"h": "hits", "p": "p", "r": "recall"}
_REMARK = re.compile(r"\(([^()]{1,300})\)")
_LETTER = re.compile(r"[^\W\d_]+")
_PHRASE = re.compile(r"\w+(?: [\w']+)+")


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric, or a word for a cost of a method."""

    term: str
    """The normal form of all spellings in texts."""
    name: str = ""
    """Name as printed in tables; empty for a word that is only read."""
    forms: tuple[str, ...] = ()
    """Other spellings."""
    words: tuple[str, ...] = ()
    """Single words of headers and boards with this meaning."""
    key: str = ""
    """Key in boards; empty for the key of the name."""
    better: Literal["higher", "lower", "none"] = "higher"
    free: bool = False
    """True if values above 100 are possible."""
    signed: bool = False
    """True if values below 0 are possible."""
    cost: bool = False
    """True if the metric measures a method's cost, not its quality."""
    in_texts: bool = True
    """False for a word too common in texts to name a measure there."""

    @property
    def spellings(self) -> tuple[str, ...]:
        """The name and other spellings."""
        return (self.name, *self.forms) if self.name else self.forms

    @property
    def single_words(self) -> tuple[str, ...]:
        """Other single words with this meaning, case folded."""
        forms = (form.rstrip(".").casefold() for form in self.forms)
        return (*self.words, *(form for form in forms if form.isalnum() and form != self.term))

    @property
    def phrases(self) -> tuple[str, ...]:
        """Spellings of several words, case folded, without hyphens."""
        forms = (form.casefold().replace("-", " ") for form in self.spellings)
        return tuple(form for form in forms if _PHRASE.fullmatch(form))


def _fields(row: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(v) if isinstance(v, list) else v for name, v in row.items()}


METRICS = tuple(
    Metric(term, **_fields(row)) for term, row in read_data(__file__, "metric_names.toml").items()
)


def words_where(holds: Callable[[Metric], bool]) -> frozenset[str]:
    """Single words for the metrics that satisfy a condition."""
    return frozenset(
        word for metric in METRICS if holds(metric) for word in (metric.term, *metric.single_words)
    )


def name_key(name: str) -> str:
    """A name without case, accents and punctuation, in American spelling."""
    return " ".join(words_of(name))


def metric_key(name: str) -> str:
    """Key of a metric, the same for its common spellings."""
    key = name_key(without_abbreviation(name))
    if match := _AT_RANK.fullmatch(key):
        return f"{_AT_RANK_NAMES[match[1][0]]} @ {match[2]}"
    return _metric_keys().get(key, key)


@cache
def _metric_keys() -> dict[str, str]:
    """Keys of metrics by the normalised spelling."""
    return {
        name_key(form): metric.key or name_key(metric.name or metric.term)
        for metric in METRICS
        for form in metric.spellings
    }


def without_abbreviation(name: str) -> str:
    """A name without a bracketed abbreviation or expansion of it."""
    for remark in _REMARK.finditer(name):
        before, inside = name[: remark.start()], remark[1]
        if _abbreviates(inside, before) or _abbreviates(before, inside):
            return f"{before.rstrip()}{name[remark.end() :]}"
    return name


def _abbreviates(short: str, long: str) -> bool:
    """Check whether the capitals of a word are the initials of others, `of` and the like aside."""
    words = _LETTER.findall(short)
    if len(words) != 1 or len(_LETTER.findall(long)) < 2:
        return False
    initials = ""
    for word in _LETTER.findall(long):
        if word.isupper():
            initials += word
        elif word.casefold() not in ("a", "and", "for", "of", "on", "the", "to"):
            initials += word[0].upper()
    capitals = "".join(c for c in words[0] if c.isupper())
    return len(capitals) > 1 and initials.startswith(capitals)
