"""Verbs that say how far a board can be trusted, and those of `viva witness`."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vivavoce.cli.output import (
    CUTOFFS_OPTION,
    JSON_OPTION,
    LOGS_ARGUMENT,
    MARGIN_OPTION,
    PARTIAL_OPTION,
    RESAMPLES_OPTION,
    SEED_OPTION,
    Columns,
    cells,
    interval,
    need_web,
    numbers,
    print_json,
    print_notes,
    print_report,
    print_section,
    progress,
    say,
    texts,
)

if TYPE_CHECKING:
    from vivavoce.results import Table
    from vivavoce.results.integrity.submission import Intake, SubmissionReport
    from vivavoce.results.integrity.verification import Verification

ROUNDS_OPTION = typer.Option(
    [],
    "--round",
    help="Folder of your own copy of a round that logs have to be of; may be given again.",
)
HEADS_OPTION = typer.Option(
    [], "--head", help="Last hash of a ledger as it was published; may be given again."
)
WITNESS_OPTION = typer.Option(
    None, "--witness", help="Folder or address with what runs stated when they began and ended."
)
WITNESS_KEY_OPTION = typer.Option(
    None, "--witness-key", metavar="HEX", help="Public key; only statements that it signed count."
)


def verify(
    logs: Path = typer.Argument(help="Folder of logs, or of a site that viva board build wrote."),
    rounds: list[Path] = ROUNDS_OPTION,
    heads: list[str] = HEADS_OPTION,
    witness: str | None = WITNESS_OPTION,
    witness_key: str | None = WITNESS_KEY_OPTION,
    made_from: Path | None = typer.Option(None, "--logs", help="The logs that a site is made of."),
    reasked: int = typer.Option(
        0, "--reask", min=0, help="Items of each log to ask its model again, which is paid for."
    ),
    seed: int = SEED_OPTION,
    cutoffs: Path | None = CUTOFFS_OPTION,
    margin: int = MARGIN_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Make answers and scores, or the pages of a site, again, and name all that was edited."""
    from vivavoce.results.integrity.secrets import find_secrets
    from vivavoce.results.integrity.verification import verify_logs
    from vivavoce.running.witness import read_statements

    if (logs / "site.json").is_file():
        _verify_site(logs, made_from, rounds, heads, cutoffs, margin, as_json)
        return
    statements = read_statements(witness, witness_key) if witness else []
    with progress("Logs") as update:
        found = verify_logs(logs, rounds, update, heads=heads, statements=statements)
    found = replace(found, secrets=tuple(find_secrets(logs)))
    again = _reask(logs, rounds, reasked, seed) if reasked else None
    if as_json:
        print_json(found.as_dict() | ({"reasked": list(again.rows)} if again else {}))
    else:
        _print_verification(found)
        if again:
            _print_reasked(again)
    if not found.is_sound or (again and any(row["doubtful"] for row in again.rows)):
        raise typer.Exit(1)


def _reask(logs: Path, rounds: list[Path], count: int, seed: int) -> Table:
    from vivavoce.results.integrity.reasking import reask

    return reask(logs, rounds, count, seed=seed)


def _print_reasked(found: Table) -> None:
    print_section(
        "asked again",
        found.rows,
        texts("log", "model", "metric", "items"),
        numbers("logged", "again", "difference", "p"),
        cells("", lambda row: row["reason"] or ("doubtful" if row["doubtful"] else "")),
    )
    print_notes(found.notes)


def _verify_site(
    site: Path,
    logs: Path | None,
    rounds: list[Path],
    heads: list[str],
    cutoffs: Path | None,
    margin: int,
    as_json: bool,
) -> None:
    from vivavoce.models.cutoffs import load_cutoffs
    from vivavoce.publication import SiteInputs, check_site

    if logs is None:
        raise typer.BadParameter("a site is held against its logs: name them", param_hint="--logs")
    known = load_cutoffs(cutoffs, margin)
    inputs = SiteInputs(cutoffs=known, rounds=rounds, heads=heads)
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


def _print_verification(found: Verification) -> None:
    from vivavoce.results.integrity.verification import SELF_REPORTED

    for log in found.logs:
        rest = f"; {log.continued_by} went on" if log.continued_by else ""
        say(f"{log.status}  {log.name} ({log.samples} samples{rest})")
        for line in (*log.refused, *log.unverified):
            say(f"  {line}")
    ledger = found.ledger
    for problem in (*ledger.problems, *found.secrets):
        say(f"refused  {problem}")
    for path, head in ledger.heads.items():
        say(f"{path}: {head}")
    if not ledger.heads:
        say("There is no ledger (runs.jsonl): nothing tells what else was run.")
    elif ledger.unrecorded:
        say(f"{len(ledger.unrecorded)} logs are in no ledger.")
    if ledger.elsewhere:
        say(f"The witness knows {ledger.elsewhere} further runs of these models.")
    if ledger.removed:
        say(f"{len(ledger.removed)} logs of runs are gone.")
    unnamed = {str(log.round["folder"]) for log in found.logs if log.round.get("named") is False}
    for folder in sorted(unnamed):
        say(f"Held against the round that the logs lead to, {folder}: name yours with --round.")
    if not found.is_sound:
        say("Not verified.")
        return
    say("Every score is what the answers are worth.")
    reported = sum(log.provenance == SELF_REPORTED for log in found.logs)
    if reported:
        say(f"Of {reported} logs only who ran them says that the model gave these answers.")


