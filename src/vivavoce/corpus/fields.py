"""Roles of sections, and quality gates of papers.

A gate is a requirement on benchmark targets; each failure has a reason.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from vivavoce.records import Section
from vivavoce.text.headings import role_of_heading

MIN_TITLE_WORDS, MAX_TITLE_WORDS = 2, 40
MIN_ABSTRACT_WORDS, MAX_ABSTRACT_WORDS = 40, 600
MIN_TEXT_WORDS = 400
MAX_GARBLED_SHARE = 0.01

GATES = {
    "no_title": "the paper has no title",
    "odd_title": f"the title has fewer than {MIN_TITLE_WORDS} or over {MAX_TITLE_WORDS} words",
    "no_abstract": "the paper has no abstract",
    "short_abstract": f"the abstract has fewer than {MIN_ABSTRACT_WORDS} words",
    "long_abstract": f"the abstract has over {MAX_ABSTRACT_WORDS} words",
    "no_text": "no source gave the paper's sections",
    "short_text": f"the sections have fewer than {MIN_TEXT_WORDS} words together",
    "garbled_text": f"over {MAX_GARBLED_SHARE:.0%} of the text is undecodable characters",
    "doubtful_text": "the text of a PDF was read with doubt",
    "withdrawn": "it was withdrawn, retracted or deleted, or it is a notice that corrects a paper",
    "undated": "no date is known, so the paper is neither target nor demonstration",
}
"""The gates by name, each with the meaning of a failure."""


def failed_gates(
    title: str | None,
    abstract: str | None,
    date: str | None,
    sections: Sequence[Section],
    *,
    health: str | None = None,
    is_withdrawn: bool = False,
) -> tuple[str, ...]:
    """The gates that a paper fails, in the order of `GATES`."""
    title_words, abstract_words = (len((text or "").split()) for text in (title, abstract))
    texts = [section.text for section in sections]
    characters = sum(map(len, texts))
    garbled = sum(map(_count_garbled, texts))
    failed = {
        "no_title": not title,
        "odd_title": title and not MIN_TITLE_WORDS <= title_words <= MAX_TITLE_WORDS,
        "no_abstract": not abstract,
        "short_abstract": abstract and abstract_words < MIN_ABSTRACT_WORDS,
        "long_abstract": abstract_words > MAX_ABSTRACT_WORDS,
        "no_text": not sections,
        "short_text": sections and sum(len(text.split()) for text in texts) < MIN_TEXT_WORDS,
        "garbled_text": characters and garbled / characters > MAX_GARBLED_SHARE,
        "doubtful_text": health in {"doubtful", "failed"},
        "withdrawn": is_withdrawn,
        "undated": not date,
    }
    return tuple(gate for gate in GATES if failed[gate])


def _count_garbled(text: str) -> int:
    if text.isascii():
        return 0
    return sum(1 for c in text if c == "\ufffd" or unicodedata.category(c) in ("Co", "Cn", "Cs"))


_LETTERED = re.compile(r"[A-Z](?:\.?\d[\d.]*)?")
_ROMAN = re.compile(r"[IVX]{2,}")
_ENDS = frozenset({"conclusion", "acknowledgements", "references"})
# A paper has only one of each; a part of another section may carry the name, as in "4.6 Summary".
_ONCE = frozenset({"introduction", "conclusion"})
# Subsections of these have the same role, whatever their headings.
_CLOSED = frozenset({"conclusion", "acknowledgements", "references", "appendix"})
_END_MATTER = frozenset({"acknowledgements", "references"})
_MAIN_MATTER = frozenset(
    {"introduction", "related_work", "background", "method", "experiments", "results"}
)


def assign_roles(sections: Sequence[Section]) -> tuple[Section, ...]:
    """Give every section a role, unless the source set one.

    The role comes from the heading, else from the parent section, else it is `other`. Everything
    after the start of the appendix is appendix, except acknowledgements and references.
    """
    paper = _Paper.of(sections)
    return tuple(
        replace(section, role=paper.role(place, section)) for place, section in enumerate(sections)
    )


@dataclass(slots=True)
class _Paper:
    """Facts about the whole list of sections, and about those already passed."""

    at_top: frozenset[str]
    """Roles found in headings of top-level sections."""
    is_numbered: bool
    is_roman: bool
    last_arabic: int
    """Index of the last section with an Arabic number; -1 if there is none."""
    around: list[tuple[Section, str]] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    in_appendix: bool = False
    in_late_methods: bool = False
    """True in a section of methods behind an appendix."""
    numbered: int = 0
    """Number of the last numbered top-level section before the appendix."""

    @classmethod
    def of(cls, sections: Sequence[Section]) -> _Paper:
        tops = [section for section in sections if section.level == 1]
        roles = (section.role or role_of_heading(section.heading or "") for section in tops)
        arabic = [p for p, section in enumerate(sections) if (section.number or "")[:1].isdigit()]
        return cls(
            at_top=frozenset(role or "other" for role in roles),
            is_numbered=sum(section.number is not None for section in tops) > 1,
            is_roman=any(_ROMAN.fullmatch(section.number or "") for section in tops),
            last_arabic=max(arabic, default=-1),
        )

    def role(self, place: int, section: Section) -> str:
        while self.around and self.around[-1][0].level >= section.level:
            self.around.pop()
        if section.level == 1:
            self.in_late_methods = self._are_late_methods(section)
        if self.in_late_methods:
            role = "method"
            self.in_appendix = False
        else:
            own = section.role or role_of_heading(section.heading or "")
            if own == "appendix" or self._starts_appendix(place, section, own):
                self.in_appendix = True
            role = section.role or self._judge(section, own)
        self.around.append((section, role))
        if section.level == 1:
            self.seen.add(role)
            if not self.in_appendix and (section.number or "").isdecimal():
                self.numbered = int(section.number or 0)
        return role

    def _judge(self, section: Section, own: str | None) -> str:
        parent = self._parent_role(section)
        if own in _END_MATTER:
            return str(own)
        if self.in_appendix and self._leaves_appendix(section, own):
            self.in_appendix = False
        if self.in_appendix:
            return "appendix"
        if own == "conclusion" and not self.seen and not self.at_top <= _CLOSED:
            return "other"  # a summary before everything else
        is_stray = self.is_numbered and section.number is None
        if section.level == 1:
            # After the conclusion of a numbered paper: floats and appendices.
            is_stray = is_stray and "conclusion" in self.seen and own in _MAIN_MATTER
            return "other" if own is None or is_stray else own
        if parent is None:
            return own or "other"
        if parent in _CLOSED or (own in _ONCE and own in self.at_top):
            return parent
        if own is None or (is_stray and parent != "other"):
            return parent
        return own

    def _are_late_methods(self, section: Section) -> bool:
        """Check whether a section behind an appendix, or marked as one, has the paper's methods."""
        heading = section.heading or ""
        is_named = role_of_heading(heading) == "method" and heading.lower().endswith("methods")
        is_meant = section.role == "method" or (is_named and "method" not in self.seen)
        is_behind = self.in_appendix or section.role == "appendix"
        return is_meant and is_behind and not _MAIN_MATTER.isdisjoint(self.seen)

    def _leaves_appendix(self, section: Section, own: str | None) -> bool:
        """Check whether a part not come yet, such as unnumbered methods, continues the paper."""
        is_part = section.level == 1 and own in _MAIN_MATTER - self.seen
        is_next = section.number == str(self.numbered + 1)
        goes_on = is_next or not (section.number or (self.is_numbered and own != "method"))
        return is_part and goes_on and not _MAIN_MATTER.isdisjoint(self.seen)

    def _parent_role(self, section: Section) -> str | None:
        """Role of the enclosing section; None if the section's number shows that this was lost."""
        if not self.around:
            return None
        parent, role = self.around[-1]
        number = section.number or ""
        is_spelt_out = number.count(".") + 1 == section.level
        if parent.number and is_spelt_out and not number.startswith(f"{parent.number}."):
            return None
        return role

    def _starts_appendix(self, place: int, section: Section, own: str | None) -> bool:
        """True for a letter after the last number, or for numbers that restart after the end."""
        number = section.number or ""
        if own in _END_MATTER or (section.level > 1 and "." not in number):
            return False
        if number == "1":
            return bool(self.seen & _ENDS)
        if _LETTERED.fullmatch(number) is None or place < self.last_arabic:
            return False
        if self.last_arabic >= 0:
            return True
        is_roman = self.is_roman and number in {"I", "V", "X"}
        return bool(self.seen & _ENDS) and not is_roman
