"""Demands and works as vectors of one encoder, to be compared by cosine.

TF-IDF needs no weights; its vectors depend on the whole collection. Those of a neural encoder
depend on the text alone, up to the last digits.

For each demand the best works are retrieved and compared with those of the table: precision and
recall at every cutoff, and average precision over the works retrieved.

Source: arXiv2Table §4.2, Figure 3; Tables 14 and 15.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from vivavoce.errors import InputError
from vivavoce.metrics.retrieval import average_precision
from vivavoce.retrieval import Retriever
from vivavoce.retrieval.dense import DenseRetriever, Encoders, open_encoders
from vivavoce.retrieval.sparse import Bm25Retriever, TfidfRetriever, words
from vivavoce.store import hash_of
from vivavoce.tasks.tables.items.table_items import TFIDF, GoldTable, Work
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


def open_encoder(name: str = TFIDF) -> PaperEncoder:
    """An encoder by its name.

    Args:
        name: `tfidf`, a preset of dense retrieval (`minilm`, `sentence-t5`, `specter`, ...), the
            folder of a model, or its name on the hub.

    Raises:
        MissingExtra: sentence-transformers is not installed.
        InputError: The encoder cannot be found or loaded.
    """
    return TfidfEncoder() if name == TFIDF else NeuralEncoder(name, open_encoders(name))


class TfidfEncoder:
    """The weights of `TfidfRetriever` without stop words; the works are the collection."""

    name = TFIDF
    fingerprint = hash_of(_TFIDF_RULES)
    """Sha256 of all that decides a vector."""

    def encode(self, works: Sequence[Work], demands: Sequence[str]) -> Vectors:
        """The vectors of both; words of a demand that no work has do not count."""
        found = TfidfRetriever((work_text(work) for work in works), content_words)
        return Vectors(found.rows(), found.rows_of(demands))


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


PaperEncoder = TfidfEncoder | NeuralEncoder


def work_text(work: Work) -> str:
    """A work as it is searched: title and abstract."""
    return f"{work.title}\n{work.abstract}" if work.abstract else work.title


def content_words(text: str) -> list[str]:
    """The words of a text that are no stop words, with their repetitions."""
    return [word for word in words(text) if word not in STOP_WORDS]


def _scaled(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Rows of length 1, which those of models that compare by inner product are not."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengths[lengths == 0] = 1.0
    return np.asarray(vectors / lengths, dtype=np.float32)


def _dense(rows: Any) -> Floats:
    return np.asarray(rows.toarray() if isinstance(rows, csr_array) else rows, dtype=np.float64)


Interval = tuple[float, float]
Intervals = Callable[[Sequence[str], Floats], Sequence[Interval | None]]
"""Gives the interval of each column's mean, from the cluster of each row; NaN is undefined."""

SPARSE = ("tfidf", "bm25")
RETRIEVERS = (*SPARSE, "minilm")
"""Retrievers that need no network; any other is an encoder of dense retrieval."""
DEPTH = 100
"""The largest cutoff."""
FIRST = 2
"""The smallest cutoff of the published curve."""

_QUERIES_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Search:
    """A search for the works of one table."""

    id: str
    cluster: str
    demand: str
    relevant: tuple[str, ...]
    """The works of the table, whether or not they can be found."""
    hidden: tuple[str, ...]
    """Works that do not exist for this search: the paper that the table is from."""


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """The values of one retriever: a row for each table, a column for each cutoff from 1."""

    retriever: str
    works: int
    """Works that were searched."""
    ids: tuple[str, ...]
    clusters: tuple[str, ...]
    precision: Floats
    recall: Floats
    ap: Floats
    """One for each table: over the works retrieved, at most as many as the largest cutoff."""
    reachable: Floats
    """For each table the share of its works that are among those searched: the best recall."""

    @property
    def depth(self) -> int:
        """The largest cutoff."""
        return int(self.precision.shape[1])


def searches(tables: Iterable[GoldTable], demands: Mapping[str, str]) -> list[Search]:
    """Searches for some tables, sorted by id; those without a demand are skipped."""
    made = [
        Search(
            id=table.id,
            cluster=table.cluster,
            demand=demands[table.id],
            relevant=table.papers,
            hidden=(table.source_paper,) if table.source_paper else (),
        )
        for table in tables
        if table.id in demands
    ]
    return sorted(made, key=lambda search: search.id)


def open_retriever(
    name: str,
    works: Sequence[Work],
    *,
    folder: str | None = None,
    device: str = "cpu",
    cache: Path | None = None,
) -> Retriever:
    """Titles and abstracts of works behind a retriever.

    Args:
        name: `tfidf` or `bm25`, both without stop words, or an encoder of dense retrieval.
        works: The collection.
        folder: Where the weights of a preset are instead of its place on the hub.
        device: Where an encoder runs.
        cache: A folder that keeps vectors.

    Raises:
        MissingExtra: sentence-transformers is not installed.
        InputError: The encoder cannot be found or loaded.
    """
    if name in SPARSE and folder is not None:
        raise InputError(f"{name} has no weights: give the folder with a named encoder.")
    if name == "tfidf":
        return TfidfRetriever((work_text(work) for work in works), content_words)
    if name == "bm25":
        return Bm25Retriever((work_text(work) for work in works), content_words)
    encoders = open_encoders(name, passages=folder, device=device, cache=cache)
    join = encoders.passages.paper_text
    return DenseRetriever([join(work.title, work.abstract or "") for work in works], encoders)


