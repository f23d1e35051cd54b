"""Architectures, their inputs and weights, and their gold layers as items of a round."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

import pyarrow as pa

from vivavoce.errors import MissingExtra
from vivavoce.store import Row
from vivavoce.tasks.implementation.architecture import (
    Architecture,
    build_case,
    import_geometric,
)
from vivavoce.tasks.implementation.formula_items import cluster_of

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("cluster", pa.string()),
        ("category", pa.string()),
        ("difficulty", pa.string()),
        ("description", pa.string()),
        ("formulation", pa.string()),
        ("variables", pa.string()),
        ("constructor", pa.string()),
        ("arguments", pa.string()),
        ("inputs", pa.string()),
        ("parameters", pa.string()),
        ("layers", pa.list_(pa.string())),
        ("reference", pa.string()),
        ("settings", pa.string()),
        ("weights_file", pa.string()),
        ("inputs_file", pa.string()),
        ("gold_file", pa.string()),
        ("unseen_inputs_file", pa.string()),
        ("unseen_gold_file", pa.string()),
    ]
)
"""`variables`, `arguments`, `inputs`, `parameters` and `settings` are JSON objects, in the order of
the author; `reference` is a program; the last five name safetensors files."""


def architecture_items(
    architectures: Iterable[Architecture], seed: int
) -> tuple[list[Row], dict[str, bytes]]:
    """The items, sorted by id, and their files by name.

    Raises:
        MissingExtra: There is an architecture, and torch-geometric is not installed.
        InputError: An architecture's layers are not as many as it names.
    """
    rows: list[Row] = []
    files: dict[str, bytes] = {}
    ordered = sorted(architectures, key=lambda architecture: architecture.name)
    if ordered:
        _require_geometric()
    for number, architecture in enumerate(ordered):
        contents = _contents(architecture, seed)
        names = {part: f"architectures/{number:03d}/{part}.safetensors" for part in contents}
        files |= {names[part]: content for part, content in contents.items()}
        rows.append(_row(architecture, names))
    return rows, files


def _contents(architecture: Architecture, seed: int) -> dict[str, bytes]:
    case = build_case(architecture, seed)
    return {field.name: getattr(case, field.name) for field in fields(case)}


def _row(architecture: Architecture, names: dict[str, str]) -> Row:
    return {
        "id": architecture.name,
        "cluster": cluster_of(architecture.name),
        "category": architecture.category,
        "difficulty": architecture.difficulty,
        "description": architecture.description,
        "formulation": architecture.formulation,
        "variables": _json(architecture.variables),
        "constructor": architecture.constructor,
        "arguments": _json(architecture.arguments),
        "inputs": _json(architecture.inputs),
        "parameters": _json(architecture.parameters),
        "layers": list(architecture.layers),
        "reference": architecture.reference,
        "settings": architecture.settings(),
        **{f"{part}_file": name for part, name in names.items()},
    }


def _require_geometric() -> None:
    try:
        import_geometric()
    except MissingExtra as error:
        raise MissingExtra(
            "torch-geometric",
            "neural",
            "A round with architectures (`architectures = []` under [implementation] in the spec "
            "makes one without)",
        ) from error


def _json(value: Any) -> str:
    return json.dumps(dict(value), ensure_ascii=False)
