"""Gains of added context: each setting against the base, on the same items.

Source: AcademicEval, tables 3 and 4 (demonstrations) and its ablation with the title alone. The
papers print both means; here their difference is paired by item and has an interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Unpack

from vivavoce.errors import VivaError
from vivavoce.results.logs.records import CEILING, RunLog
from vivavoce.results.logs.selection import Reading, open_logs
from vivavoce.results.reports import Table
from vivavoce.rounds.family import SPLIT_LABELS
from vivavoce.statistics.estimates import Draws, paired_row
from vivavoce.store import Row

BASE = "base"
TITLE_ONLY = "title_only"


def context_gains(logs: Path | str, **reading: Unpack[Reading]) -> Table:
    """Gain of every setting over the base one, for each contestant, task and metric.

    Raises:
        VivaError: As `open_logs` says, or no contestant ran in two settings of a task.
    """
    found, notes, draws = open_logs(logs, **reading)
    rows, missing = gain_rows(found, draws)
    if not rows:
        raise VivaError(
            f"{logs} holds no contestant that ran both in the setting {BASE} and in another one. "
            f"Run the task again with --setting, into the same folder."
        )
    return Table(tuple(rows), tuple(sorted([*notes, *missing])))


def gain_rows(found: Sequence[RunLog], draws: Draws) -> tuple[list[Row], list[str]]:
    """Rows of the settings that have a base to compare with, and notes on those that have none."""
    by_key = {log.key: log for log in found}
    rows: list[Row] = []
    notes = []
    for log in found:
        base_setting = base_of(log.key.setting)
        if base_setting == log.key.setting or log.key.method == CEILING:
            continue
        base = by_key.get(replace(log.key, setting=base_setting))
        if base is None:
            notes.append(
                f"{log.contestant} has no log of {log.key.task} in the setting {base_setting} with "
                f"the same decoding, prompts and judge to compare {log.key.setting} with."
            )
            continue
        rows += [_row(base, log, metric, draws) for metric in log.metrics]
    return rows, notes


def base_of(setting: str) -> str:
    """The setting with less context to compare with, on the same track.

    `mixed+padded@1` is held against `base+padded`, and that against `base`; a subset of the items,
    such as `mixed (60 of 400)` or `mixed+test`, against the same one.
    """
    shown, space, items = setting.partition(" ")
    name, *track = shown.partition("@")[0].split("+")
    kept = [part for part in track if name != BASE or part in SPLIT_LABELS]
    return "+".join([BASE, *kept]) + space + items


def _row(base: RunLog, other: RunLog, metric: str, draws: Draws) -> Row:
    first, second = base.item_values(metric), other.item_values(metric)
    found = paired_row(first, second, base.item_clusters(), draws)
    return {
        **asdict(other.key),
        "contestant": other.contestant,
        "base": base.key.setting,
        "metric": metric,
        "headline": metric == other.metrics[0],
        "value_base": found["a"],
        "value": found["b"],
        "gain": found["difference"],
        "ci": found["ci"],
        "n": found["n"],
        "n_base": len(first),
        "n_setting": len(second),
        "tied": found["tied"],
    }
