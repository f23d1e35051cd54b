"""The ledger of a log folder: every run, and every log that a run left.

`runs.jsonl` gains one line when a run starts, and one for every log file in the folder when it
ends. A log's line has the hash of its bytes, so a log that is edited, removed or added afterwards
is detected. The ledger is no proof against someone who rewrites it.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vivavoce.errors import DamagedError, InputError
from vivavoce.running.logs import answers_to_come
from vivavoce.store import Row, canonical_json, hash_file, parse_object, write_text
from vivavoce.tasks import short_name

LEDGER = "runs.jsonl"
START, LOG = "start", "log"


@dataclass(frozen=True, slots=True)
class Ledger:
    """The readable part of a ledger."""

    path: Path
    lines: tuple[Row, ...]
    problems: tuple[str, ...]
    """One message for each line that cannot be read."""

    def logs(self) -> list[Row]:
        """Lines about logs."""
        return [line for line in self.lines if line.get("kind") == LOG]

    @property
    def starts(self) -> int:
        """Number of runs that were started, including restarts."""
        return sum(line.get("kind") == START for line in self.lines)


@contextmanager
def recording(folder: Path, asked: Mapping[str, Any]) -> Iterator[None]:
    """Record the start of a run in a folder's ledger, and at its end the logs that it left.

    The caller holds the folder's lock. Logs of an earlier run that was killed are recorded too.
    """
    _append(folder, [{"kind": START, "asked": dict(asked)}])
    try:
        yield
    finally:
        _append(folder, new_logs(folder, read_ledger(folder)))


def read_ledger(folder: Path) -> Ledger:
    """Read the ledger of a folder; empty if the folder has none."""
    path = folder / LEDGER
    if not path.exists():
        return Ledger(path, (), ())
    lines: list[Row] = []
    problems: list[str] = []
    for number, text in enumerate(path.read_bytes().splitlines(), start=1):
        where = f"{path}:{number}"
        try:
            lines.append(parse_object(text, where))
        except InputError as error:
            problems.append(f"{where} cannot be read: {error}")
    return Ledger(path, tuple(lines), tuple(problems))


def new_logs(folder: Path, ledger: Ledger) -> list[Row]:
    """Lines for the logs of a folder that the ledger does not list, by name.

    A finished log is recorded once: later changes to it do not come from its run.
    """
    from inspect_ai.log import list_eval_logs

    known = {(line.get("log"), line.get("sha256")) for line in ledger.logs()}
    finished = {line.get("log") for line in ledger.logs() if is_finished(line)}
    infos = sorted(list_eval_logs(str(folder), recursive=False), key=lambda info: info.name)
    entries = []
    for info in infos:
        path = Path(info.name.removeprefix("file://"))
        if path.name in finished:
            continue
        digest = hash_file(path)
        if (path.name, digest) not in known:
            entries.append({"kind": LOG, "log": path.name, "sha256": digest, **log_facts(path)})
    return entries


def is_finished(line: Row) -> bool:
    """Check whether a line is about a complete log."""
    return line.get("status") == "success" and line.get("answers") == line.get("expected")


def log_facts(path: Path) -> Row:
    """Facts from a log's header; only a status and a reason if it cannot be read."""
    from inspect_ai.log import read_eval_log

    try:
        header = read_eval_log(str(path), header_only=True)
    except Exception as error:  # a damaged archive fails in many ways, inside Inspect
        return {"status": "unreadable", "reason": type(error).__name__}
    metadata = header.eval.metadata or {}
    results = header.results
    return {
        "status": header.status,
        "created": str(header.eval.created),
        "task": str(metadata.get("task") or header.eval.task),
        "round": str(metadata.get("round") or ""),
        "setting": str(metadata.get("setting") or ""),
        "method": "+".join(short_name(step.solver, header.eval.task) for step in header.plan.steps),
        "model": header.eval.model,
        "answers": results.completed_samples if results else 0,
        "expected": (results.total_samples if results else 0) + answers_to_come(header),
    }


def _append(folder: Path, entries: Sequence[Row]) -> None:
    ledger = read_ledger(folder)
    if ledger.problems:
        raise DamagedError(
            f"{ledger.problems[0]} The ledger of {folder} cannot be continued. Restore the file, "
            "or run into another folder."
        )
    if entries:
        lines = (*ledger.lines, *entries)
        write_text(ledger.path, "".join(canonical_json(line) + "\n" for line in lines))
