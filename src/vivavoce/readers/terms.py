"""Names of metrics, and terms in captions, headers and boards; synonyms share one term."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal

from vivavoce.text import read_data
from vivavoce.text.normalise import SUBSCRIPT, normalise, words_of

_AT_RANK = re.compile(r"(h|hit|hits|p|prec|precision|r|rec|recall) @ (\d{1,6})")
_AT_RANK_NAMES = {"h": "hits", "p": "p", "r": "recall"}
_REMARK = re.compile(r"\(([^()]{1,300})\)")
_LETTER = re.compile(r"[^\W\d_]+")
_SEVERAL_WORDS = re.compile(r"\w+(?: [\w']+)+")


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric, or a word for a cost of a method."""

    term: str
    """The normal form of all spellings in texts."""
    name: str = ""
    """Name as printed in tables; empty for a word that is read but never printed."""
    forms: tuple[str, ...] = ()
    """Other spellings."""
    words: tuple[str, ...] = ()
    """Single words with this meaning in headers and boards."""
    key: str = ""
    """Key in boards; if empty, the key of the name is used."""
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
        """Other single words with this meaning, case-folded."""
        forms = (form.rstrip(".").casefold() for form in self.forms)
        return (*self.words, *(form for form in forms if form.isalnum() and form != self.term))

    @property
    def phrases(self) -> tuple[str, ...]:
        """Spellings of several words, case-folded, without hyphens."""
        forms = (form.casefold().replace("-", " ") for form in self.spellings)
        return tuple(form for form in forms if _SEVERAL_WORDS.fullmatch(form))


def _fields(row: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(v) if isinstance(v, list) else v for name, v in row.items()}


METRICS = tuple(
    Metric(term, **_fields(row)) for term, row in read_data(__file__, "metric_names.toml").items()
)


def words_where(holds: Callable[[Metric], bool]) -> frozenset[str]:
    """The single words for metrics that satisfy a condition."""
    return frozenset(
        word for metric in METRICS if holds(metric) for word in (metric.term, *metric.single_words)
    )


def name_key(name: str) -> str:
    """Normalise a name: no case, accents or punctuation, American spelling."""
    return " ".join(words_of(name))


def metric_key(name: str) -> str:
    """Make the key of a metric, which its common spellings share."""
    key = name_key(without_abbreviation(name))
    if match := _AT_RANK.fullmatch(key):
        return f"{_AT_RANK_NAMES[match[1][0]]} @ {match[2]}"
    return _metric_keys().get(key, key)


@cache
def _metric_keys() -> dict[str, str]:
    """Keys of metrics, by normalised spelling."""
    return {
        name_key(form): metric.key or name_key(metric.name or metric.term)
        for metric in METRICS
        for form in metric.spellings
    }


def without_abbreviation(name: str) -> str:
    """Drop a bracketed abbreviation or expansion from a name."""
    for remark in _REMARK.finditer(name):
        before, inside = name[: remark.start()], remark[1]
        if _abbreviates(inside, before) or _abbreviates(before, inside):
            return f"{before.rstrip()}{name[remark.end() :]}"
    return name


def _abbreviates(short: str, long: str) -> bool:
    """Check whether a word's capitals are the initials of others, ignoring `of` and the like."""
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


MAX_TEXT = 4_000
"""Maximum number of characters read from a text."""

_WORDS = read_data(__file__, "terms.toml")
_TEMPLATES = tuple((re.compile(form), term) for form, term in _WORDS["templates"])
_NUMBERED = re.compile(r"\b([a-z]{2,})[ -](\d{1,4})\b")
_WORD = re.compile(r"[a-z0-9]+(?:[@#][a-z0-9]+)?|[%#]")
_SAME = _WORDS["same"] | {
    word: metric.term for metric in METRICS for word in metric.single_words if metric.in_texts
}
SPLITS = frozenset({"dev", "test", "train"})
MEASURES = frozenset(metric.term for metric in METRICS if metric.in_texts and not metric.cost)
"""Terms for measures of results."""
RESOURCES = frozenset({*(metric.term for metric in METRICS if metric.cost), *_WORDS["resources"]})
"""Terms that mark columns without results."""
STUBS = frozenset(_WORDS["stubs"])
"""Terms in the header of the column that names the methods."""
GENERAL = frozenset(_WORDS["general"])


def terms_in(text: str) -> tuple[str, ...]:
    """The terms in a text, in order, repetitions included."""
    return _terms_in(text[:MAX_TEXT])


@lru_cache(maxsize=4096)
def _terms_in(text: str) -> tuple[str, ...]:
    plain = SUBSCRIPT.sub("", text.casefold() if text.isascii() else _plain(text))
    plain = _PHRASE.sub(lambda match: f" {_PHRASES[match[0].replace('-', ' ')]} ", plain)
    for pattern, replacement in _TEMPLATES:
        plain = pattern.sub(replacement, plain)
    plain = _NUMBERED.sub(r"\1\2", plain)
    return tuple(_SAME.get(word, word) for word in _WORD.findall(plain))


def _plain(text: str) -> str:
    """Remove case, accents and typographic variants from a text."""
    folded = normalise("NFKC", text).casefold()
    return "".join(c for c in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(c))


_PHRASES = {
    _plain(phrase): metric.term
    for metric in METRICS
    if metric.in_texts
    for phrase in metric.phrases
}
_MAX_FIRST = sorted(_PHRASES, key=lambda phrase: (-len(phrase), phrase))
_PHRASE = re.compile(rf"\b(?:{'|'.join(phrase.replace(' ', '[ -]') for phrase in _MAX_FIRST)})\b")


def telling_terms(text: str) -> list[str]:
    """The distinct terms in a text, without terms too common in names."""
    return [term for term in dict.fromkeys(terms_in(text)) if term not in GENERAL]
