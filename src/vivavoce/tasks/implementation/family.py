"""The implementation tasks: prompts and gold of their items."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from vivavoce.checking import check_numbers
from vivavoce.errors import InputError, NoItemsError
from vivavoce.metrics import FaultyAnswer, Metric, Values
from vivavoce.metrics.architecture import score_architecture
from vivavoce.metrics.extraction import ExtractedMethod, score_extraction
from vivavoce.metrics.factor import FACTOR_METRICS, FactorFrame, frame_from_columns, score_factor
from vivavoce.requests import ScoreOptions
from vivavoce.rounds import load_round
from vivavoce.statistics.intervals import Measured, means_of
from vivavoce.store import Row
from vivavoce.tasks.family import Arguments, FamilyTask, Item, View
from vivavoce.tasks.implementation.items.formula import RESULT
from vivavoce.tasks.implementation.items.report import CLAIM, gold_method, parse_methods
from vivavoce.tasks.prompting import Rendered
from vivavoce.tasks.scoring.files import ScoreFamily
from vivavoce.text.json_answer import find_json


@dataclass(frozen=True, slots=True)
class ProgramArguments(Arguments):
    """Settings of a run of programs.

    Args:
        setting: Material for the model: base; tasks with a market also have none and full.
        timeout: Maximum seconds of a program.
        sandbox: bwrap, docker, or the path of a compose file or a Dockerfile.
    """

    timeout: int = 120
    sandbox: str = "bwrap"

    def __post_init__(self) -> None:
        check_numbers({"timeout": (self.timeout, 1, None)})


class _ProgramTask(FamilyTask[ProgramArguments]):
    """A task whose answers are run; its items have all settings."""

    arguments = ProgramArguments

    def rows(self, view: View[ProgramArguments]) -> list[Row]:
        """All items."""
        return view.round.items(view.family, view.task)


class FormulaTask(_ProgramTask):
    """Formulas; the target is the reference program."""

    examined_by = "score_formula"
    undefined = ("corr", "data", "data_precision", "data_recall")

    def sample(self, row: Row, view: View[ProgramArguments]) -> Item:
        """Make the item of a formula."""
        slots = {
            "name": str(row["id"]),
            "description": str(row["description"]),
            "formulation": str(row["formulation"]),
            "variables": _variables(json.loads(row["variables"])),
            "data": _data(row, view.given.setting),
        }
        prompt = view.prompts.render("formula", slots, {"result": RESULT})
        more = {name: row[name] for name in ("values", "naive")}
        more["columns"] = row["columns"]
        return _item(row, prompt, row["reference"], more | _run(view))


class ReproduceTask(_ProgramTask):
    """Reports with a claim to compute; the target is a complete answer."""

    examined_by = "score_reproduction"
    undefined = ("corr",)

    def sample(self, row: Row, view: View[ProgramArguments]) -> Item:
        """Make the item of a report."""
        slots = {"content": str(row["text"]), "data": _data(row, view.given.setting)}
        prompt = view.prompts.render("reproduce", slots, {"result": RESULT, "claim": CLAIM})
        return _item(row, prompt, row["reference"], {"naive": row["naive"]} | _run(view))


class ArchitectureTask(_ProgramTask):
    """Architectures; the target is the reference."""

    examined_by = "score_network"

    def sample(self, row: Row, view: View[ProgramArguments]) -> Item:
        """Make the item of an architecture."""
        arguments = json.loads(row["arguments"]).items()
        shapes = json.loads(row["parameters"]).items()
        listed = ", ".join(f"{key}={value}" for key, value in arguments)
        slots = {
            **{name: str(row[name]) for name in ("description", "formulation")},
            "name": str(row["id"]),
            "variables": _variables(json.loads(row["variables"])),
            "constructor": f"{row['constructor']}\n\nThe arguments are: {listed}.",
            "inputs": _variables(json.loads(row["inputs"])),
            "parameters": _variables({key: str(tuple(shape)) for key, shape in shapes}),
            "layers": "\n".join(f"{i}. {layer}" for i, layer in enumerate(row["layers"], 1)),
        }
        prompt = view.prompts.render("architecture", slots, {})
        return _item(row, prompt, row["reference"], _run(view))


class ExtractionTask(FamilyTask[Arguments]):
    """Reports with methods to extract; the target is the methods in the form of an answer."""

    def measure(self, answer: str, row: Row) -> Values:
        """Compare the methods of an answer with those of the report."""
        methods = parse_methods(find_json(answer, mend=True))
        if methods is None:
            raise FaultyAnswer("malformed")
        return score_extraction(gold_of_report(row), methods)

    def failed(self, metrics: Mapping[str, Metric], row: Row) -> Values:
        """A faulty answer also has 0 in `inferred`, unless there is nothing to infer."""
        has_open = any(method.formula is None for method in gold_of_report(row))
        nothing = {} if has_open else {"inferred": None}
        return {**super().failed(metrics, row), **nothing}

    def rows(self, view: View[Arguments]) -> list[Row]:
        """Reports with the text of the setting; some have no PDF."""
        rows = view.round.items(view.family, view.task)
        chosen = [row for row in rows if row[_COLUMNS[view.given.setting]]]
        if not chosen:
            raise NoItemsError(self.why_empty(view, has_others=bool(rows)))
        return chosen

    def sample(self, row: Row, view: View[Arguments]) -> Item:
        """Make the item of a report."""
        content = str(row[_COLUMNS[view.given.setting]])
        slots = {"title": str(row["title"]), "content": content}
        prompt = view.prompts.render("extract_method", slots, {})
        more = {"title": row["title"], "round": str(view.round.folder.resolve())}
        return _item(row, prompt, row["answer"], more)


def gold_of_report(row: Row) -> list[ExtractedMethod]:
    """The methods of a sample's report."""
    return _gold_methods(row["round"])[str(row["id"])]


