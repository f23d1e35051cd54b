"""Verbs that build and check rounds."""

from __future__ import annotations

from pathlib import Path

import typer

from vivavoce.cli.corpus import CORPUS_OPTION, report_problems
from vivavoce.cli.output import JSON_OPTION, print_counts, print_json, say

ROUND_ARGUMENT = typer.Argument(
    metavar="ROUND", help="The folder that holds the round's manifest.json."
)

app = typer.Typer(no_args_is_help=True, help="Build a round from a corpus, check it, measure it.")


@app.command(epilog="Example: viva round build spec.toml --corpus corpus --out rounds")
def build(
    spec: Path = typer.Argument(metavar="SPEC", help="The round's spec, a TOML file."),
    corpus: Path = CORPUS_OPTION,
    out: Path = typer.Option(..., "--out", help="The folder that holds rounds."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Build a round: dated, leak-checked and frozen."""
    from vivavoce.tasks import build_round

    built = build_round(corpus, spec, out)
    counts = built.manifest["counts"]
    if as_json:
        summary = {"round": built.id, "path": str(built.folder), "manifest": built.sha256}
        print_json({**summary, "counts": counts})
    else:
        for family, task in built.tasks():
            row = counts[family][task]
            left_out = sum(row["excluded"].values())
            say(f"  {task}: {row['items']:,} items, {left_out:,} papers left out")
        say(str(built.folder))


@app.command(epilog="Example: viva round verify rounds/2024-h2")
def verify(folder: Path = ROUND_ARGUMENT, as_json: bool = JSON_OPTION) -> None:
    """Check every file of a round against its manifest."""
    from vivavoce.rounds import verify_round

    report_problems(verify_round(folder), folder, as_json)


@app.command(epilog="Example: viva round stats rounds/2024-h2")
def stats(folder: Path = ROUND_ARGUMENT, as_json: bool = JSON_OPTION) -> None:
    """Measure a round: items, splits, lengths, and what was left out and why."""
    from vivavoce.rounds import load_round, round_stats

    counts = round_stats(load_round(folder))
    if as_json:
        print_json(counts)
    else:
        say(str(folder))
        print_counts(counts)
