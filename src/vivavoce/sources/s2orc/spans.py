"""Which references the marks of a paper's text mean, and where else these are printed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from vivavoce.sources.s2orc.fields import Fields, rows_at, text_at
from vivavoce.text.citation_markers import find_numeric_markers

_TOKEN = re.compile(r"BIBREF[0-9]{1,6}")
_LONE_NUMBER = re.compile(r"[\s\[\](),;]*([0-9]{1,3})[\s\[\](),;]*")
_YEAR = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])")
_ENOUGH_NUMBERS = 3
_LONGEST_MARK = 200
_SHORTEST_NAMED = 8
_MOST_NAMED = 500
_BARE = str.maketrans("", "", "()[],;. ")


class Marks:
    """How a paper prints its citations, learnt from those of its running text."""

    def __init__(self, paragraphs: Iterable[Fields], ordinals: Mapping[str, int]) -> None:
        self._ordinals = ordinals
        numbers: dict[int, set[int]] = defaultdict(set)
        named: dict[str, set[int]] = defaultdict(set)
        for paragraph in paragraphs:
            for span in rows_at(paragraph, "cite_spans"):
                ordinal = ordinals.get(text_at(span, "ref_id"))
                printed = text_at(span, "text")
                if ordinal is None or len(printed) > _LONGEST_MARK:
                    continue
                lone = _LONE_NUMBER.fullmatch(printed)
                if lone is not None:
                    numbers[int(lone[1])].add(ordinal)
                elif _YEAR.search(printed) and len(printed) >= _SHORTEST_NAMED:
                    named[printed.translate(_BARE)].add(ordinal)
        sure = {mark: min(of) for mark, of in named.items() if len(of) == 1}
        self._named = dict(islice(sure.items(), _MOST_NAMED))
        is_numeric = len(numbers) >= _ENOUGH_NUMBERS and len(numbers) > len(named)
        self._numbers = {n: min(of) for n, of in numbers.items() if is_numeric and len(of) == 1}

    def cited_in(self, text: str) -> tuple[int, ...]:
        """The references that a text without marks of its own cites, where that is sure."""
        found = {self._ordinals[key] for key in _TOKEN.findall(text) if key in self._ordinals}
        for marker in find_numeric_markers(text):
            if all(number in self._numbers for number in marker.numbers):
                found.update(self._numbers[number] for number in marker.numbers)
        bare = text.translate(_BARE)
        found.update(ordinal for mark, ordinal in self._named.items() if mark in bare)
        return tuple(sorted(found))


def print_marks(text: str, ordinals: Mapping[str, int]) -> str:
    """A text with `[3]` in place of the token that stands for the third reference."""

    def printed(found: re.Match[str]) -> str:
        ordinal = ordinals.get(found[0])
        return found[0] if ordinal is None else f"[{ordinal + 1}]"

    return _TOKEN.sub(printed, text)


def ordinals_of(keys: Sequence[str]) -> dict[str, int]:
    """The place of each key in a reference list."""
    return {key: ordinal for ordinal, key in enumerate(keys)}
