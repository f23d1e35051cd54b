"""Directions of metrics, with evidence, and the ranges of their values."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from statistics import median
from typing import NamedTuple

from vivavoce.readers.terms import MEASURES, METRICS, SPLITS, metric_key, terms_in, words_where
from vivavoce.text import read_data
from vivavoce.text.normalise import words_of

_COSTS = words_where(lambda metric: metric.cost)
_AT_LEAST_ONE = words_where(lambda metric: metric.term == "perplexity")
_WORD = re.compile(r"\w+")
_FEW = 3
"""Minimum number of values to determine the scale of a board."""
_REVERSING = frozenset({"decrease", "degradation", "drop", "reduction"})
"""Words of a metric that reverse the direction of the rest of its name."""
_IMPROVING = frozenset({"gain", "gains", "improvement", "improvements"})
_WORDS = read_data(__file__, "words.toml")
_BESIDE = frozenset([*_WORDS["beside"], *_WORDS["units"]])
_REMARK = re.compile(r"\(([^()]{0,100})\)")
_WITHIN = re.compile(r"[<≤]\s?[0-9.]")
"""Mark of a metric that is the share of answers whose error is below a bound."""
_MIN_LETTERS = 4
"""Minimum letters of a metric's name that counts also beside other names."""
_HIGH_IN_GENERAL = frozenset({"score", "scores", "value", "index", "rate", "ratio"})
"""Words that give no direction if another metric's name stands beside them."""
_GENERIC = frozenset({"error", "loss", "score"})
"""Words that give a direction but, beside other words, no range."""
_MAX_TOKENS = 30
_AT_NUMBER = re.compile(r"@\s?\d{1,4}|\d{1,2}")
_LISTED = 5
"""Minimum number of different scores in a list for its order to be evidence."""


class Direction(NamedTuple):
    """The better end of a metric, and the evidence for it."""

    higher_is_better: bool | None = None
    """Direction of the metric; None if evidence is missing or contradictory."""
    sources: tuple[str, ...] = ()
    """Kinds of evidence, most reliable first: `source`, `name`, `order`."""


def direction_of(
    metrics: Iterable[str],
    given: Sequence[bool | None] = (),
    lists: Sequence[Sequence[float]] = (),
) -> Direction:
    """Determine the direction of a metric from `given` statements of boards, else from its names.

    Without either, `lists` of scores show it, if all are sorted and in the same direction.
    """
    listed = [value for value in given if value is not None]
    evidence: dict[str, set[bool | None]] = {
        "source": {max(listed, key=listed.count)} if listed else set(),
        "name": {end for name in metrics if (end := _named(name)) is not None},
        "order": {_ordered(scores) for scores in lists if len(set(scores)) >= _LISTED},
    }
    ends = evidence["source"] or evidence["name"] or evidence["order"]
    higher = next(iter(ends)) if len(ends) == 1 else None
    if higher is None:
        return Direction()
    return Direction(
        higher, tuple(source for source, shown in evidence.items() if shown == {higher})
    )


def _named(metric: str) -> bool | None:
    """Decide from the words of a name if higher is better; None if they do not tell."""
    directions: list[str] = []
    # Try the name without its remark, then the remark, then the key, which covers more spellings.
    for text in (metric, " ".join(_REMARK.findall(metric)), metric_key(metric)):
        words = _words(text)
        names = _names_in(words)
        directions = [name.better for name in names if name.better != "none"]
        if directions:
            break
    else:
        return None
    higher = _head(words, names) != "lower"
    rest = set(words) - {word for name in names for word in name.words}
    if not _IMPROVING.isdisjoint(words):
        higher = True
    elif not _REVERSING.isdisjoint(rest) or (_WITHIN.search(metric) and not higher):
        higher = not higher
    return higher


def _head(words: Sequence[str], names: Sequence[_Name]) -> str:
    """Direction of the head of a name: its last metric, or the last metric before `of`."""
    telling = [name for name in names if name.better != "none"]
    sure = [name for name in telling if not _HIGH_IN_GENERAL.issuperset(name.words)] or telling
    of_place = words.index("of") if "of" in words else len(words)
    before = [name for name in sure if name.words[0] in words[:of_place]]
    return (before or sure)[-1].better


def _words(metric: str) -> list[str]:
    words = words_of(_REMARK.sub(" ", metric)) or words_of(metric)
    return [word for word in words if any(map(str.isalnum, word))]


def _ordered(scores: Sequence[float]) -> bool | None:
    """True if a list is sorted from the highest score, False from the lowest, else None."""
    if list(scores) == sorted(scores, reverse=True):
        return True
    return False if list(scores) == sorted(scores) else None


def is_resource(metric: str) -> bool:
    """Check whether a metric measures the cost of a method, not its quality."""
    return not _COSTS.isdisjoint(_WORD.findall(metric))


def impossible(metric: str, value: float | None) -> str | None:
    """Reason why a metric cannot have this value; None if it can."""
    if value is None:
        return "no number"
    if not math.isfinite(value):
        return "not finite"
    known = _names_in(_words(metric))
    if value < 0 and known and not any(name.signed for name in known):
        return "negative"
    if value < 1 and not _AT_LEAST_ONE.isdisjoint(_WORD.findall(metric)):
        return "below 1"
    if abs(value) > 100 and _is_bounded(metric):
        return "above 100"
    return None


