"""Verbs that look for what may be behind a score: leaks, judges, wordings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vivavoce.cli.comparisons import print_gains
from vivavoce.cli.output import (
    JSON_OPTION,
    LOGS_ARGUMENT,
    PARTIAL_OPTION,
    RESAMPLES_OPTION,
    SEED_OPTION,
    print_json,
    progress,
    say,
)
from vivavoce.cli.reports import (
    cells,
    estimate,
    inner,
    interval,
    numbers,
    print_notes,
    print_rows,
    texts,
)
from vivavoce.cli.rounds import ROUND_ARGUMENT

if TYPE_CHECKING:
    from vivavoce.results.audits.judge import JudgeAudit
    from vivavoce.results.audits.leakage import LeakageAudit
    from vivavoce.results.audits.prompts import PromptAudit

app = typer.Typer(
    no_args_is_help=True, help="Look for what may be behind a score: leaks, judges, wordings."
)


@app.command(epilog="Example: viva audit judge logs --human labels.jsonl")
def judge(
    logs: Path = LOGS_ARGUMENT,
    human: Path | None = typer.Option(
        None, "--human", help="People's labels: JSON Lines of {id, a, b, verdict: a|b|tie}."
    ),
    partial: bool = PARTIAL_OPTION,
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Measure what sways a judge, and how far judges and people agree."""
    from vivavoce.results.audits.judge import audit_judge

    found = audit_judge(logs, human=human, partial=partial, resamples=resamples, seed=seed)
    if as_json:
        print_json(found.as_dict())
    else:
        _print_judge(found)


@app.command(epilog="Example: viva audit leakage rounds/2024-h2 --logs logs")
def leakage(
    folder: Path = ROUND_ARGUMENT,
    logs: Path | None = typer.Option(
        None, "--logs", help="Folder of logs of the round, for the title-only gap."
    ),
    partial: bool = PARTIAL_OPTION,
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Look for gold in inputs, wrong dates and near copies; end with 1 when a rule is broken."""
    from vivavoce.results.audits.leakage import audit_leakage

    with progress("Comparing items") as update:
        found = audit_leakage(
            folder, logs=logs, partial=partial, resamples=resamples, seed=seed, progress=update
        )
    if as_json:
        print_json(found.as_dict())
    else:
        _print_leakage(found)
    if found.breaches:
        raise typer.Exit(1)


@app.command(epilog="Example: viva audit prompts logs")
def prompts(
    logs: Path = LOGS_ARGUMENT,
    partial: bool = PARTIAL_OPTION,
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Measure the spread over worded variants, and which differences are smaller than it."""
    from vivavoce.results.audits.prompts import audit_prompts

    found = audit_prompts(logs, partial=partial, resamples=resamples, seed=seed)
    if as_json:
        print_json(found.as_dict())
    else:
        _print_prompts(found)


def _print_judge(found: JudgeAudit) -> None:
    _print_measures(found)
    if found.agreement:
        say("")
        _print_agreement(found)
    if found.self_preference:
        say("")
        _print_self_preference(found)
    if found.human:
        say("")
        _print_people(found)
    say("")
    say("value [95% interval]; docs/audits.md says what each number is.")
    print_notes(found.notes)


def _print_measures(found: JudgeAudit) -> None:
    print_rows(
        "What sways a judge",
        found.measures,
        texts("judge", "criterion", "measure"),
        interval("value"),
        texts("n"),
        cells("unbiased", lambda row: "" if row["unbiased"] is None else f"{row['unbiased']:g}"),
    )


_AGREEMENT = inner("agreement", "kappa", "alpha") + texts("n")


def _print_agreement(found: JudgeAudit) -> None:
    print_rows(
        "Judges of the same answers",
        found.agreement,
        cells("judges", lambda row: " / ".join(row["judges"])),
        texts("criterion"),
        _AGREEMENT,
    )


def _print_self_preference(found: JudgeAudit) -> None:
    print_rows(
        "Points a judge gives beyond other judges: to its own family, to others",
        found.self_preference,
        texts("judge", "family"),
        inner("own", others="foreign"),
        interval("preference"),
        texts("n"),
    )


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


def _print_leakage(found: LeakageAudit) -> None:
    if found.cells:
        _print_overlap(found)
        say("")
        _print_dates(found)
        say("")
    if found.left_out:
        columns = texts("family", "task", "setting", "reason", "papers")
        print_rows("Left out", found.left_out, columns)
        say("")
    if found.title_only:
        print_gains(list(found.title_only), "Title-only gap: the title alone against the base")
        say("")
    for row in found.findings:
        other = f" and {row['other']}" if row["other"] else ""
        where = f"{row['task']} · {row['setting']}" if row["setting"] else row["task"]
        kind = "Breach" if row["breach"] else "Note"
        say(f"{kind}: {row['check']}: {where}: {row['id']}{other} {row['detail']}".rstrip())
    print_notes(found.notes)
    say(f"{found.breaches} breaches, {len(found.findings) - found.breaches} other findings")


def _print_overlap(found: LeakageAudit) -> None:
    print_rows(
        f"Round {found.round}: share of the gold's runs of words that stand in the input",
        found.cells,
        texts("task", "setting", "items", words="run_words"),
        inner("overlap"),
        cells("n", lambda row: str(row["overlap"]["n"])),
        numbers("median", "p95", "max"),
        texts(**{"> limit": "above_limit"}, verbatim="verbatim"),
    )


def _print_dates(found: LeakageAudit) -> None:
    print_rows(
        "Dates",
        found.dates,
        texts("task", "items"),
        cells("earliest", lambda row: row["earliest"] or "–"),
        cells("latest", lambda row: row["latest"] or "–"),
        texts(outside="outside_window", demonstrations="demonstrations"),
        texts(**{"not earlier": "not_earlier", "split order": "split_order"}),
    )


def _print_prompts(found: PromptAudit) -> None:
    print_rows(
        "Means over the items that every variant has, and their range",
        (row for row in found.spreads if row["headline"]),
        texts("contestant", "task", "setting", "metric"),
        cells("means by variant", _means),
        interval("spread", "spread", "spread_ci"),
        texts("n"),
        cells("tied", _tied),
    )
    measured = [row for row in found.differences if row["spread"] is not None]
    differences = [row for row in measured if row["headline"]]
    if differences:
        say("")
        print_rows(
            "Differences between contestants, held against the larger of their spreads",
            differences,
            texts("a", "b", "task", "setting", "metric"),
            interval("a - b", "difference"),
            texts("n"),
            numbers("spread"),
            cells(
                "verdict", lambda row: row["verdict"] + ", changes its sign" * row["changes_sign"]
            ),
        )
    say("")
    say("value [95% interval]; --json has every metric and every pair of variants.")
    print_notes(found.notes)


def _means(row: Mapping[str, Any]) -> str:
    return " · ".join(f"{each['variant']}: {estimate(each)}" for each in row["variants"])


def _tied(row: Mapping[str, Any]) -> str:
    return " ".join("-".join(map(str, pair["variants"])) for pair in row["pairs"] if pair["tied"])


def _verdict(row: Mapping[str, Any]) -> str:
    return f"{row['verdict']}{', changes its sign' * bool(row['changes_sign'])}"
