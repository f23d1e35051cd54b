"""Forgeries at every door of a board: verify, submit, intake and build.

The forger's folders are complete submissions.
"""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.results.integrity.forging import CAUGHT, Forgery, forge
from tests.servers.commands import only_json, viva_here

REFUSED, UNVERIFIED, PASSED = "refused", "not recomputed", "recomputed"
DOORS = ("verify", "submit", "intake", "build")
FORM = """
[submission]
team = "A lab"
contact = "lab@example.org"
date = 2024-06-01
private_runs = 0
"""


def write_form(submission: Path) -> None:
    """Write a form, as a forger would."""
    (submission / "submission.toml").write_text(FORM)


def said(*words: str | Path) -> tuple[int, Any]:
    """The exit code of a command, and its JSON document where it printed one."""
    done = viva_here("board", *words, "--json", expect=None)
    return done.exit_code, only_json(done.stdout) if done.stdout.strip() else None


def at_verify(submission: Path, *options: str | Path) -> str:
    """Verdict of `viva board verify` on the logs."""
    code, found = said("verify", submission / "logs", *options)
    if code:
        is_refused = (
            any(log["status"] == "refused" for log in found["logs"]) or found["ledger"]["problems"]
        )
        return REFUSED if is_refused else UNVERIFIED
    return PASSED


def at_submit(submission: Path, *options: str | Path) -> str:
    """Verdict of `viva board submit --check`."""
    code, _ = said("submit", "--check", submission, *options)
    return REFUSED if code else PASSED


def at_build(submission: Path, *options: str | Path) -> str:
    """Mark of the logs on the board of `viva board build`."""
    with tempfile.TemporaryDirectory() as name:
        quick = ("--out", name, "--resamples", "0", "--samples", "0")
        code, _ = said("build", submission / "logs", *quick, *options)
        if code:
            return REFUSED
        board = json.loads((Path(name) / "board.json").read_text())
    # A log that makes no row is named in a note.
    if any(words in note for note in board["notes"] for words in ("refused", "left out")):
        return REFUSED
    trust = {row["trust"] for row in board["rows"]}
    return PASSED if trust == {"recomputed"} else UNVERIFIED


def at_intake(inbox: Path, *options: str | Path) -> Mapping[str, str]:
    """Verdict of `viva board intake` on each submission."""
    with tempfile.TemporaryDirectory() as name:
        _, found = said("intake", inbox, "--out", Path(name) / "taken", *options)
    return {row["name"]: PASSED if row["accepted"] else REFUSED for row in found["submissions"]}


def try_doors(
    forgeries: Sequence[Forgery], honest: Path, round: Path, easy: Path, inbox: Path
) -> Iterator[tuple[Forgery, dict[str, str]]]:
    """Verdict of each door on each forgery."""
    folders = [inbox / f"{number:03d}" for number in range(len(forgeries))]
    for forgery, folder in zip(forgeries, folders, strict=True):
        forge(forgery, honest, folder / "logs", round, easy)
        write_form(folder)
    ours = ("--round", round)
    taken = at_intake(inbox, *ours)
    for forgery, folder in zip(forgeries, folders, strict=True):
        found = {
            "verify": at_verify(folder, *ours),
            "submit": at_submit(folder, *ours),
            "intake": taken[folder.name],
            "build": at_build(folder, *ours),
        }
        yield forgery, found


def problems_of(forgery: Forgery, verdicts: Mapping[str, str]) -> list[str]:
    """Doors that let a forgery pass which they should not."""
    if forgery.caught != CAUGHT:
        return []
    # Of a log that is gone a board has no row; the other doors name it.
    doors = DOORS[:3] if forgery.ledger.__name__ == "set_aside" else DOORS
    return [door for door in doors if verdicts[door] == PASSED]
