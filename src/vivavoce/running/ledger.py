"""The ledger of a log folder: every run and every log it left, each line bound to the one before.

`runs.jsonl` has one line when a run starts and one for every log file the folder holds when it
ends. A line carries the hash of the line before it and its own. So no line can be changed, dropped
or inserted without a mismatch in every later line. A line on a log carries the hash of its bytes.

It shows what was done after the ledger was written. Who makes up a run from the start, ledger
included, is not stopped by it: publish the last hash when a run ends, and that is bound too.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vivavoce.errors import DamagedError, InputError
from vivavoce.running.logs import answers_to_come
from vivavoce.running.witness import leave_statement
from vivavoce.store import Row, canonical_json, hash_file, hash_of, parse_object, write_text
from vivavoce.tasks import short_name

LEDGER = "runs.jsonl"
START, LOG, END = "start", "log", "end"
_FIRST = "0" * 64
"""What stands for the hash of the line before the first."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """A ledger as far as it can be read."""

    path: Path
    lines: tuple[Row, ...]
    problems: tuple[str, ...]
    """Lines that are not as they were written; empty when the chain holds."""

    @property
    def head(self) -> str:
        """The hash of the last line: who has it can tell whether any line has changed."""
        return str(self.lines[-1]["hash"]) if self.lines else _FIRST

    def logs(self) -> list[Row]:
        """The lines on logs."""
        return [line for line in self.lines if line.get("kind") == LOG]

    @property
    def starts(self) -> int:
        """Number of runs that were started, the same one again included."""
        return sum(line.get("kind") == START for line in self.lines)


@contextmanager
def recording(folder: Path, asked: Mapping[str, Any], witness: str | None = None) -> Iterator[None]:
    """Write into a folder's ledger that a run starts, and afterwards the logs it left.

    The caller holds the folder's lock. Logs that an earlier run left when it was killed are
    recorded too. A witness is told the head of the ledger before anything is asked and at the end.

    Raises:
        DamagedError: The ledger is not as it was written; nothing is run then.
        VivaError: The witness cannot be told.
    """
    start: Row = {"kind": START, "asked": dict(asked)}
    nonce = secrets.token_hex(16)
    _append(folder, [start | {"nonce": nonce} if witness else start])

    def tell(kind: str) -> None:
        if witness:
            head = read_ledger(folder).head
            told = {"kind": kind, "head": head, "nonce": nonce, "asked": dict(asked)}
            leave_statement(witness, told)

    tell(START)
    try:
        yield
    finally:
        _append(folder, new_logs(folder, read_ledger(folder)))
    tell(END)


def read_ledger(folder: Path) -> Ledger:
    """The ledger of a folder, and where its chain breaks; empty when it has none."""
    path = folder / LEDGER
    if not path.exists():
        return Ledger(path, (), ())
    lines: list[Row] = []
    problems: list[str] = []
    before = _FIRST
    for number, text in enumerate(path.read_bytes().splitlines(), start=1):
        where = f"{path}:{number}"
        try:
            line = parse_object(text, where)
        except InputError as error:
            problems.append(f"{where} cannot be read: {error}")
            before = ""
            continue
        body = {name: value for name, value in line.items() if name != "hash"}
        if line.get("hash") != hash_of(body):
            problems.append(f"{where} was changed after it was written.")
        elif line.get("before") != before or line.get("n") != number:
            problems.append(f"{where} does not follow the line before it: lines were taken out.")
        lines.append(line)
        before = str(line.get("hash"))
    return Ledger(path, tuple(lines), tuple(problems))


def new_logs(folder: Path, ledger: Ledger) -> list[Row]:
    """A line for every log of a folder that the ledger does not have, by name.

    A finished log is recorded once: whatever it is turned into later is not its run's.
    """
    from inspect_ai.log import list_eval_logs

    known = {(line.get("log"), line.get("sha256")) for line in ledger.logs()}
    finished = {line.get("log") for line in ledger.logs() if is_finished(line)}
    found = sorted(list_eval_logs(str(folder), recursive=False), key=lambda info: info.name)
    entries = []
    for info in found:
        path = Path(info.name.removeprefix("file://"))
        if path.name in finished:
            continue
        digest = hash_file(path)
        if (path.name, digest) not in known:
            entries.append({"kind": LOG, "log": path.name, "sha256": digest, **told_by_log(path)})
    return entries


def is_finished(line: Row) -> bool:
    """Check whether a line is on a log that was complete."""
    return line.get("status") == "success" and line.get("answers") == line.get("expected")


def told_by_log(path: Path) -> Row:
    """Facts that a log states; a note alone where it cannot be read."""
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
        "method": "+".join(short_name(step.solver) for step in header.plan.steps),
        "model": header.eval.model,
        "answers": results.completed_samples if results else 0,
        "expected": (results.total_samples if results else 0) + answers_to_come(header),
    }


def _append(folder: Path, entries: Sequence[Row]) -> None:
    ledger = read_ledger(folder)
    if ledger.problems:
        raise DamagedError(
            f"{ledger.problems[0]} The ledger of {folder} cannot be carried on. Put back the file "
            "as it was, or run into another folder."
        )
    lines, before = list(ledger.lines), ledger.head
    for entry in entries:
        body = {**entry, "n": len(lines) + 1, "before": before}
        before = hash_of(body)
        lines.append({**body, "hash": before})
    if entries:
        write_text(ledger.path, "".join(canonical_json(line) + "\n" for line in lines))
