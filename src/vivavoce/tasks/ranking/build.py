"""Ranking items from boards of a corpus: by prompt and by graph.

Candidates are the papers with all words of a board's task, dataset and metric. The gold is not
used: a paper on the board without one of the words is not a candidate, and the loss is measured as
`candidate_recall`.

`papers.parquet` is a library of all candidates and all papers on boards, sorted by id; other files
refer to its rows. The encoder that weights edges is chosen when a method runs, so no number here
depends on floating point.

Source: LEGOBench §4.1 and §4.2, with the rules of docs/families/leaderboards.md.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pydantic import Field, model_validator

from vivavoce.columns import flat
from vivavoce.corpus import Corpus
from vivavoce.networks import Network, load_network
from vivavoce.records import Window
from vivavoce.retrieval.sparse import Bm25Retriever, PostingsIndex, TermsDocument
from vivavoce.rounds.family import DEVELOPMENT, Exclusion, FamilyItems, of_split
from vivavoce.rounds.spec import Options, RoundSpec
from vivavoce.store import Row, parquet_of, parquet_of_rows
from vivavoce.tasks.library import LIBRARY, library_as_bytes, library_rows
from vivavoce.tasks.ranking.boards import (
    FAMILY,
    ITEM,
    NAMES,
    Name,
    ranked_boards,
    words_of,
)
from vivavoce.text.dates import is_over

Text = Literal["abstracts", "fulltext"]
TEXTS: tuple[Text, ...] = ("abstracts", "fulltext")
"""Searched texts: titles and abstracts, or also headings and sections."""
MAX_CANDIDATES = 2_000


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates for one board."""

    papers: tuple[str, ...]
    """Sorted ids of papers with all words except stop words."""
    cut: int
    """Number of papers with all words that were cut as less relevant."""


def find_candidates(
    corpus: Corpus,
    boards: Sequence[Row],
    *,
    text: Text = "abstracts",
    as_of: date,
    names: Sequence[Name] = NAMES,
    limit: int = MAX_CANDIDATES,
) -> dict[str, Candidates]:
    """Find candidates by board id: papers from before a day whose text has all words of some names.

    LEGOBench requires all three names, which few abstracts have; fewer names find more of the
    papers on a board.

    If there are more than `limit`, the most relevant stay, by BM25 of all three names in titles and
    abstracts, ties by id.
    """
    index = PostingsIndex(read_documents(corpus, text))
    papers_by_board = {
        board["id"]: index.all_terms(words_of(board, names), as_of=as_of, drop_stop_words=True)
        for board in boards
    }
    crowded = [board for board in boards if len(papers_by_board[board["id"]]) > limit]
    best = _most_relevant(corpus, crowded, papers_by_board, limit) if crowded else {}
    return {
        board: Candidates(tuple(kept), len(papers) - len(kept))
        for board, papers in papers_by_board.items()
        for kept in [best.get(board, papers)]
    }


def read_documents(corpus: Corpus, text: Text = "abstracts") -> Iterator[TermsDocument]:
    """Yield the text of every paper, sorted by id."""
    rows = corpus.columns("sections", ["paper_id", "heading", "text"])
    grouped = groupby(rows if text == "fulltext" else (), key=lambda row: str(row[0]))
    sections = ((name, [part for _, *parts in group for part in parts]) for name, group in grouped)
    section = next(sections, None)
    names = ["paper_id", "title", "abstract", "first_public"]
    for paper_id, title, abstract, published in corpus.columns("papers", names):
        parts = [title, abstract]
        while section is not None and section[0] <= paper_id:
            parts += section[1] if section[0] == paper_id else []
            section = next(sections, None)
        over = corpus.date_of_work(paper_id) or published
        yield TermsDocument(paper_id, "\n".join(filter(None, parts)), over)


