"""Files that runs write: logs, with their values and records, their ledger, and files of lines.

In a run that stops early, a log is complete once it holds its contestant's record.

The ledger of a log folder, `runs.jsonl`, gains one line when a run starts, and one for every log
file in the folder when it ends. A log's line has the hash of its bytes, so a log that is edited,
removed or added afterwards is detected. The ledger is no proof against someone who rewrites it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.errors import DamagedError, InputError
from vivavoce.models import FILE_HASH
from vivavoce.statistics.intervals import mean_of
from vivavoce.store import Row, canonical_json, hash_file, parse_object, write_jsonl
from vivavoce.tasks import short_name

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog
    from inspect_ai.model import Model


_BEGINS_WITH_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}[:-]\d{2}[:-]\d{2}")


def is_log(path: Path) -> bool:
    """Check whether Inspect takes a file for a log, judging by its name."""
    is_json = path.suffix == ".json" and bool(_BEGINS_WITH_TIME.match(path.name))
    return (path.suffix == ".eval" or is_json) and path.is_file() and not path.is_symlink()


def read_headers(folder: Path) -> tuple[list[EvalLog], list[str]]:
    """Read the headers of a folder's logs, oldest first; also return names of unreadable logs.

    Those, such as half-written ones, would stop a run, so they are renamed.
    """
    from inspect_ai.log import list_eval_logs, read_eval_log

    headers, renamed = [], []
    for info in sorted(list_eval_logs(str(folder)), key=lambda info: info.name):
        try:
            headers.append(read_eval_log(info, header_only=True))
        except Exception:  # a damaged archive fails in many ways, inside Inspect
            path = Path(info.name.removeprefix("file://"))
            renamed.append(str(path.rename(path.with_name(f"{path.name}.damaged"))))
    return sorted(headers, key=lambda header: header.eval.created), renamed


def mark_contents(models: Iterable[Model], headers: Sequence[EvalLog]) -> None:
    """Give a file with another content than in its latest log a run of its own."""
    for model in models:
        used = [log.eval.model_args for log in headers if log.eval.model == str(model)]
        if used and (digest := model.model_args.get(FILE_HASH)):
            mark = str(used[-1].get(FILE_HASH))
            model.model_args[FILE_HASH] = (
                mark if mark.startswith(digest) else f"{digest}-{len(used)}"
            )


def why_incomplete(log: EvalLog, refused: Mapping[str, str] | None = None) -> str | None:
    """Reason why a log is incomplete; None if every sample has a score.

    `refused` gives the reason by model for models that the run stopped asking.
    """
    results = log.results
    missing = results.total_samples - results.completed_samples if results else 0
    if log.status == "success" and not missing:
        return None
    roles = (log.eval.model_roles or {}).values()
    asked = [one for role in roles for one in (role if isinstance(role, list) else [role])]
    for name in [log.eval.model, *(one.model for one in asked)]:
        if refused and name in refused:
            return refused[name]
    lacks = f", lacks {missing} of {results.total_samples} answers" if results else ""
    cause = log.error.message if log.error else None
    if cause is None:
        from inspect_ai.log import read_eval_log_sample_summaries

        summaries = read_eval_log_sample_summaries(log.location)
        errors = Counter(summary.error for summary in summaries if summary.error)
        cause = errors.most_common(1)[0][0] if errors else None
    return f"{log_path(log)} ended as {log.status}{lacks}{f': {cause}' if cause else ''}"


def log_path(log: EvalLog) -> str:
    """Path of a log: Inspect gives an address for a log that it read, a path for one it wrote."""
    return log.location.removeprefix("file://")


Progress = Callable[[int, int], None]
"""Called with (samples done, samples in all)."""


def listen(progress: Progress | None, total: int) -> Callable[[], int]:
    """Start calling `progress` for every sample that ends; None stops earlier calls.

    Returns:
        A function that counts the samples that have ended.
    """
    from inspect_ai.hooks import Hooks, SampleEnd, hooks

    ended: set[tuple[str, str]] = set()

    # Hooks cannot be removed, but a new one replaces the old one of the same name.
    @hooks(name="vivavoce/progress", description="Counts samples for a progress bar.")
    class ProgressHooks(Hooks):
        async def on_sample_end(self, data: SampleEnd) -> None:
            ended.add((data.eval_id, data.sample_id))
            if progress:
                progress(min(len(ended), total), total)

    return lambda: len(ended)


def item_values(path: str, metric: str, items: Collection[str]) -> dict[str, float]:
    """Mean of each item's defined values; NaN if none is defined."""
    from inspect_ai.log import read_eval_log_sample_summaries

    from vivavoce.tasks.scoring import our_scores

    answers: dict[str, list[Any]] = {}
    for summary in sorted(read_eval_log_sample_summaries(path), key=lambda sample: sample.epoch):
        item = str(summary.id)
        if summary.scores and not summary.error and item in items:
            answers.setdefault(item, []).append(our_scores(summary.scores)[0])
    means = {item: mean_of(one.as_dict()[metric] for one in own) for item, own in answers.items()}
    return {item: nan if mean is None else mean for item, mean in means.items()}


