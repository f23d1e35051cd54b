"""Papers that are the same work, or share so much text that one gives the other away.

Two papers are kin when they are one paper, are versions of one arXiv id, or have one title. They
are also kin when they share at least half of the 13-word runs of their abstracts, introductions or
related-work sections (of the shorter one's, each run counted once). Runs are compared by 64-bit
hashes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from vivavoce.metrics.text_statistics import words_of
from vivavoce.tasks.writing.items.inputs import SECTION_TASKS, PaperText, gold
from vivavoce.text import shingles
from vivavoce.text.identifiers import find_arxiv_id
from vivavoce.text.normalise import normalise_title

RUN = 13
"""Words of a run."""
MAX_SHARED = 0.5
"""From this share on two texts are near copies."""

Hashes: TypeAlias = npt.NDArray[np.uint64]
Kin: TypeAlias = tuple[str, str]
"""(reason, detail): `itself`, `another_version`, `same_title` or `near_copy`."""

_PARTS = ("abstract", *SECTION_TASKS)
_SAMPLED_FROM = 128
_SAMPLE = 4
"""Of a long text one run in so many is looked up, told by its hash, so the same in every text."""
_MAX_BEARERS = 20
"""A run of more papers is a phrase of the trade and points to nobody."""


def hash_runs(text: str) -> Hashes:
    """The distinct 13-word runs of a text as sorted hashes; none for fewer words."""
    return np.unique(shingles.hash_runs(words_of(text), RUN))


def shared_runs(first: Hashes, second: Hashes) -> float:
    """Share of the shorter text's runs that the other has; 0 where one has none."""
    fewer = min(len(first), len(second))
    return len(np.intersect1d(first, second, assume_unique=True)) / fewer if fewer else 0.0


class Kinship:
    """Compares papers, and reads the text of each only once."""

    def __init__(self) -> None:
        self._runs: dict[str, dict[str, Hashes]] = {}

    def between(self, target: PaperText, candidate: PaperText) -> Kin | None:
        """Kinship of two papers; None when they are two works."""
        if target.paper_id == candidate.paper_id:
            return "itself", "the target is no demonstration of itself"
        ids = [find_arxiv_id(paper.paper_id) for paper in (target, candidate)]
        if ids[0] and ids[1] and ids[0][0] == ids[1][0]:
            return "another_version", f"both are arXiv {ids[0][0]}"
        key = normalise_title(target.title)
        if key and key == normalise_title(candidate.title):
            return "same_title", "both have the target's title"
        theirs = self._runs_of(candidate)
        for part, runs in self._runs_of(target).items():
            if (share := shared_runs(runs, theirs[part])) >= MAX_SHARED:
                return "near_copy", f"{share:.0%} of the 13-word runs of the {part} are shared"
        return None

    def find_all(self, papers: Sequence[PaperText]) -> dict[tuple[str, str], Kin]:
        """All pairs of kin, by (paper id, paper id) in both orders.

        Titles, ids and a sample of the runs point to the pairs that are then compared in full.
        """
        found: dict[tuple[str, str], Kin] = {}
        for first, second in sorted(self._pointed_at(papers)):
            one, other = papers[first], papers[second]
            if kin := self.between(one, other):
                found[one.paper_id, other.paper_id] = found[other.paper_id, one.paper_id] = kin
        return found

    def _runs_of(self, paper: PaperText) -> dict[str, Hashes]:
        if paper.paper_id not in self._runs:
            texts = (gold(part, paper.title, paper.abstract, paper.sections) for part in _PARTS)
            names = (part.replace("_", " ") for part in _PARTS)
            self._runs[paper.paper_id] = {
                name: hash_runs(text or "") for name, text in zip(names, texts, strict=True)
            }
        return self._runs[paper.paper_id]

    def _pointed_at(self, papers: Sequence[PaperText]) -> set[tuple[int, int]]:
        """Places of the pairs worth a comparison, the smaller first."""
        groups: dict[str, list[int]] = defaultdict(list)
        for place, paper in enumerate(papers):
            for key in _keys(paper):
                groups[key].append(place)
        pairs = {pair for group in groups.values() for pair in _pairs(group)}
        for part in _PARTS:
            runs = [self._runs_of(paper)[part.replace("_", " ")] for paper in papers]
            samples = [_sample(one) for one in runs]
            pairs.update(p for g in shingles.holders(samples, _MAX_BEARERS) for p in _pairs(g))
        return pairs


def _keys(paper: PaperText) -> Iterator[str]:
    if key := normalise_title(paper.title):
        yield f"title {key}"
    if found := find_arxiv_id(paper.paper_id):
        yield f"arxiv {found[0]}"


def _pairs(group: Sequence[int]) -> Iterator[tuple[int, int]]:
    return ((a, b) for place, a in enumerate(group) for b in group[place + 1 :])


def _sample(runs: Hashes) -> Hashes:
    return runs if len(runs) < _SAMPLED_FROM else runs[runs % np.uint64(_SAMPLE) == 0]
