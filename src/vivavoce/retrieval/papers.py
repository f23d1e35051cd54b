"""Papers, given by title and abstract: searched by a named retriever, or encoded as vectors.

Sparse retrieval ignores stop words.
"""

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from vivavoce.errors import InputError
from vivavoce.retrieval import Retriever
from vivavoce.retrieval.dense import PRESETS, DenseRetriever, find_preset, open_encoders
from vivavoce.retrieval.sparse import Bm25Retriever, TfidfRetriever, words
from vivavoce.text.terms import STOP_WORDS

Paper = tuple[str, str | None]
"""Title and abstract."""
Vectors = csr_array | npt.NDArray[np.float32]

TFIDF = "tfidf"
SPARSE = (TFIDF, "bm25")
"""Retrievers that need no weights; any other name is an encoder for dense retrieval."""


def check_name(
    name: str, folder: str | None = None, without_weights: Collection[str] = (TFIDF,)
) -> None:
    """Raise `InputError` for an impossible encoder, without loading anything."""
    if name in without_weights:
        if folder is not None:
            raise InputError(f"{name} has no weights: give the folder with a named encoder.")
    elif find_preset(name) and folder is not None and name not in PRESETS:
        raise InputError(f"{name} is not a named encoder: give its folder as the encoder alone.")


def open_retriever(
    name: str,
    papers: Sequence[Paper],
    *,
    folder: str | None = None,
    device: str = "cpu",
) -> Retriever:
    """Open a retriever over papers.

    `name` is `tfidf` or `bm25`, a preset for dense retrieval (`minilm`, `specter`, ...), the folder
    of a model, or a model's name on the hub. A preset's weights come from `folder`, or by default
    from the hub. Errors are those of `open_encoders`.
    """
    check_name(name, folder, SPARSE)
    if name in SPARSE:
        kind = TfidfRetriever if name == TFIDF else Bm25Retriever
        return kind(map(_paper_text, papers), _content_words)
    encoders = open_encoders(name, passages=folder, device=device)
    join = encoders.passages.paper_text
    return DenseRetriever([join(title, abstract or "") for title, abstract in papers], encoders)


class PaperEncoder:
    """Encodes papers and queries as vectors of norm 1, or of zeros for a text without known terms.

    Vectors of `tfidf` depend on the whole collection. Vectors of a model depend only on the text,
    except for the last digits. `name` is `tfidf`, or an encoder as for `open_retriever`.
    """

    def __init__(self, name: str = TFIDF, folder: str | None = None) -> None:
        check_name(name, folder)
        self._encoders = None if name == TFIDF else open_encoders(name, passages=folder)

    def encode(
        self, papers: Sequence[Paper], queries: Sequence[str] = ()
    ) -> tuple[Vectors, Vectors]:
        """Encode papers and queries; for TF-IDF, the papers are the collection."""
        if self._encoders is None:
            retriever = TfidfRetriever(map(_paper_text, papers), _content_words)
            return retriever.rows(), retriever.rows_of(queries)
        passages = self._encoders.passages
        texts = [passages.paper_text(title, abstract or "") for title, abstract in papers]
        embedded = passages.embed(texts), self._encoders.queries.embed(queries)
        rows = [one.vectors for one in embedded]
        # Models that compare by inner product give vectors whose norm is not 1.
        lengths = [np.linalg.norm(vectors, axis=1, keepdims=True) for vectors in rows]
        first, second = (
            np.asarray(vectors / np.where(length == 0, 1, length), dtype=np.float32)
            for vectors, length in zip(rows, lengths, strict=True)
        )
        return first, second


def _paper_text(paper: Paper) -> str:
    title, abstract = paper
    return f"{title}\n{abstract}" if abstract else title


def _content_words(text: str) -> list[str]:
    """The words of a text, repetitions included, without stop words."""
    return [word for word in words(text) if word not in STOP_WORDS]
