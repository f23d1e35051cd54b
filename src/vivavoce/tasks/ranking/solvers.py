"""Methods of the ranking tasks without a model.

They rank the candidates in `rank_by_graph` and the listed titles in `rank_by_prompt`; there,
`in_order`, `random_order` and `recency` need no network in the round.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from random import Random

from inspect_ai.solver import Solver, TaskState, solver

from vivavoce.retrieval.presets import PRESETS
from vivavoce.rounds import load_round
from vivavoce.store import Row
from vivavoce.tasks.family import rows_of
from vivavoce.tasks.methods.agent import agent
from vivavoce.tasks.methods.direct import baseline, direct
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

__all__ = [
    "agent",
    "bm25",
    "direct",
    "in_degree",
    "in_order",
    "pagerank",
    "random_order",
    "recency",
]

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

    Raises:
        InputError: An option is none that there is.
    """
    options = RankOptions(*encoder_of(encoder), direction, damping, weights)
    return _ranking("pagerank", _by_graph("pagerank", options))


def encoder_of(text: str) -> tuple[str, str | None]:
    """Parse an encoder's name, or NAME:FOLDER with the folder of its weights."""
    name, _, folder = text.partition(":")
    return (name, folder) if folder and name in PRESETS else (text, None)


@solver
def in_degree() -> Solver:
    """Rank papers by in-degree in the whole network."""
    return _ranking("in_degree", _by_graph("in_degree", RankOptions()))


@solver
def bm25() -> Solver:
    """Rank papers by BM25 of the board's names in their titles and abstracts."""
    return _ranking("bm25", _by_graph("bm25", RankOptions()))


@solver
def recency() -> Solver:
    """Rank papers by date, the newest first."""
    by_graph = _by_graph("recency", RankOptions())

    def newest_first(state: TaskState, row: Row) -> list[str]:
        dates = dict(zip(row["papers"], row["dates"], strict=True))
        return sorted(_listed(row), key=lambda paper: (-day_after(dates[paper]), paper))

    return _ranking("recency", _either(by_graph, newest_first))


@solver
def random_order() -> Solver:
    """Put papers in a random order for each item and epoch, by the round's seed."""

    def of_candidates(state: TaskState, row: Row) -> list[str]:
        return _rank(state, row, "random", RankOptions(), state.metadata["seed"] + state.epoch - 1)

    def of_titles(state: TaskState, row: Row) -> list[str]:
        papers = _listed(row)
        seed = state.metadata["seed"]
        Random(f"random_order/{seed}/{row['id']}/{state.epoch}").shuffle(papers)
        return papers

    return _ranking("random_order", _either(of_candidates, of_titles))


@solver
def in_order() -> Solver:
    """Answer with the titles in the order in which the prompt lists them."""
    return _ranking("in_order", lambda state, row: _listed(row))


def _ranking(name: str, rank: _Rank) -> Solver:
    """Answer with ids, or with titles if the prompt lists titles, one per line."""

    def answer(state: TaskState) -> str:
        row = _item(state)
        papers = rank(state, row)
        if state.metadata["task"] != GRAPH:
            titles = dict(zip(row["papers"], row["titles"], strict=True))
            papers = [titles[paper] for paper in papers]
        return "\n".join(papers)

    return baseline(name, answer)


def _by_graph(ranker: Ranker, options: RankOptions) -> _Rank:
    return lambda state, row: _rank(state, row, ranker, options, 0)


def _either(candidates: _Rank, titles: _Rank) -> _Rank:
    def rank(state: TaskState, row: Row) -> list[str]:
        return (candidates if state.metadata["task"] == GRAPH else titles)(state, row)

    return rank


def _rank(state: TaskState, row: Row, ranker: Ranker, options: RankOptions, seed: int) -> list[str]:
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


def _item(state: TaskState) -> Row:
    """The item of a sample."""
    given = state.metadata
    opened = load_round(given["round"])
    rows = _items(given["round"], opened.sha256, given["task"], given["split"])
    return rows[str(state.sample_id)]


@lru_cache(maxsize=4)
def _items(folder: str, _sha256: str, task: str, split: str) -> dict[str, Row]:
    """Items of a split of a round, cached by hash."""
    return {row["id"]: row for row in rows_of(load_round(folder), FAMILY, task, split)}
