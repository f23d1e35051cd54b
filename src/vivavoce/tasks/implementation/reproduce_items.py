"""Reports with a central claim as items of a round: the claimed number on the round's market."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from vivavoce.errors import InputError
from vivavoce.store import Row, canonical_json
from vivavoce.tasks.implementation.claims import claim_program, compute_claim
from vivavoce.tasks.implementation.formula import list_formulas
from vivavoce.tasks.implementation.formula_items import cluster_of, gold_values
from vivavoce.tasks.implementation.market import TABLES
from vivavoce.tasks.implementation.market.dictionary import texts
from vivavoce.tasks.implementation.report import Claim, Method, Report

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("cluster", pa.string()),
        ("category", pa.string()),
        ("difficulty", pa.string()),
        ("text", pa.string()),
        ("data", pa.string()),
        ("method", pa.string()),
        ("columns", pa.list_(pa.string())),
        ("claim", pa.float64()),
        ("reference", pa.string()),
        ("naive", pa.string()),
        ("values", pa.string()),
    ]
)
"""`data` and `method` are JSON; `reference` and `naive` answers; `values` names the gold's file."""

_SIGNIFICANT = 12
"""Digits kept of a claimed number: the last ones depend on the processor."""


def reproduce_items(
    reports: Iterable[Report], frames: Mapping[str, Any]
) -> tuple[list[Row], dict[str, bytes]]:
    """The items, sorted by id, and the files of their gold values by name.

    Raises:
        InputError: A claim is about a formula or a column that there is not.
    """
    rows, files = [], {}
    for number, report in enumerate(reports):
        if report.claim is None:
            continue
        _check_claim(report.name, report.claim, frames)
        gold = f"claims/{number:03d}.parquet"
        files[gold] = gold_values(list_formulas()[report.claim.formula], frames)
        rows.append(_row(report, report.claim, frames, gold))
    return sorted(rows, key=lambda row: str(row["id"])), files


def _check_claim(name: str, claim: Claim, frames: Mapping[str, Any]) -> None:
    if claim.formula not in list_formulas():
        raise InputError(f"The claim of report {name} is about {claim.formula!r}, no formula.")
    known = {f"{table}.{column}" for table, frame in frames.items() for column in frame.columns}
    if unknown := sorted(set(claim.columns) - known):
        raise InputError(f"The claim of report {name} needs {unknown[0]!r}, no column there is.")


def _row(report: Report, claim: Claim, frames: Mapping[str, Any], gold: str) -> Row:
    formula = list_formulas()[claim.formula]
    (method,) = (method for method in report.methods if method.name == claim.method)
    number = compute_claim(formula, claim.statistic, frames)
    naive = formula.naive_program()
    return {
        "id": report.name,
        "cluster": cluster_of(claim.formula),
        "category": report.category,
        "difficulty": report.difficulty,
        "text": report.text,
        "data": canonical_json(texts(TABLES)),
        "method": canonical_json({**_structured(method), "aliases": list(method.aliases)}),
        "columns": list(claim.columns),
        "claim": float(f"{number:.{_SIGNIFICANT}g}"),
        "reference": _answer(method, claim, formula.program()),
        "naive": _answer(method, claim, naive) if naive else None,
        "values": gold,
    }


def _answer(method: Method, claim: Claim, program: str) -> str:
    """An answer as the task asks for it."""
    said = {"method": _structured(method), "columns": list(claim.columns)}
    code = claim_program(program, claim.statistic)
    return (
        f"```json\n{json.dumps(said, ensure_ascii=False, indent=1)}\n```\n\n```python\n{code}```\n"
    )


def _structured(method: Method) -> Row:
    return {
        "name": method.name,
        "description": method.description,
        "formula": method.formula,
        "variables": dict(method.variables),
    }
