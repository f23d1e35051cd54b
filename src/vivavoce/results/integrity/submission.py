"""Submissions to a board: checks for the sender, and intake of an inbox for the receiver.

A submission is a folder: `submission.toml` names the submitter, and `logs` holds the logs with
their ledger. Nothing is sent: the folder is handed in as files.

An inbox is a folder with one subfolder per submission. Logs of accepted submissions are copied to
`accepted/NAME/` in the output, for `viva board build`; `intake.json` holds all decisions. No file
of a refused submission is copied. Added metrics are never copied: the receiver computes them.

    python -m vivavoce.results.integrity.submission SECONDS FOLDER ROUND...

checks one submission in a separate process, with limits on time, memory and file size. So no
submission can prevent decisions on the others.
"""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.errors import InputError, VivaError
from vivavoce.reports import NOTHING, Report, Sheet
from vivavoce.requests import check_model
from vivavoce.results.integrity.secrets import find_secrets
from vivavoce.results.integrity.verification import Verification, verify_logs
from vivavoce.results.logs.added import FOLDER as ADDED
from vivavoce.results.logs.reading import read_logs
from vivavoce.results.logs.records import RunLog
from vivavoce.rounds.spec import read_toml
from vivavoce.running.logs import Progress
from vivavoce.store import Row, write_json
from vivavoce.text.printing import counted

FORM = "submission.toml"
LOGS = "logs"
ACCEPTED, DECISIONS = "accepted", "intake.json"
"""Folder of accepted submissions, and the file of all decisions."""
SECONDS = 3600
"""Limit on CPU time and on waiting, many times what a whole exam takes."""
MEMORY = 8 << 30
"""Memory limit in bytes, ten times what a log with a thousand long prompts takes."""
FILE_SIZE = 1 << 30


class SubmissionForm(BaseModel):
    """The `[submission]` table of the form."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    team: str = Field(min_length=1)
    contact: str = Field(min_length=3)
    date: date
    private_runs: int = Field(ge=0)
    """Number of runs of the same models on the same rounds whose logs are not submitted."""
    notes: str = ""


class Submission(BaseModel):
    """The whole form; its other tables are only for readers."""

    submission: SubmissionForm


@dataclass(frozen=True, slots=True)
class SubmissionReport(Report):
    """Findings about a submission."""

    complete: bool
    """True if all checks passed."""
    checks: tuple[Row, ...]
    """Results of the checks: `check`, `ok` and `problems`."""
    runs: Row
    """Counts of started runs, logs, repeated logs and private runs."""

    def parts(self) -> Iterator[Sheet | str]:
        """Lines on each check with its problems, then on the runs."""
        for each in self.checks:
            yield f"{'ok    ' if each['ok'] else 'failed'}  {each['check']}"
            yield from (f"  {problem}" for problem in each["problems"])
        for name, count in self.runs.items():
            yield f"{name.replace('_', ' ')}: {NOTHING if count is None else count}"

    def decision(self) -> Row:
        """Problems, each preceded by the name of its check, and counts of runs."""
        problems = [f"{each['check']}: {why}" for each in self.checks for why in each["problems"]]
        return {"problems": problems, "runs": self.runs}


def check_submission(
    folder: Path,
    rounds: Sequence[Path] = (),
    progress: Progress | None = None,
) -> SubmissionReport:
    """Check a submission; `rounds` are the receiver's own rounds."""
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder. A submission has {FORM} and {LOGS}.")
    if odd := list(_odd_files(folder)):  # then no file is opened
        return SubmissionReport(
            False, ({"check": "plain files", "ok": False, "problems": odd},), {}
        )
    form, faults = read_form(folder / FORM)
    logs, problems = _read_logs(folder / LOGS)
    checks: dict[str, Iterable[str]] = {"form": faults, "complete logs": problems}
    runs: Row = {}
    if logs:
        verified = verify_logs(folder / LOGS, rounds, progress, untrusted=folder)
        checks["ledger"] = _check_ledger(verified, form)
        checks["scores"] = _check_scores(verified, rounds)
        checks["no keys"] = find_secrets(folder)
        keys = {log.key for log in logs}
        runs = {
            "started": verified.ledger.starts,
            "logs": len(logs),
            "rows": len(keys),
            "repeated": len(logs) - len(keys),
            "removed": len(verified.ledger.removed),
            "private_declared": form.submission.private_runs if form else None,
        }
    failures = {name: list(problems) for name, problems in checks.items()}
    rows = [{"check": n, "ok": not failures[n], "problems": failures[n]} for n in failures]
    return SubmissionReport(not any(failures.values()), tuple(rows), runs)


def read_form(path: Path) -> tuple[Submission | None, list[str]]:
    """Read the form; return it with a list of its faults."""
    try:
        return check_model(Submission, read_toml(path), f"{path}:"), []
    except InputError as error:
        return None, str(error).split("\n")


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


def _check_ledger(verified: Verification, form: Submission | None) -> Iterator[str]:
    ledger = verified.ledger
    if not ledger.starts:
        yield f"{LOGS} has no runs.jsonl. viva run writes it: copy it with the logs."
    yield from ledger.problems
    for path in ledger.unrecorded:
        yield f"{path} is in no ledger, so no run of this folder wrote it."
    declared = form.submission.private_runs if form else 0
    if len(ledger.removed) > declared:
        lost = counted(len(ledger.removed), "log of the ledger is", "logs of the ledger are")
        yield f"{lost} missing, but {FORM} declares {counted(declared, 'private run')}."


