"""Contestants and metrics of a table: cells, plots, ranks, answers and costs, ready to print."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.results.board.columns import MAX_UNDEFINED, page_columns, shown_value
from vivavoce.results.board.columns import Column as FactColumn
from vivavoce.store import Row
from vivavoce.web.board import names
from vivavoce.web.board.names import kind_of
from vivavoce.web.printing import counted, figure, interval, share, visible

_MAX_NAME = 60


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a value and its interval stand in their column's plot, in percent of its width."""

    value: str
    low: str
    high: str
    width: str
    off: str
    """`left` or `right` for a floor that lies outside the plot, else empty."""


@dataclass(frozen=True, slots=True)
class Column:
    """One metric of a table."""

    metric: str
    label: str
    """The metric's name, ready to print."""
    higher_is_better: bool
    is_plotted: bool
    """Whether its cells are drawn."""
    scale: tuple[float, float] | None
    """What the two ends of the plot stand for; None where nothing can be drawn."""
    ends: tuple[str, str] | None
    band: Mark | None
    """The interval of the best contestant."""

    def mark(self, row: Row | None) -> Mark | None:
        """Place a row's value; None where it has none, or nothing is drawn."""
        if not self.is_plotted or row is None or row["value"] is None:
            return None
        return _mark(row, self.scale)


def make_column(
    metric: str, rows: Sequence[Row], higher_is_better: bool, *, is_plotted: bool = True
) -> Column:
    """A column out of the rows that have a value in it and may be ranked."""
    label = visible(metric, _MAX_NAME)
    if not rows:
        return Column(metric, label, higher_is_better, is_plotted, None, None, None)
    # The floor would press everybody else together at the other end.
    inner = [row for row in rows if kind_of(row) != "floor"] or rows
    low = min(min(bounds_of(row)[0], row["value"]) for row in inner)
    high = max(max(bounds_of(row)[1], row["value"]) for row in inner)
    pick = max if higher_is_better else min
    placed = [row for row in rows if row["rank"] is not None] or rows
    best = pick(placed, key=lambda row: row["value"])
    scale = (low, high)
    ends = (f"{low:.2f}".replace("-", "−"), f"{high:.2f}".replace("-", "−"))
    return Column(metric, label, higher_is_better, is_plotted, scale, ends, _mark(best, scale))


def bounds_of(row: Row) -> tuple[float, float]:
    """A row's interval; its value twice where it has none."""
    low, high = row["ci"] or (row["value"], row["value"])
    return low, high


def _mark(row: Row, scale: tuple[float, float] | None) -> Mark | None:
    if scale is None:
        return None
    low, high = (_percent(bound, scale) for bound in bounds_of(row))
    value = _percent(row["value"], scale)
    off = "left" if value < 0 else "right" if value > 100 else ""
    return Mark(f"{value:.1f}%", f"{low:.1f}%", f"{high:.1f}%", f"{high - low:.1f}%", off)


def _percent(value: float, scale: tuple[float, float]) -> float:
    low, high = scale
    # A margin of 4% on both sides, so that the dots at the ends are drawn whole.
    return 50.0 if high == low else 4 + 92 * (value - low) / (high - low)


Contestant = dict[str, Row]
"""A contestant's rows by metric."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One metric of one contestant."""

    sort: str
    """The value with six digits; empty where there is none."""
    value: str
    interval: str
    missing: str
    """Why there is no value; empty where there is one."""
    notes: tuple[str, ...]
    mark: Mark | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One contestant: a row of its table."""

    kind: str
    """`model`, `baseline`, `floor` or `ceiling`."""
    tag: str
    name: str
    path: str
    """Of its own page."""
    details: tuple[str, ...]
    is_own: bool
    """Whether it comes from the reader's own logs."""
    rank: int | None
    rank_note: str
    """The ranks it may have, or why it has none."""
    tied: str
    cells: tuple[Cell, ...]
    facts: Mapping[str, str]
    """By column what the last cells say; empty where not recorded."""
    faults: tuple[str, ...]
    fault_count: int
    is_complete: bool
    """Whether every item has a valid answer and every metric a value."""


def make_entry(
    found: Contestant, columns: Sequence[Column], shared: Sequence[str], path: str
) -> Entry:
    """A row of a table; `shared` is what the caption says of all."""
    lead = found.get(columns[0].metric)
    row = lead or next(iter(found.values()))
    kind = names.kind_of(row)
    name, details = names.name_and_details(row)
    if kind in ("model", "baseline") and row["model"] not in names.NO_MODEL:
        details += [fact for fact in names.facts_of(row) if fact not in shared]
    details += names.tries_of(row) if kind == "model" else []
    faults = _faults(row)
    cells = tuple(_cell(found.get(column.metric), row, column) for column in columns)
    return Entry(
        kind=kind,
        tag=names.TAGS[kind],
        name=name,
        path=path,
        details=tuple(details),
        is_own=bool(row.get("own")),
        rank=None if lead is None or kind == "ceiling" else lead["rank"],
        rank_note=rank_note(lead, kind),
        tied="" if lead is None or kind == "ceiling" else tie_note(lead),
        cells=cells,
        facts=facts_of_row(row),
        faults=tuple(text for _, text in faults),
        fault_count=sum(count for count, _ in faults),
        is_complete=not faults and not any(cell.missing for cell in cells),
    )


