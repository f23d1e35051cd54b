"""Citations that a PDF sets as raised numbers, printed in brackets so that text keeps them apart.

Footnotes and exponents are raised as well: numbers count as citations where they cover the list of
references and follow words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from vivavoce.sources.fulltext.pdf.layout import Line, join_words
from vivavoce.sources.fulltext.pdf.lines import Word

_RAISED = 0.87
"""Of the size of its line: what is larger is no mark."""
_NUMBERS = re.compile(r"\d{1,3}(?:[,–-]\d{1,3}){0,20}")
_BEFORE = re.compile(r"[^\W\d_]{3}$|[.,;:)\]”\"’]$")
_FEWEST, _COVERED = 5, 0.4
"""The least references of such a paper, and the share of them that the numbers have to name."""


def print_raised_citations(lines: Sequence[Line], references: int) -> bool:
    """Print raised numbers of running text in brackets where they cite; return whether they do."""
    text = [line for line in lines if not line.kind]
    found = {int(n) for line in text for mark in _marks(line) for n in re.findall(r"\d+", mark)}
    covered = sum(0 < number <= references for number in found)
    if references < _FEWEST or covered < _COVERED * references or covered < 0.9 * len(found):
        return False
    for line in text:
        if any(_marks(line)):
            line.text = join_words(list(_bracketed(line)))
    return True


def _marks(line: Line) -> Iterator[str]:
    """The raised numbers behind words of a line."""
    for is_mark, _, text in _runs(line):
        if is_mark:
            yield text


def _bracketed(line: Line) -> Iterator[Word]:
    for is_mark, words, text in _runs(line):
        if is_mark:
            inside = ", ".join(text.split(","))
            yield replace(words[0], text=f"[{inside}]", x1=words[-1].x1, glued=False)
        else:
            yield from words


def _runs(line: Line) -> Iterator[tuple[bool, list[Word], str]]:
    """The words of a line in runs, with whether a run is a mark that cites, and its text."""
    before = ""
    for is_raised, run in groupby(line.words, key=lambda word: _is_raised(word, line)):
        words = list(run)
        text = "".join(word.text for word in words).strip(" ,")
        is_mark = is_raised and _NUMBERS.fullmatch(text) is not None
        yield is_mark and _BEFORE.search(before) is not None, words, text
        before = words[-1].text


def _is_raised(word: Word, line: Line) -> bool:
    return word.font.size < _RAISED * line.size and word.y < line.y - 0.12 * line.size
