"""Verbs that audit answers: what sways the judges of them, and what the items tell."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vivavoce.cli.output import (
    JSON_OPTION,
    LOGS_ARGUMENT,
    PARTIAL_OPTION,
    RESAMPLES_OPTION,
    SEED_OPTION,
    cells,
    estimate,
    inner,
    interval,
    numbers,
    print_notes,
    print_report,
    print_rows,
    print_section,
    say,
    texts,
)

if TYPE_CHECKING:
    from vivavoce.results.audits.judge import JudgeAudit

_AGREEMENT = inner("agreement", "kappa", "alpha") + texts("n")
_PLACE = ("round", "task", "task_version", "setting")


def _print_judge(found: JudgeAudit) -> None:
    print_section(
        "What sways a judge",
        found.measures,
        texts("judge", "criterion", "measure"),
        interval("value"),
        texts("n"),
        cells("unbiased", lambda row: "" if row["unbiased"] is None else f"{row['unbiased']:g}"),
    )
    print_section(
        "Judges of the same answers",
        found.agreement,
        cells("judges", lambda row: " / ".join(row["judges"])),
        texts("criterion"),
        _AGREEMENT,
    )
    print_section(
        "Points a judge gives beyond other judges: to its own family, to others",
        found.self_preference,
        texts("judge", "family"),
        inner("own", others="foreign"),
        interval("preference"),
        texts("n"),
    )
    if found.human:
        _print_people(found)
    print_section(
        "Win rates corrected by people",
        found.corrected,
        texts("judge", "contestant", "task", "setting"),
        inner(raw="raw"),
        cells("corrected", _corrected),
        texts("labels"),
        numbers("weight"),
    )
    say("value [95% interval]; docs/audits.md says what each number is.")
    print_notes(found.notes)


def _corrected(row: Mapping[str, Any]) -> str:
    return estimate(row["calibrated"]) if row["calibrated"] else "not calibrated"


def _print_people(found: JudgeAudit) -> None:
    print_rows(
        "Judges and people",
        found.human,
        texts("judge"),
        _AGREEMENT,
        inner(**{"without ties": "decided"}),
        cells("n", lambda row: str(row["decided"]["n"])),
        texts("indirect"),
    )
    people = found.human[0]["people"]
    if people["n"]:
        say(f"People agree with each other on {people['value']:.3f} (n {people['n']}).")
    say("")


def judge(
    logs: Path = LOGS_ARGUMENT,
    human: Path | None = typer.Option(
        None, "--human", help="People's labels: JSON Lines of {id, a, b, verdict: a|b|tie}."
    ),
    correct: bool = typer.Option(
        False, "--correct", help="Correct the judge's win rates by these labels."
    ),
    partial: bool = PARTIAL_OPTION,
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Measure what sways a judge, and how far judges and people agree."""
    from vivavoce.results.audits.judge import audit_judge

    found = audit_judge(
        logs, human=human, correct=correct, partial=partial, resamples=resamples, seed=seed
    )
    print_report(found, _print_judge, as_json=as_json)
