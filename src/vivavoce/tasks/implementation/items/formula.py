"""A formula to implement, with its reference, and the market's description in three details.

Every prompt shows the conventions, which settle ambiguities such as the divisor of a deviation.
"""

import inspect
import re
import textwrap
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field
from pydantic.dataclasses import dataclass

from vivavoce.errors import InputError
from vivavoce.metrics.factor import KEYS
from vivavoce.tasks.implementation.items import (
    FIELDS,
    Text,
    find_function,
    formulas,
    named_in,
    own_folders,
    read_items,
    source_of,
    unfold,
)
from vivavoce.tasks.implementation.items.formulas import by_stock, by_stock_day, every_row
from vivavoce.tasks.implementation.items.market import TableName
from vivavoce.text import read_data

Category = Literal["fundamental", "price-volume", "minute", "joined"]
Difficulty = Literal["easy", "medium", "hard", "discovery"]

_NUMBERS = ("float64", "float32", "int64")
RESULT = "result.parquet"
"""The program's output file: columns or index levels datetime and instrument, one value column."""


@dataclass(frozen=True, slots=True, config=FIELDS)
class Formula:
    """A formula over the market's tables."""

    name: Text
    category: Category
    difficulty: Difficulty
    description: Text
    formulation: Text
    """LaTeX."""
    variables: Annotated[Mapping[str, str], Field(min_length=1)]
    """Symbol -> meaning."""
    tables: Annotated[tuple[TableName, ...], Field(min_length=1)]
    """Required tables of the market, in the order of `compute`'s arguments."""
    columns: tuple[str, ...]
    """Required columns as `table.column`, sorted."""
    compute: Callable[..., Any]
    """Reference: takes tables, then named parameters; gives a series by (datetime, instrument)."""
    program: str
    """The reference as a program that reads its tables and writes `RESULT`."""
    naive_program: str | None
    """A wrong program that takes lags over the flat table; None without lags."""
    corners: str = ""
    """Corner cases, listed last among the conventions."""
    parameters: Mapping[str, int | float] = field(default_factory=dict)
    origin: Literal["paper", "public", "own", "composed"] = "paper"
    alias_of: str | None = None
    """Name of another formula with the same values."""

    def values(self, frames: Mapping[str, Any]) -> Any:
        """Values of the reference on the market's tables.

        `InputError` if the result is not a series of numbers by day and stock, repeats a row, has
        infinite numbers, or has no numbers.
        """
        values = self.compute(*(frames[name] for name in self.tables), **self.parameters)
        index: Any = getattr(values, "index", None)
        if getattr(index, "names", None) != ["datetime", "instrument"] or (
            getattr(values, "dtype", None) not in _NUMBERS
        ):
            wrong = f"{type(values).__name__} that is no series of numbers"
        elif not index.is_unique:
            wrong = "more than one row for a day and instrument"
        elif np.isinf(values).any() or values.isna().all():
            wrong = "an infinite number, or no number at all"
        else:
            return values
        raise InputError(
            f"The {source_of(self.compute)} returns {wrong}. The formula {self.name} needs a "
            "series of numbers by (datetime, instrument), NaN if undefined."
        )


@cache
def list_formulas(folder: Path | None = None) -> dict[str, Formula]:
    """All formulas of `items/formulas/` and of `formulas/` in a user's folder, by name, sorted."""
    folders = [*formulas.__path__, *own_folders("formulas", folder)]
    return read_items("formula", folders, ".toml", _read)


def _read(path: Path) -> Iterator[Formula]:
    """The formulas of a file: one, or its variants with their keys."""
    given = tomllib.loads(path.read_text("utf-8"))
    for variant in given.pop("variants", [{}]):
        yield _formula(given | variant, path.parent)


