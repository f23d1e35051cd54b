"""A formula to implement: its text as a model sees it, and its reference implementation."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, get_args

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
    """Every formula of `items/formulas/` by name, sorted.

    Raises:
        InputError: A name comes twice, a file has no formulas, or one names what there is not.
    """
    from vivavoce.tasks.implementation.items import formulas

    found: dict[str, Formula] = {}
    for module in pkgutil.iter_modules(formulas.__path__):
        loaded = importlib.import_module(f"{formulas.__name__}.{module.name}")
        if not hasattr(loaded, "FORMULAS"):
            raise InputError(f"{loaded.__file__} has no tuple FORMULAS.")
        for formula in loaded.FORMULAS:
            if formula.name in found:
                raise InputError(f"Two formulas are called {formula.name!r}.")
            check_formula(formula)
            found[formula.name] = formula
    return dict(sorted(found.items()))


def check_formula(formula: Formula) -> None:
    """Raise `InputError` for a category, difficulty or table that is none of those there are."""
    from vivavoce.tasks.implementation.market import TABLES

    given = [(formula.category, get_args(Category)), (formula.difficulty, get_args(Difficulty))]
    for word, words in [*given, *((table, TABLES) for table in formula.tables)]:
        if word not in words:
            known = ", ".join(words)
            raise InputError(f"Formula {formula.name!r}: {word!r} is none of {known}.")


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
