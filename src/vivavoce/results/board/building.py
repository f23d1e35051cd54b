"""The board: one row per contestant and metric, with an interval for every value.

A row's value is the mean over items; an item answered several times counts with its mean. A failed
answer counts as 0. The bootstrap resamples the clusters of the items. Diagnostics have rows too,
but are not ranked.

If a model does better on papers from before its cutoff, it may have read them, or older papers may
be easier. In the second case, contestants without training show the same gap.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from vivavoce.errors import InputError, NothingToAuditError
from vivavoce.models.cutoffs import STATUSES, UNKNOWN, Cutoffs, Status, load_cutoffs, status_of
from vivavoce.reports import Column, Sheet, Table, grouped, headlines, sheet
from vivavoce.results.audits.judge import calibrations
from vivavoce.results.board.columns import COLUMNS
from vivavoce.results.board.groups import Board
from vivavoce.results.board.ranks import Contestant, add_ranks
from vivavoce.results.board.store import Store
from vivavoce.results.logs.ledger import count_runs
from vivavoce.results.logs.records import (
    NO_MODEL,
    NOT_RECOMPUTED,
    LogHeader,
    Place,
    RowKey,
    RunLog,
    contestant_label,
    mean_value,
    refuse_empty,
)
from vivavoce.results.logs.selection import choose
from vivavoce.statistics.estimates import Draws
from vivavoce.statistics.intervals import Floats, Interval, Resample, percentile_interval
from vivavoce.store import Row, hash_file, hash_of
from vivavoce.text.printing import counted


def leaderboard(
    logs: Path | str,
    *,
    store: Path | None = None,
    own: Path | None = None,
    human: Path | None = None,
    partial: bool = False,
    resamples: int = 10_000,
    seed: int = 0,
    cutoffs: Cutoffs | None = None,
    trust: Mapping[str, Row] | None = None,
    split: str | None = None,
) -> Board:
    """Build a board from a folder of logs.

    Args:
        logs: Folder of Inspect logs.
        store: Folder for cached statistics, so that only new logs are read; None for no cache.
        own: Folder of the reader's own logs, whose rows are marked; published rows take precedence.
        human: File of human labels that correct judges' metrics; None for no correction.
        partial: Also show incomplete logs; their rows are marked.
        resamples: Bootstrap draws; 0 for no intervals.
        seed: Seed of the draws.
        cutoffs: Training cutoffs of models; None for the shipped file.
        trust: `Verification.trust`, by path of the log; refused logs make no rows. Without it, no
            row counts as recomputed.
        split: Only answers to items of this split; None for all.

    Raises:
        InputError: There are no logs, all are refused, none has an item of the split, or a label
            fits no judged answer.
        VivaError: A log is incomplete or damaged without `partial`, or two rounds have the same
            name.
    """
    known = cutoffs or load_cutoffs()
    draws = Draws(resamples, seed)
    keeper = Store(
        lambda log: contestant_of(log, draws, known),
        store,
        [resamples, seed, hash_of(repr(known)), *([hash_file(human)] if human else [])],
        split,
    )
    headers, foreign = keeper.read(Path(logs))
    refuse_empty(Path(logs), headers, split)
    headers, refused = _trusted(headers, Path(logs), trust or {})
    runs = count_runs(Path(logs), headers)
    if own is not None:
        own_heads, own_foreign = keeper.read(own)
        own_heads = [replace(head, is_own=True) for head in own_heads]
        runs = count_runs(own, own_heads) | runs
        published = {head.key for head in headers}
        headers += [head for head in own_heads if head.key not in published]
        foreign += own_foreign
    chosen, notes = choose(headers, foreign, partial=partial)
    calibrated: Mapping[tuple[RowKey, str], Row | None] = {}
    if human is not None:
        calibrated, remarks = calibrations(human, chosen, draws)
        notes = [*notes, *remarks]
    headlines = {head.key.task: head.metrics[0] for head in chosen}
    metrics = metrics_of(chosen)
    by_place: dict[Place, list[LogHeader]] = defaultdict(list)
    for head in chosen:
        by_place[head.key.place].append(head)

    def rows_of(members: Sequence[LogHeader]) -> list[Row]:
        contestants = [keeper.statistics(head) for head in members]
        add_ranks(contestants, draws)
        for head, contestant in zip(members, contestants, strict=True):
            for row in contestant.rows.values():
                row["runs"] = runs[head.key]
                row["trust"], row["trust_reason"] = head.trust, head.trust_reason
                # Added metrics can be written by anyone with access to the folder.
                if row["metric"] in head.added:
                    row |= {"trust": NOT_RECOMPUTED, "trust_reason": "added after the run"}
                row["calibrated"] = calibrated.get((head.key, row["metric"]))
                if head.is_own:
                    row["own"] = True
        rows = [row for contestant in contestants for row in contestant.rows.values()]
        return sorted(rows, key=_order_of)

    return Board(
        groups=tuple(
            keeper.group(place, by_place[place], runs, headlines, metrics, rows_of)
            for place in sorted(by_place)
        ),
        rounds=tuple(_rounds_of(chosen)),
        headlines=headlines,
        metrics=metrics,
        notes=tuple(
            sorted([*notes, *refused, *_removed_notes(chosen, runs), *_name_notes(chosen)])
        ),
        heads=tuple(chosen),
    )


def _trusted(
    heads: Sequence[LogHeader], folder: Path, trust: Mapping[str, Row]
) -> tuple[list[LogHeader], list[str]]:
    """Add trust to logs and drop refused logs; return the rest, with notes on dropped logs."""
    kept, notes = [], []
    for head in heads:
        verdict = trust.get(Path(head.path).relative_to(folder.absolute()).as_posix())
        if verdict is None:
            kept.append(head)
        elif verdict["refused"]:
            notes.append(
                f"{head.name} is refused: it contradicts itself. For details run viva board verify."
            )
        else:
            kept.append(replace(head, trust=verdict["trust"], trust_reason=verdict["reason"]))
    if heads and not kept:
        raise InputError(
            f"All logs of {folder} are refused. For the reasons run viva board verify."
        )
    return kept, notes


def _removed_notes(logs: Sequence[LogHeader], runs: Mapping[RowKey, Row]) -> list[str]:
    """Notes on rows that had logs removed."""
    return [
        f"{log.key.method} with {log.key.model} ran {log.key.task} ({log.key.setting}) in "
        f"{counted(count, 'more log that was', 'more logs that were')} removed from the folder."
        for log in logs
        if (count := runs[log.key]["removed"])
    ]


def _name_notes(logs: Sequence[LogHeader]) -> list[str]:
    """Notes on model names with letters beyond ASCII, which may imitate others."""
    notes = []
    for name in sorted({log.key.model for log in logs}):
        if odd := sorted({f"U+{ord(letter):04X}" for letter in name if not letter.isascii()}):
            notes.append(f"The name {name} contains {', '.join(odd)}: it may imitate another name.")
    return notes


def metrics_of(logs: Sequence[LogHeader]) -> dict[str, list[str]]:
    """Metrics by task, in the order of the task's card."""
    names: dict[str, dict[str, None]] = defaultdict(dict)
    for log in logs:
        names[log.key.task] |= dict.fromkeys(log.metrics)
    for log in logs:
        names[log.key.task] |= dict.fromkeys(
            name for name in log.diagnostics if name in log.judged or name.endswith("_ceiling")
        )
    return {task: list(metrics) for task, metrics in sorted(names.items())}


