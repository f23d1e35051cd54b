"""Verbs that say how far a board can be trusted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import typer

from vivavoce.cli.output import (
    CUTOFFS_OPTION,
    JSON_OPTION,
    MARGIN_OPTION,
    print_json,
    print_report,
    progress,
    say,
)

ROUNDS_OPTION = typer.Option(
    [],
    "--round",
    help="Folder of your own copy of a round that logs have to be of; may be given again.",
)


def verify(
    logs: Path = typer.Argument(help="Folder of logs, or of a site that viva board build wrote."),
    rounds: list[Path] = ROUNDS_OPTION,
    made_from: Path | None = typer.Option(None, "--logs", help="The logs that a site is made of."),
    cutoffs: Path | None = CUTOFFS_OPTION,
    margin: int = MARGIN_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Make answers and scores, or the pages of a site, again, and name all that was edited.

    It proves that scores follow from the replies in the logs. Nobody can prove who wrote these.
    """
    from vivavoce.results.integrity.secrets import find_secrets
    from vivavoce.results.integrity.verification import verify_logs

    if (logs / "site.json").is_file():
        _verify_site(logs, made_from, rounds, cutoffs, margin, as_json)
        return
    with progress("Logs") as update:
        found = verify_logs(logs, rounds, update)
    found = replace(found, secrets=tuple(find_secrets(logs)))
    print_report(found, as_json=as_json)
    if not found.is_sound:
        raise typer.Exit(1)


def _verify_site(
    site: Path,
    logs: Path | None,
    rounds: list[Path],
    cutoffs: Path | None,
    margin: int,
    as_json: bool,
) -> None:
    from vivavoce.models.cutoffs import load_cutoffs
    from vivavoce.publication import SiteInputs, check_site

    if logs is None:
        raise typer.BadParameter("a site is held against its logs: name them", param_hint="--logs")
    known = load_cutoffs(cutoffs, margin)
    inputs = SiteInputs(cutoffs=known, rounds=rounds)
    with progress("Logs") as update:
        problems = check_site(site, logs, inputs, update)
    if as_json:
        print_json({"verified": not problems, "problems": problems})
    else:
        for problem in problems:
            say(f"refused  {problem}")
        say("Not verified." if problems else "Every file is what the logs give.")
    if problems:
        raise typer.Exit(1)


def submit(
    folder: Path = typer.Argument(help="Folder with submission.toml and logs."),
    check: bool = typer.Option(False, "--check", help="Check what a submission must have."),
    rounds: list[Path] = ROUNDS_OPTION,
    as_json: bool = JSON_OPTION,
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


def intake(
    inbox: Path = typer.Argument(help="Folder with one submission in each of its folders."),
    out: Path = typer.Option(..., "--out", help="Folder for decisions and accepted logs."),
    rounds: list[Path] = ROUNDS_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Recompute submissions; accept them or refuse them with reasons."""
    from vivavoce.results.integrity.submission import DECISIONS, take_in

    with progress("Submissions") as update:
        found = take_in(inbox, out, rounds, update)
    print_report(found, as_json=as_json)
    if not as_json:
        say(str(out / DECISIONS))
    if not found.is_clean:
        raise typer.Exit(1)
