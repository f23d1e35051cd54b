"""What added context gains: each setting against the base, on the same items.

Source: AcademicEval, tables 3 and 4 (demonstrations) and its ablation with the title alone. The
papers print both means; here their difference is paired by item and has an interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from vivavoce.errors import VivaError
from vivavoce.results.logs.audited import (
    AuditedLog,
    item_clusters,
    item_values,
    read_audited,
)
from vivavoce.results.logs.records import CEILING
from vivavoce.results.reports import Table
from vivavoce.statistics.estimates import Draws, paired_row
from vivavoce.store import Row

BASE = "base"
TITLE_ONLY = "title_only"


def context_gains(
    logs: Path | str, *, partial: bool = False, resamples: int = 10_000, seed: int = 0
) -> Table:
    """Gain of every setting over the base one, for each contestant, task and metric.

    Raises:
        InputError: No logs there.
        VivaError: A log is incomplete and `partial` was not asked for, or no contestant ran in
            two settings of a task.
    """
    found, notes = read_audited(Path(logs), partial=partial)
    rows, missing = gain_rows(found, Draws(resamples, seed))
    if not rows:
        raise VivaError(
            f"{logs} holds no contestant that ran both in the setting {BASE} and in another one. "
            f"Run the task again with --setting, into the same folder."
        )
    return Table(tuple(rows), tuple(sorted([*notes, *missing])))


def gain_rows(found: Sequence[AuditedLog], draws: Draws) -> tuple[list[Row], list[str]]:
    """Rows of the settings that have a base to compare with, and notes on those that have none."""
    by_key = {audited.key: audited for audited in found}
    rows: list[Row] = []
    notes = []
    for audited in found:
        base_setting = base_of(audited.key.setting)
        if base_setting == audited.key.setting or audited.key.method == CEILING:
            continue
        base = by_key.get(replace(audited.key, setting=base_setting))
        if base is None:
            notes.append(
                f"{audited.contestant} has no log of {audited.key.task} in the setting "
                f"{base_setting} with the same decoding, prompts and judge to compare "
                f"{audited.key.setting} with."
            )
            continue
        rows += [_row(base, audited, metric, draws) for metric in audited.log.metrics]
    return rows, notes


def base_of(setting: str) -> str:
    """The setting with less context to compare with, on the same track.

    `mixed+padded@1` is held against `base+padded`, and that against `base`; a subset of the items,
    such as `mixed (60 of 400)`, against the same one.
    """
    shown, space, items = setting.partition(" ")
    name, *track = shown.partition("@")[0].split("+")
    return (BASE if name == BASE else "+".join([BASE, *track])) + space + items


def _row(base: AuditedLog, other: AuditedLog, metric: str, draws: Draws) -> Row:
    first, second = item_values(base.log, metric), item_values(other.log, metric)
    found = paired_row(first, second, item_clusters(base.log), draws)
    return {
        **asdict(other.key),
        "contestant": other.contestant,
        "base": base.key.setting,
        "metric": metric,
        "headline": metric == other.log.metrics[0],
        "value_base": found["a"],
        "value": found["b"],
        "gain": found["difference"],
        "ci": found["ci"],
        "n": found["n"],
        "n_base": len(first),
        "n_setting": len(second),
        "tied": found["tied"],
    }
