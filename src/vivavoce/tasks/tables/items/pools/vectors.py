"""Demands and works as vectors of one encoder, to be compared by cosine.

TF-IDF needs no weights; its vectors depend on the whole collection. Those of a neural encoder
depend on the text alone, up to the last digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from vivavoce.retrieval.dense import Encoders, open_encoders
from vivavoce.retrieval.sparse import count_terms, words
from vivavoce.store import hash_of
from vivavoce.tasks.tables.items.options import TFIDF
from vivavoce.tasks.tables.items.table_items import Work
from vivavoce.text.terms import STOP_WORDS

Floats = npt.NDArray[np.float64]
Rows = csr_array | npt.NDArray[np.float32]

_TFIDF_RULES = {"rules": 1, "idf": "ln((1 + N) / (1 + n)) + 1", "stop_words": sorted(STOP_WORDS)}


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """One row of length 1 for each text; of zeros for one that says nothing to the encoder."""

    works: Rows
    demands: Rows

    def of_works(self, places: Sequence[int]) -> Floats:
        """The vectors of some works."""
        return _dense(self.works[np.asarray(places, dtype=np.int64)])

    def of_demand(self, place: int) -> Floats:
        """The vector of one demand."""
        vector: Floats = _dense(self.demands[np.array([place])])[0]
        return vector

    def products(self, queries: Floats) -> Floats:
        """The inner product of every work (rows) with every query (columns)."""
        return np.asarray(self.works @ queries.T.astype(self.works.dtype), dtype=np.float64)


class PaperEncoder(Protocol):
    """What turns works and demands into vectors."""

    name: str
    fingerprint: str
    """Sha256 of all that decides a vector: the model's files, or the rules of TF-IDF."""

    def encode(self, works: Sequence[Work], demands: Sequence[str]) -> Vectors:
        """The vectors of both."""
        ...


def open_encoder(name: str = TFIDF) -> PaperEncoder:
    """An encoder by its name.

    Args:
        name: `tfidf`, a preset of dense retrieval (`minilm`, `sentence-t5`, `specter`, ...), the
            folder of a model, or its name on the hub.

    Raises:
        MissingExtra: torch or transformers is not installed.
        InputError: The encoder cannot be found or loaded.
    """
    return TfidfEncoder() if name == TFIDF else NeuralEncoder(name, open_encoders(name))


class TfidfEncoder:
    """The weights of `TfidfRetriever` without stop words; the works are the collection."""

    name = TFIDF
    fingerprint = hash_of(_TFIDF_RULES)

    def encode(self, works: Sequence[Work], demands: Sequence[str]) -> Vectors:
        """The vectors of both; words of a demand that no work has do not count."""
        counts = count_terms((work_text(work) for work in works), content_words)
        idf = np.log((1 + len(works)) / (1 + counts.passages_with)) + 1
        shape = (len(works), len(counts.numbers))
        weights = counts.frequencies * idf[counts.terms]
        rows = csr_array((weights, (counts.passages, counts.terms)), shape=shape)
        asked = csr_array((len(demands), len(counts.numbers)))
        if counts.numbers:
            places: list[int] = []
            terms: list[int] = []
            for place, demand in enumerate(demands):
                known = [counts.numbers.get(word) for word in content_words(demand)]
                terms.extend(number for number in known if number is not None)
                places.extend([place] * (len(terms) - len(places)))
            found = np.asarray(terms, dtype=np.int64)
            at = np.asarray(places, dtype=np.int64)
            # Repeated entries are summed, which is the frequency of the term.
            asked = csr_array((idf[found], (at, found)), shape=asked.shape)
        return Vectors(_unit(rows), _unit(asked))


class NeuralEncoder:
    """A model; `truncated` counts the works so far that were too long for it."""

    def __init__(self, name: str, encoders: Encoders) -> None:
        # A folder is named by itself: its place on this machine says nothing elsewhere.
        self.name = Path(name).name if Path(name).is_dir() else name
        sides = [encoders.passages.fingerprint(), encoders.queries.fingerprint()]
        self.fingerprint = hash_of(sides)
        self.truncated = 0
        self._encoders = encoders

    def encode(self, works: Sequence[Work], demands: Sequence[str]) -> Vectors:
        """The vectors of both, by the side of the model that is made for them."""
        passages = self._encoders.passages
        texts = [passages.paper_text(work.title, work.abstract or "") for work in works]
        found = passages.embed(texts)
        self.truncated += found.truncated
        return Vectors(
            _scaled(found.vectors), _scaled(self._encoders.queries.embed(demands).vectors)
        )


def work_text(work: Work) -> str:
    """A work as it is searched: title and abstract."""
    return f"{work.title}\n{work.abstract}" if work.abstract else work.title


def content_words(text: str) -> list[str]:
    """The words of a text that are no stop words, with their repetitions."""
    return [word for word in words(text) if word not in STOP_WORDS]


def _unit(rows: csr_array) -> csr_array:
    rows.sum_duplicates()
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    lengths[lengths == 0] = 1.0
    rows.data /= np.repeat(lengths, np.diff(rows.indptr))
    return rows


def _scaled(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Rows of length 1, which those of models that compare by inner product are not."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengths[lengths == 0] = 1.0
    return np.asarray(vectors / lengths, dtype=np.float32)


def _dense(rows: Any) -> Floats:
    return np.asarray(rows.toarray() if isinstance(rows, csr_array) else rows, dtype=np.float64)
