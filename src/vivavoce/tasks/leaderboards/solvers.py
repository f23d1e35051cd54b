"""Methods of the leaderboard task: those that ask a model, and those that read tables by rule."""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from inspect_ai.solver import Solver, TaskState, solver

from vivavoce.checking import check_numbers
from vivavoce.metrics.leaderboards import method_key
from vivavoce.readers import LibraryPaper
from vivavoce.readers.cell_results import own_method, read_results
from vivavoce.readers.terms import MEASURES, SPLITS, telling_terms, terms_in
from vivavoce.records import CitedTable
from vivavoce.store import hash_of
from vivavoce.tasks.leaderboards.items import table_text
from vivavoce.tasks.library import open_papers
from vivavoce.tasks.methods.agent import agent
from vivavoce.tasks.methods.direct import baseline, direct

__all__ = ["agent", "board_of_tables", "direct", "draw_rows", "random_rows", "table_reader"]

_NUMBER = re.compile(r"(?<!\S)[-−+]?\d{1,15}(?:[.,]\d{1,10})?%?(?!\S)", re.ASCII)
_MAX_ROW = 2_000
_MAX_NAME = 100
_MAX_METHODS = 30
"""Maximum methods of a board that is read by rule."""


def draw_rows(
    papers: Sequence[LibraryPaper], count: int, drawn: random.Random
) -> list[tuple[str, str]]:
    """Draw distinct rows of the papers' tables, as pairs (name, number).

    The name is the text before the first number of a row, the number a random one of the row.
    """
    rows = [
        row
        for paper in papers
        for table in paper.tables
        for cells in table.cells
        if (row := _read_row(cells))
    ]
    chosen = drawn.sample(rows, min(count, len(rows)))
    return [(name, drawn.choice(numbers)) for name, numbers in chosen]


def _read_row(cells: Sequence[str]) -> tuple[str, list[str]] | None:
    """Name and numbers of a row; None without both."""
    text = " ".join(" ".join(cells)[:_MAX_ROW].split())
    first = _NUMBER.search(text)
    name = text[: first.start()].strip() if first else ""
    if first is None or not any(character.isalpha() for character in name):
        return None
    return name[:_MAX_NAME], _NUMBER.findall(text, first.start())


def board_of_tables(papers: Sequence[LibraryPaper], *, dataset: str, metric: str) -> dict[str, str]:
    """Scores by method for a board, from cells of the papers' tables.

    A result belongs to the board if its metric matches and header, caption or group name the
    dataset. If a method has several scores, the most frequent one is used.
    """
    asked = {*telling_terms(metric), *telling_terms(dataset)}
    measures, data = asked & MEASURES, asked - MEASURES - SPLITS
    split = next((term for term in terms_in(f"{metric} {dataset}") if term in SPLITS), "test")
    methods: dict[str, str] = {}
    scores: dict[str, Counter[str]] = defaultdict(Counter)
    for paper in papers:
        tables = [
            CitedTable(place, table.caption, table.cells, (), (), table.spans, table.bold)
            for place, table in enumerate(paper.tables)
        ]
        for result in read_results(tables, own_method(paper)):
            named = f"{result.dataset or ''} {result.part or ''} {tables[result.table].caption}"
            if (
                measures <= set(terms_in(result.metric))
                and data <= set(terms_in(named))
                and result.split in (None, split)
            ):
                key = method_key(result.method)
                methods.setdefault(key, result.method)
                scores[key][result.score_text] += 1
    return {methods[key]: scores[key].most_common(1)[0][0] for key in methods}


@solver
def table_reader() -> Solver:
    """Answer by rule from the papers' tables, without a model."""

    def answer(state: TaskState) -> str:
        board: dict[str, Any] = state.metadata["board"]
        scores = board_of_tables(_papers(state), dataset=board["dataset"], metric=board["metric"])
        return table_text(list(scores.items())[:_MAX_METHODS])

    return baseline("table_reader", answer)


@solver
def random_rows(rows: int = 10, seed: int = 0) -> Solver:
    """Answer with random rows of the papers' tables: the first words and a number of each."""
    check_numbers({"rows": (rows, 1, None), "seed": (seed, -(2**63), 2**63)})

    def answer(state: TaskState) -> str:
        drawn = random.Random(hash_of([seed, state.sample_id]))
        return table_text(draw_rows(_papers(state), rows, drawn))

    return baseline("random_rows", answer)


def _papers(state: TaskState) -> list[LibraryPaper]:
    """The papers of the sample's setting."""
    place: dict[str, Any] = state.metadata["library"]
    papers = open_papers(place["round"], place["family"], place["file"])
    wanted = papers if place["papers"] is None else place["papers"]
    return [papers[name] for name in wanted if name in papers]
