"""JSON that is too deep, and numbers that are too long."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vivavoce.cli import app
from vivavoce.results.scoring import ScoreOptions, score

DEEP = {
    "open brackets": "[" * 100_000,
    "nested lists": "[" * 100_000 + "]" * 100_000,
    "nested objects": '{"papers":' * 100_000 + "1" + "}" * 100_000,
    "a long integer": '{"score": ' + "9" * 5_000 + "}",
    "a list of one": "```json\n" + "[" * 100_000 + "\n```",
}
TITLES = ["Deep Nets for Reading", "Shallow Nets for Writing"]
TABLE = {"columns": ["Task"], "rows": [{"paper": "p1", "cells": {"Task": "QA"}}]}
# family -> gold, a right answer, the headline metric
FAMILIES = {
    "writing": ({"reference": "deep nets"}, {"text": "deep nets"}, "rougeL"),
    "ranking": ({"gold": TITLES}, {"text": "\n".join(TITLES)}, "cp"),
    "leaderboards": (
        {"entries": [{"method": "Alpha", "score": 90.5}]},
        {"text": "| Method | Score |\n|-|-|\n| Alpha | 90.5 |"},
        "f1",
    ),
    "tables": ({"papers": ["p1"], "table": TABLE}, {"table": TABLE}, "avg"),
}


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_an_answer_of_deep_json_is_worth_nothing_and_the_others_are_scored(
    tmp_path: Path, family: str
) -> None:
    gold, right, headline = FAMILIES[family]
    answers = [right, *({"text": text} for text in DEEP.values()), right]
    golds, predictions = tmp_path / "gold.jsonl", tmp_path / "answers.jsonl"
    golds.write_text("".join(json.dumps({"id": n, **gold}) + "\n" for n in range(len(answers))))
    predictions.write_text(
        "".join(json.dumps({"id": n, **answer}) + "\n" for n, answer in enumerate(answers))
    )
    result = score(family, golds, predictions, resamples=0, options=ScoreOptions())
    found = result["metrics"][headline]
    assert (found["n"], found["undefined"]) == (len(answers), 0)
    assert found["value"] == pytest.approx(2 / len(answers))  # two are right, the others worth 0


@pytest.mark.parametrize(
    "value", ["[" * 100_000 + "]" * 100_000, "9" * 5_000, "NaN"], ids=["deep", "long", "NaN"]
)
def test_a_line_of_deep_json_is_named(tmp_path: Path, value: str) -> None:
    gold, predictions = tmp_path / "gold.jsonl", tmp_path / "answers.jsonl"
    gold.write_text('{"id": 1, "gold": ["A"]}\n{"id": 2, "gold": ["A"]}\n')
    predictions.write_text('{"id": 1, "text": "A"}\n{"id": 2, "text": ' + value + "}\n")
    words = ["score", "ranking", "--gold", str(gold), "--predictions", str(predictions)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2
    assert "answers.jsonl:2" in done.stderr
    assert len(done.stderr) < 1_000
