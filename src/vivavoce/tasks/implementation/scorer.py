"""Scorers that run the answer's program in the sandbox.

A column counts as used if shuffling its values changes the result, however the program reads it.
Only answers with wrong values are probed, since right values come from the right columns. A program
with random results uses no column.
"""

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from safetensors.numpy import load

from vivavoce.metrics import FaultyAnswer, Values
from vivavoce.metrics.architecture import DEFAULT_GAMMA, Layers, score_tracks
from vivavoce.metrics.extraction import ExtractedMethod, score_extraction
from vivavoce.metrics.factor import (
    KEYS,
    FactorFrame,
    frame_from_columns,
    free_share,
    score_claim,
    score_columns,
    score_factor,
    score_skill,
)
from vivavoce.rounds import Round, load_round
from vivavoce.store import Row, table_of_parquet
from vivavoce.tasks.family import View
from vivavoce.tasks.implementation.items.architecture import driver_source
from vivavoce.tasks.implementation.items.architectures import Arrays
from vivavoce.tasks.implementation.items.formula import DICTIONARY, RESULT
from vivavoce.tasks.implementation.items.market import TABLES
from vivavoce.tasks.implementation.items.report import CLAIM, gold_method, parse_methods
from vivavoce.tasks.implementation.program import (
    find_program,
    read_factor,
    read_layers,
    read_number,
    run_program,
    sandbox_for,
)
from vivavoce.text.json_answer import find_json

_GROUPS = KEYS | {"industry"}
"""Columns that only group rows and are not values of a formula."""


async def columns_used(
    program: str, round_folder: str, gold: Iterable[str], result: FactorFrame, timeout: int
) -> list[str]:
    """Columns that a program's `result` depends on, as `table.column`; empty for random results.

    Each column of the gold is shuffled alone. All others are shuffled together; a group that
    changes the result is halved until single columns remain.
    """

    async def changes(*names: str) -> bool:
        outcome = await run_program(program, _shuffled(round_folder, names), timeout)
        if outcome.failure:
            return True
        try:
            again = await read_factor(RESULT, max_rows=2 * len(result), timeout=timeout)
        except FaultyAnswer:
            return True
        return again is None or not np.array_equal(again.values, result.values, equal_nan=True)

    if await changes():
        return []
    needed = set(gold)
    every = [
        f"{name}.{column}" for name, table in DICTIONARY.items() for column in table["columns"]
    ]
    columns = list(filter(_is_value, every))
    groups = [[name] for name in columns if name in needed]
    groups.append([name for name in columns if name not in needed])
    used: list[str] = []
    while groups:
        group = groups.pop()
        if not await changes(*group):
            continue
        if len(group) == 1:
            used += group
        else:
            half = len(group) // 2
            groups += [group[:half], group[half:]]
    return used


def _is_value(column: str) -> bool:
    return column.partition(".")[2] not in _GROUPS


@lru_cache(maxsize=64)
def _shuffled(round_folder: str, names: Sequence[str]) -> Mapping[str, bytes]:
    """The market's files, with shuffled values of some columns."""
    files = dict(market_files(round_folder))
    for name in names:
        table, _, column = name.partition(".")
        rows = pq.read_table(io.BytesIO(files[f"{table}.parquet"]))
        order = np.random.default_rng([0, *name.encode()]).permutation(len(rows))
        place = rows.column_names.index(column)
        moved = rows.set_column(place, rows.schema.field(place), rows[column].take(pa.array(order)))
        sink = io.BytesIO()
        pq.write_table(moved, sink)
        files[f"{table}.parquet"] = sink.getvalue()
    return files


_NEEDED = {
    "formula": ("numpy", "pandas", "pyarrow"),
    "reproduce": ("numpy", "pandas", "pyarrow"),
    "architecture": ("numpy", "torch", "safetensors"),
}
"""Distributions that programs may import, by task."""


def parts(view: View[Any]) -> dict[str, Any]:
    """Sandbox of a task that runs programs; `InputError` if it is unsuitable."""
    given = view.given
    if view.task == "extract_method":
        return {}
    return {"sandbox": sandbox_for(_NEEDED[view.task], given.sandbox, given.timeout)}


async def score_formula(answer: str, row: Row, notes: Row) -> Values:
    """Run a program and compare its result with the gold values."""
    folder, timeout = row["run"]["round"], row["run"]["timeout"]
    program = find_program(answer)
    if program is None:
        raise FaultyAnswer("malformed")
    values: dict[str, float | None] = {"code": 1.0}
    outcome = await run_program(program, market_files(folder), timeout)
    if outcome.failure:
        raise FaultyAnswer(outcome.failure, values)
    truth = gold_values(folder)[str(row["id"])]
    result = await _read_factor(truth, timeout, values)
    compared = score_factor(truth, result)
    values |= {**compared, "skill": score_skill(compared["near"] or 0.0, free_share(truth))}
    if result is None or not values["form"]:
        raise FaultyAnswer("wrong_shape", values)
    used = row["columns"]
    if values["skill"] != 1:
        used = await columns_used(program, folder, row["columns"], result, timeout)
    # F1, precision and recall of the columns that the result depends on, each 1 if no column is
    # needed and none is used.
    needed, found_columns = (set(filter(_is_value, names)) for names in (row["columns"], used))
    both, count = len(needed & found_columns), len(needed) + len(found_columns)
    return values | {
        "data": 2 * both / count if count else 1.0,
        "data_precision": both / len(found_columns) if found_columns else float(not needed),
        "data_recall": both / len(needed) if needed else 1.0,
    }