def _check_scores(verified: Verification, rounds: Sequence[Path]) -> Iterator[str]:
    if not rounds:
        yield "No round was given. Name your own copy with --round FOLDER."
    for log in verified.logs:
        yield from (f"{log.name}: {why}" for why in log.refused or log.unknown)


def _odd_files(folder: Path) -> Iterator[str]:
    """Yield sentences on entries that are neither files nor folders, or whose names are not text.

    A link can lead anywhere on this machine, and reading a pipe may never end.
    """
    for path in [folder, *sorted(folder.rglob("*"))]:
        name = str(path.relative_to(folder.parent))
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            yield f"{spelled(name)} is not a plain file. Hand in copies, not links."
        elif spelled(name) != name:
            yield f"{spelled(name)} has a name that is not UTF-8. Rename it."


def spelled(name: str) -> str:
    """A name in which bytes that are not UTF-8 are spelled out."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


@dataclass(frozen=True, slots=True)
class Intake(Report):
    """Decisions on the submissions in an inbox, by name."""

    submissions: tuple[Row, ...]
    """Decisions: `name`, `accepted`, `reasons` and `runs`."""
    accepted: str
    """Folder that holds the accepted logs."""

    @property
    def is_clean(self) -> bool:
        """True if no submission was refused."""
        return all(row["accepted"] for row in self.submissions)

    def parts(self) -> Iterator[Sheet | str]:
        """Lines on each decision with its reasons."""
        for row in self.submissions:
            yield f"{'accepted' if row['accepted'] else 'refused '}  {row['name']}"
            yield from (f"  {reason}" for reason in row["reasons"])
        yield f"Build the board of the accepted logs: viva board build {self.accepted} --out site"


def take_in(
    inbox: Path,
    out: Path,
    rounds: Sequence[Path],
    progress: Progress | None = None,
) -> Intake:
    """Check all submissions in an inbox, and copy the accepted ones.

    Args:
        inbox: Folder of submissions.
        out: Folder for decisions and accepted logs; an earlier intake is replaced.
        rounds: The receiver's own rounds.
        progress: Called with (submissions checked, submissions in all).
    """
    folders = sorted(path for path in inbox.iterdir() if path.is_dir()) if inbox.is_dir() else []
    if not folders:
        raise InputError(f"{inbox} has no folder with a submission.")
    if not rounds:
        raise InputError("Submissions are checked against your own rounds: name them with --round.")
    if out.resolve().is_relative_to(inbox.resolve()):
        raise InputError(f"{out} is inside the inbox. Choose another --out.")
    target = out / ACCEPTED
    if target.exists():
        shutil.rmtree(target)
    target.mkdir(parents=True)
    rows = []
    for place, folder in enumerate(folders):
        if progress:
            progress(place, len(folders))
        checked = check_apart(folder, rounds)
        if is_accepted := not checked["problems"]:
            shutil.copytree(
                folder / LOGS, target / folder.name, ignore=shutil.ignore_patterns(ADDED)
            )
        rows.append(
            {
                "name": spelled(folder.name),
                "accepted": is_accepted,
                "runs": checked["runs"],
                "reasons": checked["problems"],
            }
        )
    report = Intake(tuple(rows), str(target))
    write_json(out / DECISIONS, report.as_dict())
    return report


def check_apart(folder: Path, rounds: Sequence[Path], seconds: int = SECONDS) -> Row:
    """Check a submission in a separate process.

    Returns:
        `problems` and `runs`, as `SubmissionReport.decision` gives them.
    """
    command = [sys.executable, "-m", __name__, str(seconds), str(folder), *map(str, rounds)]
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            answer, _ = process.communicate(timeout=seconds + 60)
        except subprocess.TimeoutExpired:
            answer = b""
        finally:
            with suppress(ProcessLookupError):  # its programs may still run
                os.killpg(process.pid, signal.SIGKILL)
    if answer:
        result: Row = json.loads(answer)
        return result
    reason = f"has no result within {seconds} s and {MEMORY >> 30} GiB of memory"
    return {"problems": [f"its check {reason}."], "runs": {}}


def main(arguments: Sequence[str]) -> None:
    """Check a submission, and write only the decision to standard output."""
    seconds, (folder, *rounds) = int(arguments[0]), map(Path, arguments[1:])
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="backslashreplace")
    os.dup2(2, 1)  # keep output of libraries apart from the answer
    for name, limit in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, FILE_SIZE),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # macOS cannot limit the memory of a process
            resource.setrlimit(name, (limit, limit))
    answer: dict[str, Any]
    try:
        answer = check_submission(folder, rounds).decision()
    except Exception as error:  # no submission may end the intake of the others
        cause = str(error) if isinstance(error, VivaError) else repr(error)
        answer = {"problems": [f"it cannot be checked: {cause}"], "runs": {}}
    json.dump(answer, answers)
    answers.close()


if __name__ == "__main__":
    main(sys.argv[1:])