def study_retrieval(
    name: str,
    retriever: Retriever,
    works: Sequence[Work],
    asked: Sequence[Search],
    *,
    depth: int = DEPTH,
) -> Study:
    """Search for every table.

    Args:
        name: What the retriever is called in the report.
        retriever: Holds the works, in their order; equal scores are ranked by it.
        works: Sorted by id, so that the order of a corpus does not decide between equal scores.
        asked: The searches.
        depth: The largest cutoff.

    Raises:
        InputError: The retriever holds another number of works, or they are not sorted.
    """
    ids = [work.paper_id for work in works]
    if len(retriever) != len(ids) or ids != sorted(set(ids)):
        raise InputError(
            f"{name} holds {len(retriever)} works and {len(ids)} are given: they have to be the "
            "same, sorted by id, each once."
        )
    if depth < 1:
        raise InputError(f"The largest cutoff is {depth}. It must be at least 1.")
    known = set(ids)
    precision, recall = np.zeros((len(asked), depth)), np.full((len(asked), depth), np.nan)
    ap, reachable = np.full(len(asked), np.nan), np.full(len(asked), np.nan)
    for place, (search, found) in enumerate(_retrieved(retriever, ids, asked, depth)):
        hits = _hits(found, search.relevant, depth)
        precision[place] = hits / np.arange(1, depth + 1)
        wanted = set(search.relevant)
        if wanted:
            recall[place] = hits / len(wanted)
            reachable[place] = len(wanted & known) / len(wanted)
        value = average_precision(found, search.relevant)
        ap[place] = np.nan if value is None else value
    return Study(
        retriever=name,
        works=len(ids),
        ids=tuple(search.id for search in asked),
        clusters=tuple(search.cluster for search in asked),
        precision=precision,
        recall=recall,
        ap=ap,
        reachable=reachable,
    )


def summarise(
    study: Study, intervals: Intervals | None = None, *, cutoffs: Sequence[int] = (5, 10, 20)
) -> dict[str, Any]:
    """A study as one JSON object: AP, P and R at some cutoffs, and the curve from 2 on.

    All columns go to `intervals` at once, so that they share their draws. Each value is
    `{"value", "ci", "n"}`, null where it is undefined.
    """
    chosen = [k for k in cutoffs if k <= study.depth]
    curve = range(min(FIRST, study.depth), study.depth + 1)
    columns = np.column_stack([study.ap, study.reachable, study.precision, study.recall])
    drawn: Sequence[Interval | None] = [None] * columns.shape[1]
    if intervals is not None and len(columns):
        drawn = intervals(study.clusters, columns)
    cells = [_cell(column, ci) for column, ci in zip(columns.T, drawn, strict=True)]
    at = {"p": 2, "r": 2 + study.depth}
    return {
        "retriever": study.retriever,
        "works": study.works,
        "tables": len(study.ids),
        "clusters": len(set(study.clusters)),
        "ap": cells[0],
        "reachable": cells[1],
        "at": {
            f"{letter}@{k}": cells[start + k - 1] for k in chosen for letter, start in at.items()
        },
        "curve": [
            {"k": k, **{letter: cells[start + k - 1] for letter, start in at.items()}}
            for k in curve
        ],
    }


def _retrieved(
    retriever: Retriever, ids: Sequence[str], asked: Sequence[Search], depth: int
) -> Iterable[tuple[Search, list[str]]]:
    for start in range(0, len(asked), _QUERIES_AT_ONCE):
        part = asked[start : start + _QUERIES_AT_ONCE]
        room = max((len(search.hidden) for search in part), default=0)
        results = retriever.search_many([search.demand for search in part], depth + room)
        for search, result in zip(part, results, strict=True):
            found = (ids[hit.index] for hit in result)
            yield search, [paper for paper in found if paper not in search.hidden][:depth]


def _hits(found: Sequence[str], relevant: Sequence[str], depth: int) -> Floats:
    """Number of relevant works among the first k, for each k."""
    is_relevant = np.zeros(depth)
    wanted = set(relevant)
    is_relevant[: len(found)] = [paper in wanted for paper in found]
    return np.cumsum(is_relevant)


def _cell(column: Floats, ci: Interval | None) -> dict[str, Any]:
    defined = column[~np.isnan(column)]
    value = float(defined.mean()) if len(defined) else None
    return {"value": value, "ci": list(ci) if ci else None, "n": len(defined)}
