"""Leaderboard items from boards of a corpus, and the papers to read.

Source: LEGOBench §3.1, with the rules of docs/families/leaderboards.md.
"""

import json
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from vivavoce.corpus import Corpus
from vivavoce.corpus.boards import BoardEntry, CorpusBoard, boards_within
from vivavoce.metrics.leaderboards import Entry, method_key, read_board, score_board
from vivavoce.rounds.family import DEVELOPMENT, Exclusion, FamilyItems, of_split
from vivavoce.rounds.spec import Options, RoundSpec
from vivavoce.store import Row, parquet_of_rows
from vivavoce.tasks.leaderboards.items import FAMILY, ITEM, PAPERS, REPORT, TASK, gold_table
from vivavoce.tasks.library import library_as_bytes, library_rows
from vivavoce.text.dates import is_over

__all__ = ["FAMILY", "OPTIONS", "LeaderboardsOptions", "build"]


class LeaderboardsOptions(Options):
    """The `[leaderboards]` table of a round spec."""

    min_entries: int = Field(default=3, ge=1)
    """Minimum number of methods with a score on a board."""
    min_papers: int = Field(default=3, ge=1)
    """Minimum number of a board's papers with a text in the corpus."""
    pool: Literal["board", "corpus"] = "board"
    """Papers of the round: those on boards, or all, for the setting `corpus`."""
    entries: Literal["corpus", "all"] = "corpus"
    """Scores that are gold: those of papers with a text, or all.

    Other methods of the board do not affect the score.
    """
    undated: Literal["drop", "keep"] = "drop"
    """Treatment of undated entries outside the corpus, which may have been added later."""


OPTIONS = LeaderboardsOptions


def build(corpus: Corpus, spec: RoundSpec, options: LeaderboardsOptions) -> FamilyItems:
    """Make the items of the boards of a window."""
    boards, left_out = boards_within(corpus, spec.window, keep_undated=options.undated == "keep")
    excluded = [Exclusion(TASK, one.board, one.reason, one.detail) for one in left_out]
    # Papers with a text from before the window's end.
    end = spec.window.end
    over = {paper.paper_id for paper in corpus.papers if is_over(paper.first_public, end)}
    texts = over & {str(row["paper_id"]) for row in corpus.rows("sections")}
    rows: list[Row] = []
    for board in boards:
        papers = [paper for paper in board.papers if paper in texts]
        row, reason = _item(board, papers, options)
        if row is None:
            excluded.append(Exclusion(TASK, board.id, *reason))
        else:
            rows.append(row)
    development = of_split(rows, "dev")
    excluded += [
        Exclusion(TASK, row["id"], "development", "methods are tuned on it: -T split=dev")
        for row in development
    ]
    on_boards = {paper for row in rows for paper in row["papers"]}
    shown = sorted(texts if options.pool == "corpus" and rows else on_boards)
    undated = {one.id: one.undated for one in boards if one.undated}
    names = {one.id: one.names for one in boards if len(one.names) > 1}
    report = {"undated": options.undated, "undated_entries": undated, "names": names}
    files = {
        REPORT: json.dumps(report, indent=1, sort_keys=True).encode() + b"\n",
        DEVELOPMENT: parquet_of_rows(development, ITEM),
        PAPERS: library_as_bytes(library_rows(corpus, shown)),
    }
    return FamilyItems({TASK: of_split(rows, "test")}, {TASK: ITEM}, excluded, files)


def _item(
    board: CorpusBoard, papers: Sequence[str], options: LeaderboardsOptions
) -> tuple[Row | None, tuple[str, str]]:
    """Make an item of a board, or return None and the reason."""
    entries: list[BoardEntry] = []
    others: list[BoardEntry] = []
    for entry in board.entries:
        if any(character.isalnum() for character in entry.method):
            is_gold = options.entries == "all" or entry.paper_id in papers
            (entries if is_gold else others).append(entry)
    if len(papers) < options.min_papers:
        reason = f"{len(papers)} papers with a text, {options.min_papers} are needed"
        return None, ("few_papers", reason)
    methods = len({method_key(entry.method) for entry in entries})
    if methods < options.min_entries:
        return None, ("few_entries", f"{methods} methods, {options.min_entries} are needed")
    names = ("method", "score", "score_text", "paper_id", "date")
    row: Row = {
        "id": board.id,
        "cluster": board.id.rpartition("/")[0],
        "split": "test" if board.is_test else "dev",
        "published": board.published,
        **{name: getattr(board, name) for name in ("task", "dataset", "metric")},
        "higher_is_better": board.higher_is_better,
        "area": board.area,
        "entries": [{name: getattr(entry, name) for name in names} for entry in entries],
        "others": sorted({entry.method for entry in others}),
        "papers": list(papers),
        "settings": ["base", *(["corpus"] if options.pool == "corpus" else [])],
    }
    # The gold, written as an answer, must be read as the gold.
    gold = [Entry(entry.method, entry.score) for entry in entries]
    scored = score_board(gold, read_board(gold_table(row), row["metric"]))
    if scored.f1 != 1.0 or scored.ratios["sp_matched"].value != 1.0:
        return None, ("unreadable_gold", "a name or score does not survive in a table")
    return row, ("", "")
