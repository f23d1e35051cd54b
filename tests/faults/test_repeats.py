"""Answers that win by their length."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from vivavoce.results.scoring import ScoreOptions, score

TITLES = [f"The Matter of Number {number} Reconsidered" for number in range(200)]
GOLD = TITLES[:4]
PAPERS = [f"p{number}" for number in range(200)]


def table(papers: list[str]) -> dict[str, Any]:
    rows = [{"paper": paper, "cells": {"Task": "QA"}} for paper in papers]
    return {"columns": ["Task"], "rows": rows}


def board(names: list[str]) -> dict[str, Any]:
    return {"entries": [{"method": name, "score": 1.0} for name in names]}


# family -> gold, an honest answer, the same a thousand times, everything there is
FAMILIES: dict[str, tuple[Any, Any, Any, Any]] = {
    "leaderboards": (
        board(GOLD),
        board(GOLD[:1]),
        board(GOLD[:1] * 1000),
        board(TITLES),
    ),
    "ranking": (
        {"gold": GOLD},
        {"text": GOLD[0]},
        {"text": f"{GOLD[0]}\n" * 1000},
        {"text": "\n".join(TITLES)},
    ),
    "tables": (
        {"papers": PAPERS[:4], "table": table(PAPERS[:4])},
        {"papers": PAPERS[:1], "table": table(PAPERS[:1])},
        {"papers": PAPERS[:1] * 1000, "table": table(PAPERS[:1] * 1000)},
        {"papers": PAPERS, "table": table(PAPERS)},
    ),
}


def values(tmp_path: Path, family: str, gold: Any, answer: Any) -> dict[str, float | None]:
    for name, row in (("gold", gold), ("answer", answer)):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"id": 1, **row}), "utf-8")
    found = score(
        family,
        tmp_path / "gold.jsonl",
        tmp_path / "answer.jsonl",
        resamples=0,
        options=ScoreOptions(),
    )
    return {name: entry["value"] for name, entry in found["metrics"].items()}


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_saying_it_a_thousand_times_is_saying_it_once(tmp_path: Path, family: str) -> None:
    gold, once, often, _ = FAMILIES[family]
    assert values(tmp_path, family, gold, often) == values(tmp_path, family, gold, once)


def test_who_lists_everything_is_no_better_than_the_share_of_gold(tmp_path: Path) -> None:
    gold, _, _, everything = FAMILIES["leaderboards"]
    found = values(tmp_path, "leaderboards", gold, everything)
    assert (found["mr"], found["mp"]) == (1.0, 4 / 200)
    gold, _, _, everything = FAMILIES["tables"]
    found = values(tmp_path, "tables", gold, everything)
    # Every gold paper is there, and of two hundred chosen four are right.
    assert (found["paper_r"], found["paper_p"]) == (1.0, 4 / 200)