def contestant_of(log: RunLog, draws: Draws, cutoffs: Cutoffs) -> Contestant:
    """A log's values by item, and its rows, not ranked yet."""
    items = log.attempts()
    ids = list(items)
    clusters = log.item_clusters()
    shown = (*log.metrics, *log.diagnostics)
    values = {
        item: [mean_value(attempts, name) for name in shown] for item, attempts in items.items()
    }
    table = np.array(list(values.values()), dtype=float).reshape(len(ids), len(shown))
    drawn = draws.of([clusters[item] for item in ids])
    intervals = drawn.intervals(table)
    means = drawn.mean(table)
    shared = _shared_fields(log, len(ids))
    statuses = statuses_of(log, ids, cutoffs)
    exposed = exposure_fields(log, statuses, cutoffs, find_gaps(table, statuses, drawn))
    rows = {
        name: {
            **shared,
            "metric": name,
            "headline": name == log.metrics[0],
            "value": means[column],
            "value_valid": mean_value([s for s in log.samples if s.fault is None], name),
            "ci": intervals[column],
            "undefined": int(np.isnan(table[:, column]).sum()),
            **exposed[column],
        }
        for column, name in enumerate(shown)
    }
    if shared.get("set_aside"):
        for row in rows.values():
            row |= {"value": None, "value_valid": None, "ci": None}
    return Contestant(rows, log.family, clusters, values, log.diagnostics, log.judged)


