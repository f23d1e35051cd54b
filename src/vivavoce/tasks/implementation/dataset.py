"""Implementation items turned into Inspect samples."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from inspect_ai.dataset import MemoryDataset, Sample

from vivavoce.metrics.factor import FactorFrame, frame_from_columns
from vivavoce.rounds import Round
from vivavoce.store import Row
from vivavoce.tasks.implementation.formula import RESULT
from vivavoce.tasks.implementation.market import TABLES
from vivavoce.tasks.implementation.market.dictionary import describe, notes
from vivavoce.tasks.implementation.settings import data_level, has_knowledge
from vivavoce.tasks.shared.prompts import PromptSet


def formula_dataset(
    opened: Round, prompts: PromptSet, *, setting: str, max_tokens: int
) -> MemoryDataset:
    """The samples of `formula`.

    Args:
        opened: The round.
        prompts: The templates.
        setting: How much is told of the data.
        max_tokens: The longest answer a model may give.
    """
    rows = opened.items("implementation", "formula")
    samples = [record_to_sample(row, prompts, setting, max_tokens) for row in rows]
    return MemoryDataset(samples, name=f"{opened.id}/implementation/formula")


def record_to_sample(row: Row, prompts: PromptSet, setting: str, max_tokens: int) -> Sample:
    """One formula as a sample; the target is the reference program."""
    slots = {
        "name": str(row["id"]),
        "description": str(row["description"]),
        "formulation": str(row["formulation"]),
        "variables": _variables(json.loads(row["variables"])),
        "data": _data(row, setting),
    }
    prompt = prompts.render("formula", slots, {"result": RESULT})
    metadata: dict[str, Any] = {
        name: row[name] for name in ("cluster", "category", "difficulty", "tables", "values")
    }
    return Sample(
        id=row["id"],
        input=prompt.text,
        target=row["reference"],
        metadata={
            **metadata,
            "naive": row["naive"],
            "spans": {slot: list(span) for slot, span in prompt.spans.items()},
            "max_tokens": max_tokens,
        },
    )


def _variables(variables: dict[str, str]) -> str:
    return "\n".join(f"- {symbol}: {meaning}" for symbol, meaning in variables.items())


def _data(row: Row, setting: str) -> str:
    text = describe(tuple(row["tables"]), data_level(setting))
    return f"{text}\n\n{notes()}" if has_knowledge(setting) else text


def market_files(opened: Round) -> dict[str, bytes]:
    """The market's files by table name."""
    return {name: opened.read_file("implementation", f"market/{name}.parquet") for name in TABLES}


def gold_values(opened: Round) -> dict[str, FactorFrame]:
    """Gold values by item id."""
    gold = {}
    for row in opened.items("implementation", "formula"):
        content = opened.read_file("implementation", row["values"])
        table = pq.read_table(pa.BufferReader(content))
        gold[row["id"]] = frame_from_columns(
            {name: table[name].to_numpy() for name in table.column_names}
        )
    return gold
