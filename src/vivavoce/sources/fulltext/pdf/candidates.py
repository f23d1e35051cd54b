"""Lines that may be headings, by typography and position."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from vivavoce.sources.fulltext.pdf.floats import Columns
from vivavoce.sources.fulltext.pdf.fonts import Font
from vivavoce.sources.fulltext.pdf.layout import Layout
from vivavoce.sources.fulltext.pdf.lines import Word
from vivavoce.sources.fulltext.pdf.runs import (
    BOLD,
    CAPS,
    LARGE,
    OTHER,
    PLAIN,
    Line,
    Style,
    is_like_text,
    is_upper,
    join_broken,
    join_words,
    without_marks,
)
from vivavoce.text.headings import (
    SectionNumber,
    is_heading_text,
    is_measurement,
    read_numbers,
    role_of_heading,
)

_MAX_WORDS = 25
_MAX_LINES = 4
_LARGER = 0.7
"""Points by which a large line is above the size of the text."""
_SMALLER, _SMALLER_CAPS = 1.6, 2.6
"""Points by which a heading may be smaller than the text; numbered ones in capitals, by more."""
_STATEMENT = re.compile(
    r"(?:proof|theorem|lemma|definition|corollary|proposition|remark|example|assumption|claim"
    r"|step|case|note|property|condition|hypothesis|conjecture|fact|input|output|require|ensure"
    r"|q\d|a\d|rq ?\d)\b",
    re.IGNORECASE,
)
_NUMBERED_STATEMENT = re.compile(rf"{_STATEMENT.pattern} \d+(?:\.\d+)*\s?[.(]", re.IGNORECASE)
_PLAIN_WORD = re.compile(r"[^\W\d_]{3,}")
_OPENING = re.compile(r"[(\[]?[A-Z0-9“\"‘'$]|[^\x00-\x7f]")
_ALONE = frozenset({"references", "acknowledgements", "abstract", "introduction", "conclusion"})
_LINES_BELOW, _OTHER_SIZE = 8, 0.6
"""Number of lines that tell the font of a text, and points by which it may differ from others."""
_INSET = 0.03
"""Share of a column's width: a centred heading that is inset by more stands out."""
_ENOUGH = 3
"""Fewest words of a numbered heading that may contain digits and signs of formulas."""


@dataclass(slots=True)
class HeadingCandidate:
    """A line, or lines that belong together, that may be a heading."""

    start: int
    """`start` and `stop`: places of its first line and of the line after its last one."""
    stop: int
    text: str
    style: Style
    numbers: tuple[SectionNumber, ...]
    rest: list[Word]
    """The words after a heading that opens a paragraph; empty if it stands alone."""
    is_apart: bool
    """True if there is white space above it."""

    @property
    def runs_in(self) -> bool:
        """Check whether its paragraph begins right after it, on the same line."""
        return bool(self.rest)

    @property
    def is_strong(self) -> bool:
        """Check whether its style differs from that of the text."""
        return self.style.kind != PLAIN


def find_candidates(columns: Columns) -> list[HeadingCandidate]:
    """Every line of running text that could be a heading, in reading order."""
    finder = _Finder(columns)
    candidates: list[HeadingCandidate] = []
    place = 0
    while place < len(finder.lines):
        candidate = None if finder.lines[place].kind else finder.find_at(place, candidates)
        if candidate is None:
            place += 1
        else:
            candidates.append(candidate)
            place = candidate.stop
    return candidates


