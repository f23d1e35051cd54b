"""What papers are asked in the columns of a table: general properties, found by patterns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from vivavoce.tasks.tables.items.demands.leaks import is_telling, stem_of
from vivavoce.tasks.tables.items.keyword.papers import (
    PoolText,
    datasets_in,
    own_name,
    task_of,
    terms_of,
    weigh,
)
from vivavoce.text.data import read_data, read_patterns

_MAX_VALUES = 3
_NEAR_BEST = 0.5
"""Share of the most mentioned value's weight that another one needs to stand beside it."""
_SCALE = {"million": "M", "billion": "B", "thousand": "K"}
_PATTERNS = read_patterns(__file__, "patterns.toml")
_YES, _NO = "Yes", "No"

Find = Callable[[PoolText], Counter[str]]


@dataclass(frozen=True, slots=True)
class Facet:
    """A property that papers can be compared in."""

    name: str
    """Of the column."""
    asked_by: str
    """A pattern of how words of demands begin that ask for it."""
    find: Find
    """The values that a paper gives, by how much speaks for each."""
    most: int = _MAX_VALUES
    """Values of a cell."""

    def is_asked(self, demand: str) -> bool:
        """Whether a demand has such a word."""
        return re.search(rf"\b(?:{self.asked_by})", demand, re.IGNORECASE) is not None

    def cell(self, paper: PoolText) -> str | None:
        """What a paper says of it: the values that most speaks for."""
        # Equal ones stay as they were mentioned.
        ranked = self.find(paper).most_common(self.most)
        least = _NEAR_BEST * ranked[0][1] if ranked else 0
        return ", ".join(name for name, weight in ranked if weight >= least) or None


def _listed(listing: str) -> Find:
    return lambda paper: weigh(
        paper.parts, lambda text: (name for _, _, name in terms_of(listing).find(text))
    )


def _numbered(pattern: re.Pattern[str]) -> Find:
    """The numbers that a pattern finds, with the sign of their scale."""
    return lambda paper: weigh(
        paper.parts,
        lambda text: (
            "".join(map(_scaled, filter(None, found.groups()))) for found in pattern.finditer(text)
        ),
    )


def _scaled(part: str) -> str:
    for word, sign in _SCALE.items():
        part = re.sub(rf"\s?{word}", sign, part, flags=re.IGNORECASE)
    return part.upper() if part.isalpha() else part


def _method(paper: PoolText) -> Counter[str]:
    name = own_name(paper)
    return Counter([name]) if name else Counter()


def _code(paper: PoolText) -> Counter[str]:
    """Only a whole text can tell that there is none."""
    if any(_PATTERNS["code"].search(text) for _, text in paper.parts):
        return Counter([_YES])
    return Counter([_NO]) if paper.text else Counter()


_FUNCTIONS = {"method": _method, "task": task_of, "dataset": datasets_in, "code": _code}


def _finder(name: str) -> Find:
    """What `find` names in `facets.toml`."""
    if name in _FUNCTIONS:
        return _FUNCTIONS[name]
    return _numbered(_PATTERNS[name]) if name in _PATTERNS else _listed(name)


FACETS = tuple(
    Facet(**{**given, "find": _finder(given["find"])})
    for given in read_data(__file__, "facets.toml")["facet"]
)
"""In the order in which a table has them."""


YES, NO = "✓", "✗"
_MIN_COUNT, _MIN_SHARE, _MAX_SHARE = 2, 0.2, 0.7
"""Papers that have a phrase, and the share of all papers."""
_MAX_WORDS = 2
"""Words of a phrase."""
_BREAK = re.compile(r"[:;,.?!()\n–—]")
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_EMPTY = read_data(__file__, "words.toml")["empty"]
"""Words that are in too many papers to say what one is about."""

Stems = tuple[str, ...]


def find_topics(demand: str, papers: Sequence[PoolText], most: int) -> dict[str, dict[str, str]]:
    """Phrases that set papers apart, each with what it is for every label.

    Those that split the papers most evenly come first, `most` in all; no word is in two of them,
    and none has but words of the demand.
    """
    asked = {stem_of(word) for word in _WORD.findall(demand)}
    printed: dict[Stems, Counter[str]] = {}
    holders: dict[Stems, list[str]] = {}
    for paper in papers:
        for stems, phrase in dict(_phrases(paper.lead)).items():
            printed.setdefault(stems, Counter())[phrase] += 1
            holders.setdefault(stems, []).append(paper.label)
    size, empty = len(papers), _empty_stems()
    fit = {
        stems: labels
        for stems, labels in holders.items()
        if max(_MIN_COUNT, _MIN_SHARE * size) <= len(labels) <= _MAX_SHARE * size
        and not set(stems) <= asked
        and empty.isdisjoint(stems)
    }
    ranked = sorted(fit, key=lambda stems: (abs(2 * len(fit[stems]) - size), -len(stems), stems))
    topics: dict[str, dict[str, str]] = {}
    said: set[str] = set()
    for stems in ranked:
        if len(topics) == most:
            break
        if said.isdisjoint(stems):
            said.update(stems)
            having = set(fit[stems])
            name = printed[stems].most_common(1)[0][0]
            topics[f"{name[:1].upper()}{name[1:]}"] = {
                paper.label: YES if paper.label in having else NO for paper in papers
            }
    return topics


@cache
def _empty_stems() -> frozenset[str]:
    return frozenset(map(stem_of, _EMPTY))


def _phrases(text: str) -> Iterator[tuple[Stems, str]]:
    for part in _BREAK.split(text):
        words = _WORD.findall(part)
        for start in range(len(words)):
            for end in range(start + 1, min(start + _MAX_WORDS, len(words)) + 1):
                window = words[start:end]
                if all(is_telling(word) and not word.isdigit() for word in window):
                    shown = (word.lower() if word.istitle() else word for word in window)
                    yield tuple(map(stem_of, window)), " ".join(shown)
