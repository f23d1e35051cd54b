"""Requirements of a submission to a board, checked by the sender and by the receiver.

A submission is a folder: `submission.toml` says who submits and what is known of the models, `logs`
holds the logs with their ledger. Nothing is sent anywhere: the folder is handed in as files.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from vivavoce.errors import InputError, VivaError
from vivavoce.models.cutoffs import NEVER
from vivavoce.reports import NOTHING, Report, Sheet
from vivavoce.results.integrity.secrets import find_secrets
from vivavoce.results.integrity.verification import Verification, verify_logs
from vivavoce.results.logs.reading import read_logs
from vivavoce.results.logs.records import NO_MODEL, RunLog
from vivavoce.store import Row
from vivavoce.text.dates import parse_date

FORM = "submission.toml"
LOGS = "logs"
UNKNOWN = "unknown"

Progress = Callable[[int, int], None]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelForm(_Form):
    """A `[[model]]` of the form."""

    name: str = Field(min_length=1)
    """`provider/model`, as the logs name it."""
    cutoff: str
    """YYYY-MM-DD, YYYY-MM or YYYY; `never`; or `unknown`."""
    weights: Literal["open", "closed"]
    url: str | None = None

    @field_validator("cutoff", mode="before")
    @classmethod
    def _check_cutoff(cls, value: Any) -> Any:
        if value in (NEVER, UNKNOWN):
            return value
        parsed = parse_date(value)
        if parsed is None:
            raise ValueError("write YYYY-MM-DD, YYYY-MM, YYYY, never or unknown")
        return parsed[0]


class SubmissionForm(_Form):
    """The `[submission]` table of the form."""

    team: str = Field(min_length=1)
    contact: str = Field(min_length=3)
    date: date
    private_runs: int = Field(ge=0)
    """Runs on the same rounds, of the same models, whose logs are not handed in."""
    notes: str = ""


class Submission(_Form):
    """A whole form."""

    submission: SubmissionForm
    model: tuple[ModelForm, ...] = ()


@dataclass(frozen=True, slots=True)
class SubmissionReport(Report):
    """Findings about a submission."""

    complete: bool
    """True if it can be handed in."""
    checks: tuple[Row, ...]
    """Checks, each with its name, `check`, `ok`, and `problems`."""
    runs: Row
    """Runs started, logs, logs of one row again, and private runs."""

    def parts(self) -> Iterator[Sheet | str]:
        """Each check with its problems, then the runs."""
        for each in self.checks:
            yield f"{'ok     ' if each['ok'] else 'missing'}  {each['check']}"
            yield from (f"  {problem}" for problem in each["problems"])
        for name, count in self.runs.items():
            yield f"{name.replace('_', ' ')}: {NOTHING if count is None else count}"

    def decision(self) -> Row:
        """Its problems, each after the name of its check, and its runs."""
        problems = [f"{each['check']}: {why}" for each in self.checks for why in each["problems"]]
        return {"problems": problems, "runs": self.runs}


def check_submission(
    folder: Path,
    rounds: Sequence[Path] = (),
    progress: Progress | None = None,
) -> SubmissionReport:
    """Check a submission's folder; `rounds` are the receiver's own.

    Raises:
        InputError: The folder does not exist.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder. A submission has {FORM} and {LOGS}.")
    if odd := list(_odd_files(folder)):  # nothing of it is opened then
        return SubmissionReport(
            False, ({"check": "plain files", "ok": False, "problems": odd},), {}
        )
    form, faults = read_form(folder / FORM)
    logs, problems = _read_logs(folder / LOGS)
    checks: dict[str, Iterable[str]] = {"form": faults, "complete logs": problems}
    runs: Row = {}
    if logs:
        verified = verify_logs(folder / LOGS, rounds, progress, untrusted=folder)
        checks["models described"] = _compare_models(form, logs)
        checks["ledger"] = _check_ledger(verified, form)
        checks["scores"] = _check_scores(verified, rounds)
        checks["no keys"] = find_secrets(folder)
        runs = _count(verified, logs, form)
    found = {name: list(problems) for name, problems in checks.items()}
    told = [{"check": n, "ok": not found[n], "problems": found[n]} for n in found]
    return SubmissionReport(not any(found.values()), tuple(told), runs)


def read_form(path: Path) -> tuple[Submission | None, list[str]]:
    """The form, and what is wrong with it."""
    try:
        return Submission.model_validate(tomllib.loads(path.read_text("utf-8"))), []
    except OSError as error:
        return None, [f"{path} cannot be read: {error.strerror}."]
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return None, [f"{path} is not readable TOML: {error}"]
    except ValidationError as error:
        return None, [
            f"{path}: {'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}."
            for problem in error.errors()
        ]


def _read_logs(folder: Path) -> tuple[list[RunLog], list[str]]:
    try:
        logs, foreign = read_logs(folder)
    except VivaError as error:
        return [], [str(error)]
    problems = [f"{log.name} {log.reason}." for log in foreign]
    problems += [
        f"{log.name} has {len(log.samples)} of {log.expected} answers, status {log.status}."
        for log in logs
        if not log.is_complete
    ]
    return logs, problems


def _compare_models(form: Submission | None, logs: Sequence[RunLog]) -> Iterator[str]:
    described = {model.name for model in form.model} if form else set()
    used = {log.key.model for log in logs} - {NO_MODEL}
    for name in sorted(used - described):
        yield f"{FORM} has no [[model]] for {name}."
    for name in sorted(described - used):
        yield f"{FORM} describes {name}, and no log is of it."


def _check_ledger(verified: Verification, form: Submission | None) -> Iterator[str]:
    ledger = verified.ledger
    if not ledger.starts:
        yield f"{LOGS} has no runs.jsonl, which viva run writes: copy it with the logs."
    yield from ledger.problems
    for path in ledger.unrecorded:
        yield f"{path} is in no ledger: no run of this folder wrote it."
    declared = form.submission.private_runs if form else 0
    if len(ledger.removed) > declared:
        yield (
            f"{len(ledger.removed)} logs of the ledger are not here, and {FORM} declares "
            f"{declared} private runs."
        )


def _check_scores(verified: Verification, rounds: Sequence[Path]) -> Iterator[str]:
    if not rounds:
        yield "No round is named: whoever takes a submission names his own, with --round FOLDER."
    for log in verified.logs:
        yield from (f"{log.name}: {why}" for why in log.refused or log.unknown)


def _count(verified: Verification, logs: Sequence[RunLog], form: Submission | None) -> Row:
    rows = {log.key for log in logs}
    return {
        "started": verified.ledger.starts,
        "logs": len(logs),
        "rows": len(rows),
        "repeated": len(logs) - len(rows),
        "removed": len(verified.ledger.removed),
        "private_declared": form.submission.private_runs if form else None,
    }


def _odd_files(folder: Path) -> Iterator[str]:
    """Entries that are neither files nor folders, or whose names are no text.

    A link could lead anywhere on this machine, and a pipe be read for ever.
    """
    for path in [folder, *sorted(folder.rglob("*"))]:
        name = str(path.relative_to(folder.parent))
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            yield f"{spelled(name)} is no plain file. Hand in copies, not links."
        elif spelled(name) != name:
            yield f"{spelled(name)} has a name that is no UTF-8. Rename it."


def spelled(name: str) -> str:
    """A name with the bytes spelled out that are no text."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