def _formula(given: dict[str, Any], folder: Path) -> Formula:
    """Make a formula from a file; `<word>` in its texts is a parameter or one of `words`."""
    words = {**given.get("parameters", {}), **given.pop("words", {})}

    def fill(text: str) -> str:
        for word, value in words.items():
            text = text.replace(f"<{word}>", str(value))
        return text

    reference, _, title = given.pop("compute").partition(" as ")
    texts = {key: given.get(key, "") for key in ("description", "formulation", "corners")}
    given |= {key: fill(unfold(text)) for key, text in texts.items()}
    variables = given.pop("variables").items()
    function = find_function(formulas.__name__, reference, folder)
    source = textwrap.dedent(inspect.getsource(function))
    written = partial(
        _program, function, source, title, given["tables"], given.get("parameters", {})
    )
    looks_back = "own" in inspect.signature(function).parameters
    return Formula(
        variables={fill(symbol): fill(meaning) for symbol, meaning in variables},
        columns=tuple(columns_among(named_in(source) | set(given["tables"]))),
        compute=function,
        program=written(),
        naive_program=written(own=every_row.__name__) if looks_back else None,
        **given,
    )


def _program(
    function: Callable[..., Any],
    source: str,
    title: str,
    tables: Iterable[str],
    parameters: Mapping[str, int | float],
    own: str = "",
) -> str:
    """Write the program of a formula; `own` replaces the grouping of its lags and windows."""
    name = title or function.__name__
    source = source.replace(f"def {function.__name__}(", f"def {name}(", 1)
    used = source + own
    helpers = [inspect.getsource(h) for h in _HELPERS if re.search(rf"\b{h.__name__}\b", used)]
    reads = [f'pd.read_parquet("{table}.parquet")' for table in tables]
    given = [f"{key}={value!r}" for key, value in parameters.items()]
    grouping = [f"own={own}"] if own else []
    functions = "\n\n".join([*helpers, source])
    return (
        "from __future__ import annotations\n\nimport numpy as np\nimport pandas as pd\n\n\n"
        f"{functions}\n\n"
        f"values = {name}({', '.join(reads + given + grouping)})\n"
        f'values.rename("value").to_frame().to_parquet("{RESULT}")\n'
    )


_HELPERS = (by_stock, by_stock_day, every_row)


_GIVEN = read_data(__file__, "market_dictionary.toml")
DICTIONARY: Mapping[str, Any] = _GIVEN["tables"]
"""Tables by name: `title`, `detail` and `columns`, each with `meaning`, `unit` and `detail`."""
CONVENTIONS = "\n".join(
    f"- **{key}**: {unfold(text)}" for key, text in _GIVEN["conventions"].items()
)
"""Interpretation of every operation, as a Markdown list."""


def texts() -> dict[str, str]:
    """Descriptions of the tables as Markdown by setting, and `conventions`."""
    tables, rows = DICTIONARY.items(), "\n".join(f"- {line}" for line in _GIVEN["rows"])
    names = {
        name: ", ".join(f"`{column}`" for column in table["columns"]) for name, table in tables
    }
    brief, full = [], []
    for name, table in tables:
        title, entries = [f"`{name}.parquet`: {table['title']}.", ""], table["columns"].items()
        lines = [f"- `{column}`: {entry['meaning']}." for column, entry in entries]
        brief.append("\n".join([*title, *lines]))
        cells = [
            f"| `{column}` | {entry['unit']} | {entry['meaning']} | {entry['detail']} |"
            for column, entry in entries
        ]
        head = ["| column | unit | meaning | details |", "|---|---|---|---|"]
        details = [f"- {line}" for line in table["detail"]]
        full.append("\n".join([*title, *head, *cells, "", *details]))
    return {
        "none": "\n".join(f"- `{name}.parquet`: {columns}" for name, columns in names.items()),
        "base": "\n\n".join(brief),
        "full": "\n\n".join([*full, f"All tables:\n\n{rows}"]),
        "conventions": CONVENTIONS,
    }


def columns_among(words: Iterable[str]) -> list[str]:
    """Columns that are named among words, as `table.column`, sorted.

    A column counts if its table, or the table's file, is named too.
    """
    known = set(words)
    return sorted(
        f"{name}.{column}"
        for name, table in DICTIONARY.items()
        if any(name in word for word in known)
        for column in known.intersection(table["columns"]) - KEYS
    )
