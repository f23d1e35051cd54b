"""Typographic styles of lines, compared with the text below them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.sources.fulltext.pdf.fonts import Font
from vivavoce.sources.fulltext.pdf.layout import Layout
from vivavoce.sources.fulltext.pdf.lines import Word
from vivavoce.sources.fulltext.pdf.runs import Line

BOLD, LARGE, CAPS, OTHER, PLAIN = "bold", "large", "caps", "other", "plain"
_LINES_BELOW = 8
_OTHER_SIZE = 0.6
_FOOTNOTE_MARK = re.compile(r"[\d*∗†‡§¶,]{1,4}")


@dataclass(frozen=True, slots=True)
class Style:
    """Properties that headings of one level share."""

    name: str
    size: float
    """Size of the largest letters, to half a point."""
    kind: str
    """Difference from the text: `bold`, `large`, `caps`, `other` (another face) or `plain`."""
    apart: bool = False
    """True for a heading in capitals or centred, as others of this look are not."""

    @property
    def weight(self) -> float:
        """The size, and a little more where set apart: a heavier heading is of a higher level."""
        return self.size + (0.4 if self.apart else 0.0)


def is_upper(words: Sequence[Word]) -> bool:
    """Check whether words are set in capitals."""
    letters = [c for word in words for c in word.text if c.isalpha()]
    return len(letters) > 3 and sum(c.isupper() for c in letters) >= 0.9 * len(letters)


def is_like_text(word: Word, body: Font) -> bool:
    """Check whether a word is set as the text around it."""
    return (
        not word.font.bold
        and abs(word.font.size - body.size) < 0.8
        and not (word.font.small_caps and not body.small_caps)
    ) or word.font == body


def fonts_below(layout: Layout) -> list[Font]:
    """The font of the text below each line: that of the document, or another size set there."""
    fonts = [layout.body] * len(layout.lines)
    letters: Counter[Font] = Counter()
    window: list[Line] = []
    for place in range(len(layout.lines) - 1, -1, -1):
        if letters:
            main = max(letters, key=lambda font: (letters[font], font.name))
            is_other = abs(main.size - layout.body.size) > _OTHER_SIZE and not main.bold
            fonts[place] = main if is_other else layout.body
        line = layout.lines[place]
        if line.kind:
            continue
        window.append(line)
        letters[line.font] += len(line.text)
        if len(window) > _LINES_BELOW:
            last = window.pop(0)
            letters[last.font] -= len(last.text)
    return fonts


def without_marks(line: Line) -> list[Word]:
    """The words of a line without raised marks of footnotes."""
    peak = max(word.font.size for word in line.words)
    return [
        word
        for place, word in enumerate(line.words)
        if not (
            word.font.size < 0.82 * peak
            and word.y < line.y - 0.12 * peak
            and place
            and _FOOTNOTE_MARK.fullmatch(word.text)
        )
    ]