def _most_relevant(
    corpus: Corpus,
    boards: Sequence[Row],
    candidates: Mapping[str, Sequence[str]],
    limit: int,
) -> dict[str, list[str]]:
    """The best papers for each board, sorted by id, in one pass over the corpus."""
    wanted = {paper for board in boards for paper in candidates[board["id"]]}
    known = {one.id: one.text for one in read_documents(corpus) if one.id in wanted}
    places = {paper: place for place, paper in enumerate(known)}
    # A paper that repeats a term must never rank lower for it.
    searched = Bm25Retriever(known.values(), epsilon=None)
    best: dict[str, list[str]] = {}
    for board in boards:
        scores = np.round(searched.scores(words_of(board)), 6)
        order = sorted(candidates[board["id"]], key=lambda paper: (-scores[places[paper]], paper))
        best[board["id"]] = sorted(order[:limit])
    return best


NetworkName = Literal["citation", "comparison"]
NETWORKS: tuple[NetworkName, ...] = ("citation", "comparison")
SETTINGS: Mapping[str, tuple[NetworkName, Text]] = {
    "base": ("citation", "abstracts"),
    "fulltext": ("citation", "fulltext"),
    "comparison": ("comparison", "abstracts"),
    "comparison_fulltext": ("comparison", "fulltext"),
}
"""Network and searched text by setting: RPG[CN-TABS], [CN-FT], [PCN-TABS], [PCN-FT]."""
PAPERS, EDGES = "papers.parquet", "edges.parquet"
DEGREES = tuple(pa.field(f"in_{network}", pa.int32()) for network in NETWORKS)
PAPER = pa.schema([*LIBRARY, *DEGREES])
"""Columns of `papers.parquet`; `in_*` are in-degrees in whole networks."""
EDGE = pa.schema([("network", pa.string()), ("source", pa.int32()), ("target", pa.int32())])
"""Columns of an edge from a citing or comparing paper to the other, as rows of `papers.parquet`."""
CANDIDATE_FIELDS: tuple[tuple[str, pa.DataType], ...] = tuple(
    field
    for text in TEXTS
    for field in (
        (f"candidates_{text}", pa.list_(pa.int32())),
        (f"cut_{text}", pa.int32()),
    )
)
"""Columns of an item: candidates as ascending rows of `papers.parquet`, and the number cut."""

Ints = npt.NDArray[np.int64]


class RankingOptions(Options):
    """The `[ranking]` table of a round spec."""

    networks: tuple[NetworkName, ...] = NETWORKS
    """Networks for ranking papers; without any there is no `rank_by_graph`."""
    texts: tuple[Text, ...] = TEXTS
    """Texts searched for candidates."""
    min_papers: int = Field(default=3, ge=2)
    """Minimum papers of the corpus on a board."""
    names: tuple[Name, ...] = Field(default=NAMES, min_length=1)
    """Names of a board whose words candidates must all have."""
    candidates: int = Field(default=MAX_CANDIDATES, ge=1)
    """Maximum candidates of a board."""
    library: Literal["fulltext", "abstracts"] = "fulltext"
    """Parts of papers in the library for agents."""

    @model_validator(mode="after")
    def _check_pairs(self) -> RankingOptions:
        if bool(self.networks) != bool(self.texts):
            raise ValueError("networks and texts are both empty, or neither is")
        return self


