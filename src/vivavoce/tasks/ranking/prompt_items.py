"""Boards as items: the papers best first, and the order in which a prompt lists them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pyarrow as pa

from vivavoce.store import Row
from vivavoce.tasks.ranking.boards import RankedBoard

ITEM = pa.schema(
    [
        ("id", pa.string()),
        ("cluster", pa.string()),
        ("split", pa.string()),
        ("published", pa.string()),
        ("task", pa.string()),
        ("dataset", pa.string()),
        ("metric", pa.string()),
        ("higher_is_better", pa.bool_()),
        ("area", pa.string()),
        ("papers", pa.list_(pa.string())),
        ("titles", pa.list_(pa.string())),
        ("scores", pa.list_(pa.float64())),
        ("dates", pa.list_(pa.string())),
        ("shown", pa.list_(pa.int32())),
        ("settings", pa.list_(pa.string())),
    ]
)
"""`papers`, `titles`, `scores` and `dates` are best first; `shown` are places in them."""


def item_of(board: RankedBoard, seed: int) -> Row:
    """The row of a board, in the setting `base`."""
    of = board.within.board
    return {
        "id": board.id,
        "cluster": board.cluster,
        "split": "test" if board.within.is_test else "dev",
        "published": board.within.published,
        "task": one_line(of.task),
        "dataset": one_line(of.dataset),
        "metric": one_line(of.metric),
        "higher_is_better": of.direction.higher_is_better,
        "area": of.area,
        "papers": [paper.paper_id for paper in board.papers],
        "titles": [paper.title for paper in board.papers],
        "scores": [paper.score for paper in board.papers],
        "dates": [paper.published for paper in board.papers],
        "shown": shown_order([paper.paper_id for paper in board.papers], seed, board.id),
        "settings": ["base"],
    }


def shown_order(papers: Sequence[str], seed: int, board: str) -> list[int]:
    """Places of papers in the order in which they are listed: shuffled by seed and board.

    The same papers are listed in the same order, whatever their scores.
    """
    places = sorted(range(len(papers)), key=papers.__getitem__)
    Random(f"ranking/{seed}/{board}").shuffle(places)
    return places


def one_line(text: str) -> str:
    """A name without line breaks."""
    return " ".join(text.split())
