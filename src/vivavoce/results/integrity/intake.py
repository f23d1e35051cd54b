"""Submissions taken in: checked against the receiver's own rounds, accepted or refused.

An inbox is a folder with one submission in each of its folders. What is accepted is copied to
`accepted/NAME/` of the output, where `viva board build` finds its logs; `intake.json` holds every
decision. Nothing of a refused submission is copied, and of none the metrics that were added to its
logs: whoever takes them in computes these himself.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.results.integrity.submission import LOGS, check_submission
from vivavoce.results.integrity.verification import SELF_REPORTED, VERIFIED
from vivavoce.results.logs.added import FOLDER as ADDED
from vivavoce.results.reports import Report
from vivavoce.store import Row, write_json

ACCEPTED, DECISIONS = "accepted", "intake.json"

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Intake(Report):
    """Decisions about the submissions of an inbox, by name."""

    submissions: tuple[Row, ...]
    """Each with `name`, `accepted`, `badge` (`verified`, `self-reported`, None), `reasons`, `runs`.
    """
    accepted: str
    """Folder with what was accepted."""

    @property
    def is_clean(self) -> bool:
        """True if nothing was refused."""
        return all(row["accepted"] for row in self.submissions)


def take_in(
    inbox: Path,
    out: Path,
    rounds: Sequence[Path],
    *,
    heads: Sequence[str] = (),
    progress: Progress | None = None,
) -> Intake:
    """Check every submission of an inbox and copy those that are accepted.

    Args:
        inbox: A folder of submissions.
        out: Where decisions and accepted logs go; an earlier intake there is
            replaced.
        rounds: The receiver's own rounds.
        heads: Last hashes of ledgers, as published when the runs ended.
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
        rows.append(_decide(folder, target, rounds, heads))
    report = Intake(tuple(rows), str(target))
    write_json(out / DECISIONS, report.as_dict())
    return report


def _decide(folder: Path, target: Path, rounds: Sequence[Path], heads: Sequence[str]) -> Row:
    decision: Row = {"name": folder.name, "accepted": False, "badge": None, "runs": {}}
    if odd := list(_odd_files(folder)):
        return {**decision, "reasons": odd}
    found = check_submission(folder, rounds, heads=heads)
    reasons = [f"{each['check']}: {why}" for each in found.checks for why in each["problems"]]
    decision |= {"reasons": reasons, "runs": found.runs}
    if reasons:
        return decision
    shutil.copytree(folder / LOGS, target / folder.name, ignore=shutil.ignore_patterns(ADDED))
    badge = SELF_REPORTED if found.runs["self_reported"] else VERIFIED
    return {**decision, "accepted": True, "badge": badge}


def _odd_files(folder: Path) -> Iterator[str]:
    """Entries that are neither files nor folders; a link could lead anywhere on this machine."""
    for path in [folder, *sorted(folder.rglob("*"))]:
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            yield f"{path.relative_to(folder.parent)} is no plain file. Hand in copies, not links."
