"""Result tuples of a corpus: what its papers' tables state, beside the boards that lists know.

The table `tuples` holds dataset, metric, method and score with the cell they were read from. A
dataset and a metric that lists know give the task; `PTB` may stand for `Penn Treebank`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache

from vivavoce.corpus.reading import Corpus
from vivavoce.readers.board_names import board_id, board_names, dataset_key, metric_key
from vivavoce.readers.terms import stands_for
from vivavoce.store import Row

_KNOWN = tuple[str, str, str]
"""Id, task and key of the dataset of a board."""


def result_tuples(corpus: Corpus, paper: str | None = None) -> Iterator[Row]:
    """Rows of `tuples` with `task`, `board` and the date of the paper, sorted by cell.

    Args:
        corpus: The corpus.
        paper: The id of a paper, for its rows alone.
    """
    boards = _boards_by_metric(corpus)
    dates = {one.paper_id: one.first_public for one in corpus.papers}

    @cache
    def find(dataset: str, metric: str) -> tuple[str | None, str | None]:
        return _only_board(dataset, boards.get(metric_key(metric), []))

    for row in corpus.rows("tuples"):
        if paper is None or row["paper_id"] == paper:
            board, task = find(row["dataset"] or "", row["metric"])
            first = {"paper_id": row["paper_id"], "date": dates[row["paper_id"]]}
            yield {**first, "board": board, "task": task, **row}


def _boards_by_metric(corpus: Corpus) -> dict[str, list[_KNOWN]]:
    """The boards that results make, by the key of their metric, sorted."""
    found: dict[str, set[_KNOWN]] = defaultdict(set)
    for row in corpus.rows("results"):
        task, dataset, metric = row["task"], row["dataset"], row["metric"]
        names = board_names(task, dataset)
        key = dataset_key(names.dataset, names.task, metric)
        found[metric_key(metric)].add((board_id(task, dataset, metric), names.task, key))
    return {metric: sorted(boards) for metric, boards in found.items()}


def _only_board(dataset: str, boards: list[_KNOWN]) -> tuple[str | None, str | None]:
    """The board and the task of a dataset, where one board alone fits; None otherwise."""
    key = dataset_key(dataset) if dataset else ""
    same = [board for board in boards if key and board[2] == key]
    short = [b for b in boards if not same and stands_for(dataset, tuple(b[2].split()))]
    ids = {board for board, _, _ in same or short}
    tasks = {task for _, task, _ in same or short}
    return (ids.pop() if len(ids) == 1 else None, tasks.pop() if len(tasks) == 1 else None)
