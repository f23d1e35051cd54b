"""One table a task: contestants and settings down, context lengths across."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Unpack

from vivavoce.reports import NOTHING, Sheet, Table, grouped, shown
from vivavoce.results.contrast import Rows, described, report_of
from vivavoce.results.logs.records import RunLog
from vivavoce.results.logs.selection import Reading
from vivavoce.statistics.estimates import Draws, mean_estimate
from vivavoce.store import Row
from vivavoce.tasks import CEILING


class Windows(Table):
    """Report of `viva board show --by context`."""

    __slots__ = ()

    def parts(self) -> Iterator[Sheet | str]:
        """One table a round and task, by the headline metric."""
        for rows in grouped(self.headlines, "round", "task", "metric"):
            yield _sheet(rows)
        yield "value [95% interval]; own is the window that the provider or the model table says."


def _sheet(rows: Sequence[Row]) -> Sheet:
    first = rows[0]
    windows = sorted({row["context"] for row in rows}, key=lambda each: (each is None, each or 0))
    lines: dict[tuple[str, ...], dict[int | None, Row]] = {}
    for row in rows:
        line = (row["model"], row["method"], row["setting"])
        lines.setdefault(line, {})[row["context"]] = row
    return Sheet(
        f"{first['metric']} of {first['task']} · round {first['round']}",
        ("model", "method", "setting", *(f"{each or 'own'}" for each in windows)),
        tuple(
            (*line, *(shown(cells[each]) if each in cells else NOTHING for each in windows))
            for line, cells in sorted(lines.items())
        ),
    )


def windows_of(logs: Path | str, **reading: Unpack[Reading]) -> Windows:
    """Means of every contestant and setting by the window in which it ran.

    Raises:
        VivaError: As `report_of` says.
    """
    lacking = "no answers of a contestant. Make some with: viva run TASK --sweep context=4096,8192"
    return report_of(Windows, logs, _rows, lacking, **reading)


def _rows(found: Sequence[RunLog], draws: Draws) -> Rows:
    rows = []
    for log in found:
        for metric in log.metrics if log.key.method != CEILING else ():
            clusters, values = log.item_clusters(), log.item_values(metric)
            mean = mean_estimate([*values.values()], [clusters[item] for item in values], draws)
            row = {**described(log, metric), "context": log.arguments.get("context")}
            rows.append({**row, **mean.fields()})
    return rows, []