def rank_note(lead: Row | None, kind: str) -> str:
    """What stands beside a rank, or why there is none."""
    if kind == "ceiling":
        return "not ranked"
    if lead is None or lead["value"] is None:
        return "no value"
    if lead["rank"] is None:
        if lead.get("partial"):
            return "not ranked: not all answers are in"
        too_many = lead["undefined"] > MAX_UNDEFINED * lead["n"]
        return "not ranked: over 5% undefined" if too_many else "not ranked"
    low, high = lead["rank_interval"] or (lead["rank"], lead["rank"])
    return f"{low}–{high}" if low != high else ""


def tie_note(lead: Row) -> str:
    """With how many others a contestant is tied."""
    tied = len(lead["tied_with"] or ())
    return "" if not tied or lead["rank"] is None else f"ties {tied:,}"


def facts_of_row(row: Row) -> dict[str, str]:
    """By column what the last cells of a table say; empty where not recorded."""
    return {column.name: _fact(column, row) for column in page_columns()}


def _fact(column: FactColumn, row: Row) -> str:
    value = shown_value(column, row)
    if column.unit == "exposure":
        return seen_text(row)
    if value is None:
        return ""
    if column.unit in _PRINTED:
        return _PRINTED[column.unit](value)
    return figure(value) if isinstance(value, float) else visible(value)


def seen_text(row: Row) -> str:
    """What is known of a row's items in its model's training data, with the cutoff behind it."""
    if not row["contamination"]:
        return ""
    exposure = row.get("exposure")
    told = visible(row["contamination"]).replace("_", " ")
    if not isinstance(exposure, Mapping):
        return told
    counts = exposure.get("items") or {}
    named = [
        f"{counts[name]:,} {name.replace('_', ' ')}" for name in sorted(counts) if counts[name]
    ]
    if len(named) > 1:
        told = ", ".join(visible(part) for part in named)
    cutoff = exposure.get("cutoff")
    is_date = cutoff not in (None, "never")
    return f"{told}; trained until {visible(cutoff)}" if is_date else told


def _faults(row: Row) -> list[tuple[int, str]]:
    invalid = 0 if row["valid"] is None else row["n"] - round(row["n"] * row["valid"])
    counts = ((invalid, "not valid"), (row["missing"], "missing"), (row["undefined"], "undefined"))
    found = [(count, f"{count:,} {word}") for count, word in counts if count]
    return found + ([(1, "partial run")] if row.get("partial") else [])


def _cell(row: Row | None, lead: Row, column: Column) -> Cell:
    if row is None:
        return Cell("", "", "", "not measured", (), None)
    if row["value"] is None:
        everywhere = row["undefined"] and row["undefined"] == row["n"]
        reason = (
            f"undefined for all {counted(row['n'], 'item', 'items')}" if everywhere else "no value"
        )
        return Cell("", "", "", reason, (), None)
    notes = []
    valid_only = row["value_valid"]
    if valid_only not in (None, row["value"]) and figure(valid_only) != figure(row["value"]):
        notes.append(f"{figure(valid_only)} if valid")
    if row["n"] != lead["n"]:
        notes.append(f"n {row['n']:,}")
    if row["valid"] != lead["valid"] and row["valid"] is not None:
        notes.append(f"{share(row['valid'])} valid")
    for key in ("missing", "undefined"):
        if row[key] != lead[key]:
            notes.append(f"{row[key]:,} {key}")
    between = "no interval" if row["ci"] is None else interval(bounds_of(row))
    mark = column.mark(row) if names.kind_of(row) != "ceiling" else None
    return Cell(f"{row['value']:.6g}", figure(row["value"]), between, "", tuple(notes), mark)


def dollars(amount: float) -> str:
    """Money with two digits that say something."""
    if amount == 0:
        return "0"
    if amount < 0.000_05:
        return "<0.0001"
    return f"{amount:.4f}" if amount < 0.1 else f"{amount:,.2f}"


_PRINTED: Mapping[str, Callable[[Any], str]] = {
    "items": "{:,}".format,
    "share": share,
    "tokens": "{:,.0f}".format,
    "USD": dollars,
    "s": "{:,.2f}".format,
}
"""A value by its unit."""
