"""Methods of the ranking tasks without a model.

They rank the candidates in `rank_by_graph` and the listed titles in `rank_by_prompt`; there,
`in_order`, `random_order` and `recency` need no network in the round.
"""

from collections.abc import Callable
from functools import lru_cache
from random import Random

from inspect_ai.solver import Solver, TaskState, solver

from vivavoce.retrieval.dense import PRESETS
from vivavoce.rounds import load_round
from vivavoce.store import Row
from vivavoce.tasks.family import rows_of
from vivavoce.tasks.methods.agent import agent as agent
from vivavoce.tasks.methods.direct import baseline
from vivavoce.tasks.methods.direct import direct as direct
from vivavoce.tasks.ranking.boards import FAMILY
from vivavoce.tasks.ranking.family import GRAPH
from vivavoce.tasks.ranking.graph_ranking import (
    Direction,
    Ranker,
    RankOptions,
    open_graph,
    rank_papers,
)
from vivavoce.text.dates import day_after

_Rank = Callable[[TaskState, Row], list[str]]


@solver
def pagerank(
    encoder: str = "tfidf",
    direction: Direction = "cited",
    damping: float = 0.85,
    weights: bool = True,
) -> Solver:
    """Rank papers by PageRank in their graph.

    Args:
        encoder: Encoder that weights edges: tfidf, minilm, scibert, specter, scincl or another
            preset, a folder or a name on the hub; NAME:FOLDER for a preset with weights in a
            folder.
        direction: Direction of the walk: cited, citing or both.
        damping: Probability that the walk continues.
        weights: True to weight edges by the similarity of the two papers.
    """
    options = RankOptions(*encoder_of(encoder), direction, damping, weights)
    return _ranking("pagerank", lambda state, row: _rank(state, row, "pagerank", options))


def encoder_of(text: str) -> tuple[str, str | None]:
    """Parse an encoder's name, or NAME:FOLDER with the folder of its weights."""
    name, _, folder = text.partition(":")
    return (name, folder) if folder and name in PRESETS else (text, None)


@solver
def in_degree() -> Solver:
    """Rank papers by in-degree in the whole network."""
    return _ranking("in_degree", lambda state, row: _rank(state, row, "in_degree"))


@solver
def bm25() -> Solver:
    """Rank papers by BM25 of the board's names in their titles and abstracts."""
    return _ranking("bm25", lambda state, row: _rank(state, row, "bm25"))


@solver
def recency() -> Solver:
    """Rank papers by date, the newest first."""

    def newest_first(state: TaskState, row: Row) -> list[str]:
        if state.metadata["task"] == GRAPH:
            return _rank(state, row, "recency")
        dates = dict(zip(row["papers"], row["dates"], strict=True))
        return sorted(_listed(row), key=lambda paper: (-day_after(dates[paper]), paper))

    return _ranking("recency", newest_first)


@solver
def random_order() -> Solver:
    """Put papers in a random order for each item and epoch, by the round's seed."""

    def shuffled(state: TaskState, row: Row) -> list[str]:
        seed = state.metadata["seed"]
        if state.metadata["task"] == GRAPH:
            return _rank(state, row, "random", seed=seed + state.epoch - 1)
        papers = _listed(row)
        Random(f"random_order/{seed}/{row['id']}/{state.epoch}").shuffle(papers)
        return papers

    return _ranking("random_order", shuffled)


@solver
def in_order() -> Solver:
    """Answer with the titles in the order in which the prompt lists them."""
    return _ranking("in_order", lambda state, row: _listed(row))


def _ranking(name: str, rank: _Rank) -> Solver:
    """Answer with ids, or with titles if the prompt lists titles, one per line."""

    def answer(state: TaskState) -> str:
        given = state.metadata
        folder, task, split = given["round"], given["task"], given["split"]
        row = _items(folder, load_round(folder).sha256, task, split)[str(state.sample_id)]
        papers = rank(state, row)
        if task != GRAPH:
            titles = dict(zip(row["papers"], row["titles"], strict=True))
            papers = [titles[paper] for paper in papers]
        return "\n".join(papers)

    return baseline(name, answer)


def _rank(
    state: TaskState, row: Row, ranker: Ranker, options: RankOptions | None = None, seed: int = 0
) -> list[str]:
    """The candidates of an item, or its listed papers, in order."""
    graph = open_graph(state.metadata["round"], load_round(state.metadata["round"]).sha256)
    if state.metadata["task"] != GRAPH:
        listed = set(row["papers"])
        places = [place for place, paper in enumerate(graph.ids) if paper in listed]
        row = {**row, "candidates_abstracts": places}
    setting = state.metadata["setting"]
    return rank_papers(graph, row, setting=setting, ranker=ranker, options=options, seed=seed)


def _listed(row: Row) -> list[str]:
    """The papers of a board in the order of the prompt."""
    return [row["papers"][place] for place in row["shown"]]


@lru_cache(maxsize=4)
def _items(folder: str, _sha256: str, task: str, split: str) -> dict[str, Row]:
    """Items of a split of a round, cached by hash."""
    return {row["id"]: row for row in rows_of(load_round(folder), FAMILY, task, split)}
