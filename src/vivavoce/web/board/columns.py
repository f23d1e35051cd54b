"""The metrics of a table: their order, and where a value stands in its column's plot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.store import Row
from vivavoce.web.board.names import kind_of
from vivavoce.web.printing import visible

_LONGEST_NAME = 60


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
    label = visible(metric, _LONGEST_NAME)
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