def off_scale(metric: str, values: Sequence[float]) -> list[bool]:
    """Flag fractions among percentages, or percentages among fractions, for bounded metrics."""
    fractions = [abs(value) <= 1 for value in values]
    if not _is_bounded(metric) or len(values) < _FEW or len(set(fractions)) < 2:
        return [False] * len(values)
    are_fractions = median(map(abs, values)) <= 1
    others = [value != are_fractions for value in fractions]
    # A method may be no better than chance, so an outlier must be far from all other values.
    rest = [abs(v) for v, is_other in zip(values, others, strict=True) if not is_other]
    far = min(rest) > 10 if not are_fractions else max(rest) <= 1
    return [is_other and far for is_other in others]


def _is_bounded(metric: str) -> bool:
    words = _words(metric)
    known = _names_in(words)
    specific = [name for name in known if len(words) == 1 or not _GENERIC.issuperset(name.words)]
    return bool(specific) and not any(name.free for name in known)


def split_metric(text: str) -> tuple[str, str]:
    """Split a header into the first metric that it names, as printed, and the remaining words."""
    tokens = text.split()[:_MAX_TOKENS]
    for start, token in enumerate(tokens):
        end = _metric_end(tokens, start) if _may_begin_metric(token) else start
        if end > start:
            return " ".join(tokens[start:end]), " ".join([*tokens[:start], *tokens[end:]])
    return "", " ".join(tokens)


def _may_begin_metric(token: str) -> bool:
    words = _words(token)
    return bool(words) and (words[0] in _first_words() or not MEASURES.isdisjoint(terms_in(token)))


def _metric_end(tokens: Sequence[str], start: int) -> int:
    """End of the longest metric name that starts at a token; `start` if there is none."""
    spellings = _spellings()
    for end in range(min(len(tokens), start + _most_words()), start, -1):
        words = tuple(word for token in tokens[start:end] for word in _words(token))
        name = spellings.get(words) or spellings.get(_without_numbers(words))
        terms = terms_in(" ".join(tokens[start:end]))
        is_alone = len(tokens) == end - start or "@" in tokens[start]
        is_named = name is not None and (not name.is_short or is_alone)
        is_named = is_named and not SPLITS.issuperset(terms or ("",))  # `valid` is a split
        if is_named or (terms and MEASURES.issuperset(terms)):
            is_numbered = end < len(tokens) and _AT_NUMBER.fullmatch(tokens[end]) is not None
            return end + is_numbered
    return start


class _Name(NamedTuple):
    """A spelling of a metric, with its direction and range."""

    words: tuple[str, ...]
    better: str
    free: bool
    signed: bool
    is_short: bool
    """True if the spelling means the metric only when no other name is next to it."""


def _names_in(words: Sequence[str]) -> list[_Name]:
    """The metrics in the words of a name, from left to right, longest match first."""
    spellings = _spellings()
    first, last = 0, len(words)
    while first < last and words[first] in _BESIDE:
        first += 1
    while last > first and words[last - 1] in _BESIDE:
        last -= 1
    inner = tuple(words[first:last])
    bare = tuple(word for word in inner if word not in _HIGH_IN_GENERAL)
    short = _without_numbers(bare)
    mean = (short[0][1:],) if len(short) == 1 and short[0].startswith("m") else short
    for whole in (tuple(words), inner, _without_numbers(inner), bare, short, mean):
        if whole in spellings:
            return [spellings[whole]]
    return list(_parts(inner, spellings))


def _parts(words: Sequence[str], spellings: Mapping[tuple[str, ...], _Name]) -> Iterator[_Name]:
    start = 0
    while start < len(words):
        ends = range(min(len(words), start + _most_words()), start, -1)
        candidates = (spellings.get(tuple(words[start:end])) for end in ends)
        name = next((name for name in candidates if name is not None and not name.is_short), None)
        if name is not None:
            yield name
        start += len(name.words) if name is not None else 1


def _without_numbers(words: tuple[str, ...]) -> tuple[str, ...]:
    """Drop numbers from the end of some words: `hits 10`, `ap50`."""
    last = len(words)
    while last and words[last - 1].isdecimal():
        last -= 1
    kept = words[:last]
    return (*kept[:-1], kept[-1].rstrip("0123456789") or kept[-1]) if kept else kept


@cache
def _spellings() -> dict[tuple[str, ...], _Name]:
    """Every known spelling of a metric's name, keyed by its words."""
    spellings: dict[tuple[str, ...], _Name] = {}
    for metric in METRICS:
        for form in (metric.term, *metric.spellings, *metric.words):
            words = tuple(_words(form))
            name = _Name(words, metric.better, metric.free, metric.signed, is_short=False)
            spellings.setdefault(words, name)
    for kind in read_data(__file__, "metric_kinds.toml")["kinds"]:
        for form in kind["names"]:
            words = tuple(_words(form))
            short = sum(map(len, words)) < _MIN_LETTERS
            free, signed = kind.get("free", False), kind.get("signed", False)
            spellings[words] = _Name(words, kind["better"], free, signed, short)
    return spellings


@cache
def _first_words() -> frozenset[str]:
    return frozenset(words[0] for words in _spellings() if words)


@cache
def _most_words() -> int:
    return max(map(len, _spellings()))