COMPARISON, STOPPED = "decide", "stopped"
"""Metadata keys: the first is set on the evaluation from the start, the second on a settled log."""


PAIRS = ("beats", "ties")
"""Fields of a record that list pairs of contestants: (better, worse) or tied."""

_FIELDS: Mapping[str, type] = {
    **dict.fromkeys(("comparison", "question", "reason"), str),
    **dict.fromkeys(("contestant", "look", "looks", "items", "of"), int),
}


def settled(log: EvalLog) -> Row | None:
    """Record of an early stop in a log's header; None for a whole task or an unfinished run.

    Raises:
        ValueError: The record does not have the form in which a run writes it.
    """
    record = log.metadata.get(STOPPED)
    if record is None:
        return None
    if not all(type(record.get(name)) is kind for name, kind in _FIELDS.items()):
        raise ValueError("its record of the early stop is damaged")
    pairs = {name: [(int(one), int(other)) for one, other in record[name]] for name in PAIRS}
    return {
        **{name: record[name] for name in _FIELDS},
        "decided": bool(record["decided"]),
        **pairs,
    }


def answers_to_come(log: EvalLog) -> int:
    """Number of answers that a contestant may still add to its log; 0 unless the run goes on."""
    about = (log.eval.metadata or {}).get(COMPARISON)
    if not about or settled(log) is not None:
        return 0
    left = int(about["of"]) - (log.eval.dataset.samples or 0)
    return max(1, left * (log.eval.config.epochs or 1))


def settle(log: EvalLog, record: Row) -> EvalLog:
    """Write a contestant's record into its log, once: a settled log never changes."""
    from inspect_ai import log as logs

    path = Path(log_path(log))
    header = logs.read_eval_log(str(path), header_only=True)
    if settled(header) is not None:
        return header
    edit = logs.MetadataEdit(metadata_set={STOPPED: record})
    provenance = logs.ProvenanceData(author="viva run", reason=str(record["reason"]))
    # Inspect would change the file in place, and a kill would leave it half-written.
    copy = path.with_name(f"{path.name}.settling")
    shutil.copyfile(path, copy)
    edited = logs.edit_eval_log(header, [edit], provenance)
    logs.write_eval_log(edited, copy, "eval", header_only=True)
    copy.replace(path)
    return logs.read_eval_log(str(path), header_only=True)


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
    known = {(line.get("log"), line.get("sha256")) for line in ledger.logs()}
    finished = {line.get("log") for line in ledger.logs() if is_finished(line)}
    entries = []
    for path in sorted(filter(is_log, folder.iterdir())):
        digest = hash_file(path)
        if path.name not in finished and (path.name, digest) not in known:
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
        write_jsonl(ledger.path, [*ledger.lines, *entries])


class LineFile:
    """A file to which lines are appended; a line that a kill cut off is removed first."""

    def __init__(self, path: Path, *needed: str) -> None:
        """Choose a file, which need not exist, whose lines are objects with the `needed` fields."""
        self.path, self._needed = path, needed
        self._file: int | None = None

    def lines(self) -> Iterator[dict[str, Any]]:
        """Read the complete lines."""
        try:
            text = self.path.read_text("utf-8", "surrogateescape")
        except FileNotFoundError:
            return
        for line in text.splitlines():
            try:
                row = json.loads(line)
            except ValueError:  # a kill cut it off, or the disk is damaged
                continue
            if isinstance(row, dict) and all(name in row for name in self._needed):
                yield row

    def add(self, line: dict[str, Any]) -> None:
        """Append a line; it is on disk when this returns."""
        if self._file is None:
            # The next line must not be joined to half a line.
            write_jsonl(self.path, self.lines())
            self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        os.write(self._file, (canonical_json(line) + "\n").encode("utf-8", "surrogatepass"))
        os.fsync(self._file)

    def close(self) -> None:
        """Stop writing."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
