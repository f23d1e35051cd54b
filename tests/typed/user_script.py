"""A script as a user of the library writes it; type checkers read it, and nothing runs it."""

from datetime import date
from pathlib import Path

import pandas as pd
import pyarrow as pa

import vivavoce
from vivavoce import (
    Corpus,
    Round,
    Window,
    build_round,
    exam,
    leaderboard,
    list_tasks,
    load_corpus,
    load_round,
    run,
    score,
)
from vivavoce.results.board.groups import Board
from vivavoce.running import RunReport, RunSpec

version: str = vivavoce.__version__


def make(folder: Path) -> Round:
    corpus: Corpus = load_corpus(folder / "corpus")
    window = Window(date(2024, 1, 1), date(2025, 1, 1))
    span = {"start": window.start.isoformat(), "end": window.end.isoformat()}
    head = {"id": "mine", "window": span, "seed": 0}
    made: Round = build_round(corpus, {"round": {**head, "families": ["writing"]}}, folder)
    return load_round(made.folder)


def answer(opened: Round, logs: Path) -> Board:
    report: RunReport = run(
        RunSpec(tasks=["title"], round=opened.folder, logs=logs, models=["extractive/lead"])
    )
    named: RunReport = run(tasks=["title"], round=opened.folder, logs=logs, methods=["null"])
    failed: tuple[str, ...] = report.failed + named.failed
    if failed:
        raise SystemExit("\n".join(failed))
    return leaderboard(logs, resamples=1000)


def look(board: Board) -> pd.DataFrame:
    table: pa.Table = board.to_arrow(headline=True)
    frame: pd.DataFrame = board.to_pandas()
    notes: tuple[str, ...] = board.notes
    print(repr(board), table.num_rows, len(notes))
    return frame


found = score("writing", [{"id": "a", "reference": "x"}], [{"id": "a", "text": "x"}])
count: int = found["n"]
names: list[str] = list_tasks()
verdict = exam("papers", ["openai/gpt-4o-mini", "anthropic/claude-haiku-4-5"], budget=5.0, yes=True)
page: str = verdict.site