async def _read_factor(truth: FactorFrame, timeout: int, values: Values) -> FactorFrame | None:
    """Read the factor that a program wrote; a fault keeps the values reached so far."""
    try:
        return await read_factor(RESULT, max_rows=20 * len(truth), timeout=timeout)
    except FaultyAnswer as error:
        raise FaultyAnswer(error.fault, values) from error


_SPARE_BYTES = 1 << 20
"""Bytes that a result may have in addition to 20 times its gold."""


async def score_network(answer: str, row: Row, notes: Row) -> Values:
    """Run a module on the item's inputs and weights and compare its layers with the gold ones."""
    program = find_program(answer)
    if program is None:
        raise FaultyAnswer("malformed")
    trial = architecture_trials(row["run"]["round"])[str(row["id"])]
    outcome = await run_program(
        program, trial.files, row["run"]["timeout"], name="model.py", start="driver.py"
    )
    given, given_fault = await _read_track("result.safetensors", trial.gold)
    unseen, unseen_fault = await _read_track("unseen_result.safetensors", trial.unseen_gold)
    values = score_tracks(trial.gold, given, trial.unseen_gold, unseen, gamma=DEFAULT_GAMMA)
    values["exe"] = float(given_fault is None)
    is_right = _shapes(given) == _shapes(trial.gold) and (
        _shapes(unseen) == _shapes(trial.unseen_gold)
    )
    fault = outcome.failure or given_fault or unseen_fault
    fault = fault or (None if is_right else "wrong_shape")
    if fault:
        raise FaultyAnswer(fault, values)
    return values


async def _read_track(name: str, gold: Layers) -> tuple[Layers, str | None]:
    """Read a track's layers; with a fault in the file, return the fault and no layers."""
    size = sum(layer.nbytes for layer in gold.values())
    try:
        return await read_layers(name, max_bytes=20 * size + _SPARE_BYTES), None
    except FaultyAnswer as error:
        return {}, error.fault


def _shapes(layers: Layers) -> dict[str, tuple[int, ...]]:
    return {key: layer.shape for key, layer in layers.items()}


async def score_reproduction(answer: str, row: Row, notes: Row) -> Values:
    """Compare an answer with a report's gold by stage: method, columns, values, number."""
    folder, timeout = row["run"]["round"], row["run"]["timeout"]
    reading, program = find_json(answer, ("method", "columns")), _find_code(answer)
    if not isinstance(reading, dict) and program is None:
        raise FaultyAnswer("malformed")
    truth = claims(folder)[str(row["id"])]
    # The stages before the program: the method, and the columns it needs.
    reading = reading if isinstance(reading, dict) else {}
    found_method = score_extraction([truth.method], parse_methods([reading.get("method")]) or [])
    named = reading.get("columns")
    columns = [name for name in named if isinstance(name, str)] if isinstance(named, list) else []
    values: dict[str, float | None] = {
        **{name: found_method[name] for name in ("method_f1", "entity_f1")},
        "data": score_columns(truth.columns, columns),
    }
    if program is None:
        raise FaultyAnswer("no_program", values)
    outcome = await run_program(program, market_files(folder), timeout)
    if outcome.failure:
        raise FaultyAnswer(outcome.failure, values)
    compared = score_factor(truth.values, await _read_factor(truth.values, timeout, values))
    number = await read_number(CLAIM, "value", timeout=timeout)
    values |= {**compared, "claim": score_claim(truth.number, number)}
    if not values["form"]:
        raise FaultyAnswer("wrong_shape", values)
    if number is None:
        raise FaultyAnswer("no_number", values)
    return values


def _find_code(answer: str) -> str | None:
    """Find the program in an answer that also has JSON."""
    program = find_program(answer)
    if program is not None and program.lstrip().startswith("{"):
        # Without a block marked as Python, the last one counts, so search before the JSON.
        program = find_program(answer[: answer.rindex(program)].rpartition("```")[0])
    return None if program is None or program.lstrip().startswith("{") else program


_once_a_round = lru_cache(maxsize=2)
"""Cache of results for the latest two rounds."""


@_once_a_round
def market_files(folder: str) -> dict[str, bytes]:
    """Files of a round's market, as given to programs."""
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
    """Files for running an item's candidate, and the gold layers."""

    files: dict[str, bytes]
    """Files by name for the driver, including the driver itself."""
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

    method: ExtractedMethod
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
