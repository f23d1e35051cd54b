"""A formula to implement: its text as a model sees it, and its reference implementation."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from vivavoce.errors import InputError

Category = Literal["fundamental", "price-volume", "minute"]
Difficulty = Literal["easy", "medium", "hard", "discovery"]

RESULT = "result.parquet"
"""The file a program leaves: columns or index levels datetime and instrument, one value column."""


@dataclass(frozen=True, slots=True)
class Formula:
    """One formula over the market's tables."""

    name: str
    category: Category
    difficulty: Difficulty
    description: str
    formulation: str
    """LaTeX."""
    variables: Mapping[str, str]
    """Symbol -> meaning."""
    tables: tuple[str, ...]
    """The market's tables it needs, in the order of `compute`'s arguments."""
    compute: Callable[..., Any]
    """The reference: tables, then parameters by name; a series by (datetime, instrument)."""
    naive: Callable[..., Any] | None = None
    """The same with lags over the flat table, forgetting the instrument; None without lags."""
    parameters: Mapping[str, int | float] = field(default_factory=dict)
    origin: Literal["paper", "public"] = "paper"
    alias_of: str | None = None
    """Another formula that gives the same values, by name."""

    def program(self) -> str:
        """The reference as a program that reads its tables and writes `RESULT`."""
        return _program(self, self.compute)

    def naive_program(self) -> str | None:
        """The naive implementation as a program; None where there is none."""
        return _program(self, self.naive) if self.naive else None


@cache
def list_formulas() -> dict[str, Formula]:
    """Every formula of `items/formulas/` by name, sorted; `InputError` when a name comes twice."""
    from vivavoce.tasks.implementation.items import formulas

    found: dict[str, Formula] = {}
    for module in pkgutil.iter_modules(formulas.__path__):
        for formula in importlib.import_module(f"{formulas.__name__}.{module.name}").FORMULAS:
            if formula.name in found:
                raise InputError(f"Two formulas are called {formula.name!r}.")
            found[formula.name] = formula
    return dict(sorted(found.items()))


def _program(formula: Formula, function: Callable[..., Any]) -> str:
    source = textwrap.dedent(inspect.getsource(function))
    reads = [f'pd.read_parquet("{table}.parquet")' for table in formula.tables]
    parameters = [f"{name}={value!r}" for name, value in formula.parameters.items()]
    return (
        "import numpy as np\nimport pandas as pd\n\n\n"
        f"{source}\n\n"
        f"values = {function.__name__}({', '.join(reads + parameters)})\n"
        f'values.rename("value").to_frame().to_parquet("{RESULT}")\n'
    )
