"""Candidates for a board: the papers that contain every word of its task, dataset and metric.

Nothing here looks at the gold: a paper on the board that lacks one of the words is no candidate,
and what that costs is measured as `candidate_recall`.

Source: LEGOBench §4.2, which leaves stop words and the number of candidates open.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from vivavoce.corpus import Corpus
from vivavoce.corpus.fulltext.index import open_index, read_documents
from vivavoce.errors import StaleError
from vivavoce.retrieval.all_terms import PostingsIndex, TantivyIndex, TermsDocument
from vivavoce.retrieval.sparse import words
from vivavoce.text.dates import period
from vivavoce.text.terms import query_terms

Text = Literal["abstracts", "fulltext"]
TEXTS: tuple[Text, ...] = ("abstracts", "fulltext")
"""Texts that are searched: titles and abstracts, or with them the headings and sections."""
Name = Literal["task", "dataset", "metric"]
NAMES: tuple[Name, ...] = ("task", "dataset", "metric")
"""The names of a board whose words a candidate has to contain."""
MAX_CANDIDATES = 2_000
MAX_IN_MEMORY = {"abstracts": 500_000, "fulltext": 50_000}
"""Papers of a corpus up to which an index is made in memory where there is none on disk."""

_KINDS = {"abstracts": "abstracts", "fulltext": "full"}
_K1, _B = 1.5, 0.75
_DIGITS = 9


@dataclass(frozen=True, slots=True)
class BoardQuery:
    """The names of a board: what its candidates are searched by."""

    id: str
    task: str
    dataset: str
    metric: str

    def words(self, names: Sequence[Name] = NAMES) -> str:
        """Some of its names as one text, without the words of a sentence around them."""
        return " ".join(getattr(self, name) for name in NAMES if name in names)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates for one board."""

    papers: tuple[str, ...]
    """Papers with every word that was asked for but the stop words; sorted ids."""
    strict: tuple[str, ...] | None
    """Papers of these with the stop words as well; None where no stop word was asked for."""
    cut: int
    """Papers that contain every word but are not among the most relevant."""


def find_candidates(
    corpus: Corpus,
    queries: Sequence[BoardQuery],
    *,
    text: Text = "abstracts",
    as_of: date,
    names: Sequence[Name] = NAMES,
    limit: int = MAX_CANDIDATES,
) -> dict[str, Candidates]:
    """The candidates for each board, by its id.

    Of more than `limit` papers the most relevant stay, by BM25 of all three names in titles and
    abstracts, equal ones by id.

    Args:
        corpus: Where they are searched.
        queries: The boards.
        text: What of a paper has to contain the words.
        as_of: Only papers whose date is over before this day; undated ones never are.
        names: Whose words a candidate has to contain. LEGOBench asks for all three, which few
            abstracts have; fewer names find more of the papers on a board.
        limit: The most candidates for a board.

    Raises:
        StaleError: The corpus is too large to be indexed here; the message has the command.
    """
    index = open_terms(corpus, text)
    asked = {query.id: query.words(names) for query in queries}
    found = {
        board: index.all_terms(asked_for, as_of=as_of, drop_stop_words=True)
        for board, asked_for in asked.items()
    }
    crowded = [query for query in queries if len(found[query.id]) > limit]
    best = _most_relevant(corpus, crowded, found, as_of, limit) if crowded else {}
    made: dict[str, Candidates] = {}
    for query in queries:
        papers, asked_for = best.get(query.id, found[query.id]), asked[query.id]
        strict = None
        if query_terms(asked_for) != query_terms(asked_for, drop_stop_words=True):
            with_all = set(index.all_terms(asked_for, as_of=as_of))
            strict = tuple(paper for paper in papers if paper in with_all)
        made[query.id] = Candidates(tuple(papers), strict, len(found[query.id]) - len(papers))
    return made


def open_terms(corpus: Corpus, text: Text) -> TantivyIndex:
    """The index of a corpus on disk, or one made in memory where there is none up to date.

    Raises:
        StaleError: The corpus is too large for memory; the message has the command.
    """
    kind = _KINDS[text]
    try:
        return open_index(corpus, text=kind)
    except StaleError:
        files = corpus.manifest["files"]
        papers = sum(files[name]["rows"] for name in corpus.files("papers"))
        if papers > MAX_IN_MEMORY[text]:
            raise
    return PostingsIndex(read_documents(corpus, text=kind))


def _most_relevant(
    corpus: Corpus,
    queries: Sequence[BoardQuery],
    found: Mapping[str, Sequence[str]],
    as_of: date,
    limit: int,
) -> dict[str, list[str]]:
    """The best papers for each query, sorted by id; one pass over the corpus for all of them."""
    wanted = {paper for query in queries for paper in found[query.id]}
    terms = {query.id: query_terms(query.words(), drop_stop_words=True) for query in queries}
    vocabulary = frozenset(term for each in terms.values() for term in each)
    known = (d for d in read_documents(corpus) if _is_over(d, as_of))
    counts = _TermCounts(known, vocabulary, wanted)
    best: dict[str, list[str]] = {}
    for query in queries:
        scores = {paper: counts.score(paper, terms[query.id]) for paper in found[query.id]}
        order = sorted(scores, key=lambda paper: (-scores[paper], paper))
        best[query.id] = sorted(order[:limit])
    return best


def _is_over(document: TermsDocument, as_of: date) -> bool:
    return document.published is not None and period(document.published)[1] <= as_of


class _TermCounts:
    """Counts of some terms in some papers, and of the papers that contain them.

    The idf is ln(1 + (N - n + 0.5) / (n + 0.5)): among papers that all contain a term, one that
    repeats it must never count for less.
    """

    def __init__(
        self, documents: Iterable[TermsDocument], vocabulary: frozenset[str], wanted: set[str]
    ) -> None:
        self._counts: dict[str, Counter[str]] = {}
        self._lengths: dict[str, int] = {}
        self._with: Counter[str] = Counter()
        self._papers = self._words = 0
        for document in documents:
            found = words(document.text)
            counts = Counter(word for word in found if word in vocabulary)
            self._with.update(counts.keys())
            self._papers += 1
            self._words += len(found)
            if document.id in wanted:
                self._counts[document.id] = counts
                self._lengths[document.id] = len(found)

    def score(self, paper: str, terms: Sequence[str]) -> float:
        """The BM25 score of a paper, rounded so that no machine breaks ties in its own way."""
        mean = self._words / self._papers or 1.0
        room = _K1 * (1 - _B + _B * self._lengths[paper] / mean)
        counts = self._counts[paper]
        parts = (self._idf(t) * counts[t] * (_K1 + 1) / (counts[t] + room) for t in terms)
        return round(math.fsum(parts), _DIGITS)

    def _idf(self, term: str) -> float:
        having = self._with[term]
        return math.log1p((self._papers - having + 0.5) / (having + 0.5))
