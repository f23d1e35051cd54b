"""Scores that a paper states for itself in sentences: `93.5 F1 on CoNLL-2003`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from vivavoce.readers.evidence import Question
from vivavoce.readers.paper_tables import LibraryPaper
from vivavoce.readers.terms import MEASURE_IN_SENTENCE, MEASURES, SPLITS, terms_in
from vivavoce.text.cell_text import read_score
from vivavoce.text.citation_markers import find_author_year_markers, find_numeric_markers
from vivavoce.text.data import read_patterns
from vivavoce.text.sentences import split_sentences

MAX_CLAIMS = 60
"""Sentences of one paper that are kept."""
_MAX_TEXT = 300_000
_MAX_SENTENCE = 400
_WORDS_AROUND = 7
_NUMBER = re.compile(
    r"(?<![\w.,/-])[0-9]{1,3}\.[0-9]{1,3}(?:\s?%)?(?![\w.]\w)|(?<![\w.,/-])[0-9]{2}\s?%"
)
_PATTERNS = read_patterns(__file__, "patterns.toml")
_CHANGE = _PATTERNS["claims_change"]
_OTHERS = _PATTERNS["claims_others"]
_SIDE_BY_SIDE = re.compile(
    r"[\s,;/%()]{1,4}(?:and|&)?\s?|\s?[()]?[^\W\d_]{0,3}\s?[()]?[,/]\s?|\s?(?:and|or|to)\s"
)
_PARTING = re.compile(r",\s?(?:and\s)?|\sand\s|/")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence with scores."""

    sentence: str
    numbers: tuple[float, ...]
    near: tuple[str, ...]
    """The words around each number."""


def find_claims(texts: Iterable[str]) -> list[Claim]:
    """The sentences that state scores without citing anybody."""
    found: list[Claim] = []
    for text in texts:
        for paragraph in text[:_MAX_TEXT].split("\n\n"):
            if _NUMBER.search(paragraph) is None or MEASURE_IN_SENTENCE.search(paragraph) is None:
                continue
            for sentence in split_sentences(paragraph):
                claim = _read(sentence)
                if claim is not None:
                    found.append(claim)
                    if len(found) == MAX_CLAIMS:
                        return found
    return found


def _read(sentence: str) -> Claim | None:
    if len(sentence) > _MAX_SENTENCE or MEASURE_IN_SENTENCE.search(sentence) is None:
        return None
    if next(find_author_year_markers(sentence), None) or next(find_numeric_markers(sentence), None):
        return None
    found = list(_NUMBER.finditer(sentence))
    numbers: list[float] = []
    near: list[str] = []
    for group in _groups(sentence, found):
        before, after = _around(sentence, found, group)
        for place, match in enumerate(found[group.start : group.stop]):
            value = read_score(match[0])
            lead = sentence[: match.start()][-60:]
            if value is None or _CHANGE.search(lead) or _OTHERS.search(lead):
                continue
            if sentence[match.end() :].lstrip()[:5].lower() == "point":
                continue
            numbers.append(value)
            near.append(_words_near(before, after, place, len(group)))
    return Claim(sentence, tuple(numbers), tuple(near)) if numbers else None


def _groups(sentence: str, found: list[re.Match[str]]) -> list[range]:
    """Places of numbers that stand side by side, as in `96.0 and 94.3`."""
    groups: list[range] = []
    for place, match in enumerate(found):
        gap = sentence[found[place - 1].end() : match.start()] if place else "x"
        if _SIDE_BY_SIDE.fullmatch(gap):
            groups[-1] = range(groups[-1].start, place + 1)
        else:
            groups.append(range(place, place + 1))
    return groups


def _around(sentence: str, found: list[re.Match[str]], group: range) -> tuple[str, str]:
    """The text from the number before a group, and to the number after it."""
    start = found[group.start - 1].end() if group.start else 0
    end = found[group.stop].start() if group.stop < len(found) else len(sentence)
    return sentence[start : found[group.start].start()], sentence[found[group.stop - 1].end() : end]


def _words_near(before: str, after: str, place: int, count: int) -> str:
    if count > 1:
        ahead = [part for part in _PARTING.split(after.split("respectively")[0]) if part.strip()]
        if len(ahead) == count and "respectively" in after:
            return " ".join([*before.split()[-_WORDS_AROUND:], *ahead[place].split()])
        listed = list(MEASURE_IN_SENTENCE.finditer(before))[-count:]
        if len(listed) == count:
            return " ".join([listed[place][0], *after.split()[:_WORDS_AROUND]])
        listed = list(MEASURE_IN_SENTENCE.finditer(after))[:count]
        if len(listed) == count:
            return " ".join([*before.split()[-_WORDS_AROUND:], listed[place][0]])
    behind = list(MEASURE_IN_SENTENCE.finditer(before))
    ahead_of = MEASURE_IN_SENTENCE.search(after)
    if behind and ahead_of:  # of two measures the nearer
        if len(before) - behind[-1].end() <= ahead_of.start() + 3:
            after = after[: ahead_of.start()]
        else:
            before = MEASURE_IN_SENTENCE.sub(" ", before)
    return " ".join([*before.split()[-_WORDS_AROUND:], *after.split()[:_WORDS_AROUND]])


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
    words = Counter(_words(paper))
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


def _words(paper: LibraryPaper) -> Iterator[str]:
    for text in paper.texts(abstract=True):
        yield from (found[0].casefold() for found in _WORD.finditer(text))