def _shared_fields(log: RunLog, items: int) -> Row:
    """Fields shared by all rows of a log."""
    faults = Counter(sample.fault for sample in log.samples if sample.fault)
    costs = [sample.cost for sample in log.samples if sample.cost is not None]
    judge_costs = [sample.judge_cost for sample in log.samples if sample.judge_cost is not None]
    return {
        **asdict(log.key),
        "family": log.family,
        "judge": log.key.judge or None,
        "judge_own_family": log.is_own_judge,
        "judge_tokens": sum(sample.judge_tokens for sample in log.samples),
        "judge_cost": math.fsum(judge_costs) if judge_costs else None,
        "n": items,
        "missing": faults["missing"],
        "valid": 1 - faults.total() / len(log.samples) if log.samples else None,
        "faults": dict(sorted(faults.items())),
        "partial": not log.is_complete,
        "rank": None,
        "rank_interval": None,
        "unranked": None,
        "tied_with": None,
        "undecided_with": None,
        "more_papers_needed": None,
        "detectable": None,
        "calibrated": None,
        "tokens": sum(sample.tokens for sample in log.samples),
        "cost": math.fsum(costs) if costs else None,
        "seconds": round(math.fsum(sample.seconds for sample in log.samples), 3),
        "answers": len(log.samples),
        **{column.name: column.of_log(log) for column in COLUMNS if column.of_log},
    }


def _order_of(row: Row) -> tuple[Any, ...]:
    """Sort key of a board's rows."""
    rank = row["rank"] if row["rank"] is not None else -1
    contestant = (row["method"], row["model"], row["decoding"], row["prompt_hash"])
    section = (row["round"], row["task"], row["task_version"], row["setting"])
    return (*section, row["metric"], rank, *contestant)


def _rounds_of(logs: Sequence[LogHeader]) -> list[Row]:
    """The rounds behind a board."""
    rounds: dict[str, Row] = {}
    for log in logs:
        entry = rounds.setdefault(
            log.key.round,
            {
                "id": log.key.round,
                "window": list(log.window),
                "manifest": log.round_sha256,
                "counts": {},
            },
        )
        entry["counts"][log.key.task] = max(log.items, entry["counts"].get(log.key.task, 0))
    return [rounds[name] for name in sorted(rounds)]


def statuses_of(log: RunLog, items: Sequence[str], cutoffs: Cutoffs) -> list[Status] | None:
    """Status of each item for a log's model; None without a model."""
    if log.key.model == NO_MODEL:
        return None
    published = {sample.id: sample.published for sample in log.samples}
    cutoff, margin = cutoffs.of(log.key.model), cutoffs.margin_days
    return [status_of(published[item], cutoff, margin) for item in items]


def exposure_fields(
    log: RunLog, statuses: Sequence[Status] | None, cutoffs: Cutoffs, gaps: Sequence[Row]
) -> list[Row]:
    """Fields `contamination` and `exposure` for a board's rows, one row per gap."""
    if statuses is None:
        return [{"contamination": None, "exposure": None}] * len(gaps)
    cutoff = cutoffs.of(log.key.model)
    counts = Counter(statuses)
    common = {
        "cutoff": cutoff.date if cutoff and cutoff.date != UNKNOWN else None,
        "source": cutoff.source if cutoff else None,
        "margin_days": cutoffs.margin_days,
        "items": {name: counts[name] for name in STATUSES},
        **(cutoff.about if cutoff else {}),
    }
    status = "mixed" if len(counts) > 1 else next(iter(counts), "unknown")
    return [{"contamination": status, "exposure": common | gap} for gap in gaps]


