"""Rankings of papers by a network among the candidates, and baselines.

Exactly the candidates are ranked. Scores are rounded before comparison, and a hash decides ties, so
the order is the same on every machine.

Source: LEGOBench §4.2, which leaves direction and damping open; Page et al. 1999 for PageRank.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy.sparse import issparse

from vivavoce.errors import DamagedError, InputError
from vivavoce.networks.graph import DAMPING, Graph, induced, make_graph, pagerank
from vivavoce.retrieval.papers import TFIDF, PaperEncoder, Vectors, check_name
from vivavoce.retrieval.sparse import Bm25Retriever
from vivavoce.rounds import load_round
from vivavoce.store import table_of_parquet
from vivavoce.tasks.ranking.boards import FAMILY, plain_title, words_of
from vivavoce.tasks.ranking.build import (
    EDGE,
    EDGES,
    NETWORKS,
    PAPER,
    PAPERS,
    SETTINGS,
    NetworkName,
    Text,
)
from vivavoce.text.dates import day_after

Direction = Literal["cited", "citing", "both"]
Ranker = Literal["pagerank", "recency", "in_degree", "bm25", "random"]
RANKERS: tuple[Ranker, ...] = get_args(Ranker)

_LEAST_WEIGHT = 1e-4
"""Weight of an edge between papers without similarity."""
_WEIGHT_DIGITS = 4
_SCORE_DIGITS = 10

_LINKED = {"citation": ("cited by", "cites"), "comparison": ("compared by", "compares with")}
"""Words for the papers that link to a paper, and for those that it links to."""
_TEXTS = ("sections", "tables")
"""Columns of `papers.parquet` that rankings do not need."""

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RankOptions:
    """Settings of a ranking by a network."""

    encoder: str = TFIDF
    """Encoder for edges: `tfidf`, a preset of dense retrieval, a folder, or a hub name."""
    folder: str | None = None
    """Folder with the weights of a preset; by default they come from the hub."""
    direction: Direction = "cited"
    """Direction of the walk: to cited papers, to citing papers, or both."""
    damping: float = DAMPING
    weights: bool = True
    """True to weight edges by the cosine of the two papers."""

    def __post_init__(self) -> None:
        """Refuse invalid options before they fail, or go unnoticed, at some item."""
        check_name(self.encoder, self.folder)
        if self.direction not in get_args(Direction):
            names = ", ".join(get_args(Direction))
            raise InputError(f"There is no direction {self.direction!r}. Available: {names}.")
        if type(self.damping) not in (int, float) or not 0 <= self.damping < 1:
            raise InputError(f"damping={self.damping!r} must be at least 0 and less than 1.")
        if type(self.weights) is not bool:
            raise InputError(f"weights={self.weights!r} is neither true nor false.")


class PaperGraph:
    """The papers of a round and their networks, shared by all items.

    Args:
        papers: The file `papers.parquet`.
        edges: The file `edges.parquet`.
    """

    def __init__(self, papers: bytes, edges: bytes) -> None:
        table = _read(papers, PAPERS, [name for name in PAPER.names if name not in _TEXTS])
        columns = {name: table[name].to_pylist() for name in table.column_names}
        self.ids: list[str] = columns["paper_id"]
        self.titles = [title or "" for title in columns["title"]]
        self.abstracts = [abstract or "" for abstract in columns["abstract"]]
        self.published: list[str | None] = columns["published"]
        self._degrees = {
            network: np.array(columns[f"in_{network}"], dtype=np.float64)
            for network in NETWORKS
            if None not in columns[f"in_{network}"]
        }
        self._graphs = _graphs(_read(edges, EDGES, EDGE.names), len(self.ids))
        self._vectors: dict[tuple[str, str | None], Vectors] = {}

    def among(self, network: str, places: Places) -> Graph:
        """Edges of a network among given papers, which are numbered in ascending order.

        `InputError` if the round does not have the network.
        """
        self.in_degrees(network)
        if network not in self._graphs:
            return make_graph(len(places), [], [])
        keep = np.zeros(len(self.ids), dtype=np.bool_)
        keep[places] = True
        return induced(self._graphs[network], keep)

    def in_degrees(self, network: str) -> Floats:
        """In-degree of each paper in the whole network; `InputError` without it."""
        if network not in self._degrees:
            raise InputError(f"The round has no {network} network: add it to networks in the spec.")
        return self._degrees[network]

    def cosines(self, first: Places, second: Places, options: RankOptions) -> Floats:
        """Cosines of pairs of papers, from an encoder's vectors, which are cached."""
        key = (options.encoder, options.folder)
        if key not in self._vectors:
            papers = list(zip(self.titles, self.abstracts, strict=True))
            self._vectors[key], _ = PaperEncoder(*key).encode(papers)
        rows = self._vectors[key]
        products = (
            rows[first].multiply(rows[second]) if issparse(rows) else rows[first] * rows[second]
        )
        return np.asarray(products.sum(axis=1), dtype=np.float64).ravel()

    @cached_property
    def bm25(self) -> Bm25Retriever:
        """Index of titles and abstracts."""
        pairs = zip(self.titles, self.abstracts, strict=True)
        return Bm25Retriever(f"{title}\n{abstract}" for title, abstract in pairs)


@lru_cache(maxsize=2)
def open_graph(folder: str, _sha256: str) -> PaperGraph:
    """Open the papers and networks of a round, cached by hash."""
    opened = load_round(folder)
    return PaperGraph(*(opened.read_file(FAMILY, name) for name in (PAPERS, EDGES)))


