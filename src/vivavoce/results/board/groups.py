"""A board and its groups: the rows of one round, task, version and setting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from vivavoce.columns import hash_rows
from vivavoce.metrics import metrics_of
from vivavoce.reports import NOTHING, Column, Report, Sheet, rank_text, sheet, shown
from vivavoce.results.board.columns import (
    COLUMNS,
    MAX_UNDEFINED,
    BoardColumn,
    fit_text,
    shown_value,
    terminal_columns,
)
from vivavoce.results.board.ranks import open_question
from vivavoce.results.logs.records import CONTESTANT, LogHeader, Place, distinct_labels
from vivavoce.store import Row, canonical_json, dumps_fast, hash_of
from vivavoce.tasks import CEILING

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True)
class Group:
    """The rows of one round, task, version and setting."""

    place: Place
    key: str
    """Hash that changes whenever a row changes."""
    metrics: tuple[str, ...]
    """Metrics in the order of the task's card, the headline metric first."""
    rows: tuple[Row, ...]

    @cached_property
    def leads(self) -> tuple[Row, ...]:
        """One row per contestant, in the order of the rows.

        It is the contestant's row with the headline metric, or its first row if there is none.
        """
        contestants = by_contestant(self.rows).values()
        return tuple(of.get(self.metrics[0]) or next(iter(of.values())) for of in contestants)


@dataclass(frozen=True, repr=False)
class Board(Report):
    """A leaderboard, in groups."""

    groups: tuple[Group, ...]
    rounds: tuple[Row, ...]
    headlines: Mapping[str, str]
    """Headline metric by task."""
    metrics: Mapping[str, Sequence[str]]
    """Metrics by task: those of its card, ceilings, judged diagnostics. Rows may have more."""
    notes: tuple[str, ...]
    """Notes on logs that were left out, and on rows to read with care."""
    heads: tuple[LogHeader, ...] = field(default=(), compare=False)
    """Headers of the board's logs, if it was made from logs."""

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of all groups."""
        return tuple(row for group in self.groups for row in group.rows)

    def __repr__(self) -> str:
        """One-line summary of the board."""
        tasks = {group.place[1] for group in self.groups}
        rows = sum(len(group.leads) for group in self.groups)
        return f"<Board: {len(self.rounds)} rounds, {len(tasks)} tasks, {rows} contestants' rows>"

    def _repr_html_(self) -> str:
        """The headline rows as a table for notebooks."""
        shown = ["round", "task", "setting", "method", "model", "metric"]
        values = ["value", "ci_low", "ci_high", "rank", "n", "valid"]
        frame = self.to_pandas(headline=True)[[*shown, *values]]
        return str(frame.to_html(index=False, float_format="{:z.3f}".format, na_rep="–"))

    def to_arrow(self, *, headline: bool = False) -> pa.Table:
        """The rows as a typed table, with the columns of the CSV and Parquet files.

        With `headline`, the table has only one row per contestant: see `Group.leads`.
        """
        return table_of(
            [row for group in self.groups for row in (group.leads if headline else group.rows)]
        )

    def to_pandas(self, *, headline: bool = False) -> pd.DataFrame:
        """The rows as a pandas data frame; see `to_arrow`."""
        frame: pd.DataFrame = self.to_arrow(headline=headline).to_pandas()
        return frame

    def as_dict(self) -> Row:
        """The board as plain JSON values."""
        return {
            "rows": list(self.rows),
            "rounds": list(self.rounds),
            "headlines": self.headlines,
            "metrics": self.metrics,
            "notes": list(self.notes),
        }

    def summary(self) -> Sheet:
        """Highest score per task.

        Nobody is named if `null` is as good, or if every answer has the metric's worst value.
        """
        best = []
        for group in self.groups:
            ranked = [row for row in group.leads if row["rank"] is not None]
            if ranked:
                leader = min(ranked, key=_place_of)
                is_lost = any((row["method"], row["rank"]) == ("null", 1) for row in ranked)
                label = "none is better than null" if is_lost else distinct_labels([leader])[0]
                metric = metrics_of(leader["family"]).get(leader["metric"])
                worst = metric and (metric.low if metric.higher_is_better else metric.high)
                if leader["value"] == worst and not is_lost:
                    label = "none, all have the worst score"
                best.append({**leader, "contestant": label})
        return sheet(
            "Highest score on each task, with its plausible ranks",
            best,
            *("task", "round", "contestant"),
            Column("value", "value", ci="ci"),
            Column(rank_text, "rank"),
        )

    def parts(self, *, everything: bool = False, costs: bool = False) -> Iterator[Sheet | str]:
        """One table per group, ranked by its headline metric, then lines that explain the tables.

        Args:
            everything: Also show diagnostics, which are not ranked.
            costs: Also show tokens, seconds and dollars per answer.
        """
        for group in self.groups:
            yield self._sheet(group, everything=everything, costs=costs)
        yield "value [95% interval]; rank (plausible ranks); a failed answer counts 0;"
        yield "oracle is the ceiling and is not ranked. What a metric measures: viva list metrics"
        if costs:
            yield "tokens, s and $ are means per answer, without those of a judge."

    def _sheet(self, group: Group, *, everything: bool, costs: bool) -> Sheet:
        round_id, task, version, setting = group.place
        headline = self.headlines[task]
        measured = {row["metric"] for row in group.rows}
        metrics = [name for name in self.metrics[task] if name in measured]
        if everything:
            metrics += sorted(measured - set(metrics))
        contestants = list(by_contestant(group.rows).values())
        contestants.sort(key=lambda of: _place_of(of[headline]))
        leads = [of[headline] for of in contestants]
        with_judge = len({row["judge"] for row in leads}) > 1
        lines = [
            {
                **row,
                "of": of,
                "name": label
                + (f" (judge {row['judge']})" if with_judge and row["judge"] else "")
                + (" (partial)" if row["partial"] else ""),
            }
            for row, of, label in zip(leads, contestants, distinct_labels(leads), strict=True)
        ]

        def column(metric: str) -> Column:
            return Column(lambda line: _value(line["of"].get(metric)), metric)

        below = []
        for line in lines:
            if line["rank"] is None and line["unranked"] and line["method"] != CEILING:
                below.append(f"{NOTHING} {line['name']}: {line['unranked']}; not ranked.")
            if stopped := line["stopped"]:
                of = f"{stopped['items']:,} of {stopped['of']:,} items"
                below.append(f"{line['name']} stopped: {stopped['reason']}, after {of}.")
        if first := next(
            (line for line in lines if line["rank"] == 1 and open_question(line)), None
        ):
            below.append(f"{first['name']}: {open_question(first)}")
        if detectable := [row["detectable"] for row in leads if row["detectable"]]:
            difference = f"a true difference of {detectable[0]:.3f} in {headline}"
            below.append(f"These papers detect {difference} 80% of the time.")
        return sheet(
            f"{task} · {setting} · round {round_id} · version {version}",
            lines,
            *(Column(rank_text, "rank"), Column("name", "contestant")),
            *map(column, metrics),
            *(
                Column(partial(_fact, one), head)
                for head, one in terminal_columns(costs=costs)
                if one.is_cost or not one.is_optional or any(_fact(one, row) for row in leads)
            ),
            below=below,
        )


def _place_of(row: Row) -> tuple[bool, bool, int, str]:
    """Sort key for lines: the ceiling, then ranked contestants, then the others."""
    return row["method"] != CEILING, row["rank"] is None, row["rank"] or 0, row["method"]


def _fact(column: BoardColumn, row: Row) -> str:
    """Format a fact by its unit."""
    value = shown_value(column, row)
    if value is None:
        return NOTHING if column.is_cost else ""
    if column.unit == "fit":
        return fit_text(value)
    printed = {"share": ".0%", "tokens": ".0f", "s": ".2f", "USD": ".4f"}
    return shown(value, printed.get(column.unit, ""))


def _value(row: Row | None) -> str:
    """Format a value with its interval; a dash if the value was not measured.

    If too many values are undefined for a rank, the number of defined values follows.
    """
    if row is None or row["set_aside"]:
        return shown(row)
    if row["value"] is None:
        return "undefined"
    few = row["undefined"] > MAX_UNDEFINED * row["n"]
    return shown(row) + (f" n {row['n'] - row['undefined']}" if few else "")


def make_group(
    rows: Sequence[Row],
    headlines: Mapping[str, str],
    metrics: Mapping[str, Sequence[str]],
    key: str | None = None,
) -> Group:
    """Make a group from all its rows; by default, the key is a hash of rows and metrics."""
    task = rows[0]["task"]
    measured = dict.fromkeys(row["metric"] for row in rows)
    wanted = [headlines.get(task), *metrics.get(task, ())]
    ordered = tuple(dict.fromkeys(name for name in (*wanted, *measured) if name in measured))
    return Group(
        place_of(rows[0]), key or hash_of([hash_rows(rows), ordered]), ordered, tuple(rows)
    )


def by_contestant(rows: Iterable[Row]) -> dict[tuple[str, ...], dict[str, Row]]:
    """Rows by contestant, then by metric, in the given order."""
    contestants: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in rows:
        contestants.setdefault(spelled(row, CONTESTANT), {})[row["metric"]] = row
    return contestants


def spelled(row: Row, names: Sequence[str]) -> tuple[str, ...]:
    """Fields of a row as text; other types become JSON."""
    values = (row[name] for name in names)
    return tuple(value if isinstance(value, str) else canonical_json(value) for value in values)


def place_of(row: Row) -> Place:
    """Place of a row's group: round, task, version and setting."""
    return row["round"], row["task"], row["task_version"], row["setting"]


