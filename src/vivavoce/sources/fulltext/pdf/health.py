"""Verdict on a PDF that was read: good, doubtful or failed, with reasons in words.

A reader cannot know that it failed, but it knows the usual parts of papers: an introduction,
sections that part the text, references, lines that follow each other. Each missing part is a
reason.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from vivavoce.records import Section
from vivavoce.sources.fulltext.pdf.runs import Line
from vivavoce.text.headings import role_of_heading

GOOD, DOUBTFUL, FAILED = "good", "doubtful", "failed"

_PAGES_PER_SECTION = 7
_FEWEST = 3
_WIDEST = 0.25
"""Share of the text above the usual (evidence.py) that one section may hold."""
_UNPARTED = 0.4
"""Share of the text without any heading inside: a wide section with parts of its own is none."""
_CONFIRMED = 0.9
"""Share of the headings that the outline of the file has to name."""
_GARBLED = 0.03
_BROKEN = 0.35
"""Share of broken words whose second half does not follow."""
_ENOUGH_BROKEN = 12
_EMPTY_PAGES = 0.4
_LONG = 4
"""Pages: a longer paper has references."""
_WEAK_SCORE = 2.0
_NUMBERED = 0.6
"""Evidence of a whole chain of five numbers, which stands for an introduction of another name."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that the verdict is based on."""

    sections: Sequence[Section]
    references: int
    lines: Sequence[Line]
    letters_by_page: Sequence[int]
    features: Mapping[str, float]
    """Evidence for the headings that were chosen."""
    score: float


def judge(facts: Facts) -> tuple[str, tuple[str, ...]]:
    """The verdict and its reasons; one strong reason or two weak ones make a paper doubtful."""
    tops = [section for section in facts.sections if section.level == 1]
    if not tops:
        return FAILED, ("no headings found",)
    strong = list(_strong(facts, tops))
    weak = list(_weak(facts, tops))
    verdict = DOUBTFUL if strong or len(weak) > 1 else GOOD
    return verdict, tuple(strong + weak) if verdict == DOUBTFUL else ()


def _strong(facts: Facts, tops: Sequence[Section]) -> Iterator[str]:
    pages = len(facts.letters_by_page)
    is_thin = len(facts.sections) < pages / _PAGES_PER_SECTION
    if len(tops) < _FEWEST or (is_thin and len(tops) < pages / (2 * _PAGES_PER_SECTION)):
        yield f"{len(tops)} sections on {pages} pages"
    if all(_role(section) == "appendix" for section in tops):
        yield "appendices only"
    if facts.features.get("outline", 0.0) < _CONFIRMED:
        yield from _doubts_of_outline(facts)
    if _garbled(facts.sections) > _GARBLED:
        yield "many characters cannot be decoded"
    if _misplaced(facts.lines) > _BROKEN:
        yield "the lines are not in reading order"
    empty = sum(letters < 50 for letters in facts.letters_by_page)
    if empty > _EMPTY_PAGES * pages:
        yield f"{empty} of {pages} pages hold images only"


def _doubts_of_outline(facts: Facts) -> Iterator[str]:
    """Strong reasons that an outline of the file's own, where it names the headings, outweighs."""
    lengths = [len(section.text) for section in facts.sections]
    longest = max(lengths, default=0) / max(sum(lengths), 1)
    if facts.features.get("widest", 0.0) > _WIDEST and longest > _UNPARTED:
        yield "one section holds most of the text"
    is_whole = {"introduction", "conclusion"} <= set(map(_role, facts.sections))
    if facts.features.get("behind", 0.0) > 0.5 and not is_whole:
        yield "most headings stand behind the references"
    if facts.features.get("short", 0.0) > 0.5 and not is_whole:
        yield "the headings found are items of a list"


def _weak(facts: Facts, tops: Sequence[Section]) -> Iterator[str]:
    roles = {_role(section) for section in tops}
    if "introduction" not in roles and facts.features.get("chain", 0.0) < _NUMBERED:
        yield "no introduction"
    if not facts.references and len(facts.letters_by_page) > _LONG:
        yield "no references"
    if facts.features.get("rivals", 0.0) >= 0.5:
        yield "usual names of sections are set otherwise than the headings"
    if facts.features.get("mentions", 0.0) <= -1.0:
        yield "the text refers to sections that were not found"
    if facts.features.get("holes", 0.0) >= 0.5:
        yield "numbers of sections are missing"
    if facts.score < _WEAK_SCORE:
        yield "little evidence for the headings"


def _role(section: Section) -> str | None:
    return section.role or role_of_heading(section.heading or "")


def _garbled(sections: Sequence[Section]) -> float:
    total = bad = 0
    for section in sections:
        total += len(section.text)
        if not section.text.isascii():
            bad += sum(
                c == "\ufffd" or unicodedata.category(c) in {"Co", "Cn", "Cs"} for c in section.text
            )
    return bad / max(total, 1)


def _misplaced(lines: Sequence[Line]) -> float:
    """The share of words broken at the end of a line whose next line opens no second half."""
    broken = wrong = 0
    for line, after in pairwise([line for line in lines if not line.kind]):
        if line.text.endswith("-") and line.text[-2:-1].islower():
            broken += 1
            wrong += not after.text[:1].isalpha() or after.text[:1].isupper()
    return wrong / broken if broken >= _ENOUGH_BROKEN else 0.0
