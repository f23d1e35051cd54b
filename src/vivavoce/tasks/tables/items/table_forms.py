"""Forms in which models give a table as JSON, all read as the one that they were asked for.

    {"papers": [...], "columns": [...], "rows": [{"paper": "P1", "cells": {...}}]}

Rows may be lists, objects without `cells`, or an object by paper; the rows may stand alone, by
paper, or below `table`; `columns` and `papers` may be left out where the rows tell them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

KEYS = ("rows", "columns", "papers", "table")
_PAPER = frozenset({"paper", "id", "label", "paper_id", "paper id", "#"})

IsPaper = Callable[[str], bool]


def holds_table(value: Any, is_paper: IsPaper) -> bool:
    """Check that a JSON value is a table in one of the forms."""
    if isinstance(value, dict):
        return any(key in value for key in KEYS) or _is_by_paper(value, is_paper)
    rows = value if isinstance(value, list) else []
    return bool(rows) and all(isinstance(row, dict) and _paper_key(row) for row in rows)


def in_form(value: Any, is_paper: IsPaper) -> Mapping[str, Any]:
    """A table in the form that was asked for; parts that fit none stay as they are.

    Args:
        value: What `holds_table` is true of.
        is_paper: Tells whether a text names a paper of the pool.
    """
    if isinstance(value, list) or _is_by_paper(value, is_paper):
        value = {"rows": value}
    if isinstance(inner := value.get("table"), dict | list):
        outer = {key: value[key] for key in ("papers", "columns") if key in value}
        value = {**outer, **({"rows": inner} if isinstance(inner, list) else inner)}
    rows, columns, papers = (value.get(key) for key in ("rows", "columns", "papers"))
    if isinstance(rows, dict):
        rows = [_row(name, cells) for name, cells in rows.items()]
    found: dict[str, Any] = value
    if not isinstance(rows, list):
        return found
    named = [str(name) for name in columns] if isinstance(columns, list) else []
    if named and named[0].strip().casefold() in _PAPER:
        named = named[1:]
    listed = papers if isinstance(papers, list) and len(papers) == len(rows) else [None] * len(rows)
    made = [_shaped(row, named, paper) for row, paper in zip(rows, listed, strict=True)]
    known = named or (list(_columns(made)) if columns is None else columns)
    return {**found, "rows": made, "columns": known}


def _is_by_paper(value: Mapping[str, Any], is_paper: IsPaper) -> bool:
    """Check for an object that has the cells of each paper under its name."""
    return bool(value) and all(
        isinstance(cells, dict | list) and is_paper(name) for name, cells in value.items()
    )


def _row(paper: Any, cells: Any) -> Any:
    inner = cells.get("cells", cells) if isinstance(cells, dict) else cells
    return {"paper": paper, "cells": inner}


def _shaped(row: Any, columns: list[str], paper: Any) -> Any:
    """One row as an object with `paper` and `cells`."""
    if isinstance(row, list):
        if columns and len(row) == len(columns) + 1:
            return _shaped({"paper": row[0], "cells": row[1:]}, columns, None)
        return row if paper is None else _shaped({"paper": paper, "cells": row}, columns, None)
    if not isinstance(row, dict):
        return row
    name = _paper_key(row)
    found = paper if name is None else row[name]
    cells = row.get("cells")
    if "cells" not in row:
        cells = {key: cell for key, cell in row.items() if key != name}
    elif isinstance(cells, list) and len(cells) <= len(columns):
        cells = dict(zip(columns, cells, strict=False))
    return row if found is None else {"paper": found, "cells": cells}


def _paper_key(row: Mapping[str, Any]) -> str | None:
    """The key under which a row names its paper."""
    return next((key for key in row if key.strip().casefold() in _PAPER), None)


def _columns(rows: Iterable[Any]) -> dict[str, None]:
    """Names of the cells of all rows, in the order in which they first come."""
    found: dict[str, None] = {}
    for row in rows:
        if isinstance(row, dict) and isinstance(row.get("cells"), dict):
            found.update(dict.fromkeys(row["cells"]))
    return found
