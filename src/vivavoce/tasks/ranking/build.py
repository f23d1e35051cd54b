"""Boards of a corpus turned into ranking items: by prompt and by graph.

Source: LEGOBench §4.1 and §4.2, with the rules of docs/families/leaderboards.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pyarrow as pa

from vivavoce.corpus import Corpus
from vivavoce.rounds.family import Exclusion, FamilyItems
from vivavoce.rounds.spec import RoundSpec
from vivavoce.store import Row, parquet_of_rows
from vivavoce.tasks.ranking.items.boards import (
    FAMILY,
    ITEM,
    BoardQuery,
    RankedBoard,
    item_of,
    ranked_boards,
)
from vivavoce.tasks.ranking.items.graph_items import (
    CANDIDATE_FIELDS,
    PAPERS,
    GraphPart,
    RankingOptions,
    make_graph_part,
)
from vivavoce.tasks.ranking.items.graph_ranking import SETTINGS

__all__ = ["FAMILY", "OPTIONS", "RankingOptions", "build"]

PROMPT, GRAPH = "rank_by_prompt", "rank_by_graph"
DEVELOPMENT, REPORT = "development.parquet", "boards.json"
GRAPH_ITEM = pa.schema([*ITEM, *(pa.field(*field) for field in CANDIDATE_FIELDS)])


OPTIONS = RankingOptions


def build(corpus: Corpus, spec: RoundSpec, options: RankingOptions) -> FamilyItems:
    """Make the items of both ranking tasks.

    Test boards are the tasks' items; the others are in `development.parquet`.

    Raises:
        StaleError: A network that is asked for was not built.
    """
    found = ranked_boards(corpus, spec.window, options.min_papers)
    rows = [item_of(board, spec.round.seed) for board in found.boards]
    graph = _graph_part(corpus, spec, options, found.boards)
    report: Row = {"boards": found.describe()}
    files = {PAPERS: graph.files[PAPERS]}
    tasks: dict[str, Sequence[Row]] = {PROMPT: _split(rows, "test")}
    schemas = {PROMPT: ITEM}
    if options.networks:
        rows = [_with_candidates(row, graph.columns, options) for row in rows]
        tasks[GRAPH], schemas[GRAPH] = _split(rows, "test"), GRAPH_ITEM
        report["graph"] = graph.report
        files |= graph.files
    schema = GRAPH_ITEM if options.networks else ITEM
    files[DEVELOPMENT] = parquet_of_rows(_split(rows, "dev"), schema)
    files[REPORT] = json.dumps(report, indent=1, sort_keys=True).encode() + b"\n"
    excluded = [
        Exclusion(task, one.board, one.reason, one.detail)
        for task in tasks
        for one in found.left_out
    ]
    return FamilyItems(tasks, schemas, excluded, files)


def _split(rows: Sequence[Row], split: str) -> list[Row]:
    return [row for row in rows if row["split"] == split]


def _graph_part(
    corpus: Corpus, spec: RoundSpec, options: RankingOptions, boards: Sequence[RankedBoard]
) -> GraphPart:
    queries = [
        BoardQuery(one.id, of.task, of.dataset, of.metric)
        for one in boards
        for of in [one.within.board]
    ]
    gold = sorted({paper.paper_id for board in boards for paper in board.papers})
    return make_graph_part(corpus, queries, gold, spec.window, options)


def _with_candidates(row: Row, columns: Mapping[str, Row], options: RankingOptions) -> Row:
    settings = [
        name
        for name, (network, text) in SETTINGS.items()
        if network in options.networks and text in options.texts
    ]
    return {**row, **columns[row["id"]], "settings": settings}
