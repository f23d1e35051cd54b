"""Passages ranked by the weights of the terms that they share with a query: BM25 and TF-IDF.

`Bm25Retriever` gives the scores of the package rank_bm25 (its BM25Okapi). Let f be the count of a
term in a passage of length l, a the mean length, N the number of passages, and n the number of
passages with the term. Its score is the sum over the query's terms, repetitions included, of

    idf f (k1 + 1) / (f + k1 (1 - b + b l / a))      idf = ln(N - n + 0.5) - ln(n + 0.5)

A term in more than half of the passages has a negative idf; it gets `epsilon` times the mean idf
of all terms instead. In a very small collection, this mean can itself be negative; such a term then
counts against a passage.

`TfidfRetriever` ranks by the cosine of TF-IDF vectors. A term that occurs f times in a passage, and
in n of N passages, has the weight f (ln((1 + N) / (1 + n)) + 1). Vectors of passages and queries
are scaled to norm 1. Query terms that the collection lacks do not count. These are the defaults of
scikit-learn's TfidfVectorizer.

Source: Robertson and Zaragoza 2009; the floor of the idf follows rank_bm25.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import count, pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from vivavoce.errors import InputError
from vivavoce.retrieval import Hit, best_hits, check_limit, check_queries
from vivavoce.text.dates import day_after
from vivavoce.text.normalise import normalise_title
from vivavoce.text.terms import query_terms, terms_of

if TYPE_CHECKING:
    import tantivy


Tokenizer = Callable[[str], Sequence[str]]
Floats = NDArray[np.float64]


def words(text: str) -> list[str]:
    """Split a text into case-folded words at punctuation and symbols; repetitions stay."""
    return normalise_title(text).split()


def count_terms(
    passages: Iterable[str], tokenize: Tokenizer
) -> tuple[dict[str, int], csr_array, Floats]:
    """Count the terms of a collection.

    Returns the number of each term, its counts of shape (terms, passages), and the number of terms
    in each passage, counting repetitions.
    """
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    terms, lengths = array("i"), array("i")
    for passage in passages:
        passage_terms = tokenize(passage)
        lengths.append(len(passage_terms))
        terms.extend(map(numbers.__getitem__, passage_terms))
    sizes = np.asarray(lengths, dtype=np.int64)
    places = np.asarray(terms, dtype=np.int64), np.repeat(np.arange(len(sizes)), sizes)
    shape = (len(numbers), len(sizes))
    counts = coo_array((np.ones(len(terms)), places), shape=shape).tocsr()
    return dict(numbers), counts, sizes.astype(np.float64)


_K1, _B = 1.5, 0.75
"""Saturation of repeated terms, and strength of length normalisation, in BM25."""


class TermRetriever(ABC):
    """Passages ranked by the weights of the terms that they share with a query."""

    def __init__(self, numbers: Mapping[str, int], weights: csr_array, tokenize: Tokenizer) -> None:
        self._numbers = numbers
        self._weights = weights
        self._tokenize = tokenize

    @abstractmethod
    def _weigh(self, terms: Counter[int]) -> Mapping[int, float] | Mapping[int, int]:
        """Weigh each term of a query, given the counts of the query's terms."""

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the k best passages; none if the query shares no term with the collection."""
        check_limit(k)
        terms = self._known(query)
        return best_hits(self._score(terms), k) if terms else []

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """Return the k best passages for each query."""
        check_queries(queries)
        return [self.search(query, k) for query in queries]

    def scores(self, query: str) -> Floats:
        """Return the score of every passage."""
        return self._score(self._known(query))

    def __len__(self) -> int:
        return int(self._weights.shape[1])

    def _known(self, query: str) -> Counter[int]:
        numbers = (self._numbers.get(term) for term in self._tokenize(query))
        return Counter(number for number in numbers if number is not None)

    def _score(self, terms: Counter[int]) -> Floats:
        scores = np.zeros(len(self))
        for number, weight in self._weigh(terms).items():
            part = slice(*self._weights.indptr[number : number + 2])
            scores[self._weights.indices[part]] += weight * self._weights.data[part]
        return scores


class Bm25Retriever(TermRetriever):
    """Passages ranked by BM25.

    Args:
        passages: The collection.
        tokenize: Function that splits passages and queries into terms.
        epsilon: Share of the mean idf for terms in more than half of the passages; None for the idf
            ln(1 + (N - n + 0.5) / (n + 0.5)), which is never negative.
    """

    def __init__(
        self,
        passages: Iterable[str],
        tokenize: Tokenizer = words,
        *,
        epsilon: float | None = 0.25,
    ) -> None:
        numbers, counts, lengths = count_terms(passages, tokenize)
        mean = lengths.mean() if lengths.any() else 1.0
        size, having = len(lengths), np.diff(counts.indptr)
        if epsilon is None:
            idf = np.log1p((size - having + 0.5) / (having + 0.5))
        else:
            idf = np.log(size - having + 0.5) - np.log(having + 0.5)
            if len(idf):
                idf[idf < 0] = epsilon * idf.mean()
        room = _K1 * (1 - _B + _B * lengths[counts.indices] / mean)
        counts.data = np.repeat(idf, having) * (counts.data * (_K1 + 1) / (counts.data + room))
        super().__init__(numbers, counts, tokenize)

    def _weigh(self, terms: Counter[int]) -> Mapping[int, int]:
        """Weigh each term by its count in the query."""
        return terms


class TfidfRetriever(TermRetriever):
    """Passages ranked by TF-IDF cosine, from 0 to 1; `tokenize` splits passages and queries."""

    def __init__(self, passages: Iterable[str], tokenize: Tokenizer = words) -> None:
        numbers, counts, lengths = count_terms(passages, tokenize)
        size, having = len(lengths), np.diff(counts.indptr)
        self._idf: Floats = np.log((1 + size) / (1 + having)) + 1
        weights = counts.data * np.repeat(self._idf, having)
        norms = np.sqrt(np.bincount(counts.indices, weights=weights**2, minlength=size))
        counts.data = weights / norms[counts.indices]
        super().__init__(numbers, counts, tokenize)

    def rows(self) -> csr_array:
        """Vectors of the passages, shape (passages, terms); zeros for a passage without terms."""
        return self._weights.T.tocsr()

    def rows_of(self, texts: Sequence[str]) -> csr_array:
        """Vectors of other texts, shape (texts, terms)."""
        shape = len(texts), len(self._numbers)
        weighed = [self._weigh(self._known(text)) for text in texts]
        places = np.repeat(np.arange(len(texts)), [len(weights) for weights in weighed])
        terms = np.array([term for weights in weighed for term in weights], dtype=np.int64)
        values = np.array([value for weights in weighed for value in weights.values()], dtype=float)
        return csr_array((values, (places, terms)), shape=shape)

    def _weigh(self, terms: Counter[int]) -> Mapping[int, float]:
        weights = {number: times * float(self._idf[number]) for number, times in terms.items()}
        norm = math.sqrt(math.fsum(weight**2 for weight in weights.values()))
        return {number: weight / norm for number, weight in weights.items()}


_NUMBER, _TERMS, _OVER = "number", "terms", "over"
_HEAP_BYTES = 128 << 20


@dataclass(frozen=True, slots=True)
class TermsDocument:
    """A document that is searched by its terms."""

    id: str
    text: str
    published: str | None = None
    """`YYYY`, `YYYY-MM` or `YYYY-MM-DD`; None for an undated document."""


class PostingsIndex:
    """An in-memory index of documents by term; `InputError` if two documents share an id."""

    def __init__(self, documents: Iterable[TermsDocument]) -> None:
        import tantivy

        index = tantivy.Index(_schema())
        # One writer thread is enough: computing the terms takes longer than writing them.
        writer = index.writer(heap_size=_HEAP_BYTES, num_threads=1)
        self._ids: list[str] = []
        for number, document in enumerate(documents):
            self._ids.append(document.id)
            terms, over = " ".join(terms_of(document.text)), day_after(document.published)
            writer.add_document(tantivy.Document(number=number, terms=terms, over=over))
        for one, next_one in pairwise(sorted(self._ids)):
            if one == next_one:
                raise InputError(f"Two documents have the id {one!r}.")
        writer.commit()
        writer.wait_merging_threads()
        # By default, a thread would watch for later commits, but there are none.
        index.config_reader(reload_policy="manual")
        index.reload()
        self._schema = index.schema
        self._searcher = index.searcher()

    def all_terms(
        self, query: str, *, as_of: date | None = None, drop_stop_words: bool = False
    ) -> list[str]:
        """Find the documents that contain every term of a query; return their ids, sorted.

        A query without terms has no hits. Order, repetition, case and punctuation of words do not
        matter; no character has a special meaning.

        Args:
            query: The words to search for.
            as_of: Only documents certainly published before this day; undated documents never are.
            drop_stop_words: If true, ignore English function words in the query.
        """
        import tantivy

        wanted = query_terms(query, drop_stop_words=drop_stop_words)
        most = min((self._searcher.doc_freq(_TERMS, term) for term in wanted), default=0)
        if not most:
            return []
        make, must = tantivy.Query, tantivy.Occur.Must
        clauses = [
            (must, make.term_query(self._schema, _TERMS, term, index_option="basic"))
            for term in wanted
        ]
        if as_of is not None:
            kind, last = tantivy.FieldType.Integer, as_of.toordinal()
            clauses.append((must, make.range_query(self._schema, _OVER, kind, None, last)))
        unscored = make.const_score_query(make.boolean_query(clauses), 1.0)
        hits = self._searcher.search(unscored, limit=most, count=False).hits
        numbers = self._searcher.fast_field_values(_NUMBER, [place for _, place in hits])
        return sorted(self._ids[int(number)] for number in numbers if number is not None)


def _schema() -> tantivy.Schema:
    import tantivy

    fields = tantivy.SchemaBuilder()
    fields.add_integer_field(_NUMBER, fast=True)
    fields.add_text_field(_TERMS, tokenizer_name="whitespace", index_option="basic")
    fields.add_integer_field(_OVER, fast=True)
    return fields.build()
