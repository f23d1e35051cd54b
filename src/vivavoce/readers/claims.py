"""The name of a paper's own method, and the scores that its sentences give it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from vivavoce.readers.evidence import Question
from vivavoce.readers.paper_tables import LibraryPaper
from vivavoce.readers.terms import MEASURES, SPLITS, terms_in
from vivavoce.text.data import read_patterns

_PATTERNS = read_patterns(__file__, "patterns.toml")
_WORD = re.compile(r"[^\W_][\w-]{1,40}")
_BREAK = re.compile(r"(?<=[.!?])\s(?=[A-Z])|\n")
_MAX_OWN_SENTENCE = 600
_TITLED = re.compile(r"([A-Z][\w+@./-]{1,30}(?: [\w+@./-]{1,20})?):\s")
_NAMED = _PATTERNS["claims_named"]
_IN_BRACKETS = re.compile(r"\(([A-Z][\w-]{0,14}[A-Z][\w-]{0,10})s?\)")
_MIN_COUNT = 4
"""Times that a paper has to name its method."""
_OWN = _PATTERNS["claims_own"]
_DECIMAL = re.compile(r"(?<![\w.,-])\d{1,3}\.\d{1,3}(?![\w.,]\d)")
_BASE = 0.4
_PAPERS = 1_000
"""Papers of which names and sentences are kept."""


@lru_cache(maxsize=_PAPERS)
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
    texts = paper.texts(abstract=True)
    words = Counter(found[0].casefold() for text in texts for found in _WORD.finditer(text))
    best = max(dict.fromkeys(names), key=lambda name: words[name.casefold()])
    terms = set(terms_in(best))
    return best if words[best.casefold()] >= _MIN_COUNT and not terms <= MEASURES | SPLITS else ""


def claims(paper: LibraryPaper, method: str, question: Question) -> Iterator[tuple[str, float]]:
    """Scores that sentences of a paper give its own method, if it has a name, and their weight."""
    if not method:
        return
    for sentence, numbers, terms in _own_sentences(paper):
        share = question.share(terms, sentence)
        measured = not question.measures or bool(question.measures & terms)
        if share >= 0.6 and measured:
            yield _chosen(sentence, numbers), _BASE * share


@lru_cache(maxsize=_PAPERS)
def _own_sentences(paper: LibraryPaper) -> tuple[tuple[str, list[str], frozenset[str]], ...]:
    """The sentences of a paper on its own scores, with their numbers and terms."""
    return tuple(
        (sentence, numbers, frozenset(terms_in(sentence)))
        for sentence in _sentences(paper)
        if (numbers := _DECIMAL.findall(sentence)) and _OWN.search(sentence)
    )


def _chosen(sentence: str, numbers: list[str]) -> str:
    """The second number of `from 1.06 to 0.99`, else the first of the sentence."""
    moved = re.search(r"\bfrom (\d[\d.]{0,8})%? (?:\w+ )?to (\d[\d.]{0,8})", sentence)
    if moved and moved[2].rstrip(".") in numbers:
        return moved[2].rstrip(".")
    return numbers[0]


def _sentences(paper: LibraryPaper) -> Iterator[str]:
    for text in paper.texts(abstract=True):
        for sentence in _BREAK.split(text):
            yield sentence[:_MAX_OWN_SENTENCE]
