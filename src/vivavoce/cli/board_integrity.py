"""Verbs that say how far a board can be trusted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from vivavoce.cli.bind import Json, Logs, Rounds, verb
from vivavoce.cli.board import app
from vivavoce.cli.output import print_report, progress, say
from vivavoce.requests import Arg, Opt


@verb(app, "board verify logs")
def verify(
    logs: Logs,
    rounds: Rounds = (),
    as_json: Json = False,
) -> None:
    """Make answers and scores again, and name all that was edited.

    It proves that scores follow from the replies in the logs. Nobody can prove who wrote these.
    """
    from vivavoce.results.integrity.secrets import find_secrets
    from vivavoce.results.integrity.verification import verify_logs

    with progress("Logs") as update:
        found = verify_logs(logs, rounds, update)
    found = replace(found, secrets=tuple(find_secrets(logs)))
    print_report(found, as_json=as_json)
    if not found.is_sound:
        raise typer.Exit(1)


@verb(app, "board submit --check submission")
def submit(
    folder: Annotated[Path, Arg("Folder with submission.toml and logs.")],
    check: Annotated[bool, Opt("Check what a submission must have.")] = False,
    rounds: Rounds = (),
    as_json: Json = False,
) -> None:
    """Check a submission: its form, its logs and ledger, every score."""
    from vivavoce.results.integrity.submission import check_submission

    if not check:
        raise typer.BadParameter(
            "nothing is sent anywhere: check the folder with --check, then hand it in as files",
            param_hint="--check",
        )
    with progress("Logs") as update:
        found = check_submission(folder, rounds, update)
    print_report(found, as_json=as_json)
    if not found.complete:
        raise typer.Exit(1)


@verb(app, "board intake inbox --out taken --round rounds/2024-h2")
def intake(
    inbox: Annotated[Path, Arg("Folder with one submission in each of its folders.")],
    out: Annotated[Path, Opt("Folder for decisions and accepted logs.")],
    rounds: Rounds = (),
    as_json: Json = False,
) -> None:
    """Recompute submissions; accept them or refuse them with reasons."""
    from vivavoce.results.integrity.intake import DECISIONS, take_in

    with progress("Submissions") as update:
        found = take_in(inbox, out, rounds, update)
    print_report(found, as_json=as_json)
    if not as_json:
        say(str(out / DECISIONS))
    if not found.is_clean:
        raise typer.Exit(1)