_PLAIN = (str, int, float, bool)
"""Types that cells hold unchanged; all other types become JSON."""


def table_of(rows: Iterable[Row]) -> pa.Table:
    """The rows as a table of typed columns."""
    import pyarrow as pa

    kept = rows if isinstance(rows, Sequence) else list(rows)
    types = {"float": pa.float64(), "int": pa.int64(), "bool": pa.bool_()}
    names, arrays = [], []
    for column in COLUMNS:
        values = [row.get(column.name) for row in kept]
        for place, (part, kind) in enumerate(column.files):
            cells = values if column.parts is None else [_part(v, place, part) for v in values]
            names.append(part)
            arrays.append(_texts(cells) if kind == "text" else pa.array(cells, types[kind]))
    return pa.Table.from_arrays(arrays, names=names)


def _part(value: Any, place: int, name: str) -> Any:
    """One part of a split value: an end of an interval, or an entry found by name."""
    if not value:
        return None
    return value.get(name) if isinstance(value, Mapping) else value[place]


def _texts(values: Sequence[Any]) -> pa.Array:
    import pyarrow as pa

    values = [
        value if value is None or type(value) in _PLAIN else dumps_fast(value).decode()
        for value in values
    ]
    try:
        return pa.array(values, pa.string())
    except (pa.ArrowException, UnicodeEncodeError):  # a cell is a number or has a lone surrogate
        storable = [
            value if value is None else str(value).encode("utf-8", "backslashreplace").decode()
            for value in values
        ]
        return pa.array(storable, pa.string())
