"""The passages of a library's papers, ranked by BM25."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from vivavoce.retrieval.protocol import best_hits
from vivavoce.retrieval.sparse import Floats, TermCounts, add_postings, count_terms, words
from vivavoce.tasks.library.text import cut_table, cut_text, headed

if TYPE_CHECKING:
    from vivavoce.readers.documents import LibraryPaper

PASSAGE, OVERLAP = 800, 100
"""Characters of a passage, and those that two neighbours share, at most."""
_K1, _B = 1.5, 0.75

Passage = tuple[str, str, str]
"""(paper id, part, text)."""


class Index:
    """Passages ranked by BM25 with an idf that is never negative, so that a match never costs.

    idf = ln(1 + (N - n + 0.5) / (n + 0.5)), with N passages of which n have the term.
    """

    def __init__(self, papers: Mapping[str, LibraryPaper]) -> None:
        self._papers = papers
        self._lock = Lock()
        self._built: tuple[list[Passage], TermCounts, Floats] | None = None

    def ranked(self, query: str) -> Iterator[tuple[float, str, str, str]]:
        """(score, paper id, part, text) of the passages that share a word with a query."""
        with self._lock:
            if self._built is None:
                self._built = self._build()
        passages, counts, weights = self._built
        known = Counter(counts.numbers[w] for w in words(query) if w in counts.numbers)
        if known:
            scores = add_postings(counts, weights, known)
            for hit in best_hits(scores, int(np.count_nonzero(scores))):
                yield hit.score, *passages[hit.index]

    def _build(self) -> tuple[list[Passage], TermCounts, Floats]:
        passages = [one for paper in self._papers.values() for one in passages_of(paper)]
        counts = count_terms((text for _, _, text in passages), words)
        n, f = counts.passages_with, counts.frequencies
        idf = np.log1p((len(passages) - n + 0.5) / (n + 0.5))
        mean = counts.lengths.mean() if counts.lengths.any() else 1.0
        room = _K1 * (1 - _B + _B * counts.lengths[counts.passages] / mean)
        return passages, counts, idf[counts.terms] * f * (_K1 + 1) / (f + room)


def passages_of(paper: LibraryPaper) -> Iterator[Passage]:
    """A paper in passages: title and abstract, sections, tables."""
    lead = f"{paper.title}\n\n{paper.abstract or ''}"
    for text in cut_text(lead, PASSAGE, OVERLAP):
        yield paper.paper_id, "abstract", text
    for number, section in enumerate(paper.sections, 1):
        for text in cut_text(headed(section.heading, section.text), PASSAGE, OVERLAP):
            yield paper.paper_id, f"section {number}", text
    for number, table in enumerate(paper.tables, 1):
        for text in cut_table(table.caption, table.cells, PASSAGE):
            yield paper.paper_id, f"table {number}", text
