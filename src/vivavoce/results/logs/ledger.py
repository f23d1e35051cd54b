"""Ledgers held against the logs beside them, and runs counted: those shown, repeated and taken out.

A best of many tries is not a result. So a board says of every row how many logs of the same
contestant there are, how many ran and are gone, and how many other ways its model was tried.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from vivavoce.results.logs.records import LogHeader, RowKey, bare_setting
from vivavoce.running.ledger import LEDGER, Ledger, is_finished, log_facts, read_ledger
from vivavoce.store import Row, hash_file

_TOLD = ("round", "task", "setting", "model", "method")
_DAMAGED = ".damaged"
"""Suffix that `viva run` adds to the name of a log that it cannot read."""


@dataclass(frozen=True, slots=True)
class LedgerCheck:
    """A folder's ledgers against its logs."""

    problems: tuple[str, ...]
    """Whatever cannot have come about by running."""
    removed: tuple[Row, ...]
    """Lines on logs that are not in their folder any more."""
    unrecorded: tuple[str, ...]
    """Logs that no ledger knows."""
    changed: dict[str, list[str]]
    """Changes of logs that are not as their run left them."""
    starts: int
    """Runs that were started, over all ledgers; 0 where there is no ledger."""

    def as_dict(self) -> Row:
        """Plain JSON values of the ledger, without the records of each log."""
        return {
            "problems": list(self.problems),
            "removed": list(self.removed),
            "unrecorded": list(self.unrecorded),
            "starts": self.starts,
        }


def check_ledgers(folder: Path) -> LedgerCheck:
    """Hold every ledger below a folder against the logs that lie beside it."""
    ledgers = _ledgers(folder)
    problems = [problem for ledger in ledgers for problem in ledger.problems]
    removed: list[Row] = []
    changed: dict[str, list[str]] = {}
    recorded: set[Path] = set()
    for ledger in ledgers:
        for path, line in _by_log(ledger).items():
            recorded.add(path)
            if path.exists():
                if found := _check_bytes(path, line):
                    changed[str(path)] = found
            elif _is_gone(path, line):
                removed.append(line)
                problems += _check_removal(ledger, path, line)
    logs = [path for suffix in ("eval", "json") for path in folder.rglob(f"*.{suffix}")]
    return LedgerCheck(
        problems=(*problems, *(f"{path} {what}" for path in changed for what in changed[path])),
        removed=tuple(removed),
        changed=changed,
        unrecorded=tuple(str(p) for p in sorted(logs) if p not in recorded and _is_log(p)),
        starts=sum(ledger.starts for ledger in ledgers),
    )


def _ledgers(folder: Path) -> list[Ledger]:
    return [read_ledger(path.parent) for path in sorted(folder.rglob(LEDGER))]


def _by_log(ledger: Ledger) -> dict[Path, Row]:
    """The last line on every log."""
    found: dict[Path, Row] = {}
    for line in ledger.logs():
        name = str(line.get("log", ""))
        if name and Path(name).name == name:
            found[ledger.path.parent / name] = line
    return found


def _is_gone(path: Path, line: Row) -> bool:
    """True if a log is not here, nor set aside as the damaged rest of a run that was killed."""
    return not path.exists() and (is_finished(line) or not _aside(path).exists())


def _aside(path: Path) -> Path:
    return path.with_name(path.name + _DAMAGED)


def _check_bytes(path: Path, line: Row) -> list[str]:
    if hash_file(path) != line.get("sha256"):
        return [f"is not the file that its run wrote, by {LEDGER}."]
    facts = log_facts(path)
    return [
        f"says another {name} than the line of its run in {LEDGER}."
        for name, value in facts.items()
        if line.get(name) != value
    ]


def _check_removal(ledger: Ledger, path: Path, line: Row) -> list[str]:
    """Logs of runs given up may be moved away; a finished one that is gone hides a result.

    One that was damaged later cannot be put back; one that is only called so can.
    """
    aside = _aside(path)
    is_lost = aside.exists() and hash_file(aside) != line.get("sha256")
    if is_lost or not is_finished(line):
        return []
    return [
        f"{ledger.path}: {line['log']} was finished ({line.get('task')}, {line.get('method')}, "
        f"{line.get('model')}) and is gone. Put it back."
    ]


def _is_log(path: Path) -> bool:
    """Check whether a file is named as Inspect names its logs, which is by the time they began."""
    return path.suffix == ".eval" or path.name[:4].isdigit()


def count_runs(folder: Path, logs: Iterable[LogHeader]) -> dict[RowKey, Row]:
    """Counts by row: logs of the same row, logs of it that are gone, and its model's other trials.

    `variants` are other rows of the same task, setting and model: other methods, decoding
    settings or prompts, of which somebody may show the best.
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
    found: dict[RowKey, Row] = {}
    for key in repeated:
        bare = "+".join(step.partition("(")[0] for step in key.method.split("+"))
        # A log that is gone may have run all items, or the row's split of them.
        tried = {_tried(key), _tried(replace(key, setting=bare_setting(key.setting)))}
        found[key] = {
            "logs": repeated[key],
            "removed": sum(gone[(*one, bare)] for one in tried),
            "variants": len(variants[_tried(key)]) - 1,
        }
    return found


def _tried(key: RowKey) -> tuple[str, ...]:
    return key.round, key.task, key.setting, key.model
