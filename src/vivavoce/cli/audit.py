"""Verbs that look for what may be behind a score: leaks, judges, wordings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vivavoce.cli.comparisons import estimate, number, print_gains, print_notes
from vivavoce.cli.log_options import LOGS_ARGUMENT, PARTIAL_OPTION, RESAMPLES_OPTION, SEED_OPTION
from vivavoce.cli.output import JSON_OPTION, print_json, print_table, progress, say
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
    print_table(
        ["judge", "criterion", "measure", "value", "n", "unbiased"],
        [
            [
                row["judge"],
                row["criterion"],
                row["measure"],
                estimate(row),
                str(row["n"]),
                "" if row["unbiased"] is None else f"{row['unbiased']:g}",
            ]
            for row in found.measures
        ],
        title="What sways a judge",
    )


def _print_agreement(found: JudgeAudit) -> None:
    print_table(
        ["judges", "criterion", "agreement", "kappa", "alpha", "n"],
        [
            [" / ".join(row["judges"]), row["criterion"], *_agreement(row)]
            for row in found.agreement
        ],
        title="Judges of the same answers",
    )


def _print_self_preference(found: JudgeAudit) -> None:
    print_table(
        ["judge", "family", "own", "others", "preference", "n"],
        [
            [
                row["judge"],
                row["family"],
                estimate(row["own"]),
                estimate(row["foreign"]),
                estimate(row),
                str(row["n"]),
            ]
            for row in found.self_preference
        ],
        title="Points a judge gives beyond other judges: to its own family, to others",
    )


def _print_people(found: JudgeAudit) -> None:
    print_table(
        ["judge", "agreement", "kappa", "alpha", "n", "without ties", "n", "indirect"],
        [
            [
                row["judge"],
                *_agreement(row),
                estimate(row["decided"]),
                str(row["decided"]["n"]),
                str(row["indirect"]),
            ]
            for row in found.human
        ],
        title="Judges and people",
    )
    people = found.human[0]["people"]
    if people["n"]:
        say(f"People agree with each other on {people['value']:.3f} (n {people['n']}).")


def _agreement(row: dict[str, Any]) -> list[str]:
    cells = [estimate(row[name]) for name in ("agreement", "kappa", "alpha")]
    return [*cells, str(row["n"])]


def _print_leakage(found: LeakageAudit) -> None:
    if found.cells:
        _print_overlap(found)
        say("")
        _print_dates(found)
        say("")
    if found.left_out:
        print_table(
            ["family", "task", "setting", "reason", "papers"],
            [
                [row["family"], row["task"], row["setting"], row["reason"], str(row["papers"])]
                for row in found.left_out
            ],
            title="Left out",
        )
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
    print_table(
        [
            *("task", "setting", "items", "words", "overlap", "n", "median", "p95", "max"),
            *("> limit", "verbatim"),
        ],
        [
            [
                row["task"],
                row["setting"],
                str(row["items"]),
                str(row["run_words"]),
                estimate(row["overlap"]),
                str(row["overlap"]["n"]),
                *(number(row[name]) for name in ("median", "p95", "max")),
                "" if row["above_limit"] is None else str(row["above_limit"]),
                str(row["verbatim"]),
            ]
            for row in found.cells
        ],
        title=f"Round {found.round}: share of the gold's runs of words that stand in the input",
    )


def _print_dates(found: LeakageAudit) -> None:
    print_table(
        [
            *("task", "items", "earliest", "latest", "outside", "demonstrations"),
            *("not earlier", "split order"),
        ],
        [
            [
                row["task"],
                str(row["items"]),
                row["earliest"] or "–",
                row["latest"] or "–",
                str(row["outside_window"]),
                str(row["demonstrations"]),
                str(row["not_earlier"]),
                str(row["split_order"]),
            ]
            for row in found.dates
        ],
        title="Dates",
    )


def _print_prompts(found: PromptAudit) -> None:
    spreads = [row for row in found.spreads if row["headline"]]
    print_table(
        ["contestant", "task", "setting", "metric", "means by variant", "spread", "n", "tied"],
        [
            [
                row["contestant"],
                row["task"],
                row["setting"],
                row["metric"],
                " · ".join(f"{each['variant']}: {estimate(each)}" for each in row["variants"]),
                estimate({"value": row["spread"], "ci": row["spread_ci"]}),
                str(row["n"]),
                " ".join("-".join(map(str, p["variants"])) for p in row["pairs"] if p["tied"]),
            ]
            for row in spreads
        ],
        title="Means over the items that every variant has, and their range",
    )
    measured = [row for row in found.differences if row["spread"] is not None]
    differences = [row for row in measured if row["headline"]]
    if differences:
        say("")
        print_table(
            ["a", "b", "task", "setting", "metric", "a - b", "n", "spread", "verdict"],
            [
                [
                    row["a"],
                    row["b"],
                    row["task"],
                    row["setting"],
                    row["metric"],
                    estimate({"value": row["difference"], "ci": row["ci"]}),
                    str(row["n"]),
                    number(row["spread"]),
                    row["verdict"] + (", changes its sign" if row["changes_sign"] else ""),
                ]
                for row in differences
            ],
            title="Differences between contestants, held against the larger of their spreads",
        )
    say("")
    say("value [95% interval]; --json has every metric and every pair of variants.")
    print_notes(found.notes)
