"""Descriptions of the market for models: a dictionary with three levels of detail, and conventions.

Every prompt shows the conventions, which settle ambiguities such as the divisor of a deviation.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from vivavoce.metrics.factor import KEYS
from vivavoce.tasks.implementation.items import unfold
from vivavoce.text import read_data

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
    """Columns named among words, with their table or its file, as `table.column`, sorted."""
    known = set(words)
    return sorted(
        f"{name}.{column}"
        for name, table in DICTIONARY.items()
        if any(name in word for word in known)
        for column in known.intersection(table["columns"]) - KEYS
    )
