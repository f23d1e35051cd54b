"""Verdict on a PDF that was read: good, doubtful or failed, with reasons in words.

Each missing part that papers usually have is a reason. Doubt about the title, the abstract, the
authors or the references leaves the other parts as they are.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import NamedTuple

from vivavoce.records import Author, Reference, Section
from vivavoce.sources.fulltext.pdf.evidence import compact
from vivavoce.sources.fulltext.pdf.floats import FIGURE, TABLE
from vivavoce.sources.fulltext.pdf.front import Front
from vivavoce.sources.fulltext.pdf.furniture import abstract_label
from vivavoce.sources.fulltext.pdf.layout import Layout
from vivavoce.sources.fulltext.pdf.lines import Page
from vivavoce.sources.fulltext.pdf.references import share_whole
from vivavoce.sources.fulltext.pdf.runs import Line
from vivavoce.sources.fulltext.references import label_of
from vivavoce.text.headings import read_numbers, role_of_heading

_WORDS, _IN_WORDS, _PRINT = 5, re.compile(r"[^\W\d_]{2,}"), 0.8
"""Fewest words of a line of text inside a picture, and its least size as a share of the text's:
labels have fewer words or are smaller."""
_STAMP, _IN_TEXT = 200, re.compile(r"\b[^\W\d_][^\W\d_A-Z]+\b")
"""Most letters in sideways words that may be a mere stamp or labels of a picture."""
_EMPTY = 20
"""Most characters on a page that is a picture."""
_WORD = re.compile(r"[A-Za-z]{4,}")
_MIN_WORDS = 60
"""Fewest words in a font that is judged."""
_VOWELS, _USUAL = "aeiouy", (0.25, 0.62)
"""Vowels, and the range of their share of the letters in languages with Latin script."""
_ALIKE = 0.75
"""Least cosine of one font's letter counts with those of the others: code and labels reach 0.8."""


@dataclass(slots=True)
class Coverage:
    """Counts of a document's characters by what became of them."""

    total: int = 0
    lost: Counter[int] = field(default_factory=Counter)
    """Lost characters by page, counted from 0."""
    garbled: int = 0


