"""Verbs that look for what may be behind a score: leaks, judges, retrieval."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer

from vivavoce.cli.corpus import AT_PLACE
from vivavoce.cli.output import (
    JSON_OPTION,
    LOGS_ARGUMENT,
    PARTIAL_OPTION,
    RESAMPLES_OPTION,
    SEED_OPTION,
    print_report,
    progress,
    say,
)
from vivavoce.cli.rounds import ROUND_ARGUMENT

if TYPE_CHECKING:
    from vivavoce.tasks.tables.roles.answering import Headers

app = typer.Typer(
    no_args_is_help=True, help="Audit what may explain a score: leaks, judges, retrieval."
)


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
            folder, logs=logs, progress=update, partial=partial, resamples=resamples, seed=seed
        )
    print_report(found, as_json=as_json)
    if found.breaches:
        raise typer.Exit(1)


@app.command(epilog="Example: viva audit retrieval rounds/2024-h2")
def retrieval(
    folder: Path = ROUND_ARGUMENT,
    retriever: list[str] = typer.Option(
        [],
        "--retriever",
        help="tfidf, bm25, minilm, another preset or encoder, or PRESET=FOLDER; may be given "
        "again. By default the first three, minilm where it is installed.",
    ),
    corpus: Path | None = typer.Option(
        None,
        "--corpus",
        help="Search the papers of this corpus beside the works of the round.",
        **AT_PLACE,
    ),
    depth: int = typer.Option(100, "--depth", min=1, help="The largest cutoff."),
    device: str = typer.Option("cpu", "--device", help="Where encoders run."),
    cache: Path | None = typer.Option(None, "--cache", help="Folder that keeps vectors."),
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Measure how well the works of a round's tables are found by the demands alone."""
    from vivavoce.results.audits.retrieval import audit_retrieval
    from vivavoce.statistics.estimates import Draws

    with progress("Retrievers") as update:
        found = audit_retrieval(
            folder,
            retriever,
            corpus=corpus,
            depth=depth,
            device=device,
            cache=cache,
            draws=Draws(resamples, seed),
            progress=update,
        )
    print_report(found, as_json=as_json)


@app.command(
    epilog="Example: viva audit evaluators logs --evaluator openai/gpt-4o --keep scores.jsonl"
)
def evaluators(
    logs: Path = LOGS_ARGUMENT,
    evaluator: list[str] = typer.Option(
        [],
        "--evaluator",
        help="A model that answers questions, or SYNTHESIZER,ANSWERER where another one words "
        "them; may be given again. The matcher is always among them.",
    ),
    base: str | None = typer.Option(
        None, "--base", help="The evaluator that others are held against; by default matcher."
    ),
    setting: str | None = typer.Option(
        None, "--setting", help="Setting of the task, where the logs have several."
    ),
    subset: int | None = typer.Option(
        None, "--subset", min=1, help="Score so many items, across all sizes of tables."
    ),
    pairs: int = typer.Option(10, "--pairs", min=1, help="Pairwise questions a table."),
    question_seed: int = typer.Option(0, "--question-seed", help="Seed of subset and questions."),
    runs: int = typer.Option(2, "--runs", min=1, help="Runs of a model that are averaged."),
    headers: str = typer.Option(
        "schema", "--headers", help="Who says which columns mean the same: none, schema or model."
    ),
    prompts: Path | None = typer.Option(None, "--prompts", help="Folder of prompt templates."),
    keep: Path | None = typer.Option(
        None, "--keep", help="File of scores; a score in it is not asked for again."
    ),
    partial: bool = PARTIAL_OPTION,
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Score the same tables with several evaluators: how far scores drift, whether ranks hold."""
    from vivavoce.results.audits.evaluators import audit_evaluators
    from vivavoce.statistics.estimates import Draws
    from vivavoce.tasks.tables.roles.answering import Use

    with progress("Answers") as update:
        found = audit_evaluators(
            logs,
            evaluator,
            base=base,
            setting=setting,
            subset=subset,
            use=Use(pairs=pairs, seed=question_seed, runs=runs, headers=cast("Headers", headers)),
            prompts=prompts,
            keep=keep,
            partial=partial,
            draws=Draws(resamples, seed),
            progress=update,
        )
    print_report(found, as_json=as_json)
    if keep:
        say(str(keep), quiet=as_json)


@app.command(epilog="Example: viva audit judge logs --human labels.jsonl")
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
    print_report(found, as_json=as_json)
