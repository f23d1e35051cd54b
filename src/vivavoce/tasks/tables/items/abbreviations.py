"""Abbreviations that texts define in brackets: `question answering (QA)`, or the other way round.

The letters of the short form are found from the right in the words before the bracket, and its
first letter begins a word.

Source: Schwartz and Hearst, "A simple algorithm for identifying abbreviation definitions in
biomedical text" (2003).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

_BRACKET = re.compile(r"\(([^()\n]{2,80})\)")
_SHORT = re.compile(r"[^\W_][\w.&/-]{1,9}")
_BEFORE = 200
"""Characters before a bracket in which a long form is looked for."""
_END_OF_SENTENCE = re.compile(r"[.;:?!]\s|\n")
_MAX_WORDS_BESIDE = 2
"""Words of a long form beside one for each letter; the source allows five, most of them wrong."""


def abbreviations_in(texts: Iterable[str]) -> dict[str, str]:
    """Short forms that texts define -> the long form that most definitions give, sorted.

    Long forms that differ in case, hyphens or the plural alone are one. A short form is left out
    where two long forms are equally frequent. A plural (`CNNs`) defines the singular too.
    """
    found: dict[str, Counter[str]] = {}
    wordings: dict[str, str] = {}
    for text in texts:
        for short, long in _definitions(text):
            wordings.setdefault(_key(long), long)
            for name in {short, _singular(short)}:
                found.setdefault(name, Counter())[_key(long)] += 1
    return {
        short: wordings[ranked[0][0]]
        for short, counts in sorted(found.items())
        if len(ranked := counts.most_common(2)) == 1 or ranked[0][1] > ranked[1][1]
    }


@lru_cache(maxsize=2048)
def _definitions(text: str) -> tuple[tuple[str, str], ...]:
    """(short form, long form) of each definition in a text; papers are read once for all tables."""
    return tuple(_find_definitions(text))


def _find_definitions(text: str) -> Iterator[tuple[str, str]]:
    for bracket in _BRACKET.finditer(text):
        inside = re.split(r"[;,]\s", bracket[1])[0].strip()
        start = max(0, bracket.start() - _BEFORE)
        before = _END_OF_SENTENCE.split(text[start : bracket.start()].rstrip())[-1]
        if _is_short_form(inside):
            long = _long_form(inside, before)
            if long is not None:
                yield inside, long
        elif (words := before.split()) and _is_short_form(words[-1]):
            long = _long_form(words[-1], inside)
            if long is not None and len(long) == len(inside):
                yield words[-1], long


def _is_short_form(text: str) -> bool:
    return bool(_SHORT.fullmatch(text)) and sum(map(str.isupper, text)) > 1


def _long_form(short: str, before: str) -> str | None:
    """The shortest run of words at the end of a text that holds the letters in order."""
    letters = [char.casefold() for char in short if char.isalnum()]
    text = " ".join(before.split()[-len(letters) - _MAX_WORDS_BESIDE :])
    place = len(text)
    for number in range(len(letters) - 1, -1, -1):
        place -= 1
        while place >= 0 and (
            text[place].casefold() != letters[number]
            or (number == 0 and place > 0 and text[place - 1].isalnum())
        ):
            place -= 1
        if place < 0:
            return None
    long = text[place:]
    is_other = len(long.split()) > 1 and short.casefold() not in long.casefold().split()
    return long if is_other and not {"(", ")"} & set(long) else None


def _singular(short: str) -> str:
    return short[:-1] if short.endswith("s") and short[:-1].isupper() else short


def _key(long: str) -> str:
    return re.sub(r"[\W_]|s\b", "", long.casefold())
