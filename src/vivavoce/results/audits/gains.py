"""Gains of added context over the base setting.

A gain is held against the same contestant without the context. Source: AcademicEval, tables 3 and 4
(demonstrations) and its ablation with the title alone. The papers print both means; here their
difference is paired by item and has an interval.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Unpack

from vivavoce.reports import Column, Sheet, Table, grouped, sheet
from vivavoce.results.contrast import Rows, contrast, counterparts, described, report_of
from vivavoce.results.logs.records import RowKey, RunLog
from vivavoce.results.logs.selection import Reading
from vivavoce.rounds.family import SPLIT_LABELS
from vivavoce.statistics.estimates import Draws
from vivavoce.store import Row

BASE = "base"


class Gains(Table):
    """Report of `viva board show --by setting`."""

    __slots__ = ()

    def parts(self) -> Iterator[Sheet | str]:
        """One table a round."""
        for rows in grouped(self.rows, "round"):
            yield sheet(
                f"Round {rows[0]['round']}: gain over the setting without added context",
                [row for row in rows if row["headline"]],
                *("task", "contestant", "setting", "metric"),
                Column("value_base", "base"),
                Column("value", "with it"),
                Column("gain", ci="ci"),
                *("n", "undecided"),
            )
        yield (
            "base and with it: means over the n items of both; gain [95% interval of the "
            "difference]."
        )


def context_gains(logs: Path | str, **reading: Unpack[Reading]) -> Gains:
    """Gain of every setting over the base one, for each contestant, task and metric.

    Raises:
        VivaError: As `report_of` says.
    """
    lacking = (
        f"no contestant that ran in the setting {BASE} and in another one. Run the task again "
        "with --setting, into the same folder."
    )
    return report_of(Gains, logs, _rows, lacking, **reading)


def _rows(found: Sequence[RunLog], draws: Draws) -> Rows:
    """Rows of the settings that have a base to compare with, and notes on those that have none."""

    def base_setting(key: RowKey) -> dict[str, str] | None:
        base = base_of(key.setting)
        return None if base == key.setting else {"setting": base}

    pairs, notes = counterparts(
        found,
        base_setting,
        "{contestant} has no log of {task} in the setting {other} with the same decoding, prompts "
        "and judge to compare {setting} with.",
    )
    return [_gain(base, log, m, draws) for log, base in pairs for m in log.metrics], notes


def base_of(setting: str) -> str:
    """The setting with less context to compare with, on the same track.

    `mixed+padded@1` is held against `base+padded`, and that against `base`; a subset of the items,
    such as `mixed (60 of 400)` or `mixed+test`, against the same one.
    """
    shown, space, items = setting.partition(" ")
    name, *track = shown.partition("@")[0].split("+")
    kept = [part for part in track if name != BASE or part in SPLIT_LABELS]
    return "+".join([BASE, *kept]) + space + items


def _gain(base: RunLog, other: RunLog, metric: str, draws: Draws) -> Row:
    found = contrast(base, other, metric, draws)
    return {
        **described(other, metric),
        "base": base.key.setting,
        "value_base": found["a"],
        "value": found["b"],
        "gain": found["difference"],
        "ci": found["ci"],
        "n": found["n"],
        "n_base": base.items,
        "n_setting": other.items,
        "undecided": found["undecided"],
    }