@lru_cache(maxsize=2)
def _gold_methods(folder: str) -> dict[str, list[ExtractedMethod]]:
    """The methods of each report of a round, by item id."""
    return {
        str(row["id"]): [gold_method(method) for method in json.loads(row["methods"])]
        for row in load_round(folder).items("implementation", "extract_method")
    }


_COLUMNS = {"base": "text", "pdf": "pdf_text"}
"""Column of a report's text by setting."""


def _item(row: Row, prompt: Rendered, target: str, more: Mapping[str, Any]) -> Item:
    kind = {name: row[name] for name in ("category", "difficulty")}
    return Item(row["id"], prompt, target, {**kind, **more})


def _run(view: View[Any]) -> dict[str, Any]:
    """Settings for running programs; methods that run programs use them too."""
    return {
        "run": {
            "kind": view.task,
            "round": str(view.round.folder.resolve()),
            "prompts": view.prompts.place,
            "timeout": view.given.timeout,
        }
    }


def _variables(variables: Mapping[str, str]) -> str:
    return "\n".join(f"- {symbol}: {meaning}" for symbol, meaning in variables.items())


def _data(row: Row, setting: str) -> str:
    """Description of the data in a setting, from the round, and the conventions."""
    described = json.loads(row["data"])
    own = f"\n- **{row['id']}**: {corners}" if (corners := row.get("corners")) else ""
    return f"{described[setting]}\n\nConventions:\n\n{described['conventions']}{own}"


TASKS: dict[str, FamilyTask[Any]] = {
    "formula": FormulaTask(),
    "architecture": ArchitectureTask(),
    "extract_method": ExtractionTask(),
    "reproduce": ReproduceTask(),
}


_SHAPE = "A factor is a Parquet file with the columns datetime, instrument and one of values."


def _measure_factor(gold: Path, predictions: Path, options: ScoreOptions) -> Measured:
    truth = _read_factor(gold)
    if truth is None:
        raise InputError(f"{gold} cannot be read as Parquet.")
    produced = _read_factor(predictions)
    score = score_factor(truth, produced, is_readable=produced is not None)
    return Measured(
        {name: means_of([score[name]]) for name in FACTOR_METRICS},
        settings={name: score[name] for name in ("rows", "index", "days", "undefined_days")},
    )


def _read_factor(path: Path) -> FactorFrame | None:
    """Read a file as a frame; None if it is not Parquet, `InputError` if columns are missing."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.is_file():
        raise InputError(f"{path} does not exist.")
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException):
        return None
    try:
        return frame_from_columns({name: _on_the_clock(table[name]) for name in table.column_names})
    except InputError as error:
        raise InputError(f"{path}: {error} {_SHAPE}") from error


def _on_the_clock(column: Any) -> npt.NDArray[Any]:
    """Values of a column; time stamps with a zone become local time."""
    import pyarrow as pa
    import pyarrow.compute as pc

    zone = column.type.tz if pa.types.is_timestamp(column.type) else None
    if zone in ("UTC", "Etc/UTC", "Z"):
        zone = "+00:00"
    if zone:
        column = pc.local_timestamp(column.cast(pa.timestamp(column.type.unit, zone)))
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _measure_architecture(gold: Path, predictions: Path, options: ScoreOptions) -> Measured:
    values, layers = score_architecture(
        _read_layers(gold), _read_layers(predictions), gamma=options.gamma, legacy=options.legacy
    )
    return Measured(
        {name: means_of([value]) for name, value in values.items()},
        settings={"gamma": options.gamma, "legacy": options.legacy, "layers": layers},
    )


def _read_layers(path: Path) -> dict[str, npt.NDArray[Any]]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    if not path.is_file():
        raise InputError(f"{path} does not exist.")
    try:
        layers: dict[str, npt.NDArray[Any]] = load_file(path)
    except (SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} cannot be read as safetensors: {error}") from error
    return layers


SCORE_FAMILIES = (
    ScoreFamily(
        name="factor",
        summary="one computed factor: valid form, correlation and exact values",
        gold="Parquet with the columns datetime, instrument and one of values",
        prediction="the same, the column of values under any name",
        measure_files=_measure_factor,
    ),
    ScoreFamily(
        name="architecture",
        summary="outputs of a network's layers: shapes and values, weighted by depth",
        gold="safetensors, a tensor a layer",
        prediction="the same",
        uses=("legacy", "gamma"),
        measure_files=_measure_architecture,
    ),
)
