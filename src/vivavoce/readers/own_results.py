"""A paper's own method: its name, and the scores that sentences give it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from vivavoce.readers.documents import LibraryPaper
from vivavoce.readers.evidence import Question
from vivavoce.readers.terms import MEASURES, SPLITS, terms_in

_WORD = re.compile(r"[^\W_][\w-]{1,40}")
_BREAK = re.compile(r"(?<=[.!?])\s(?=[A-Z])|\n")
_MAX_SENTENCE = 600
_TITLED = re.compile(r"([A-Z][\w+@./-]{1,30}(?: [\w+@./-]{1,20})?):\s")
_NAMED = re.compile(
    r"(?:propos\w{0,3}|introduc\w{0,3}|present|call(?:ed)?|named?|dub(?:bed)?|term(?:ed)?|describe)\b"
    r"[^.\n]{0,80}?\b([A-Z][\w-]{0,20}[A-Z0-9][\w-]{0,12})\b"
)
_IN_BRACKETS = re.compile(r"\(([A-Z][\w-]{0,14}[A-Z][\w-]{0,10})s?\)")
_MIN_COUNT = 4
"""Times that a paper has to name its method."""
_OWN = re.compile(
    r"\b(?:we|our|ours|this (?:paper|work)|proposed|achiev\w{1,4}|obtain\w{0,3}|reach\w{0,3}"
    r"|outperform\w{0,3}|state[ -]of[ -]the[ -]art)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.,-])\d{1,3}\.\d{1,3}(?![\w.,]\d)")
_BASE = 0.4


@dataclass(frozen=True, slots=True)
class Claim:
    """A score that a sentence gives."""

    score: str
    weight: float


def own_method(paper: LibraryPaper) -> str:
    """The name of a paper's method in title or abstract; empty where none is found."""
    found = _TITLED.match(paper.title.strip())
    if found:
        return found[1].strip()
    lead = f"{paper.title}. {(paper.abstract or '')[:5_000]}"
    first = paper.sections[0].text[:8_000] if paper.sections else ""
    names = [*_IN_BRACKETS.findall(lead), *_NAMED.findall(lead), *_NAMED.findall(first)]
    if not names:
        return ""
    words = Counter(_words(paper))
    best = max(dict.fromkeys(names), key=lambda name: words[name.casefold()])
    terms = set(terms_in(best))
    return best if words[best.casefold()] >= _MIN_COUNT and not terms <= MEASURES | SPLITS else ""


def claims(paper: LibraryPaper, method: str, question: Question) -> Iterator[Claim]:
    """The scores that sentences of a paper give its own method, if it has a name."""
    if not method:
        return
    for sentence in _sentences(paper):
        numbers = _NUMBER.findall(sentence)
        if not numbers or not _OWN.search(sentence):
            continue
        terms = frozenset(terms_in(sentence))
        share = question.share(terms, sentence)
        measured = not question.measures or bool(question.measures & terms)
        if share >= 0.6 and measured:
            yield Claim(_chosen(sentence, numbers), _BASE * share)


def _chosen(sentence: str, numbers: list[str]) -> str:
    """The second number of `from 1.06 to 0.99`, else the first of the sentence."""
    moved = re.search(r"\bfrom (\d[\d.]{0,8})%? (?:\w+ )?to (\d[\d.]{0,8})", sentence)
    if moved and moved[2].rstrip(".") in numbers:
        return moved[2].rstrip(".")
    return numbers[0]


def _sentences(paper: LibraryPaper) -> Iterator[str]:
    for text in paper.texts(abstract=True):
        for sentence in _BREAK.split(text):
            yield sentence[:_MAX_SENTENCE]


def _words(paper: LibraryPaper) -> Iterator[str]:
    for text in paper.texts(abstract=True):
        yield from (found[0].casefold() for found in _WORD.finditer(text))