def _print_contamination(found: Table) -> None:
    headlines = [row for row in found.rows if row["headline"]]
    for (round_id, task, setting), rows in groupby(
        headlines, key=lambda row: (row["round"], row["task"], row["setting"])
    ):
        members = list(rows)
        print_section(
            f"{task} · {setting} · round {round_id}",
            members,
            texts("contestant"),
            cells("cutoff", lambda row: row["cutoff"] or "–"),
            *map(_items, ("seen", "possibly", "clean", "unknown")),
            numbers(**{f"{members[0]['metric']} seen": "seen", "clean": "clean"}),
            interval("gap", "gap"),
            cells("yardstick", lambda row: row["yardstick"] or "–"),
            interval("gap of the lead", "lead_gap", "lead_ci"),
        )
    say("items that were there before the cutoff (seen), near it (possibly), after it (clean);")
    say("gap: seen - clean [95% interval]; of the lead over the best untrained contestant too.")
    print_notes(found.notes)


def _items(header: str) -> Columns:
    name = "possibly_seen" if header == "possibly" else header
    return cells(header, lambda row: f"{row['items'][name]:,}")


def contamination(
    logs: Path = LOGS_ARGUMENT,
    cutoffs: Path | None = CUTOFFS_OPTION,
    margin: int = MARGIN_OPTION,
    partial: bool = PARTIAL_OPTION,
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Print each model's items by its cutoff, and how much better it does on the older ones."""
    from vivavoce.models.cutoffs import load_cutoffs
    from vivavoce.results.integrity.contamination import contamination_report

    found = contamination_report(
        logs, load_cutoffs(cutoffs, margin), partial=partial, resamples=resamples, seed=seed
    )
    print_report(found, _print_contamination, as_json=as_json)


def submit(
    folder: Path = typer.Argument(help="Folder with submission.toml and logs."),
    check: bool = typer.Option(False, "--check", help="Check what a submission must have."),
    rounds: list[Path] = ROUNDS_OPTION,
    heads: list[str] = HEADS_OPTION,
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
        found = check_submission(folder, rounds, update, heads)
    print_report(found, _print_submission, as_json=as_json)
    if not found.complete:
        raise typer.Exit(1)


def intake(
    inbox: Path = typer.Argument(help="Folder with one submission in each of its folders."),
    out: Path = typer.Option(..., "--out", help="Folder for decisions and accepted logs."),
    rounds: list[Path] = ROUNDS_OPTION,
    heads: list[str] = HEADS_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Recompute submissions; accept them or refuse them with reasons."""
    from vivavoce.results.integrity.submission import DECISIONS, take_in

    with progress("Submissions") as update:
        found = take_in(inbox, out, rounds, heads=heads, progress=update)
    print_report(found, _print_intake, as_json=as_json)
    if not as_json:
        say(str(out / DECISIONS))
    if not found.is_clean:
        raise typer.Exit(1)


def _print_intake(found: Intake) -> None:
    for row in found.submissions:
        say(f"{'accepted' if row['accepted'] else 'refused '}  {row['name']}  {row['badge'] or ''}")
        for reason in row["reasons"]:
            say(f"  {reason}")
    say(f"Build the board of what was accepted: viva board build {found.accepted} --out site")


def _print_submission(found: SubmissionReport) -> None:
    for each in found.checks:
        say(f"{'ok     ' if each['ok'] else 'missing'}  {each['check']}")
        for problem in each["problems"]:
            say(f"  {problem}")
    for name, count in found.runs.items():
        say(f"{name.replace('_', ' ')}: {'–' if count is None else count}")


witness_app = typer.Typer(no_args_is_help=True, help="Keep and sign what runs state of themselves.")
_KEY_OPTION = typer.Option(..., "--key", help="File of the private key.")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@witness_app.command("key", epilog="Example: viva witness key witness.key")
def witness_key(
    path: Path = typer.Argument(help="File for the private key."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Make a key to sign with, and print its public half."""
    from vivavoce.running.witness import make_key

    public = make_key(path)
    if as_json:
        print_json({"public_key": public, "file": str(path)})
    else:
        say(public)
        say(str(path))


@witness_app.command("sign", epilog="Example: viva witness sign statements --key witness.key")
def witness_sign(
    folder: Path = typer.Argument(help="Folder of statements.", exists=True, file_okay=False),
    key: Path = _KEY_OPTION,
    time: str = typer.Option("", "--time", help="When they were seen; now by default."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Sign every statement of a folder that is not signed yet."""
    from vivavoce.running.witness import read_key, sign_statements

    signed = sign_statements(folder, read_key(key), time or _now())
    if as_json:
        print_json({"signed": list(signed)})
    else:
        say(f"{len(signed)} statements signed in {folder}.")


@witness_app.command("serve", epilog="Example: viva witness serve statements --key witness.key")
def witness_serve(
    folder: Path = typer.Argument(help="Folder that keeps the statements."),
    key: Path = _KEY_OPTION,
    host: str = typer.Option("127.0.0.1", "--host", help="Address to listen on."),
    port: int = typer.Option(8765, "--port", min=0, max=65535, help="Port; 0 for any free one."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Take statements over HTTP and sign each with the time of its arrival."""
    from vivavoce.running.witness import read_key

    need_web("viva witness serve")
    from vivavoce.web.serving import serve_app
    from vivavoce.web.serving import witness_app as make_app

    signer = read_key(key)

    def announce(address: str) -> None:
        where = address.rstrip("/")
        if as_json:
            print_json({"address": where})
        else:
            say(f"Listening on {where}")

    serve_app(make_app(folder, signer, _now), host, port, announce)
