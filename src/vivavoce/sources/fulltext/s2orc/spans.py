"""Which references the marks of a paper's text mean, and where else these are printed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from vivavoce.sources.fulltext.s2orc.fields import Fields, rows_at, text_at
from vivavoce.text.citation_markers import find_numeric_markers
from vivavoce.text.row_citations import Mention, RowsCited

_TOKEN = re.compile(r"BIBREF[0-9]{1,6}")
_LONE_NUMBER = re.compile(r"[\s\[\](),;]*([0-9]{1,3})[\s\[\](),;]*")
_YEAR = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])")
_ENOUGH_NUMBERS = 3
_LONGEST_MARK = 200
_SHORTEST_NAMED = 8
_MOST_NAMED = 500
_MOST_MENTIONS = 200_000
"""In the rows of a table; cells that span are repeated in every place."""
_GONE = "\0"
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
        some = islice(sure.items(), _MOST_NAMED)
        self._longest_first = sorted(some, key=lambda pair: (-len(pair[0]), pair[0]))
        is_numeric = len(numbers) >= _ENOUGH_NUMBERS and len(numbers) > len(named)
        self._numbers = {n: min(of) for n, of in numbers.items() if is_numeric and len(of) == 1}

    def cited_in(self, text: str) -> tuple[tuple[int, ...], frozenset[int]]:
        """The references that a text without marks of its own cites, where that is sure.

        First in order of mention, each once; then with those whose names end other names.
        """
        found: list[Mention] = [
            (token.start(), (self._ordinals[token[0]],))
            for token in _TOKEN.finditer(text)
            if token[0] in self._ordinals
        ]
        for marker in find_numeric_markers(text):
            known = (self._numbers.get(number) for number in marker.numbers)
            meant = tuple(ordinal for ordinal in known if ordinal is not None)
            if len(meant) == len(marker.numbers):
                found.append((marker.start, meant))
        found.sort(key=lambda mention: mention[0])
        cited = dict.fromkeys(ordinal for _, meant in found for ordinal in meant)
        named = sorted(self._named_in(text.translate(_BARE)))
        cited.update(dict.fromkeys(ordinal for place, ordinal in named if place >= 0))
        return tuple(cited), frozenset((*cited, *(ordinal for _, ordinal in named)))

    def _named_in(self, bare: str) -> Iterator[tuple[int, int]]:
        """Place and reference of names; below 0 the place of one that only ends other names."""
        left = bare
        for mark, ordinal in self._longest_first:
            if mark in bare:
                yield left.find(mark), ordinal
                left = left.replace(mark, _GONE * len(mark))


def rows_cited(marks: Marks, rows: Sequence[Sequence[str]]) -> tuple[set[int], RowsCited]:
    """What rows cite together, and what each does; not the latter where that is far too much."""
    known: dict[str, tuple[int, ...]] = {}
    together: set[int] = set()
    found: list[tuple[int, ...]] = []
    room = _MOST_MENTIONS
    for row in rows:
        cells = list(dict.fromkeys(row))  # a cell that spans is repeated in every place
        for cell in cells:
            if cell not in known:
                known[cell], everything = marks.cited_in(cell)
                together |= everything
        room -= sum(len(known[cell]) for cell in cells)
        if room >= 0:
            found.append(tuple(dict.fromkeys(o for cell in cells for o in known[cell])))
    return together, tuple(found) if room >= 0 else ()


def print_marks(text: str, ordinals: Mapping[str, int]) -> str:
    """A text with `[3]` in place of the token that stands for the third reference."""

    def printed(found: re.Match[str]) -> str:
        ordinal = ordinals.get(found[0])
        return found[0] if ordinal is None else f"[{ordinal + 1}]"

    return _TOKEN.sub(printed, text)


def ordinals_of(keys: Sequence[str]) -> dict[str, int]:
    """The place of each key in a reference list."""
    return {key: ordinal for ordinal, key in enumerate(keys)}