class _Finder:
    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.layout = columns.layout
        self.lines = self.layout.lines
        self.texts = _fonts_below(self.layout)
        self.body = self.layout.body

    def find_at(self, place: int, before: Sequence[HeadingCandidate]) -> HeadingCandidate | None:
        line = self.lines[place]
        words = without_marks(line)
        self.body = self.texts[place]
        style = self._style(words)
        is_face = style.kind == PLAIN and style.name != self.body.name
        if is_face:
            style = replace(style, kind=OTHER)
        head = self._prefix(words, style)
        if style.kind == OTHER and (is_face or len(head) < len(words)):
            is_run_in = 0 < len(head) < len(words) and head[-1].text[-1] in ".:"
            if is_run_in and read_numbers(join_words(head)):
                return self._run_in(place, words, head, style)
            style, head = replace(style, kind=PLAIN), list(words)
        if len(head) == len(words):
            return self._whole(place, words, style, before)
        if style.kind in {BOLD, CAPS} or (style.kind == LARGE and style.name != self.body.name):
            return self._run_in(place, words, head, style)
        return None

    def _style(self, words: Sequence[Word]) -> Style:
        """The style of the first words, ignoring a number."""
        named = [word for word in words if any(map(str.isalpha, word.text))]
        # The letter of an appendix may be set smaller than its title.
        lead = next((word for word in named if len(word.text.strip(".:")) > 1), (named or words)[0])
        same = [word for word in words if word.font.name == lead.font.name]
        size = max(word.font.size for word in same)
        is_bold = lead.font.bold and not self.body.bold
        in_capitals = is_upper(same)
        kind = PLAIN
        if is_bold:
            kind = BOLD
        elif size > max(self.body.size, self.layout.body.size) + _LARGER:
            kind = LARGE
        elif in_capitals or (lead.font.small_caps and not self.body.small_caps):
            kind = CAPS
        elif lead.font.italic and not self.body.italic:
            kind = OTHER
        return Style(lead.font.name, round(2 * size) / 2, kind)

    def _prefix(self, words: Sequence[Word], style: Style) -> list[Word]:
        """The leading words set in a style; formulas between them are included."""
        if style.kind == PLAIN or (style.kind != BOLD and is_upper(words)):
            return list(words)
        named = [word for word in words if any(map(str.isalpha, word.text))]
        if style.kind != BOLD and named and self._is_in(named[-1], style):
            inside = sum(len(word.text) for word in named if self._is_in(word, style))
            if inside > 0.6 * sum(len(word.text) for word in named):
                return list(words)
        end = 0
        for place, word in enumerate(words):
            if self._is_in(word, style):
                end = place + 1
                continue
            if self._is_text(word) and any(map(str.isalpha, word.text)):
                if end:
                    break
            elif place - end > 6:
                break
        return list(words[:end] if any(map(self._is_text, words[end:])) else words)

    def _is_text(self, word: Word) -> bool:
        """Check whether a word is set like the text, and is no letter of a formula."""
        is_letter = len(word.text) < 3 and word.font.name != self.body.name
        is_word = any(map(str.isalnum, word.text)) and not is_letter
        return is_word and is_like_text(word, self.body)

    def _is_in(self, word: Word, style: Style) -> bool:
        if style.kind == BOLD:
            return word.font.bold
        if style.kind in {OTHER, CAPS}:
            return word.font.name == style.name
        return word.font.size > self.body.size + 0.5 * _LARGER

    def _whole(
        self, place: int, words: list[Word], style: Style, before: Sequence[HeadingCandidate]
    ) -> HeadingCandidate | None:
        line = self.lines[place]
        if style.kind == PLAIN and (len(words) > 14 or line.gap < 1.1 * self.layout.leading):
            return None
        text = join_words(words)
        numbers = read_numbers(text)
        column, usual = self.columns.of(line), self.columns.usual(line)
        is_centred = any(
            abs(line.x0 + line.x1 - own.left - own.right) < 0.06 * own.width
            for own in (column, usual)
        )
        lefts = (column.left, usual.left)
        is_list = style.kind == BOLD and role_of_heading(text) == "references"
        is_left = is_list or any(abs(line.x0 - left) < 2.5 * self.body.size for left in lefts)
        follows = bool(before) and before[-1].stop == place
        is_inset = is_centred and line.x0 - column.left > _INSET * column.width
        is_apart = line.gap >= 1.18 * self.layout.leading or follows
        is_apart = is_apart or (is_inset and style.kind == BOLD)
        if style.kind == PLAIN and not (
            numbers or (len(words) < 5 and role_of_heading(text) in _ALONE)
        ):
            return None
        is_sure = style.kind == CAPS and bool(numbers)
        if style.kind in {PLAIN, CAPS, OTHER} and not is_apart:
            return None
        if style.kind == OTHER and not numbers and not self._is_short(place, words, style):
            return None
        if _NUMBERED_STATEMENT.match(text):
            return None
        if not (is_left or is_centred) or line.size < self.body.size - (
            _SMALLER_CAPS if is_sure else _SMALLER
        ):
            return None
        stop = self._last_line(place, style, is_centred)
        for other in self.lines[place + 1 : stop]:
            text = join_broken(text, join_words(without_marks(other)))
        after = self.lines[stop] if stop < len(self.lines) else None
        if after is not None and not after.kind and style.kind in {BOLD, CAPS}:
            joined = self._runs_on(place, stop, text, style, after)
            if joined is not None:
                return joined
        above = self.lines[place - 1]
        is_label = text[-1] == ":" or above.text[-1] in ".?!" or role_of_heading(text) is not None
        is_behind_end = is_label and above.x1 < column.right - 0.12 * column.width
        is_apart = is_apart or (style.kind == BOLD and is_behind_end)
        if not is_apart and style.kind == BOLD and style.size <= self.body.size + 0.5:
            return None
        numbers = read_numbers(text)
        if not _could_head(text, numbers, style):
            return None
        return HeadingCandidate(place, stop, text, style, numbers, [], is_apart)

    def _is_short(self, place: int, words: Sequence[Word], style: Style) -> bool:
        """Check whether a line in another typeface is a heading, not a statement set that way."""
        column = self.columns.of(self.lines[place])
        after = self.lines[place + 1] if place + 1 < len(self.lines) else None
        goes_on = after is not None and after.words[0].font.name == style.name
        is_full = self.lines[place].x1 > column.right - 0.1 * column.width
        is_pure = all(word.font.name == style.name for word in words)  # a statement has formulas
        is_open = goes_on or is_full or words[-1].text[-1] in ".,;"
        return len(words) <= 14 and is_pure and not is_open

    def _last_line(self, place: int, style: Style, is_centred: bool) -> int:
        """The place after the last line of a heading that starts at `place`."""
        stop = place + 1
        while stop < min(len(self.lines), place + _MAX_LINES):
            line, before = self.lines[stop], self.lines[stop - 1]
            words = without_marks(line)
            if line.kind or line.page != before.page:
                break
            if line.column != before.column and not (before.column == 0 and is_centred):
                break
            if self._style(words) != style or len(self._prefix(words, style)) < len(words):
                break
            step = max(1.55, 1.05 * self.layout.leading / self.body.size)
            if not 0 < line.y - before.y <= step * max(style.size, line.size):
                break
            column = self.columns.of(before)
            room = column.right - before.x1 if not is_centred else column.width - before.width
            first = words[0].x1 - words[0].x0
            if any(n.marked or n.style == "arabic" for n in read_numbers(line.text)):
                break
            if room > first + 0.6 * style.size + (0.35 * column.width if is_centred else 2):
                break
            if style.kind == PLAIN:
                break
            stop += 1
        return stop

    def _runs_on(
        self, place: int, stop: int, text: str, style: Style, after: Line
    ) -> HeadingCandidate | None:
        """A heading of several lines whose last line also begins a paragraph."""
        first, last = self.lines[place], self.lines[stop - 1]
        if after.page != first.page or not 0 < after.y - last.y <= 1.2 * self.layout.leading:
            return None
        if style.size > self.body.size + 0.5:
            return None
        column = self.columns.of(last)
        words = without_marks(after)
        if column.right - last.x1 > 0.25 * column.width or self._style(words) != style:
            return None
        head = self._prefix(words, style)
        if len(head) == len(words) or not self._opens_paragraph(place):
            return None
        text = join_broken(text, join_words(head))
        return self._checked(place, stop + 1, text, style, words[len(head) :])

    def _run_in(
        self, place: int, words: list[Word], head: list[Word], style: Style
    ) -> HeadingCandidate | None:
        if not head or not self._opens_paragraph(place):
            return None
        return self._checked(place, place + 1, join_words(head), style, words[len(head) :])

    def _checked(
        self, start: int, stop: int, text: str, style: Style, rest: list[Word]
    ) -> HeadingCandidate | None:
        numbers = read_numbers(text)
        follow = join_words(rest)
        is_closed = (
            text[-1] in ".:—–?!" or follow[:1] in "—–:." or _OPENING.match(follow) is not None
        )
        plain = text.strip(" .:—–-")
        if not is_closed or not plain or _STATEMENT.match(plain):
            return None
        if plain[0].islower() and not numbers:  # a keyword of an algorithm
            return None
        if style.kind == CAPS and role_of_heading(plain) is None and len(plain.split()) < 2:
            return None
        if not _could_head(plain, numbers, style) or len(plain.split()) > 14:
            return None
        is_apart = self.lines[start].gap >= 1.18 * self.layout.leading
        return HeadingCandidate(start, stop, text, style, numbers, rest, is_apart)

    def _opens_paragraph(self, place: int) -> bool:
        line = self.lines[place]
        if line.gap >= 1.18 * self.layout.leading:
            return True
        column = self.columns.of(line)
        is_indented = 0.7 * self.body.size < line.x0 - column.left < 3 * self.body.size
        return is_indented or self.lines[place - 1].x1 < column.right - 0.12 * column.width


def _fonts_below(layout: Layout) -> list[Font]:
    """The font of the text below each line: the document's, or one of another size there."""
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


def _could_head(text: str, numbers: Sequence[SectionNumber], style: Style) -> bool:
    plain = min((number.text for number in numbers), key=len, default=text).strip()
    words = plain.split()
    if not words or len(words) > _MAX_WORDS:
        return False
    if text[0].isdigit() and not numbers and is_measurement(text.split()[0]):
        return False
    if plain[-1] in ",;-" or (plain.endswith(".") and len(words) > 12):
        return False
    is_part = any(number.marked and len(number.parts) > 1 for number in numbers)
    is_open = plain[0].islower() and not is_part
    is_sentence = plain[-1] == "." or (plain[-1] == ":" and not is_part)
    if (style.kind == PLAIN and (is_sentence or is_open)) or "@" in plain:
        return False
    is_long = style.kind != PLAIN and len(_PLAIN_WORD.findall(plain)) >= _ENOUGH
    if is_part or (numbers and is_long):
        plain = plain.replace("=", " ").lstrip("0123456789-–")  # `IR SEDs of z = 0`, `3-D shape`
    return is_heading_text(plain)
