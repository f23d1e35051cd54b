"""Hand-made and composed items, and the market they are computed on, as items of a round.

The items are undated and do not come from the corpus. The market and the values of the reference
implementations are frozen into the round, so that no later version moves them.

Source: RD2Bench, section 2.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field, ValidationInfo, field_validator

from vivavoce.corpus import Corpus
from vivavoce.rounds.family import FamilyItems
from vivavoce.rounds.spec import Options, RoundSpec
from vivavoce.tasks.implementation.items import rows
from vivavoce.tasks.implementation.items.architecture import list_architectures
from vivavoce.tasks.implementation.items.composed.compose import compose
from vivavoce.tasks.implementation.items.formula import RESULT, list_formulas
from vivavoce.tasks.implementation.items.market.generate import TABLES, generate, to_parquet
from vivavoce.tasks.implementation.items.report import list_reports

FAMILY = "implementation"

_ITEMS: Mapping[str, Any] = {
    "formulas": list_formulas,
    "architectures": list_architectures,
    "reports": list_reports,
}
"""Items that a spec chooses from, by the option's name."""


class ImplementationOptions(Options):
    """The `[implementation]` table of a round spec: names of items, by default all there are."""

    composed: int = Field(default=0, ge=0)
    """Formulas composed from the round's seed, beside the fixed ones."""
    formulas: tuple[str, ...] | None = Field(default=None, validate_default=True)
    architectures: tuple[str, ...] | None = Field(default=None, validate_default=True)
    reports: tuple[str, ...] | None = Field(default=None, validate_default=True)

    @field_validator("formulas", "architectures", "reports")
    @classmethod
    def _check_names(cls, names: tuple[str, ...] | None, info: ValidationInfo) -> tuple[str, ...]:
        known = _ITEMS[str(info.field_name)]()
        unknown = [name for name in names or () if name not in known]
        if unknown:
            raise ValueError(f"none is called {unknown[0]!r}; there are {', '.join(known)}")
        return tuple(known) if names is None else tuple(sorted(set(names)))


OPTIONS = ImplementationOptions


def build(corpus: Corpus, spec: RoundSpec, options: ImplementationOptions) -> FamilyItems:
    """Make the items; the round's seed makes the market. A task without items is left out."""
    market = generate(spec.round.seed)
    frames = {name: getattr(market, name) for name in TABLES}
    formulas, values = rows.formula_items(
        (list_formulas()[name] for name in options.formulas or ()),
        compose(spec.round.seed, options.composed, frames, RESULT),
        frames,
    )
    architectures, tensors = rows.architecture_items(
        (list_architectures()[name] for name in options.architectures or ()), spec.round.seed
    )
    reports = [list_reports()[name] for name in options.reports or ()]
    claims, claimed = rows.reproduce_items(reports, frames)
    tasks = {
        "formula": formulas,
        "architecture": architectures,
        "extract_method": rows.report_items(reports),
        "reproduce": claims,
    }
    tables = {f"market/{name}.parquet": to_parquet(f) for name, f in frames.items()}
    made = {task: items for task, items in tasks.items() if items}
    return FamilyItems(made, rows.SCHEMAS, files=tables | values | tensors | claimed)
