"""Lines of a page (words on one baseline without a wide gap) and their typographic styles."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from statistics import median

from vivavoce.sources.fulltext.pdf.fonts import Font
from vivavoce.sources.fulltext.pdf.lines import COMBINING, Page, Word
from vivavoce.text.normalise import is_power

RUN_GAP = 1.0
"""Multiple of the font size: a wider gap separates two runs, as between columns or cells."""
SCRIPT = 0.85
"""Share of the size of the text around it: smaller text is raised or lowered."""
_WORD_GAP = 0.12
"""Share of the font size: parts that are closer are one word, unless the file says otherwise."""
_NARROW, _WIDE = frozenset("ijlıȷftrI.,;:'’!()[]-"), frozenset("mwMW")
"""Characters narrower than others, and wider ones."""
_CEDILLAS = frozenset("çÇşŞţŢ")
_MAX_ACCENTS = 500
"""Most lone accents on a page; a page with more is not text."""
_BOTH = 2
_SPACED, _SPACE = 6, 2.2
"""Fewest single letters of a run that is letter-spaced, and multiple of the usual gap between its
letters: a wider gap separates words."""


@dataclass(slots=True)
class Line:
    """A line of one column."""

    words: list[Word]
    page: int
    x0: float
    x1: float
    y: float
    font: Font
    """The font of most of its letters."""
    size: float
    column: int = 0
    """0 if it crosses columns, else the number of its column from the left."""
    runs: int = 1
    """Number of parts between wide gaps, such as cells."""
    gap: float = 99.0
    """Distance from the baseline above it in the same column; large at the top of a column."""
    measure: tuple[float, float] | None = None
    """Start and end of a line beside a float; None if the line may fill its column."""
    text: str = field(default="")
    kind: str = ""
    """Kind assigned to it; empty for running text."""

    @property
    def width(self) -> float:
        """Distance from its left end to its right end."""
        return self.x1 - self.x0


def with_accents(words: list[Word]) -> list[Word]:
    """The words, with accents drawn apart above a letter, as over capitals, joined to it."""
    lone = [word for word in words if word.text in COMBINING]
    if 0 < len(lone) <= _MAX_ACCENTS:
        joined = {id(accent) for accent in lone if any(_join(accent, word) for word in words)}
        words = [word for word in words if id(word) not in joined]
    for before, word in pairwise(words):
        is_near = abs(word.x0 - before.x1) < 2 * _WORD_GAP * word.font.size
        if before.text[-1:] in _CEDILLAS and is_near:  # a cedilla is narrower than its letter
            word.glued, before.x1 = True, word.x0
    return words


def _join(accent: Word, word: Word) -> bool:
    """Put an accent on the letter of a word below it; return whether there is one."""
    middle, size = (accent.x0 + accent.x1) / 2, max(word.font.size, 1.0)
    width = word.x1 - word.x0
    is_above = -0.1 * size < word.y - accent.y < 0.6 * size and width > 0
    if word is accent or not is_above or not word.x0 - 1 <= middle <= word.x1 + 1:
        return False
    widths = [0.5 if c in _NARROW else 1.5 if c in _WIDE else 1.0 for c in word.text]
    ends = list(accumulate(widths))
    guess = (middle - word.x0) / width * ends[-1]
    for place in sorted(range(len(ends)), key=lambda n: abs(ends[n] - widths[n] / 2 - guess))[:3]:
        letter = {"ı": "i", "ȷ": "j"}.get(word.text[place], word.text[place])
        whole = unicodedata.normalize("NFC", letter + COMBINING[accent.text])
        if len(whole) == 1 and letter.isalpha():
            word.text = word.text[:place] + whole + word.text[place + 1 :]
            return True
    return False


def join_words(words: Sequence[Word]) -> str:
    """The text of words on one line, with a space wherever the page shows one."""
    parts: list[str] = []
    for place, word in enumerate(words):
        if place:
            before = words[place - 1]
            gap = word.x0 - before.x1
            if not word.glued or gap >= RUN_GAP * word.font.size:
                parts.append(" ")
            else:
                # Printed in line, a raised number after a number would make another number.
                is_raised = word.font.size < SCRIPT * before.font.size and (
                    word.y < before.y - _WORD_GAP * before.font.size
                )
                if is_raised and is_power(before.text, word.text.rstrip(".,;:)")):
                    parts.append("^")
        parts.append(word.text)
    return "".join(parts).strip()


def join_broken(first: str, second: str) -> str:
    """Two lines as one text; a word broken at the end of the first loses its hyphen."""
    is_broken = first.endswith("-") and second[:1].islower()
    return first[:-1] + second if is_broken else f"{first} {second}"


def _join_spaced(words: list[Word]) -> list[Word]:
    """The words of a run; letters set apart, as in `A B S T R A C T`, become words."""
    single = sum(len(word.text) == 1 for word in words)
    letters = all(word.text.isalpha() and len(word.text) <= _BOTH for word in words)
    if single < _SPACED or single < 0.8 * len(words) or not letters:
        return words
    gaps = [after.x0 - before.x1 for before, after in pairwise(words)]
    joined = [words[0]]
    for word, gap in zip(words[1:], gaps, strict=True):
        if gap > _SPACE * median(gaps):
            joined.append(word)
        else:
            joined[-1] = replace(joined[-1], text=joined[-1].text + word.text, x1=word.x1)
    return joined


def runs_of(page: Page) -> Iterator[Line]:
    """Words that follow each other on one baseline without a wide gap."""
    run: list[Word] = []
    for word in page.words:
        if run and not _continues(run, word):
            yield line_of(_join_spaced(run), page.number)
            run = []
        run.append(word)
    if run:
        yield line_of(_join_spaced(run), page.number)


def _continues(run: Sequence[Word], word: Word) -> bool:
    last = run[-1]
    larger = max(last.font.size, word.font.size)
    gap = word.x0 - last.x1
    # The smaller size decides, so that a line number in the margin stays apart.
    if not -0.6 * larger <= gap <= RUN_GAP * min(last.font.size, word.font.size):
        return False
    drop = abs(word.y - last.y)
    if drop <= 0.15 * larger:
        return True
    is_script = min(last.font.size, word.font.size) < SCRIPT * larger
    if is_script and drop < 0.6 * larger:
        return True
    # Back on the line after a script: 10^3 m
    return any(abs(word.y - before.y) <= 0.15 * larger for before in run[-3:])


def line_of(words: list[Word], page: int) -> Line:
    """Make a line of words, with the font of most of its letters."""
    letters: Counter[Font] = Counter()
    for word in words:
        letters[word.font] += len(word.text)
    font = max(letters, key=lambda font: (letters[font], font.size))
    if _is_mixed_caps(words, font):
        font = max((word.font for word in words), key=lambda other: other.size)
    heights = [word.y for word in words if word.font.size >= SCRIPT * font.size]
    return Line(
        words=words,
        page=page,
        x0=min(word.x0 for word in words),
        x1=max(word.x1 for word in words),
        y=max(set(heights), key=heights.count) if heights else words[0].y,
        font=font,
        size=font.size,
    )


def _is_mixed_caps(words: Sequence[Word], font: Font) -> bool:
    """Check whether smaller capitals stand for small letters: `INTRODUCTION`."""
    sizes = {word.font.size for word in words if word.font.name == font.name}
    if len(sizes) < _BOTH or max(sizes) > 1.6 * min(sizes):
        return False
    letters = [c for word in words if word.font.name == font.name for c in word.text if c.isalpha()]
    return len(letters) > 3 and all(map(str.isupper, letters))


BOLD, LARGE, CAPS, OTHER, PLAIN = "bold", "large", "caps", "other", "plain"
_FOOTNOTE_MARK = re.compile(r"[\d*∗†‡§¶,]{1,4}")


@dataclass(frozen=True, slots=True)
class Style:
    """Properties that headings of one level share."""

    name: str
    size: float
    """Size of the largest letters, to half a point."""
    kind: str
    """Difference from the text: `bold`, `large`, `caps`, `other` (another face) or `plain`."""


def is_upper(words: Sequence[Word]) -> bool:
    """Check whether words are set in capitals."""
    letters = [c for word in words for c in word.text if c.isalpha()]
    return len(letters) > 3 and sum(c.isupper() for c in letters) >= 0.9 * len(letters)


def is_like_text(word: Word, body: Font) -> bool:
    """Check whether a word is set like the text around it."""
    return (
        not word.font.bold
        and abs(word.font.size - body.size) < 0.8
        and not (word.font.small_caps and not body.small_caps)
    ) or word.font == body


def without_marks(line: Line) -> list[Word]:
    """The words of a line without raised footnote marks."""
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
