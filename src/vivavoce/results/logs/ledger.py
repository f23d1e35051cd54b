"""Checks of ledgers against logs, and counts of shown, repeated and removed runs.

The best of many tries is not a result. So for every row, a board states how many logs its
contestant has, how many were removed, and how many other variants of its model there are.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from vivavoce.reports import UNLISTED, Report
from vivavoce.results.logs.records import LogHeader, RowKey, bare_setting
from vivavoce.running.logs import LEDGER, Ledger, is_finished, is_log, log_facts, read_ledger
from vivavoce.store import Row, hash_file

_TOLD = ("round", "task", "setting", "model", "method")
_DAMAGED = ".damaged"
"""Suffix that `viva run` adds to the names of logs that cannot be read."""


@dataclass(frozen=True, slots=True)
class LedgerCheck(Report):
    """Result of checking a folder's ledgers against its logs."""

    problems: tuple[str, ...]
    """Findings that no run can explain."""
    removed: tuple[Row, ...]
    """Ledger lines about logs that are no longer in their folder."""
    unrecorded: tuple[str, ...]
    """Logs without a ledger line."""
    changed: dict[str, list[str]] = field(metadata=UNLISTED)
    """Changes to logs since their run, by path of the log."""
    starts: int
    """Number of runs started, over all ledgers; 0 without a ledger."""


def check_ledgers(folder: Path) -> LedgerCheck:
    """Check every ledger below a folder against the logs beside it."""
    ledgers = _ledgers(folder)
    problems = [problem for ledger in ledgers for problem in ledger.problems]
    removed: list[Row] = []
    changed: dict[str, list[str]] = {}
    recorded: set[Path] = set()
    for ledger in ledgers:
        for path, line in _by_log(ledger).items():
            recorded.add(path)
            if path.exists():
                if differences := _check_bytes(path, line):
                    changed[str(path)] = differences
            elif _is_gone(path, line):
                removed.append(line)
                # Unfinished logs may be removed; a missing finished log hides a result.
                # A log damaged later cannot be put back; an intact log with the suffix can.
                aside = _aside(path)
                is_lost = aside.exists() and hash_file(aside) != line.get("sha256")
                if is_finished(line) and not is_lost:
                    facts = ", ".join(str(line.get(name)) for name in ("task", "method", "model"))
                    problems.append(
                        f"{ledger.path}: {line['log']} was finished ({facts}) and is gone. "
                        "Put it back."
                    )
    logs = sorted(path for path in folder.rglob("*") if is_log(path))
    return LedgerCheck(
        problems=(*problems, *(f"{path} {what}" for path in changed for what in changed[path])),
        removed=tuple(removed),
        changed=changed,
        unrecorded=tuple(str(path) for path in logs if path not in recorded),
        starts=sum(ledger.starts for ledger in ledgers),
    )


def _ledgers(folder: Path) -> list[Ledger]:
    return [read_ledger(path.parent) for path in sorted(folder.rglob(LEDGER))]


def _by_log(ledger: Ledger) -> dict[Path, Row]:
    """The last ledger line of each log."""
    lines: dict[Path, Row] = {}
    for line in ledger.logs():
        name = str(line.get("log", ""))
        if name and Path(name).name == name:
            lines[ledger.path.parent / name] = line
    return lines


def _is_gone(path: Path, line: Row) -> bool:
    """Check whether a log is missing, and not set aside as the damaged rest of a killed run."""
    return not path.exists() and (is_finished(line) or not _aside(path).exists())


def _aside(path: Path) -> Path:
    return path.with_name(path.name + _DAMAGED)


def _check_bytes(path: Path, line: Row) -> list[str]:
    if hash_file(path) != line.get("sha256"):
        return [f"is not the file that its run wrote, according to {LEDGER}."]
    facts = log_facts(path)
    return [
        f"has another {name} than its line in {LEDGER}."
        for name, value in facts.items()
        if line.get(name) != value
    ]


def count_runs(folder: Path, logs: Iterable[LogHeader]) -> dict[RowKey, Row]:
    """Count for each row: its logs, its removed logs, and other variants of its model.

    `variants` counts other rows with the same round, task, setting and model. They use other
    methods, decoding settings or prompts, and perhaps only the best of them is published.
    """
    keys = [log.key for log in logs]
    repeated = Counter(keys)
    variants: dict[tuple[str, ...], set[RowKey]] = defaultdict(set)
    for key in keys:
        variants[_tried(key)].add(key)
    gone: Counter[tuple[str, ...]] = Counter()
    for ledger in _ledgers(folder):
        for path, line in _by_log(ledger).items():
            if _is_gone(path, line):
                gone[tuple(str(line.get(name, "")) for name in _TOLD)] += 1
    counts: dict[RowKey, Row] = {}
    for key in repeated:
        bare = "+".join(step.partition("(")[0] for step in key.method.split("+"))
        # A removed log may cover all items or only the row's split.
        tried = {_tried(key), _tried(replace(key, setting=bare_setting(key.setting)))}
        counts[key] = {
            "logs": repeated[key],
            "removed": sum(gone[(*one, bare)] for one in tried),
            "variants": len(variants[_tried(key)]) - 1,
        }
    return counts


def _tried(key: RowKey) -> tuple[str, ...]:
    return key.round, key.task, key.setting, key.model
