"""Gains: of added context over the base setting, and of retrieval over none.

A gain is held against the same contestant without the context. Source: AcademicEval, tables 3 and 4
(demonstrations) and its ablation with the title alone. The papers print both means; here their
difference is paired by item and has an interval. Section 4.4 compares retrievers behind two models,
by means alone: here one model, task and setting is held fixed, only the retriever differs, and each
has a rank with ties.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import numpy as np

from vivavoce.metrics import sense_of
from vivavoce.reports import Column, Sheet, Table, grouped, rank_text, sheet
from vivavoce.results.contrast import Rows, contrast, counterparts, described, report_of
from vivavoce.results.logs.records import RowKey, RunLog
from vivavoce.results.logs.selection import Reading
from vivavoce.rounds.family import SPLIT_LABELS
from vivavoce.statistics.comparison import rank_contestants
from vivavoce.statistics.estimates import Draws, mean_estimate
from vivavoce.store import Row

BASE = "base"
TITLE_ONLY = "title_only"


def gain_sheet(title: str, rows: Sequence[Row]) -> Sheet:
    """Gains over the base setting in each task's headline metric."""
    return sheet(
        title,
        [row for row in rows if row["headline"]],
        *("task", "contestant", "setting", "metric"),
        Column("value_base", "base"),
        Column("value", "with it"),
        Column("gain", ci="ci"),
        *("n", "undecided"),
    )


class Gains(Table):
    """Report of `viva board show --by setting`."""

    __slots__ = ()

    def parts(self) -> Iterator[Sheet | str]:
        """One table a round."""
        for rows in grouped(self.rows, "round"):
            title = f"Round {rows[0]['round']}: gain over the setting without added context"
            yield gain_sheet(title, rows)
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
        f"no contestant that ran both in the setting {BASE} and in another one. Run the task again "
        "with --setting, into the same folder."
    )
    return report_of(Gains, logs, gain_rows, lacking, **reading)


def gain_rows(found: Sequence[RunLog], draws: Draws) -> Rows:
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


METHOD, WITHOUT = "rag", "direct"


class Retrievers(Table):
    """Report of `viva board show --by retriever`."""

    __slots__ = ()

    def parts(self) -> Iterator[Sheet | str]:
        """One table a round, task, setting and model."""
        for rows in grouped(self.headlines, *("round", "task", "setting", "model")):
            first = rows[0]
            yield sheet(
                f"{first['task']} · {first['setting']} · {first['model']} · round {first['round']}",
                rows,
                Column(rank_text, "rank"),
                "retriever",
                Column(
                    lambda row: " ".join(f"{k}={v}" for k, v in row["settings"].items()), "settings"
                ),
                Column("value", first["metric"], ci="ci"),
                "n",
                Column("without.gain", "over direct", ci="without.ci"),
                Column("without.n", "n"),
            )
        yield "value [95% interval]; rank (ranks it may have); over direct: gain over no retrieval."


def compare_retrievers(logs: Path | str, **reading: Unpack[Reading]) -> Retrievers:
    """Every retriever that a model was run with, beside the same model without one.

    Raises:
        VivaError: As `report_of` says.
    """
    lacking = (
        f"no log of the method {METHOD}. Make some with: viva run TASK --method {METHOD} "
        f"-S retriever=bm25 --logs {logs}"
    )
    return report_of(Retrievers, logs, _retriever_rows, lacking, **reading)


def _retriever_rows(found: Sequence[RunLog], draws: Draws) -> Rows:
    """Rows by key without the method, and by its arguments but for the retriever."""
    groups: dict[tuple[RowKey, tuple[tuple[str, str], ...]], dict[str, RunLog]] = defaultdict(dict)
    for log in found:
        for given in [given for _, given in log.steps if "retriever" in given][:1]:
            rest = {k: str(v) for k, v in given.items() if k not in ("retriever", "context")}
            key = replace(log.key, method="")
            groups[key, tuple(rest.items())][str(given["retriever"])] = log
    plain = {replace(log.key, method=""): log for log in found if log.key.method == WITHOUT}
    rows: list[Row] = []
    for (key, settings), members in sorted(groups.items()):
        for metric in next(iter(members.values())).metrics:
            standing = _standing(members, metric, draws)
            made = [
                {
                    **described(log, metric),
                    "retriever": name,
                    "settings": dict(settings),
                    **_mean(log, metric, draws),
                    **standing[name],
                    "without": _without(plain.get(key), log, metric, draws),
                }
                for name, log in members.items()
            ]
            rows += sorted(
                made, key=lambda row: (row["rank"] is None, row["rank"], row["retriever"])
            )
    return rows, []


def _place(row: Row) -> tuple[bool, int | None, str]:
    """Sort key: by rank, and retrievers without one last."""
    return row["rank"] is None, row["rank"], row["retriever"]


def _mean(log: RunLog, metric: str, draws: Draws) -> Row:
    values, clusters = log.item_values(metric), log.item_clusters()
    labels = [clusters[item] for item in values]
    return mean_estimate(list(values.values()), labels, draws).fields()


def _without(plain: RunLog | None, log: RunLog, metric: str, draws: Draws) -> Row:
    """Gain over the same model without a retriever."""
    if plain is None:
        return {"value": None, "gain": None, "ci": None, "n": 0}
    found = contrast(plain, log, metric, draws)
    return {
        "value": found["a"],
        "gain": found["difference"],
        "ci": found["ci"],
        "n": found["n"],
    }


def _standing(members: Mapping[str, RunLog], metric: str, draws: Draws) -> dict[str, Row]:
    """Ranks on the items that every retriever has answered."""
    values = {name: members[name].item_values(metric) for name in sorted(members)}
    shared = sorted(set.intersection(*map(set, values.values())))
    first = next(iter(members.values()))
    clusters = first.item_clusters()
    drawn = draws.of([clusters[i] for i in shared])
    columns = {name: np.array([of[i] for i in shared]) for name, of in values.items()}
    higher, span = sense_of(first.family, metric)
    return {
        name: {
            "rank": place.rank,
            "rank_interval": list(place.rank_interval) if place.rank_interval else None,
            "undecided_with": list(place.undecided_with),
        }
        for name, place in rank_contestants(columns, drawn, higher, span).items()
    }
