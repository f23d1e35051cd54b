"""Files of a round for rankings by graph: papers, edges between them, candidates for each board.

`papers.parquet` has every candidate and every paper on a board, sorted by id; other files name a
paper by its row there. Which encoder weighs the edges is chosen when a method runs, so no number
here depends on floating point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from vivavoce.columns import flat
from vivavoce.corpus import Corpus
from vivavoce.networks import Network, load_network
from vivavoce.records import Paper, Window
from vivavoce.store import Row, parquet_of
from vivavoce.tasks.ranking.items.candidates import (
    MAX_CANDIDATES,
    NAMES,
    TEXTS,
    BoardQuery,
    Candidates,
    Name,
    Text,
    find_candidates,
)
from vivavoce.text.dates import period

NetworkName = Literal["citation", "comparison"]
NETWORKS: tuple[NetworkName, ...] = ("citation", "comparison")
PAPERS, EDGES = "papers.parquet", "edges.parquet"
PAPER = pa.schema(
    [
        ("paper_id", pa.string()),
        ("title", pa.string()),
        ("abstract", pa.string()),
        ("published", pa.string()),
        *((f"in_{network}", pa.int32()) for network in NETWORKS),
    ]
)
"""`in_citation` and `in_comparison`: papers of the whole network that lead to this one."""
EDGE = pa.schema([("network", pa.string()), ("source", pa.int32()), ("target", pa.int32())])
"""From the citing or comparing paper to the other, both as rows of `papers.parquet`."""
CANDIDATE_FIELDS: tuple[tuple[str, pa.DataType], ...] = tuple(
    field
    for text in TEXTS
    for field in (
        (f"candidates_{text}", pa.list_(pa.int32())),
        (f"strict_{text}", pa.list_(pa.int32())),
        (f"cut_{text}", pa.int32()),
    )
)
"""Columns of an item: candidates as rows of `papers.parquet`, ascending; those of them that have
the stop words too (null where there are none to have); and how many were cut. All null where the
round does not search that text."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GraphPart:
    """Columns and files that rankings by graph need of a round."""

    columns: Mapping[str, Row]
    """By board, its values of `CANDIDATE_FIELDS`."""
    files: Mapping[str, bytes]
    """`papers.parquet` and `edges.parquet`."""
    report: Row
    """Counts for people: papers, edges, candidates, cut."""


def make_graph_part(
    corpus: Corpus,
    boards: Sequence[BoardQuery],
    gold: Sequence[str],
    window: Window,
    *,
    networks: Sequence[NetworkName] = NETWORKS,
    texts: Sequence[Text] = TEXTS,
    names: Sequence[Name] = NAMES,
    limit: int = MAX_CANDIDATES,
) -> GraphPart:
    """Make what rankings by graph need; the same bytes for the same corpus.

    Candidates, edges and in-degrees are of papers that are over before the window ends: what
    cites a paper later does not count.

    Args:
        corpus: With its networks built.
        boards: The boards of the round.
        gold: Every paper on any of them.
        window: That of the round.
        networks: Which networks the round has.
        texts: Where candidates are searched.
        names: Whose words a candidate has to contain.
        limit: The most candidates for a board.

    Raises:
        StaleError: A network was not built, or before the corpus changed; or the corpus is too
            large to be searched without an index. The message has the command.
    """
    opened = {name: load_network(corpus, name, external=False) for name in sorted(networks)}
    found = {
        text: find_candidates(corpus, boards, text=text, as_of=window.end, names=names, limit=limit)
        for text in texts
    }
    shown = {paper for each in found.values() for one in each.values() for paper in one.papers}
    shown.update(gold)
    papers = [paper for paper in corpus.papers if paper.paper_id in shown]
    places = {paper.paper_id: place for place, paper in enumerate(papers)}
    over = {paper.paper_id for paper in corpus.papers if _is_over(paper, window.end)}
    parts = {name: _part_of(network, places, over) for name, network in opened.items()}
    columns = {board.id: _columns(board.id, found, places) for board in boards}
    files = {PAPERS: _papers_as_bytes(papers, parts), EDGES: _edges_as_bytes(parts)}
    report = {
        "papers": len(papers),
        "edges": {name: len(source) for name, (source, _, _) in parts.items()},
        "candidates": {text: _describe(each) for text, each in found.items()},
    }
    return GraphPart(columns, files, report)


def _is_over(paper: Paper, day: date) -> bool:
    return paper.first_public is not None and period(paper.first_public)[1] <= day


def _part_of(
    network: Network, places: Mapping[str, int], over: set[str]
) -> tuple[Ints, Ints, Ints]:
    """Sources and targets among the papers of the round, and the in-degree of each of those."""
    keys = flat(network.nodes["key"]).to_pylist()
    place = np.array([places.get(key, -1) for key in keys], dtype=np.int64)
    counts = np.array([key in over for key in keys], dtype=np.bool_)
    graph = network.graph
    source, target = place[graph.source], place[graph.target]
    known = counts[graph.source]
    cited = target[known & (target >= 0)]
    inside = known & (source >= 0) & (target >= 0)
    order = np.lexsort((target[inside], source[inside]))
    degrees = np.bincount(cited, minlength=len(places)).astype(np.int64)
    return source[inside][order], target[inside][order], degrees


def _columns(
    board: str, found: Mapping[Text, Mapping[str, Candidates]], places: Mapping[str, int]
) -> Row:
    row: Row = dict.fromkeys(name for name, _ in CANDIDATE_FIELDS)
    for text, each in found.items():
        one = each[board]
        row[f"candidates_{text}"] = [places[paper] for paper in one.papers]
        if one.strict is not None:
            row[f"strict_{text}"] = [places[paper] for paper in one.strict]
        row[f"cut_{text}"] = one.cut
    return row


def _papers_as_bytes(
    papers: Sequence[Paper], parts: Mapping[NetworkName, tuple[Ints, Ints, Ints]]
) -> bytes:
    columns: dict[str, Sequence[Any]] = {
        name: [getattr(paper, name) for paper in papers]
        for name in ("paper_id", "title", "abstract")
    }
    columns["published"] = [paper.first_public for paper in papers]
    for network in NETWORKS:
        degrees = parts[network][2].tolist() if network in parts else [None] * len(papers)
        columns[f"in_{network}"] = degrees
    return parquet_of(pa.Table.from_pydict(columns, schema=PAPER))


def _edges_as_bytes(parts: Mapping[NetworkName, tuple[Ints, Ints, Ints]]) -> bytes:
    columns: dict[str, list[Any]] = {name: [] for name in EDGE.names}
    for network, (source, target, _) in sorted(parts.items()):
        columns["network"] += [network] * len(source)
        columns["source"] += source.tolist()
        columns["target"] += target.tolist()
    return parquet_of(pa.Table.from_pydict(columns, schema=EDGE))


def _describe(found: Mapping[str, Candidates]) -> Row:
    sizes = [len(each.papers) for each in found.values()]
    return {
        "boards": len(sizes),
        "boards_with": sum(size > 0 for size in sizes),
        "papers": sum(sizes),
        "most": max(sizes, default=0),
        "cut": sum(each.cut for each in found.values()),
    }