def make_graph_part(
    corpus: Corpus,
    boards: Sequence[Row],
    gold: Sequence[str],
    window: Window,
    options: RankingOptions,
) -> tuple[dict[str, Row], dict[str, bytes]]:
    """Make columns by board and files for rankings by graph; the same bytes for the same corpus.

    Candidates, edges and in-degrees use papers published before the window ends, so later citations
    do not count.

    Raises:
        StaleError: A network is missing or outdated, or the corpus is too large to search without
            an index. The message has the command.
    """
    opened = {name: load_network(corpus, name, external=False) for name in sorted(options.networks)}
    candidates = {
        text: find_candidates(
            corpus,
            boards,
            text=text,
            as_of=window.end,
            names=options.names,
            limit=options.candidates,
        )
        for text in options.texts
    }
    shown = {paper for each in candidates.values() for one in each.values() for paper in one.papers}
    shown.update(gold)
    papers = library_rows(corpus, shown, texts=options.library == "fulltext")
    places = {paper["paper_id"]: place for place, paper in enumerate(papers)}
    over = {paper.paper_id for paper in corpus.papers if is_over(paper.first_public, window.end)}
    parts = {name: _part_of(network, places, over) for name, network in opened.items()}
    for place, paper in enumerate(papers):
        paper |= {f"in_{name}": int(degrees[place]) for name, (_, _, degrees) in parts.items()}
    columns: dict[str, Row] = {}
    for board in boards:
        columns[board["id"]] = dict.fromkeys(name for name, _ in CANDIDATE_FIELDS)
        for text, each in candidates.items():
            chosen = each[board["id"]]
            columns[board["id"]] |= {
                f"candidates_{text}": [places[paper] for paper in chosen.papers],
                f"cut_{text}": chosen.cut,
            }
    edges: dict[str, list[Any]] = {name: [] for name in EDGE.names}
    for network, (source, target, _) in sorted(parts.items()):
        edges["network"] += [network] * len(source)
        edges["source"] += source.tolist()
        edges["target"] += target.tolist()
    edge_file = parquet_of(pa.Table.from_pydict(edges, schema=EDGE))
    return columns, {PAPERS: library_as_bytes(papers, DEGREES), EDGES: edge_file}


def _part_of(
    network: Network, places: Mapping[str, int], over: set[str]
) -> tuple[Ints, Ints, Ints]:
    """Edges among the papers of the round, and in-degrees in the whole network."""
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


__all__ = ["FAMILY", "OPTIONS", "RankingOptions", "build"]

PROMPT, GRAPH = "rank_by_prompt", "rank_by_graph"
REPORT = "boards.json"
GRAPH_ITEM = pa.schema([*ITEM, *(pa.field(*field) for field in CANDIDATE_FIELDS)])
OPTIONS = RankingOptions


def build(corpus: Corpus, spec: RoundSpec, options: RankingOptions) -> FamilyItems:
    """Make the items of both ranking tasks.

    The test boards are the items; all other boards are in `development.parquet`.
    """
    rows, left_out, dropped = ranked_boards(
        corpus, spec.window, options.min_papers, spec.round.seed
    )
    gold = sorted({paper for row in rows for paper in row["papers"]})
    columns, graph_files = make_graph_part(corpus, rows, gold, spec.window, options)
    files = {PAPERS: graph_files[PAPERS]}
    tasks: dict[str, Sequence[Row]] = {PROMPT: of_split(rows, "test")}
    schemas = {PROMPT: ITEM}
    if options.networks:
        settings = [
            name
            for name, (network, text) in SETTINGS.items()
            if network in options.networks and text in options.texts
        ]
        rows = [{**row, **columns[row["id"]], "settings": settings} for row in rows]
        tasks[GRAPH], schemas[GRAPH] = of_split(rows, "test"), GRAPH_ITEM
        files |= graph_files
    schema = GRAPH_ITEM if options.networks else ITEM
    files[DEVELOPMENT] = parquet_of_rows(of_split(rows, "dev"), schema)
    report = {
        "test": len(tasks[PROMPT]),
        "development": len(rows) - len(tasks[PROMPT]),
        "papers": [len(row["papers"]) for row in rows],
        "tied_pairs": {row["id"]: pairs for row in rows if (pairs := tied_pairs(row["scores"]))},
        "dropped": dropped,
    }
    files[REPORT] = json.dumps(report, indent=1, sort_keys=True).encode() + b"\n"
    excluded = [
        Exclusion(task, one.board, one.reason, one.detail) for task in tasks for one in left_out
    ]
    return FamilyItems(tasks, schemas, excluded, files)


def tied_pairs(scores: Sequence[float]) -> int:
    """Number of pairs with equal scores, which the gold orders by title."""
    return sum(math.comb(count, 2) for count in Counter(scores).values())
