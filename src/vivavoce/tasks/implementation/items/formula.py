"""A formula to implement: its text as a model sees it, and its reference implementation."""

from __future__ import annotations

import inspect
import textwrap
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from vivavoce.errors import InputError
from vivavoce.tasks.implementation.items import formulas
from vivavoce.tasks.implementation.items.loading import (
    check_words,
    find_function,
    read_items,
    unfold,
)
from vivavoce.tasks.implementation.items.market.generate import TABLES

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
    names: Mapping[str, str] = field(default_factory=dict)
    """Names that functions have in programs, by their own; others keep their own."""

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
        InputError: A name comes twice, a file is not complete, or one names what there is not.
    """
    return read_items("formula", formulas.__path__, ".toml", _read)


def check_formula(formula: Formula) -> None:
    """Raise `InputError` for a category, difficulty or table that is none of those there are."""
    try:
        check_words(
            [
                (formula.category, get_args(Category)),
                (formula.difficulty, get_args(Difficulty)),
                *((table, TABLES) for table in formula.tables),
            ]
        )
    except ValueError as error:
        raise InputError(f"Formula {formula.name!r}: {error}.") from error


def _read(path: Path) -> Iterator[Formula]:
    """The formulas of a file: its own, or its variants, each with keys of its own."""
    given = tomllib.loads(path.read_text("utf-8"))
    for variant in given.pop("variants", [{}]):
        formula = _formula(given | variant)
        check_formula(formula)
        yield formula


def _formula(given: dict[str, Any]) -> Formula:
    """A formula; `<word>` in its texts stands for a parameter or one of `words`."""
    words = {**given.get("parameters", {}), **given.pop("words", {})}

    def fill(text: str) -> str:
        for word, said in words.items():
            text = text.replace(f"<{word}>", str(said))
        return text

    functions: dict[str, Callable[..., Any]] = {}
    names: dict[str, str] = {}
    for key in ("compute", "naive"):
        if key in given:
            reference, _, name = given.pop(key).partition(" as ")
            functions[key] = find_function(formulas.__name__, reference)
            names |= {functions[key].__name__: name} if name else {}
    given |= {key: fill(unfold(given[key])) for key in ("description", "formulation")}
    variables = given.pop("variables").items()
    return Formula(
        tables=tuple(given.pop("tables")),
        variables={fill(symbol): fill(meaning) for symbol, meaning in variables},
        compute=functions["compute"],
        naive=functions.get("naive"),
        names=names,
        **given,
    )


def _program(formula: Formula, function: Callable[..., Any]) -> str:
    name = formula.names.get(function.__name__, function.__name__)
    source = textwrap.dedent(inspect.getsource(function))
    source = source.replace(f"def {function.__name__}(", f"def {name}(", 1)
    reads = [f'pd.read_parquet("{table}.parquet")' for table in formula.tables]
    parameters = [f"{name}={value!r}" for name, value in formula.parameters.items()]
    return (
        "import numpy as np\nimport pandas as pd\n\n\n"
        f"{source}\n\n"
        f"values = {name}({', '.join(reads + parameters)})\n"
        f'values.rename("value").to_frame().to_parquet("{RESULT}")\n'
    )
