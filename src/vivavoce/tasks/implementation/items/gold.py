"""Gold of the implementation items, and the files that programs are run with, out of a round."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache

from safetensors.numpy import load

from vivavoce.metrics.extraction import GoldMethod
from vivavoce.metrics.factor import FactorFrame, frame_from_columns
from vivavoce.rounds import Round, load_round
from vivavoce.store import Row, table_of_parquet
from vivavoce.tasks.implementation.items.architecture import driver_source
from vivavoce.tasks.implementation.items.architectures.reference import Arrays
from vivavoce.tasks.implementation.items.market import TABLES
from vivavoce.tasks.implementation.items.report import gold_method

_once_a_round = lru_cache(maxsize=2)
"""Keeps what was read out of the folders of the latest two rounds."""


@_once_a_round
def market_files(folder: str) -> dict[str, bytes]:
    """The market's files of a round, as a program finds them in its folder."""
    opened, names = load_round(folder), [f"{name}.parquet" for name in TABLES]
    return {name: opened.read_file("implementation", f"market/{name}") for name in names}


@_once_a_round
def gold_values(folder: str) -> dict[str, FactorFrame]:
    """Gold values of a round by item id."""
    opened = load_round(folder)
    rows = opened.items("implementation", "formula")
    return {row["id"]: _values(opened, row["values"]) for row in rows}


def _values(opened: Round, name: str) -> FactorFrame:
    table = table_of_parquet(opened.read_file("implementation", name))
    return frame_from_columns({name: table[name].to_numpy() for name in table.column_names})


@dataclass(frozen=True, slots=True)
class ArchitectureTrial:
    """Files that an item's candidate is run with, and the gold layers."""

    files: dict[str, bytes]
    """Files by name, as the driver reads them; the driver itself too."""
    gold: Arrays
    unseen_gold: Arrays


@_once_a_round
def architecture_trials(folder: str) -> dict[str, ArchitectureTrial]:
    """Trials of the items of a round, by id."""
    opened, trials = load_round(folder), {}
    for row in opened.items("implementation", "architecture"):
        weights, inputs, gold, unseen, unseen_gold = (
            opened.read_file("implementation", row[f"{part}_file"])
            for part in ("weights", "inputs", "gold", "unseen_inputs", "unseen_gold")
        )
        files = {
            "driver.py": driver_source().encode(),
            "settings.json": row["configuration"].encode(),
            "weights.safetensors": weights,
            "inputs.safetensors": inputs,
            "unseen.safetensors": unseen,
        }
        trials[str(row["id"])] = ArchitectureTrial(files, load(gold), load(unseen_gold))
    return trials


@dataclass(frozen=True, slots=True)
class ReportGold:
    """The gold of one report."""

    method: GoldMethod
    columns: tuple[str, ...]
    number: float
    values: FactorFrame


@_once_a_round
def claims(folder: str) -> dict[str, ReportGold]:
    """Gold of `reproduce` in a round, by item id."""
    opened = load_round(folder)
    return {
        str(row["id"]): ReportGold(
            method=gold_method(json.loads(row["method"])),
            columns=tuple(row["columns"]),
            number=row["claim"],
            values=_values(opened, row["values"]),
        )
        for row in opened.items("implementation", "reproduce")
    }


def gold_of_report(row: Row) -> list[GoldMethod]:
    """The methods of a sample's report."""
    return _gold_methods(row["round"])[str(row["id"])]


@_once_a_round
def _gold_methods(folder: str) -> dict[str, list[GoldMethod]]:
    """The methods of each report of a round, by item id."""
    return {
        str(row["id"]): [gold_method(method) for method in json.loads(row["methods"])]
        for row in load_round(folder).items("implementation", "extract_method")
    }
