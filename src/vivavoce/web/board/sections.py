"""The table of a board: its rows by contestant and metric, ready to print."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from vivavoce.metrics import Metric
from vivavoce.results.board.columns import BoardColumn, page_columns
from vivavoce.results.board.groups import by_contestant
from vivavoce.results.board.ranks import open_question
from vivavoce.results.logs.records import CONTESTANT
from vivavoce.store import Row, canonical_json
from vivavoce.text.printing import counted, figure
from vivavoce.web.board import entries
from vivavoce.web.board.entries import (
    MetricColumn,
    bounds_of,
    fact,
    faults_of,
    make_column,
    named_rivals,
)

MAX_COLUMNS = 5
"""Maximum number of metrics in the main table; further metrics are in a table below."""

_ByMetric = dict[str, Row]
"""A contestant's rows by metric."""


class Entry(NamedTuple):
    """A contestant's row in the table."""

    kind: str
    """`model`, `baseline`, `floor` or `ceiling`."""
    name: str
    details: tuple[str, ...]
    lead: Row | None
    """Row with the headline metric."""
    row: Row
    """The lead row, or the contestant's first row if it has no headline metric."""
    cells: tuple[Row | None, ...]
    """The contestant's rows, one per metric."""
    faults: list[tuple[int, str]]

    @property
    def is_complete(self) -> bool:
        """True if every item has a valid answer and every metric a value."""
        return not self.faults and all(row and row["value"] is not None for row in self.cells)


@dataclass(frozen=True, slots=True)
class Section:
    """Content of a board's table."""

    detectable: str
    """Smallest detectable difference in the headline metric; empty if unknown."""
    shared: tuple[str, ...]
    """Settings that all contestants with a model share."""
    columns: tuple[MetricColumn, ...]
    """Columns of the main table, the headline metric first."""
    further: tuple[MetricColumn, ...]
    """Columns of the second table, below."""
    entries: tuple[Entry, ...]
    """Ranked entries, then unranked entries by value, then entries without a value."""
    ceilings: tuple[Entry, ...]
    facts: tuple[BoardColumn, ...]
    """Columns of facts: those always shown, and optional columns in which a row has a value."""


def make_section(
    rows: Sequence[Row], known: Mapping[str, Metric], metrics: Sequence[str]
) -> Section:
    """Make the table for the rows of one round, task, version and setting.

    The first metric decides the ranks.
    """
    everyone = by_contestant(rows)
    higher = {name: name not in known or known[name].higher_is_better for name in metrics}
    ordered = sorted(everyone.values(), key=lambda by_metric: _place(by_metric, metrics[0], higher))
    ranked = [by_metric for by_metric in ordered if entries.kind_of(_first(by_metric)) != "ceiling"]
    columns = tuple(
        make_column(
            name,
            _valued(ranked, name),
            higher[name],
            says=known[name].summary if name in known else "",
        )
        for name in metrics
    )
    shared = entries.shared_facts([_first(by_metric) for by_metric in ranked])
    listed = [_entry(by_metric, metrics, shared) for by_metric in ordered]
    differences = [row["detectable"] for row in rows if row["metric"] == metrics[0]]
    return Section(
        detectable=next((figure(value) for value in differences if value), ""),
        shared=shared,
        columns=columns[:MAX_COLUMNS],
        further=columns[MAX_COLUMNS:],
        entries=tuple(entry for entry in listed if entry.kind != "ceiling"),
        ceilings=tuple(entry for entry in listed if entry.kind == "ceiling"),
        facts=tuple(column for column in page_columns() if _is_shown(column, listed)),
    )


def _entry(rows: _ByMetric, metrics: Sequence[str], shared: Sequence[str]) -> Entry:
    lead = rows.get(metrics[0])
    row = lead or _first(rows)
    kind = entries.kind_of(row)
    name, details = entries.name_and_details(row)
    if kind in ("model", "baseline") and row["model"] not in entries.NO_MODEL:
        details += [fact for fact in entries.facts_of(row) if fact not in shared]
    details += entries.tries_of(row) if kind == "model" else []
    cells = tuple(rows.get(metric) for metric in metrics)
    return Entry(kind, name, tuple(details), lead, row, cells, faults_of(row))


def _is_shown(column: BoardColumn, entries: Sequence[Entry]) -> bool:
    if not column.is_optional:
        return True
    counted = [e for e in entries if e.kind != "ceiling" or column.unit != "exposure"]
    return any(fact(entry.row, column) for entry in counted)


def _first(rows: _ByMetric) -> Row:
    return next(iter(rows.values()))


def _place(rows: _ByMetric, headline: str, higher: Mapping[str, bool]) -> tuple[Any, ...]:
    """Sort key: ranked rows, unranked rows by value, then rows without a value; ties by name."""
    row = rows.get(headline)
    name = canonical_json([_first(rows)[key] for key in ("model", *CONTESTANT)])
    if row is None or row["value"] is None:
        return (True, True, 0, 0.0, name)
    value = -row["value"] if higher[headline] else row["value"]
    return (False, row["rank"] is None, row["rank"] or 0, value, name)


def _valued(ranked: Sequence[_ByMetric], metric: str) -> list[Row]:
    rows = (by_metric.get(metric) for by_metric in ranked)
    return [row for row in rows if row is not None and row["value"] is not None]


def best_of(ranked: Sequence[Row]) -> Row | None:
    """The first row that is not a floor, among headline rows sorted best first."""
    return next((row for row in ranked if not entries.is_floor(row)), None)


def is_first(row: Row) -> bool:
    """Check whether rank 1 is a row's only plausible rank."""
    return bool(row["rank_interval"]) and list(row["rank_interval"]) == [1, 1]


def sureness(ranked: Sequence[Row]) -> str:
    """A sentence on how certain it is that the best row is best; `ranked` is sorted best first.

    Tests on the same items take precedence over overlap of intervals, which is only a hint.
    """
    best = best_of(ranked)
    if best is None:
        return "Only floors are ranked."
    if all(row["valid"] == 0 for row in ranked):
        return "Invalid answers count 0."
    others = [row for row in ranked if row is not best]
    if not others:
        return "No other contestant is ranked."
    if best["rank_interval"] and best["rank_interval"][0] > 1:
        return f"Behind {entries.label(ranked[0])}, which is a floor."
    if best["undecided_with"]:
        return open_question(best)
    if best["tied_with"]:
        return f"Tied with {named_rivals(best, 'tied_with')}."
    if is_first(best):
        return "Ahead of every other contestant on the same items."
    if best["ci"] is None:
        return "There is no interval, so the certainty is unknown."
    low, high = bounds_of(best)
    near = [row for row in others if bounds_of(row)[0] <= high and bounds_of(row)[1] >= low]
    if not near:
        return "Its interval overlaps with no other; contestants were not compared item by item."
    rest = counted(len(near) - 1, "other")
    more = f" and {rest}" if len(near) > 1 else ""
    return f"The order may be chance: its interval overlaps that of {entries.label(near[0])}{more}."
