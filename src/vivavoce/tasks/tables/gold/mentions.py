"""Sentences of a paper that name one of its tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from vivavoce.text.sentences import split_sentences

_NUMBER = r"[0-9]{1,3}|[IVXL]{1,6}|[A-Z]\.?[0-9]{1,2}"
_CAPTION = re.compile(rf"(?:table|tab\.?)\s{{0,3}}({_NUMBER})(?![\w])", re.IGNORECASE)
_NAMED = re.compile(
    rf"\b(?:Tables?|Tabs?\.)\s{{0,3}}((?:{_NUMBER})(?:\s?(?:,|-|–|&|and|to)\s?(?:{_NUMBER})){{0,5}})(?!\w)"
)
_EACH = re.compile(_NUMBER)
_MOST = 10
_LONGEST = 1_000


def table_number(caption: str) -> str | None:
    """The number that a caption opens with, such as `3` in `Table 3: Datasets`."""
    found = _CAPTION.match(caption.strip())
    return found[1].upper() if found else None


def find_mentions(texts: Iterable[str], numbers: Mapping[str, int]) -> dict[int, tuple[str, ...]]:
    """The first sentences that name each table.

    Args:
        texts: The sections of a paper.
        numbers: The ordinals of its tables by their printed numbers.
    """
    found: dict[int, dict[str, None]] = {ordinal: {} for ordinal in numbers.values()}
    for text in texts:
        if _NAMED.search(text) is None:
            continue
        for sentence in split_sentences(text):
            for ordinal in _named_in(sentence, numbers):
                if len(sentence) <= _LONGEST and len(found[ordinal]) < _MOST:
                    found[ordinal][sentence] = None
    return {ordinal: tuple(sentences) for ordinal, sentences in found.items() if sentences}


def _named_in(sentence: str, numbers: Mapping[str, int]) -> list[int]:
    named = (each for match in _NAMED.finditer(sentence) for each in _EACH.findall(match[1]))
    return [numbers[number.upper()] for number in named if number.upper() in numbers]
