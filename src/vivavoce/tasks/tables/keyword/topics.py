"""Columns that papers answer with yes or no: phrases that some of them have and others lack."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from vivavoce.tasks.tables.demands.word_forms import is_telling, stem_of
from vivavoce.tasks.tables.keyword.papers import PoolText

YES, NO = "✓", "✗"
_FEWEST, _LEAST, _MOST = 2, 0.2, 0.7
"""Papers that have a phrase, and the share of all papers."""
_LONGEST = 2
"""Words of a phrase."""
_BREAK = re.compile(r"[:;,.?!()\n–—]")
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_EMPTY = (
    "achieve approach art base based better data deep demonstrate different effective efficient "
    "existing fast first framework general high improve large learning method model network new "
    "novel paper performance present problem propose result set show simple state study survey "
    "system task technique toward training two use using via work"
)
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
        if max(_FEWEST, _LEAST * size) <= len(labels) <= _MOST * size
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
    return frozenset(map(stem_of, _EMPTY.split()))


def _phrases(text: str) -> Iterator[tuple[Stems, str]]:
    for part in _BREAK.split(text):
        words = _WORD.findall(part)
        for start in range(len(words)):
            for end in range(start + 1, min(start + _LONGEST, len(words)) + 1):
                window = words[start:end]
                if all(is_telling(word) and not word.isdigit() for word in window):
                    shown = (word.lower() if word.istitle() else word for word in window)
                    yield tuple(map(stem_of, window)), " ".join(shown)
