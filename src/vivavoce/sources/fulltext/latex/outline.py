"""Sections in the making, with the numbers LaTeX would print."""

from __future__ import annotations

from dataclasses import dataclass, field

from vivavoce.records import Section
from vivavoce.sources.fulltext.latex.typeset import paragraphs_of
from vivavoce.text.headings import role_of_heading

_ROMAN = ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))
_FEWEST_WORDS = 10
_OWN_ROLES = frozenset({"acknowledgements", "references"})
LEVELS = 7


@dataclass(slots=True)
class Draft:
    """A section whose text is still being read."""

    level: int
    heading: str | None
    number: str | None
    role: str | None
    out: list[str] = field(default_factory=list)
    has_text: bool = False


class Numbering:
    """Counters of sections."""

    def __init__(self, *, depth: int, is_roman: bool) -> None:
        self._counters = [0] * LEVELS
        self._depth = depth
        self._is_roman = is_roman
        self.in_appendix = False

    def start_appendix(self) -> None:
        """From here on sections have letters, from `A`."""
        if not self.in_appendix:
            self.in_appendix = True
            self._counters = [0] * LEVELS

    def step(self, level: int) -> str | None:
        """Number of the next section at a level; None where none is printed."""
        if level > self._depth:
            return None
        self._counters[level] += 1
        self._counters[level + 1 :] = [0] * (LEVELS - level - 1)
        parts = self._counters[1 : level + 1]
        if self._is_roman and not self.in_appendix:
            if level == 1:
                return _roman(parts[0])
            return _letter(parts[1]) if level == 2 else str(parts[-1])
        first = _letter(parts[0]) if self.in_appendix else str(parts[0])
        return ".".join([first, *map(str, parts[1:])])


def _roman(number: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        while number >= value and len(text) < 40:
            text += letters
            number -= value
    return text


def _letter(number: int) -> str:
    return chr(ord("A") + number - 1) if 1 <= number <= 26 else str(number)


def finish(drafts: list[Draft]) -> tuple[tuple[Section, ...], str]:
    """The sections, and the text of one that is headed as the abstract."""
    sections: list[Section] = []
    abstract = ""
    for draft in drafts:
        text = paragraphs_of("".join(draft.out))
        if draft.heading is None and len(text.split()) < _FEWEST_WORDS:
            continue
        role = role_of_heading(draft.heading or "")
        if role == "abstract" and not abstract and draft.level == 1 and text:
            abstract = text
            continue
        if role == "references" and not text:
            continue
        own = draft.role if role not in _OWN_ROLES else None
        sections.append(Section(len(sections), draft.level, draft.heading, own, text, draft.number))
    return tuple(sections), abstract
