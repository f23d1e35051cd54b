"""Implementation items turned into Inspect samples."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from inspect_ai.dataset import MemoryDataset, Sample
from safetensors.numpy import load

from vivavoce.errors import InputError, NoItemsError
from vivavoce.metrics.extraction import GoldMethod
from vivavoce.metrics.factor import FactorFrame, frame_from_columns
from vivavoce.rounds import Round
from vivavoce.store import Row, table_of_parquet
from vivavoce.tasks.implementation.items.architecture import driver_source
from vivavoce.tasks.implementation.items.architectures.reference import Arrays
from vivavoce.tasks.implementation.items.formula import RESULT
from vivavoce.tasks.implementation.items.market import TABLES
from vivavoce.tasks.implementation.items.report import CLAIM as CLAIM
from vivavoce.tasks.implementation.items.report import gold_method
from vivavoce.tasks.prompting.prompts import PromptSet, Rendered


def formula_dataset(
    opened: Round, prompts: PromptSet, *, setting: str, max_tokens: int
) -> MemoryDataset:
    """The samples of `formula`."""
    return _dataset(
        opened, "formula", lambda row: record_to_sample(row, prompts, setting, max_tokens)
    )


def _dataset(opened: Round, task: str, sample: Callable[[Row], Sample]) -> MemoryDataset:
    samples = [sample(row) for row in opened.items("implementation", task)]
    return MemoryDataset(samples, name=f"{opened.id}/implementation/{task}")


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
    more = {name: row[name] for name in ("values", "naive")}
    more |= {"misread": json.loads(row["misread"]), "columns": row["columns"]}
    return _sample(row, prompt, row["reference"], max_tokens, more)


def _sample(
    row: Row,
    prompt: Rendered,
    target: str,
    max_tokens: int,
    more: Mapping[str, Any] | None = None,
) -> Sample:
    """An item as a sample; `more` is metadata beside what every task's samples have."""
    kind = {name: row[name] for name in ("cluster", "category", "difficulty")}
    shown = {"spans": prompt.json_spans, "max_tokens": max_tokens}
    metadata = {**kind, **(more or {}), **shown}
    return Sample(id=row["id"], input=prompt.text, target=target, metadata=metadata)


def _variables(variables: dict[str, str]) -> str:
    return "\n".join(f"- {symbol}: {meaning}" for symbol, meaning in variables.items())


def _data(row: Row, setting: str) -> str:
    """Description of the data in a setting, as the round holds it."""
    told = json.loads(row["data"])
    text = str(told[data_level(setting)])
    if not has_knowledge(setting):
        return text
    corners = row.get("corners")
    own = f"\n- **{row['id']}**: {corners}" if corners else ""
    return f"{text}\n\n{told['notes']}{own}"


def market_files(opened: Round) -> dict[str, bytes]:
    """The market's files, as a program finds them in its folder."""
    names = [f"{name}.parquet" for name in TABLES]
    return {name: opened.read_file("implementation", f"market/{name}") for name in names}


def gold_values(opened: Round) -> dict[str, FactorFrame]:
    """Gold values by item id."""
    rows = opened.items("implementation", "formula")
    return {row["id"]: _values(opened, row["values"]) for row in rows}


def _values(opened: Round, name: str) -> FactorFrame:
    table = table_of_parquet(opened.read_file("implementation", name))
    return frame_from_columns({name: table[name].to_numpy() for name in table.column_names})


@dataclass(frozen=True, slots=True)
class ArchitectureTrial:
    """Files that an item's candidate is run with, and the gold layers."""

    files: dict[str, bytes]
    """By name, as the driver reads them; the driver itself too."""
    gold: Arrays
    unseen_gold: Arrays


def architecture_dataset(opened: Round, prompts: PromptSet, *, max_tokens: int) -> MemoryDataset:
    """The samples of `architecture`; the target is the reference."""
    return _dataset(
        opened, "architecture", lambda row: architecture_sample(row, prompts, max_tokens)
    )


def architecture_sample(row: Row, prompts: PromptSet, max_tokens: int) -> Sample:
    """One architecture as a sample."""
    arguments = ", ".join(f"{key}={value}" for key, value in json.loads(row["arguments"]).items())
    shapes = {key: str(tuple(shape)) for key, shape in json.loads(row["parameters"]).items()}
    slots = {
        **{name: str(row[name]) for name in ("description", "formulation")},
        "name": str(row["id"]),
        "variables": _variables(json.loads(row["variables"])),
        "constructor": f"{row['constructor']}\n\nThe arguments are: {arguments}.",
        "inputs": _variables(json.loads(row["inputs"])),
        "parameters": _variables(shapes),
        "layers": "\n".join(f"{i}. {layer}" for i, layer in enumerate(row["layers"], 1)),
    }
    prompt = prompts.render("architecture", slots, {})
    misread = json.loads(row.get("misread") or "{}")
    return _sample(row, prompt, row["reference"], max_tokens, {"misread": misread})


