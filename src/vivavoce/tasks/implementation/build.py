"""Formulas, the market they are computed on and their values, turned into items of a round.

The items are hand-made and undated: they do not come from the corpus. The market and the values of
the reference implementations are frozen into the round, so that no later version moves them.

Source: RD2Bench, section 2.1.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field, field_validator

from vivavoce.corpus import Corpus
from vivavoce.rounds.family import FamilyItems
from vivavoce.rounds.spec import Options, RoundSpec
from vivavoce.store import Row, canonical_json
from vivavoce.tasks.implementation.formula import Formula, list_formulas
from vivavoce.tasks.implementation.market import TABLES, generate, to_parquet

FAMILY = "implementation"
TASKS = ("formula",)

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
        ("reference", pa.string()),
        ("naive", pa.string()),
        ("values", pa.string()),
    ]
)
"""`variables` is JSON; `reference` and `naive` are programs; `values` names the gold's file."""

_VARIANT = re.compile(r"_\d+$")
_SIGNIFICANT = 12
"""Digits kept of a gold value: the last ones depend on the processor."""


class ImplementationOptions(Options):
    """The `[implementation]` table of a round spec."""

    formulas: tuple[str, ...] = Field(default=(), validate_default=True)
    """Names of formulas; by default all there are."""

    @field_validator("formulas")
    @classmethod
    def _check_formulas(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        known = list_formulas()
        unknown = [name for name in names if name not in known]
        if unknown:
            raise ValueError(f"no formula is called {unknown[0]!r}; there are {', '.join(known)}")
        return tuple(sorted(set(names))) or tuple(known)


OPTIONS = ImplementationOptions


def build(corpus: Corpus, spec: RoundSpec, options: ImplementationOptions) -> FamilyItems:
    """Make the items; the round's seed makes the market."""
    market = generate(spec.round.seed)
    frames = {name: getattr(market, name) for name in TABLES}
    known = list_formulas()
    formulas = [known[name] for name in options.formulas]
    files = {f"market/{name}.parquet": to_parquet(frame) for name, frame in frames.items()}
    rows = []
    for number, formula in enumerate(formulas):
        gold = f"values/{number:03d}.parquet"
        series = formula.compute(*(frames[name] for name in formula.tables), **formula.parameters)
        files[gold] = _gold(series)
        rows.append(item_row(formula, gold))
    rows.sort(key=lambda row: str(row["id"]))
    return FamilyItems({"formula": rows}, SCHEMA, files=files)


def cluster_of(name: str) -> str:
    """Variants that differ in a parameter are one cluster: `alpha053_5` belongs to `alpha053`."""
    return _VARIANT.sub("", name)


def item_row(formula: Formula, gold: str) -> Row:
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
