"""Terms of captions, headers and boards: one term for all words of the same meaning."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from vivavoce.readers.metric_names import METRICS
from vivavoce.text.data import read_data
from vivavoce.text.normalise import normalise

MAX_TEXT = 4_000
"""Characters of a text whose terms are read."""

_WORDS = read_data(__file__, "terms.toml")
_TEMPLATES = tuple((re.compile(form), term) for form, term in _WORDS["templates"])
_NUMBERED = re.compile(r"\b([a-z]{2,})[ -](\d{1,4})\b")
_WORD = re.compile(r"[a-z0-9]+(?:[@#][a-z0-9]+)?|[%#]")
_SAME = _WORDS["same"] | {
    word: metric.term for metric in METRICS for word in metric.single_words if metric.in_texts
}
SPLITS = frozenset({"dev", "test", "train"})
MEASURES = frozenset(metric.term for metric in METRICS if metric.in_texts and not metric.cost)
"""Words for measures of results."""
RESOURCES = frozenset({*(metric.term for metric in METRICS if metric.cost), *_WORDS["resources"]})
"""Words of columns without results."""
STUBS = frozenset(_WORDS["stubs"])
"""Headers of the column with the methods."""
GENERAL = frozenset(_WORDS["general"])


def terms_in(text: str) -> tuple[str, ...]:
    """The terms of a text in order, repetitions included."""
    return _terms_in(text[:MAX_TEXT])


@lru_cache(maxsize=4096)
def _terms_in(text: str) -> tuple[str, ...]:
    plain = text.casefold() if text.isascii() else _plain(text)
    plain = _PHRASE.sub(lambda found: f" {_PHRASES[found[0].replace('-', ' ')]} ", plain)
    for pattern, replacement in _TEMPLATES:
        plain = pattern.sub(replacement, plain)
    plain = _NUMBERED.sub(r"\1\2", plain)
    return tuple(_SAME.get(word, word) for word in _WORD.findall(plain))


def _plain(text: str) -> str:
    """A text without case, accents and typographic variants."""
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
    """Distinct terms of a text, without terms too common in names."""
    return [term for term in dict.fromkeys(terms_in(text)) if term not in GENERAL]