def architecture_trials(opened: Round) -> dict[str, ArchitectureTrial]:
    """Trials of the items, by id."""
    trials = {}
    for row in opened.items("implementation", "architecture"):
        weights, inputs, gold, unseen, unseen_gold = (
            opened.read_file("implementation", row[f"{part}_file"])
            for part in ("weights", "inputs", "gold", "unseen_inputs", "unseen_gold")
        )
        files = {
            "driver.py": driver_source().encode(),
            "settings.json": row["settings"].encode(),
            "weights.safetensors": weights,
            "inputs.safetensors": inputs,
            "unseen.safetensors": unseen,
        }
        trials[str(row["id"])] = ArchitectureTrial(files, load(gold), load(unseen_gold))
    return trials


def reproduce_dataset(
    opened: Round, prompts: PromptSet, *, setting: str, max_tokens: int
) -> MemoryDataset:
    """The samples of `reproduce`; the target is a whole answer. See `formula_dataset`."""

    def sample(row: Row) -> Sample:
        slots = {"content": str(row["text"]), "data": _data(row, setting)}
        prompt = prompts.render("reproduce", slots, {"result": RESULT, "claim": CLAIM})
        return _sample(row, prompt, row["reference"], max_tokens, {"naive": row["naive"]})

    return _dataset(opened, "reproduce", sample)


@dataclass(frozen=True, slots=True)
class Claimed:
    """The gold of one report."""

    method: GoldMethod
    columns: tuple[str, ...]
    number: float
    values: FactorFrame


def claims(opened: Round) -> dict[str, Claimed]:
    """Gold of `reproduce`, by item id."""
    return {
        str(row["id"]): Claimed(
            method=gold_method(json.loads(row["method"])),
            columns=tuple(row["columns"]),
            number=row["claim"],
            values=_values(opened, row["values"]),
        )
        for row in opened.items("implementation", "reproduce")
    }


def extraction_dataset(
    opened: Round, prompts: PromptSet, *, setting: str, max_tokens: int
) -> MemoryDataset:
    """The samples of `extract_method`; `pdf` leaves out reports that have no PDF.

    Raises:
        InputError: No report is left.
    """
    column = {"base": "text", "pdf": "pdf_text"}[setting]
    rows = opened.items("implementation", "extract_method")
    samples = [extraction_sample(row, prompts, column, max_tokens) for row in rows if row[column]]
    if not samples:
        raise NoItemsError(f"Round {opened.id} holds no report for the setting {setting}.")
    return MemoryDataset(samples, name=f"{opened.id}/implementation/extract_method")


def extraction_sample(row: Row, prompts: PromptSet, column: str, max_tokens: int) -> Sample:
    """One report as a sample; the target is the gold's methods in the form of an answer."""
    slots = {"title": str(row["title"]), "content": str(row[column])}
    prompt = prompts.render("extract_method", slots, {})
    return _sample(row, prompt, row["answer"], max_tokens, {"title": row["title"]})


def gold_methods(opened: Round) -> dict[str, list[GoldMethod]]:
    """The methods of each report, by item id."""
    return {
        str(row["id"]): [gold_method(method) for method in json.loads(row["methods"])]
        for row in opened.items("implementation", "extract_method")
    }


LEVELS = {"base": "brief", "none": "none", "full": "full"}
"""Detail about the data in a setting, by the first part of its name."""
KNOWLEDGE = "+knowledge"
"""End of the name of a setting that adds notes on the field."""


def effective_setting(setting: str, data_info: str | None, knowledge: bool | None) -> str:
    """The setting that a name or its two parts ask for.

    Raises:
        InputError: A part is unknown, or name and parts disagree.
    """
    if data_info is None and knowledge is None:
        return setting
    if setting != "base":
        raise InputError(f"Give setting={setting} or data_info and knowledge, not both.")
    names = {level: name for name, level in LEVELS.items()}
    if data_info is not None and data_info not in names:
        raise InputError(f"data_info={data_info!r} is unknown. There are: none, brief, full.")
    if knowledge is not None and type(knowledge) is not bool:
        raise InputError(f"knowledge={knowledge!r} is unknown. There are: true, false.")
    return names[data_info or "brief"] + (KNOWLEDGE if knowledge else "")


def data_level(setting: str) -> str:
    """none, brief or full."""
    return LEVELS[setting.removesuffix(KNOWLEDGE)]


def has_knowledge(setting: str) -> bool:
    """True for a setting that adds notes on the field."""
    return setting.endswith(KNOWLEDGE)