def find_gaps(values: Floats, statuses: Sequence[Status] | None, draws: Resample) -> list[Row]:
    """Compute the means of seen and clean items in each column, and their gap, with 95% intervals.

    The two groups have different items, so there are no pairs. Instead, whole clusters are drawn
    from all items, and a draw's gap is the difference of its two means. An interval is None unless
    each of its groups has values in two clusters.

    `values` has shape (items, columns), NaN if undefined; `statuses` is None without a model.
    """
    columns = values.shape[1]
    named = np.array(statuses or ["unknown"] * len(values), dtype=np.str_)
    both = np.hstack(
        [np.where((named == name)[:, None], values, np.nan) for name in ("seen", "clean")]
    )
    means = draws.mean(both)
    enough = np.flatnonzero((draws.by_cluster(both)[1] > 0).sum(axis=0) > 1)
    drawn = dict[int, Floats]()
    if len(enough) and draws.gives_intervals:
        drawn = dict(zip(enough.tolist(), draws.means(both[:, enough]).T, strict=True))
    counts = (~np.isnan(both)).sum(axis=0).tolist()
    gaps = []
    for seen, clean in ((k, columns + k) for k in range(columns)):
        before, after = means[seen], means[clean]
        is_drawn = seen in drawn and clean in drawn
        gaps.append(
            {
                "seen": before,
                "ci_seen": _interval(drawn.get(seen)),
                "clean": after,
                "ci_clean": _interval(drawn.get(clean)),
                "gap": None if before is None or after is None else before - after,
                "ci": _interval(drawn[seen] - drawn[clean]) if is_drawn else None,
                "n_seen": counts[seen],
                "n_clean": counts[clean],
            }
        )
    return gaps


def _interval(drawn: Floats | None) -> Interval | None:
    return None if drawn is None else percentile_interval(drawn)


_STATUSES = {"seen": "seen", "possibly": "possibly_seen", "clean": "clean", "unknown": "unknown"}


def _contamination_parts(every: Sequence[Row]) -> Iterator[Sheet | str]:
    """One table per round, task and setting."""
    for rows in grouped(headlines(every), "round", "task", "setting"):
        first = rows[0]
        yield sheet(
            f"{first['task']} · {first['setting']} · round {first['round']}",
            rows,
            Column(contestant_label, "contestant"),
            Column("exposure.cutoff", "cutoff"),
            *(Column(f"exposure.items.{status}", head) for head, status in _STATUSES.items()),
            Column("exposure.seen", f"{first['metric']} seen", ci="exposure.ci_seen"),
            Column("exposure.clean", "clean", ci="exposure.ci_clean"),
            Column("exposure.gap", "gap", ci="exposure.ci"),
        )
    yield (
        "items from before the cutoff (seen), near it (possibly), after it (clean); means with 95% "
        "intervals;\ngap: seen - clean. If older papers are easier for all, contestants without "
        "training (cutoff never) have a gap too."
    )


def contamination_report(logs: Path | str, cutoffs: Cutoffs, **reading: Any) -> Table:
    """Report on the models of a board, with each model's gap in every metric.

    Raises:
        InputError: There are no logs.
        VivaError: See `leaderboard`.
        NothingToAuditError: No contestant is a model.
    """
    board = leaderboard(logs, cutoffs=cutoffs, **reading)
    rows = [row for row in board.rows if row["exposure"] is not None]
    if not rows:
        raise NothingToAuditError(f"{logs} has no log of a model.")
    notes = {
        f"The training cutoff of {row['model']} is unknown: add it with --cutoffs FILE."
        for row in rows
        if cutoffs.of(row["model"]) is None
    }
    return Table(tuple(rows), tuple(sorted({*board.notes, *notes})), _contamination_parts)
