"""Formulas and their gold values as items of a round."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.store import Row, canonical_json
from vivavoce.tasks.implementation.formula import Formula
from vivavoce.tasks.implementation.market.dictionary import texts

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("cluster", pa.string()),
        ("category", pa.string()),
        ("difficulty", pa.string()),
        ("origin", pa.string()),
        ("alias_of", pa.string()),
        ("description", pa.string()),
        ("formulation", pa.string()),
        ("variables", pa.string()),
        ("tables", pa.list_(pa.string())),
        ("data", pa.string()),
        ("reference", pa.string()),
        ("naive", pa.string()),
        ("values", pa.string()),
    ]
)
"""`variables` and `data` are JSON; `reference` and `naive` programs; `values` a file of gold."""

_VARIANT = re.compile(r"_\d+$")
_SIGNIFICANT = 12
"""Digits kept of a gold value: the last ones depend on the processor."""


def formula_items(
    formulas: Iterable[Formula], frames: Mapping[str, Any]
) -> tuple[list[Row], dict[str, bytes]]:
    """The items, sorted by id, and the files of their gold values by name."""
    rows, files = [], {}
    for number, formula in enumerate(formulas):
        gold = f"values/{number:03d}.parquet"
        files[gold] = gold_values(formula, frames)
        rows.append(formula_row(formula, gold))
    return sorted(rows, key=lambda row: str(row["id"])), files


def gold_values(formula: Formula, frames: Mapping[str, Any]) -> bytes:
    """What a reference gives on the market's tables, as Parquet: datetime, instrument, value."""
    tables = (frames[name] for name in formula.tables)
    return _gold(formula.compute(*tables, **formula.parameters))


def cluster_of(name: str) -> str:
    """Variants that differ in a parameter are one cluster: `alpha053_5` belongs to `alpha053`."""
    return _VARIANT.sub("", name)


def formula_row(formula: Formula, gold: str) -> Row:
    """One formula as a row of a round; `gold` names the file of its values."""
    return {
        "id": formula.name,
        "cluster": cluster_of(formula.name),
        "category": formula.category,
        "difficulty": formula.difficulty,
        "origin": formula.origin,
        "alias_of": formula.alias_of,
        "description": formula.description,
        "formulation": formula.formulation,
        "variables": canonical_json(dict(formula.variables)),
        "tables": list(formula.tables),
        "data": canonical_json(texts(formula.tables)),
        "reference": formula.program(),
        "naive": formula.naive_program(),
        "values": gold,
    }


def _gold(series: Any) -> bytes:
    """A reference's values as Parquet: datetime, instrument, value, in order."""
    frame = series.rename("value").sort_index().reset_index()
    table = pa.table(
        {
            "datetime": pa.array(frame["datetime"].dt.strftime("%Y-%m-%d").tolist(), pa.string()),
            "instrument": pa.array(frame["instrument"].astype(str).tolist(), pa.string()),
            "value": pa.array(_rounded(frame["value"].tolist()), pa.float64()),
        }
    )
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def _rounded(values: Sequence[float]) -> list[float]:
    return [float(f"{value:.{_SIGNIFICANT}g}") for value in values]
