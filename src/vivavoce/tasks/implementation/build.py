"""Items of a round from hand-made and composed formulas, networks and reports, and the market.

The items are undated and do not come from the corpus. The market and the gold values are stored in
the round, so later versions do not change them.

Source: RD2Bench, section 2.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationInfo, field_validator

from vivavoce.corpus import Corpus
from vivavoce.errors import InputError
from vivavoce.rounds.family import FamilyItems
from vivavoce.rounds.spec import Options, RoundSpec
from vivavoce.store import table_of_parquet
from vivavoce.tasks.implementation.items import rows
from vivavoce.tasks.implementation.items.architecture import list_architectures
from vivavoce.tasks.implementation.items.composed_formulas import compose
from vivavoce.tasks.implementation.items.composed_networks import compose_networks
from vivavoce.tasks.implementation.items.formula import list_formulas
from vivavoce.tasks.implementation.items.market import TABLES, generate, to_parquet
from vivavoce.tasks.implementation.items.report import list_reports

if TYPE_CHECKING:
    import pandas as pd

FAMILY = "implementation"

_ITEMS: Mapping[str, Any] = {
    "formulas": list_formulas,
    "architectures": list_architectures,
    "reports": list_reports,
}
"""Listings of items, by the option that selects from them."""


class ImplementationOptions(Options):
    """The `[implementation]` table of a round spec: names of items, by default all."""

    items: str | None = None
    """Your own folder with `formulas/`, `architectures/`, `reports/` and `market/`."""
    composed: int = Field(default=0, ge=0)
    """Formulas composed from the round's seed, beside the fixed ones."""
    composed_architectures: int = Field(default=0, ge=0)
    """Architectures composed from the round's seed, beside the fixed ones."""
    formulas: tuple[str, ...] | None = Field(default=None, validate_default=True)
    architectures: tuple[str, ...] | None = Field(default=None, validate_default=True)
    reports: tuple[str, ...] | None = Field(default=None, validate_default=True)

    @field_validator("formulas", "architectures", "reports")
    @classmethod
    def _check_names(cls, names: tuple[str, ...] | None, info: ValidationInfo) -> tuple[str, ...]:
        known = _known(str(info.field_name), _folder(info.data.get("items")))
        unknown = [name for name in names or () if name not in known]
        if unknown:
            raise ValueError(f"there is no {unknown[0]!r}; available: {', '.join(known)}")
        return tuple(known) if names is None else tuple(sorted(set(names)))


OPTIONS = ImplementationOptions


def build(corpus: Corpus, spec: RoundSpec, options: ImplementationOptions) -> FamilyItems:
    """Make the items, and the market from the round's seed. A task without items is left out."""
    folder = _folder(options.items)
    frames = _market(spec.round.seed, folder)
    known = _known("formulas", folder)
    formulas, values = rows.formula_items(
        (known[name] for name in options.formulas or ()),
        compose(spec.round.seed, options.composed, frames),
        frames,
    )
    chosen = (_known("architectures", folder)[name] for name in options.architectures or ())
    networks = compose_networks(spec.round.seed, options.composed_architectures)
    architectures, tensors = rows.architecture_items(chain(chosen, networks), spec.round.seed)
    reports = [_known("reports", folder)[name] for name in options.reports or ()]
    claims, claimed = rows.reproduce_items(reports, known, frames)
    tasks = {
        "formula": formulas,
        "architecture": architectures,
        "extract_method": [rows.report_row(report) for report in reports],
        "reproduce": claims,
    }
    tables = {f"market/{name}.parquet": to_parquet(f) for name, f in frames.items()}
    made = {task: items for task, items in tasks.items() if items}
    return FamilyItems(made, rows.SCHEMAS, files=tables | values | tensors | claimed)


def _known(kind: str, folder: Path | None) -> Mapping[str, Any]:
    """Items of a kind by name; a user's folder is read each time."""
    listing = _ITEMS[kind]
    known: Mapping[str, Any] = listing.__wrapped__(folder) if folder else listing()
    return known


def _folder(items: str | None) -> Path | None:
    """Check a user's folder of items; `ValueError` if it does not exist."""
    if items is None:
        return None
    if not Path(items).is_dir():
        raise ValueError(f"{items} is not a folder")
    return Path(items)


def _market(seed: int, folder: Path | None) -> dict[str, pd.DataFrame]:
    """The market of a seed; tables in a user's folder replace its own."""
    frames = generate(seed)
    for name in TABLES if folder else ():
        path = Path(folder or "") / "market" / f"{name}.parquet"
        if not path.is_file():
            continue
        columns = list(frames[name].columns)
        table = table_of_parquet(path.read_bytes()).to_pandas()
        if missing := sorted(set(columns) - set(table.columns)):
            raise InputError(f"{path} has no column {missing[0]}; it needs {', '.join(columns)}.")
        frames[name] = table[columns]
    return frames