def measure_coverage(
    pages: Sequence[Page], layout: Layout, reached: set[int], first: int, last: int
) -> Coverage:
    """Count the characters of a paper by what became of them.

    `reached` are ids of lines in the front matter, `first` is the place of the first section's
    heading, and `last` is the page on which the sections end.
    """
    coverage = Coverage()
    size = layout.body.size
    for place, line in enumerate(layout.lines):
        count = sum(len(word.text) for word in line.words)
        coverage.total += count
        is_text = line.size >= _PRINT * size and len(_IN_WORDS.findall(line.text)) >= _WORDS
        is_early = place < first and not line.kind and id(line) not in reached
        if is_early or (line.kind == FIGURE and is_text):
            coverage.lost[line.page] += count
    letters = {page.number: sum(len(word.text) for word in page.words) for page in pages}
    # A full page of text holds more than most pages, which figures or appendices fill in part.
    full = sorted(letters[page.number] for page in pages if page.number <= last)
    usual = full[3 * len(full) // 4] if full else 0
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


def _garbled(lines: Sequence[Line]) -> int:
    """Count meaningless characters, and those in fonts whose letters differ from other fonts'."""
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
        if len(words) < _MIN_WORDS:
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


GOOD, DOUBTFUL, FAILED = "good", "doubtful", "failed"

_MIN_HEADINGS = 3
_WIDEST, _UNPARTED = 0.7, 0.4
"""Largest share of the text under one top-level heading, and in one section without its parts."""
_LOST = 0.035
"""Share of the characters that may reach no part of the paper: labels of pictures set like
the text and odd lines of a first page make up to a hundredth in nine of ten papers."""
_GARBLED = 0.03
_BROKEN = 0.35
"""Share of broken words whose second half does not follow."""
_ENOUGH_BROKEN = 12
_EMPTY_PAGES = 0.4
_LONG = 4
"""Number of pages: a longer paper has references."""
_WEAK_SCORE = 3.0
_OF_EACH_PAPER, _FEW_WORDS = ("introduction", "references"), 3
"""Headings that each paper prints in this order, and the most words that such a heading has."""
_MIN_TITLE = 2
_MIN_DESCRIBED, _OPENING = 3, 80
"""Fewest words of a title in a file's metadata, and number of first lines searched for it."""
_FRONT_PAGES = 2
"""Pages after the first on which an abstract may be printed."""
_PROSE = 300
"""Most letters above the first section that may be lost in a paper without an abstract."""
_MIN_ABSTRACT, _MAX_ABSTRACT = 30, 700
"""Fewest and most words of an abstract: a heading with fewer below it has lost its text."""
_STRAY, _UNLISTED = 2, 0.1
"""Number and share of citations that may exceed the last entry, such as the interval [0, 100]."""
_MIN_ENTRY, _MAX_ENTRY, _ODD = 20, 900, 0.1
"""Fewest and most characters of an entry, and the share of entries that may have fewer or more."""
_WHOLE = 0.8
"""Least share of letters that are in entries of a single work, for a list without numbers."""
_CUT = re.compile(r"(?:[,:–—-]|\b(?:for|of|on|the|a|an|and|with|in|to|by|from))$", re.IGNORECASE)
_GARBLED_WORD = re.compile(r"[a-z][#$%!?;=<>^~\\\"][a-z]")
_LONE = re.compile(r"[^\s\u3040-\ud7af]+")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_ENDED = re.compile(r"[.!?…。’”\"')\]]\W*\d{0,2}$|https?://\S+$|[^\x00-\u04ff]$")
_CITED = re.compile(r"\[(\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,20})\]")
_NUMBERED = 0.6
"""Evidence of a whole chain of five numbers: the introduction may then have another name."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts that the verdict is based on."""

    front: Front
    described_title: str
    """The title in the file's own metadata, which is often missing or that of another paper."""
    authors: Sequence[Author]
    unread_authors: Sequence[str]
    sections: Sequence[Section]
    references: Sequence[Reference]
    lines: Sequence[Line]
    letters_by_page: Sequence[int]
    coverage: Coverage
    features: Mapping[str, float]
    """Evidence for the headings that were chosen."""
    score: float
    cover: int = 0
    """Number of cover sheets before the paper's first page."""


class Verdict(NamedTuple):
    """Health of a paper, with its reasons, and the parts in doubt."""

    health: str
    reasons: tuple[str, ...]
    doubts: tuple[str, ...]


def judge(facts: Facts) -> Verdict:
    """The verdict; one strong reason or two weak ones make the text of a paper doubtful."""
    parts = {
        part: reason for part, doubt in _DOUBTS.items() if (reason := doubt(facts)) is not None
    }
    others = tuple(f"{part}: {reason}" for part, reason in parts.items())
    tops = [section for section in facts.sections if section.level == 1]
    if not tops:
        return Verdict(FAILED, ("no headings found", *others), ("sections", *parts))
    strong = list(_strong(facts, tops))
    weak = list(_weak(facts, tops))
    if strong or len(weak) > 1:
        return Verdict(DOUBTFUL, (*strong, *weak, *others), ("sections", *parts))
    return Verdict(GOOD, others, tuple(parts))


def _doubt_of_title(facts: Facts) -> str | None:
    title = facts.front.title or ""
    if not title:
        return "none is found"
    if len(title.split()) < _MIN_TITLE and not facts.authors:
        return "one word, and no author below it"
    if not facts.front.between and not facts.authors:
        return "no author is below it"
    if _CUT.search(title):
        return "it ends inside a phrase"
    if _GARBLED_WORD.search(title):
        return "a sign stands for letters"
    own, described = compact(title), compact(facts.described_title)
    if len(title.split()) <= _FEW_WORDS and role_of_heading(title) is not None:
        return "it is the heading of a section"
    printed = compact(" ".join(line.text for line in facts.lines[:_OPENING]))
    if len(facts.described_title.split()) >= _MIN_DESCRIBED and own != described in printed:
        return f"the file names its paper {facts.described_title!r}"
    if facts.front.title_alike:
        return f"{facts.front.title_alike!r} is in the same print"
    first = next((line.text for line in facts.front.between if _IN_WORDS.search(line.text)), "")
    below = compact(first)
    names = [compact(max(author.name.split(), key=len)) for author in facts.authors]
    if names and len(first.split()) > 1 and not any(map(below.__contains__, names)):
        return f"{first!r} is between it and the authors"
    return None


def _doubt_of_authors(facts: Facts) -> str | None:
    if not facts.authors:
        return "none is found"
    if any(_LONE.fullmatch(author.name) for author in facts.authors):
        return "a name of one word"
    addresses = {email for line in facts.front.between for email in _ADDRESS.findall(line.text)}
    if len(addresses) > len(facts.authors):
        return f"{len(facts.authors)} for {len(addresses)} addresses"
    if facts.unread_authors:
        return f"{facts.unread_authors[0]!r} is in the print of their names"
    return None


def _doubt_of_abstract(facts: Facts) -> str | None:
    is_printed = any(abstract_label(line) for line in facts.lines if line.page <= _FRONT_PAGES)
    if facts.front.abstract is None:
        is_lost = is_printed or facts.coverage.lost[0] > _PROSE
        return "one is printed but was not found" if is_lost else None
    words = len(facts.front.abstract.split())
    if is_printed and words < _MIN_ABSTRACT:
        return f"{words} words"
    if words > _MAX_ABSTRACT:
        return f"{words} words, more than any abstract has"
    if not _ENDED.search(facts.front.abstract):
        return "it ends inside a sentence"
    if facts.front.abstract[:1].islower():
        return "it begins inside a sentence"
    if facts.front.beside_abstract:
        return f"{facts.front.beside_abstract!r} below it is set like it"
    return None


def _doubt_of_references(facts: Facts) -> str | None:
    cited = [
        int(number)
        for section in facts.sections
        for numbers in _CITED.findall(section.text)
        for number in numbers.replace("–", ",").replace("-", ",").split(",")
        if number.strip().isdigit()
    ]
    if not facts.references:
        is_expected = len(facts.letters_by_page) > _LONG or len(cited) > _STRAY
        return "none is found" if is_expected else None
    above = sum(number > len(facts.references) for number in cited)
    if above > max(_STRAY, _UNLISTED * len(cited)):
        return f"the text cites up to [{max(cited)}] of {len(facts.references)}"
    odd = sum(not _MIN_ENTRY <= len(one.raw) <= _MAX_ENTRY for one in facts.references)
    if odd > _ODD * len(facts.references):
        return f"{odd} of {len(facts.references)} entries are not a single work"
    # One work with hundreds of authors must not outweigh the others.
    unlabelled = [one.raw[:_MAX_ENTRY] for one in facts.references if label_of(one.raw) is None]
    if 2 * len(unlabelled) > len(facts.references) and share_whole(unlabelled) < _WHOLE:
        return "the entries do not part where a work begins"
    return None


_DOUBTS: Mapping[str, Callable[[Facts], str | None]] = {
    "title": _doubt_of_title,
    "authors": _doubt_of_authors,
    "abstract": _doubt_of_abstract,
    "references": _doubt_of_references,
}
"""Part judged by itself -> function that returns the reason for a doubt, or None."""


def _strong(facts: Facts, tops: Sequence[Section]) -> Iterator[str]:
    count = len(facts.letters_by_page)
    if len(tops) < _MIN_HEADINGS:
        yield f"{len(tops)} sections on {count} pages"
    if all(_role(section) == "appendix" for section in tops):
        yield "appendices only"
    if _is_unparted(facts):
        yield "one section holds most of the text"
    short = [one.text for one in facts.lines if not one.kind and len(one.words) <= _FEW_WORDS]
    roles = [
        role
        for text in short
        for role in {role_of_heading(one) for one in (text, *(n.text for n in read_numbers(text)))}
        if role in _OF_EACH_PAPER
    ]
    if [role for role, _ in groupby(roles)].count("introduction") > 1 and roles[-1] == "references":
        yield "two papers in one file"
    lost, total = facts.coverage.lost, max(facts.coverage.total, 1)
    if (garbled := facts.coverage.garbled / total) > _GARBLED:
        yield f"garbled glyphs: {garbled:.0%} of the characters"
    if (share_lost := lost.total() / total) > _LOST:
        worst = sorted(
            facts.cover + page + 1 for page, size in lost.items() if 3 * size >= max(lost.values())
        )
        pages = ", ".join(map(str, worst[:5]))
        share = f"{share_lost:.0%} of the characters"
        yield f"{share} reach no part of the paper: see page {pages}"
    # Count words broken at the end of a line, and those without a second half on the next line.
    broken = wrong = 0
    for line, after in pairwise([line for line in facts.lines if not line.kind]):
        if line.text.endswith("-") and line.text[-2:-1].islower():
            broken += 1
            wrong += not after.text[:1].isalpha() or after.text[:1].isupper()
    if (wrong / broken if broken >= _ENOUGH_BROKEN else 0.0) > _BROKEN:
        yield "the lines are not in reading order"
    empty = sum(letters < 50 for letters in facts.letters_by_page)
    if empty > _EMPTY_PAGES * count:
        yield f"{empty} of {count} pages hold images only"


def _is_unparted(facts: Facts) -> bool:
    """Check whether one section holds most of the text, largely without subsections."""
    tops: list[int] = []
    for section in facts.sections:
        if section.level == 1 or not tops:
            tops.append(0)
        tops[-1] += len(section.text)
    longest = max((len(section.text) for section in facts.sections), default=0)
    total = max(sum(tops), 1)
    return max(tops, default=0) > _WIDEST * total and longest > _UNPARTED * total


def _weak(facts: Facts, tops: Sequence[Section]) -> Iterator[str]:
    roles = {_role(section) for section in tops}
    if "introduction" not in roles and facts.features.get("chain", 0.0) < _NUMBERED:
        yield "no introduction"
    if not facts.references and len(facts.letters_by_page) > _LONG:
        yield "no references"
    if facts.score < _WEAK_SCORE:
        yield "little evidence for the headings"


def _role(section: Section) -> str | None:
    return section.role or role_of_heading(section.heading or "")
