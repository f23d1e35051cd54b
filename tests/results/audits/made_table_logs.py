"""Logs of the table task written by hand: every answer and every gold is the test's own."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalPlanStep, EvalSample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score
from tests.results.audits.made_logs import write_samples

TITLES = {"P1": "Reading Nets", "P2": "Translating Nets", "P3": "Parsing Nets"}


def table(columns: str, *rows: str) -> str:
    """An answer: columns and rows with bars between cells; a row begins with its paper's label."""
    names = columns.split("|")
    split = [row.split("|") for row in rows]
    return json.dumps(
        {
            "papers": list(dict.fromkeys(row[0] for row in split)),
            "columns": names,
            "rows": [
                {
                    "paper": row[0],
                    "cells": dict(zip(names, (cell or None for cell in row[1:]), strict=True)),
                }
                for row in split
            ],
        }
    )


def write_table_log(
    folder: Path,
    golds: Mapping[str, str],
    answers: Mapping[str, str | Sequence[str]],
    *,
    model: str = "lab/one",
    method: str = "one_step",
    setting: str = "base",
    faults: Mapping[str, str] | None = None,
    clusters: Mapping[str, str] | None = None,
    done: bool = True,
) -> Path:
    """Write a log: the answers to each item, several of them one an epoch."""
    samples = [
        _sample(item, epoch, text, golds[item], (faults or {}).get(item), clusters or {})
        for item, given in answers.items()
        for epoch, text in enumerate([given] if isinstance(given, str) else given, start=1)
    ]
    return write_samples(
        folder,
        samples,
        model=model,
        task="table",
        solver=EvalPlanStep(solver=f"vivavoce/{method}"),
        status="success" if done else "started",
        family="tables",
        setting=setting,
        metrics=["avg"],
    )


def _sample(
    item: str, epoch: int, text: str, gold: str, fault: str | None, clusters: Mapping[str, str]
) -> EvalSample:
    metadata: dict[str, Any] = {
        "cluster": clusters.get(item, item),
        "pool": [
            {"label": label, "paper_id": label.lower(), "title": title, "abstract": None}
            for label, title in TITLES.items()
        ],
    }
    value = {"avg": 0.0, "valid": 0.0 if fault else 1.0}
    return EvalSample(
        id=item,
        epoch=epoch,
        input="ask",
        target=gold,
        output=ModelOutput.from_content("made", text),
        metadata=metadata,
        scores={"tables": Score(value=value, metadata={"fault": fault})},
    )
