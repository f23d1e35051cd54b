"""An inbox of submissions: each checked in a process of its own, accepted or refused with reasons.

    python -m vivavoce.results.integrity.intake SECONDS FOLDER ROUND...

is that process. It has limits on time, memory and the size of files. Whatever a submission does to
it, the others are judged and all decisions written.

An inbox is a folder with one submission in each of its folders. Accepted submissions are copied to
`accepted/NAME/` of the output, where `viva board build` finds its logs; `intake.json` holds every
decision. No file of a refused submission is copied. Metrics that were added to logs are never
copied: the receiver computes them.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError, VivaError
from vivavoce.reports import Report, Sheet
from vivavoce.results.integrity.submission import LOGS, check_submission, spelled
from vivavoce.results.logs.added import FOLDER as ADDED
from vivavoce.store import Row, write_json

ACCEPTED, DECISIONS = "accepted", "intake.json"
"""Folder of what was taken in, and the file of all decisions."""
SECONDS = 3600
"""Of CPU time, and of waiting: what the logs of a whole exam take many times over."""
MEMORY = 8 << 30
"""Bytes that the process may take: a log of a thousand long prompts takes a tenth."""
FILE_SIZE = 1 << 30

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Intake(Report):
    """Decisions about the submissions of an inbox, by name."""

    submissions: tuple[Row, ...]
    """Submissions by `name`, `accepted`, `reasons` and `runs`."""
    accepted: str
    """Folder with what was accepted."""

    @property
    def is_clean(self) -> bool:
        """True if nothing was refused."""
        return all(row["accepted"] for row in self.submissions)

    def parts(self) -> Iterator[Sheet | str]:
        """Each decision with its reasons."""
        for row in self.submissions:
            yield f"{'accepted' if row['accepted'] else 'refused '}  {row['name']}"
            yield from (f"  {reason}" for reason in row["reasons"])
        yield f"Build the board of what was accepted: viva board build {self.accepted} --out site"


def take_in(
    inbox: Path,
    out: Path,
    rounds: Sequence[Path],
    progress: Progress | None = None,
) -> Intake:
    """Check every submission of an inbox and copy those that are accepted.

    Args:
        inbox: A folder of submissions.
        out: Where decisions and accepted logs go; an earlier intake there is
            replaced.
        rounds: The receiver's own rounds.
        progress: Called with submissions done and all.

    Raises:
        InputError: There is no submission, no round is named, or one lies inside the other.
    """
    found = sorted(path for path in inbox.iterdir() if path.is_dir()) if inbox.is_dir() else []
    if not found:
        raise InputError(f"{inbox} holds no folder with a submission.")
    if not rounds:
        raise InputError("Submissions are held against your own rounds: name them with --round.")
    if out.resolve().is_relative_to(inbox.resolve()):
        raise InputError(f"{out} lies inside the inbox. Choose another --out.")
    target = out / ACCEPTED
    if target.exists():
        shutil.rmtree(target)
    target.mkdir(parents=True)
    rows = []
    for place, folder in enumerate(found):
        if progress:
            progress(place, len(found))
        rows.append(_decide(folder, target, rounds))
    report = Intake(tuple(rows), str(target))
    write_json(out / DECISIONS, report.as_dict())
    return report


def _decide(folder: Path, target: Path, rounds: Sequence[Path]) -> Row:
    checked = check_apart(folder, rounds)
    if is_accepted := not checked["problems"]:
        shutil.copytree(folder / LOGS, target / folder.name, ignore=shutil.ignore_patterns(ADDED))
    return {
        "name": spelled(folder.name),
        "accepted": is_accepted,
        "runs": checked["runs"],
        "reasons": checked["problems"],
    }


def check_apart(folder: Path, rounds: Sequence[Path], seconds: int = SECONDS) -> Row:
    """Check a submission in a process of its own.

    Returns:
        `problems`, by check, and `runs`, as a submission's report has them.
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
            with suppress(ProcessLookupError):  # its programs may outlive it
                os.killpg(process.pid, signal.SIGKILL)
    if answer:
        result: Row = json.loads(answer)
        return result
    reason = f"has no result within {seconds} s and {MEMORY >> 30} GiB of memory"
    return {"problems": [f"its check {reason}."], "runs": {}}


def main(arguments: Sequence[str]) -> None:
    """Write the report on a submission to the standard output, and nothing else."""
    seconds, (folder, *rounds) = int(arguments[0]), map(Path, arguments[1:])
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="backslashreplace")
    os.dup2(2, 1)  # what libraries print is no answer
    for name, limit in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, FILE_SIZE),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # macOS sets no bound to the memory of a process
            resource.setrlimit(name, (limit, limit))
    answer: dict[str, Any]
    try:
        answer = check_submission(folder, rounds).decision()
    except Exception as error:  # no submission, however odd, may end the intake of the others
        cause = str(error) if isinstance(error, VivaError) else repr(error)
        answer = {"problems": [f"it cannot be checked: {cause}"], "runs": {}}
    json.dump(answer, answers)
    answers.close()


if __name__ == "__main__":
    main(sys.argv[1:])
