"""Tables of a million rows, from the answer to the board's numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vivavoce.metrics.leaderboards import read_board
from vivavoce.results.scoring import ScoreOptions, score

pytestmark = pytest.mark.slow

MILLION = 10**6
GOLD = {
    "leaderboards": {"entries": [{"method": "Alpha", "score": 90.5}]},
    "tables": {
        "papers": ["p1"],
        "table": {"columns": ["Task"], "rows": [{"paper": "p1", "cells": {"Task": "QA"}}]},
    },
}
ANSWERS = {
    "leaderboards": "| Method | Score |\n|-|-|\n" + "| b | 1 |\n" * MILLION + "| Alpha | 90.5 |\n",
    "tables": "| Paper | Task |\n|-|-|\n" + "| p9 | MT |\n" * MILLION + "| p1 | QA |\n",
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("family", sorted(GOLD))
def test_a_million_rows_are_scored_and_flagged(tmp_path: Path, family: str) -> None:
    gold, predictions = tmp_path / "gold.jsonl", tmp_path / "answers.jsonl"
    gold.write_text(json.dumps({"id": 1, **GOLD[family]}))
    answer = ANSWERS[family]
    assert len(answer) > 9_000_000
    predictions.write_text(json.dumps({"id": 1, "text": answer}))
    score(family, gold, predictions, resamples=0, options=ScoreOptions())  # loads what it needs
    result = score(family, gold, predictions, resamples=0, options=ScoreOptions())
    # The right row stands beyond the cap, and what is not read earns nothing.
    recall = {"leaderboards": "mr", "tables": "paper_r"}[family]
    assert result["metrics"][recall]["value"] == 0.0
    if family == "leaderboards":
        assert read_board(answer).truncated