def rank_papers(
    graph: PaperGraph,
    item: Mapping[str, Any],
    *,
    setting: str = "base",
    ranker: Ranker = "pagerank",
    options: RankOptions | None = None,
    seed: int = 0,
) -> list[str]:
    """Rank the candidates of an item, a row of `rank_by_graph.parquet`: paper ids, best first.

    `in_degree` is that in the whole network; `bm25` searches the board's names in titles and
    abstracts; `random` depends on seed, item and paper. `InputError` for an unknown name, or if the
    round does not have the setting's network or text.
    """
    chosen = options or RankOptions()
    network, text = _needs(setting)
    candidates = item[f"candidates_{text}"]
    if candidates is None:
        raise InputError(f"The round has no candidates by {text}: add it to texts in the spec.")
    places: Places = np.array(candidates, dtype=np.int64)
    if ranker == "pagerank":
        scores = pagerank_scores(graph, network, places, chosen)
    elif ranker == "recency":
        scores = np.array(
            [day_after(graph.published[place], 0) for place in places], dtype=np.float64
        )
    elif ranker == "in_degree":
        scores = graph.in_degrees(network)[places]
    elif ranker == "bm25":
        scores = graph.bm25.scores(words_of(item))[places]
    elif ranker == "random":
        keys = (f"{seed}\0{item['id']}\0{graph.ids[place]}" for place in places)
        scores = np.array([_chance(key) for key in keys], dtype=np.float64)
    else:
        raise InputError(f"There is no ranker {ranker!r}. Available: {', '.join(RANKERS)}.")
    # Ids often show the year, so they must not decide ties.
    chances = np.array([_chance(f"{item['id']}\0{graph.ids[place]}") for place in places])
    order = np.lexsort((chances, -np.round(scores, _SCORE_DIGITS)))
    return [graph.ids[place] for place in places[order].tolist()]


def list_candidates(
    graph: PaperGraph, item: Mapping[str, Any], setting: str, limit: int
) -> tuple[list[str], list[str]]:
    """Ids of the best candidates for an item by BM25, and a line for each: id, title, date, links.

    Links refer to lines of cited or compared papers.
    """
    network, _ = _needs(setting)
    ids = rank_papers(graph, item, setting=setting, ranker="bm25")[:limit]
    place_of = {name: place for place, name in enumerate(graph.ids)}
    shown = [place_of[name] for name in ids]
    line_of = {place: number for number, place in enumerate(shown, 1)}
    ascending = np.array(sorted(shown), dtype=np.int64)
    edges = graph.among(network, ascending)
    links: dict[int, list[int]] = {}
    for source, target in zip(ascending[edges.source], ascending[edges.target], strict=True):
        links.setdefault(int(source), []).append(line_of[int(target)])
    degrees = graph.in_degrees(network)
    by, to = _LINKED[network]
    lines = []
    for number, place in enumerate(shown, 1):
        fields = [graph.ids[place], plain_title(graph.titles[place]), graph.published[place] or ""]
        fields.append(f"{by} {int(degrees[place])}")
        if place in links:
            fields.append(f"{to} {', '.join(map(str, sorted(links[place])))}")
        lines.append(f"{number}. {' | '.join(fields)}")
    return ids, lines or ["(No paper has all of these words.)"]


def pagerank_scores(
    graph: PaperGraph, network: str, places: Places, options: RankOptions
) -> Floats:
    """PageRank of each candidate in the graph of the candidates.

    A cosine of 0 or less counts as 0.0001. With direction `both`, papers that link to each other
    get one edge in each direction, like all others.
    """
    edges = graph.among(network, places)
    if options.direction == "citing":
        edges = Graph(edges.n, edges.target, edges.source)
    elif options.direction == "both":
        sources = np.concatenate([edges.source, edges.target]).astype(np.int64)
        pairs = np.unique(sources * edges.n + np.concatenate([edges.target, edges.source]))
        source, target = np.divmod(pairs, max(edges.n, 1))
        edges = Graph(edges.n, source.astype(np.int32), target.astype(np.int32))
    if options.weights and edges.edges:
        cosines = graph.cosines(places[edges.source], places[edges.target], options)
        weight = np.maximum(np.round(cosines, _WEIGHT_DIGITS), _LEAST_WEIGHT)
        edges = make_graph(edges.n, edges.source, edges.target, weight)
    return np.asarray(pagerank(edges, damping=options.damping), dtype=np.float64)


def _needs(setting: str) -> tuple[NetworkName, Text]:
    if setting not in SETTINGS:
        raise InputError(f"There is no setting {setting!r}. Available: {', '.join(SETTINGS)}.")
    return SETTINGS[setting]


def _graphs(edges: pa.Table, n: int) -> dict[str, Graph]:
    names = edges["network"].to_numpy(zero_copy_only=False)
    ends = [edges[side].to_numpy() for side in ("source", "target")]
    return {
        str(name): make_graph(n, *(side[names == name] for side in ends))
        for name in sorted(set(names.tolist()))
    }


def _chance(key: str) -> float:
    """A number from 0 to 1 from the hash of a text."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:6], "big") / 2**48


def _read(content: bytes, name: str, columns: list[str]) -> pa.Table:
    try:
        return table_of_parquet(content, columns)
    except (OSError, pa.ArrowException) as error:
        raise DamagedError(f"{name} of the round cannot be read as Parquet: {error}") from error
