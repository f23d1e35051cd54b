"""Writes a board as a static site: a page, its style, its sorter, and the numbers themselves.

The folder opens from disk and asks for nothing outside itself. The same board gives the same
bytes. Names and notes come from providers and logs, so they are escaped everywhere.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError
from vivavoce.metrics import Metric, list_metrics, metrics_of
from vivavoce.store import Row, canonical_json, write_bytes, write_text
from vivavoce.web.printing import guard_formula, visible
from vivavoce.web.sections import CONTESTANT_KEY, SECTION_KEY, make_sections

SCHEMA_VERSION = 1
"""Of board.json; raised when a field changes its meaning."""

ROW_KEY = (*SECTION_KEY, *CONTESTANT_KEY, "metric")
NUMBERS = ("value", "value_valid", "ci", "n", "missing", "undefined", "valid")
STANDING = ("rank", "rank_interval", "tied_with", "contamination")
COSTS = ("tokens", "cost", "seconds")
FIELDS = (*ROW_KEY, *NUMBERS, *STANDING, *COSTS)

_PAIRS = {"ci": ("ci_low", "ci_high"), "rank_interval": ("rank_low", "rank_high")}
_STATIC = ("style.css", "sort.js")


def write_site(board: Mapping[str, Any], out: Path) -> Path:
    """Write a board's page, its numbers as JSON and CSV, and return the path of the page.

    `board` holds `rows` as `viva board show --json` prints them, `rounds`, `notes` and, where
    wanted, `headlines`: the metric that a task is sorted by (else the first one listed).

    Raises:
        InputError: a row lacks a key, stands twice, or holds a number that is not finite.
    """
    _refuse_endless(board, "board")
    rows = _checked(board["rows"])
    page = _page(board, rows)
    document = {"schema_version": SCHEMA_VERSION, **board}
    # ASCII, so that no invisible character hides in the file.
    numbers = json.dumps(document, sort_keys=True, indent=2, allow_nan=False)
    write_text(out / "board.json", numbers + "\n")
    write_text(out / "board.csv", _csv(rows))
    static = resources.files("vivavoce.web") / "static"
    for name in _STATIC:
        write_bytes(out / name, (static / name).read_bytes())
    write_text(out / "index.html", page)
    return out / "index.html"


def _checked(rows: Sequence[Row]) -> list[Row]:
    seen: set[str] = set()
    for number, row in enumerate(rows):
        where = f"Row {number} of the board"
        lacking = [key for key in FIELDS if key not in row]
        if lacking:
            raise InputError(f"{where} lacks {', '.join(lacking)}. Build the board again.")
        key = canonical_json([row[name] for name in ROW_KEY])
        if key in seen:
            raise InputError(f"{where} repeats an earlier one, {key}. Merge their logs first.")
        seen.add(key)
    return list(rows)


def _refuse_endless(value: object, where: str) -> None:
    """Refuse NaN and infinity: no score is endless, and a missing one is null."""
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"{where} is {value}. Write null where there is no value.")
    if isinstance(value, Mapping):
        for key, inner in value.items():
            _refuse_endless(inner, f"{where}.{visible(key)}")
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            _refuse_endless(inner, f"{where}[{index}]")


def _page(board: Mapping[str, Any], rows: Sequence[Row]) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("vivavoce.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = visible
    known = _known_metrics(rows)
    sections = make_sections(rows, known, board.get("headlines", {}))
    metrics = dict.fromkeys(column.metric for section in sections for column in section.columns)
    return environment.get_template("index.html.j2").render(
        sections=sections,
        metrics=[(name, known.get(name)) for name in metrics],
        rounds=[{**entry, "counts": _flat(entry["counts"])} for entry in board["rounds"]],
        notes=board["notes"],
        schema_version=SCHEMA_VERSION,
    )


def _known_metrics(rows: Sequence[Row]) -> dict[str, Metric]:
    """The metrics of the families on the board, by name; of all families where rows name none."""
    families = dict.fromkeys(row.get("family") for row in rows)
    named = [family for family in families if family]
    if not named:
        return {metric.name: metric for metric in list_metrics()}
    return {name: metric for family in named for name, metric in metrics_of(family).items()}


def _flat(counts: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Nested counts as (name, number) pairs, in the order given."""
    pairs: list[tuple[str, str]] = []
    for key, value in counts.items():
        name = f"{prefix}{visible(key)}".replace("_", " ")
        if isinstance(value, Mapping):
            pairs += _flat(value, f"{name} ")
        else:
            pairs.append((name, f"{value:,}" if isinstance(value, int) else visible(value)))
    return pairs


def _csv(rows: Sequence[Row]) -> str:
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow([name for field in FIELDS for name in _PAIRS.get(field, (field,))])
    for row in rows:
        writer.writerow([cell for field in FIELDS for cell in _csv_cells(field, row[field])])
    return sink.getvalue()


def _csv_cells(field: str, value: Any) -> list[str | int | float | None]:
    if field in _PAIRS:
        return list(value) if value is not None else [None, None]
    if value is None or isinstance(value, int | float):
        return [value]
    if isinstance(value, list | tuple | Mapping):
        value = canonical_json(value)
    return [guard_formula(visible(value, limit=None))]
