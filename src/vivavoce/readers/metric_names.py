"""The vocabulary of metrics: names, other ways to write them, and which values are better.

`metric_names.toml` holds it. Readers of tables and sentences, the keys of boards and their
directions all take their words from there.
"""

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
    """A metric, or a word that names what a method costs."""

    term: str
    """The word that texts are folded to."""
    name: str = ""
    """Name as tables print it; empty for a word that is only read."""
    forms: tuple[str, ...] = ()
    """Other ways to write it."""
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
    """True for what measures a method's cost, not its quality."""
    in_texts: bool = True
    """False for a word too common in texts to name a measure there."""

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


def _fields(row: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(v) if isinstance(v, list) else v for name, v in row.items()}


METRICS = tuple(
    Metric(term, **_fields(row)) for term, row in read_data(__file__, "metric_names.toml").items()
)


def words_where(holds: Callable[[Metric], bool]) -> frozenset[str]:
    """Single words that mean one of the metrics for which something holds."""
    return frozenset(
        word for metric in METRICS if holds(metric) for word in (metric.term, *metric.single_words)
    )


def name_key(name: str) -> str:
    """A name without case, accents, punctuation and spaces between words, in American spelling.

    `CNN / Daily Mail (non-anonymised)` and `cnn/daily mail non-anonymized` are one.
    """
    return " ".join(words_of(name))


def metric_key(name: str) -> str:
    """The key of a metric, the same for its common spellings."""
    key = name_key(without_abbreviation(name))
    if found := _AT_RANK.fullmatch(key):
        return f"{_AT_RANK_NAMES[found[1][0]]} @ {found[2]}"
    return _metric_keys().get(key, key)


@cache
def _metric_keys() -> dict[str, str]:
    """The key of each spelling of a metric, by the key of that spelling."""
    return {
        name_key(form): metric.key or name_key(metric.name or metric.term)
        for metric in METRICS
        for form in metric.spellings
    }


def without_abbreviation(name: str) -> str:
    """A name without a remark that abbreviates it, or that spells it out."""
    for remark in _REMARK.finditer(name):
        before, inside = name[: remark.start()], remark[1]
        if _abbreviates(inside, before) or _abbreviates(before, inside):
            return f"{before.rstrip()}{name[remark.end() :]}"
    return name


def _abbreviates(short: str, long: str) -> bool:
    """Check whether the capitals of a single word are the first letters of some words."""
    words = _LETTER.findall(short)
    if len(words) != 1 or len(_LETTER.findall(long)) < 2:
        return False
    capitals = "".join(c for c in words[0] if c.isupper())
    return len(capitals) > 1 and _initials(long).startswith(capitals)


def _initials(text: str) -> str:
    """The first letters of words as capitals; of a word in capitals all of them, of `of` none."""
    found = []
    for word in _LETTER.findall(text):
        if word.isupper():
            found.append(word)
        elif word.casefold() not in ("a", "and", "for", "of", "on", "the", "to"):
            found.append(word[0].upper())
    return "".join(found)
