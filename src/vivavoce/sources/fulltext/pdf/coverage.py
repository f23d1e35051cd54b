"""Characters of a PDF's pages that reach no part of the paper, and glyphs that name no letter.

Sections, headings, references, tables, captions, notes, front matter and furniture are parts.
Text in a picture that is set like running text is none, nor are other words before the first
heading, a paragraph set sideways or a page that is a picture.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from vivavoce.sources.fulltext.pdf.floats import FIGURE, TABLE
from vivavoce.sources.fulltext.pdf.layout import Layout
from vivavoce.sources.fulltext.pdf.lines import Page
from vivavoce.sources.fulltext.pdf.runs import Line

_WORDS, _IN_WORDS = 4, re.compile(r"[^\W\d_]{2,}")
"""Words of a line of text in a picture, at least: a label has fewer."""
_STAMP, _IN_TEXT = 200, re.compile(r"\b[^\W\d_][^\W\d_A-Z]+\b")
"""Letters in words up a page that may be a stamp or labels of a picture."""
_EMPTY = 20
"""Characters of a page that is a picture, at most."""
_WORD = re.compile(r"[A-Za-z]{4,}")
_FEWEST = 60
"""Words of a font that are judged together."""
_VOWELS, _USUAL = "aeiouy", (0.25, 0.62)
"""Share of vowels among the letters of every language that is written in Latin letters."""
_ALIKE = 0.75
"""Cosine of the letters of one font with those of the others: code and labels reach 0.8."""


@dataclass(slots=True)
class Coverage:
    """Characters of a document by what became of them."""

    total: int = 0
    lost: Counter[int] = field(default_factory=Counter)
    """By page, counted from 0."""
    garbled: int = 0

    @property
    def share_lost(self) -> float:
        """Share of all characters that reach no part."""
        return self.lost.total() / max(self.total, 1)

    @property
    def share_garbled(self) -> float:
        """Share of all characters whose glyphs name no letter, or a wrong one."""
        return self.garbled / max(self.total, 1)

    def worst_pages(self) -> list[int]:
        """Numbers of the pages that lose most, as a reader counts them."""
        most = max(self.lost.values(), default=0)
        return sorted(page + 1 for page, count in self.lost.items() if 3 * count >= most)[:5]


def measure_coverage(
    pages: Sequence[Page], layout: Layout, reached: set[int], first: int, last: int
) -> Coverage:
    """Count the characters of a paper.

    Args:
        pages: The pages as they were read.
        layout: Their lines.
        reached: Ids of the lines before the first section that are in its front matter.
        first: Place of the first section's heading among the lines.
        last: The page on which the sections end.
    """
    coverage = Coverage()
    size = layout.body.size
    for place, line in enumerate(layout.lines):
        count = _count(line)
        coverage.total += count
        is_text = abs(line.size - size) < 0.6 and len(_IN_WORDS.findall(line.text)) >= _WORDS
        is_early = place < first and not line.kind and id(line) not in reached
        if is_early or (line.kind == FIGURE and is_text):
            coverage.lost[line.page] += count
    letters = {page.number: sum(len(word.text) for word in page.words) for page in pages}
    usual = int(median(letters.values()))
    for page in pages:
        sideways = sum(map(len, _IN_TEXT.findall(page.turned)))
        if sideways > _STAMP:
            coverage.lost[page.number] += sideways
            coverage.total += sideways
        if page.is_picture and letters[page.number] < _EMPTY and page.number < last:
            coverage.lost[page.number] += usual
            coverage.total += usual
        coverage.garbled += page.unnamed
        coverage.total += page.unnamed
    coverage.garbled += _garbled(layout.lines)
    return coverage


def _count(line: Line) -> int:
    return sum(len(word.text) for word in line.words)


def _garbled(lines: Sequence[Line]) -> int:
    """Characters without meaning, and those of fonts whose letters are not those of the others."""
    count = 0
    fonts: dict[str, list[str]] = {}
    for line in lines:
        if not line.text.isascii():
            count += sum(
                c == "\ufffd" or unicodedata.category(c) in {"Co", "Cn", "Cs"} for c in line.text
            )
        if line.kind not in {FIGURE, TABLE}:
            fonts.setdefault(line.font.name, []).extend(_WORD.findall(line.text.lower()))
    every = Counter(letter for words in fonts.values() for word in words for letter in word)
    for words in fonts.values():
        own = Counter(letter for word in words for letter in word)
        total = own.total()
        if len(words) < _FEWEST:
            continue
        vowels = sum(own[vowel] for vowel in _VOWELS) / total
        others = every - own
        is_odd = others.total() > total and _cosine(own, others) < _ALIKE
        if is_odd or not _USUAL[0] <= vowels <= _USUAL[1]:
            count += total
    return count


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    return sum(count * other[letter] for letter, count in one.items()) / (
        math.hypot(*one.values()) * math.hypot(*other.values())
    )
