"""Verbs of `viva audit` about tables: what retrieval finds, and what evaluators change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer

from vivavoce.cli.output import (
    JSON_OPTION,
    LOGS_ARGUMENT,
    PARTIAL_OPTION,
    RESAMPLES_OPTION,
    SEED_OPTION,
    print_json,
    print_table,
    progress,
    say,
)
from vivavoce.cli.reports import (
    Columns,
    cells,
    estimate,
    inner,
    interval,
    numbers,
    print_notes,
    print_rows,
    texts,
    tick,
)
from vivavoce.cli.rounds import ROUND_ARGUMENT

if TYPE_CHECKING:
    from vivavoce.results.audits.evaluator_swap import SwapAudit
    from vivavoce.results.audits.retrieval import RetrievalAudit
    from vivavoce.tasks.tables.roles.answering import Headers

_SHOWN = (2, 5, 10, 20, 50, 100)
"""Cutoffs of the curve that are printed; --json has all."""


def retrieval(
    folder: Path = ROUND_ARGUMENT,
    retriever: list[str] = typer.Option(
        [],
        "--retriever",
        help="tfidf, bm25, minilm, another preset or encoder, or PRESET=FOLDER; may be given "
        "again. By default the first three, minilm where it is installed.",
    ),
    corpus: Path | None = typer.Option(
        None, "--corpus", help="Search the papers of this corpus beside the works of the round."
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
    if as_json:
        print_json(found.as_dict())
    else:
        _print_retrieval(found)


def _print_retrieval(found: RetrievalAudit) -> None:
    _print_retrievers(found)
    say("")
    _print_curve(found)
    if found.differences:
        say("")
        _print_differences(found)
    say("")
    say("mean over tables [95% interval over source papers]; --json has every cutoff.")
    print_notes(found.notes)


def _print_retrievers(found: RetrievalAudit) -> None:
    print_rows(
        f"Round {found.round}: the works of its tables among {found.works:,} works",
        found.retrievers,
        texts("retriever"),
        *(_at(name) for name in found.retrievers[0]["at"]),
        inner(AP="ap", reachable="reachable"),
        texts(n="tables"),
    )


def _at(name: str) -> Columns:
    return cells(name.upper(), lambda row: estimate(row["at"][name]))


def _print_curve(found: RetrievalAudit) -> None:
    print_table(
        ["k", *(f"{letter} {row['retriever']}" for row in found.retrievers for letter in "PR")],
        [
            [
                str(point["k"]),
                *(
                    estimate({**row["curve"][place][letter], "ci": None})
                    for row in found.retrievers
                    for letter in "pr"
                ),
            ]
            for place, point in enumerate(found.retrievers[0]["curve"])
            if point["k"] in _SHOWN
        ],
        title="Precision and recall by the number of works retrieved",
    )


def _print_differences(found: RetrievalAudit) -> None:
    print_rows(
        "Differences on the same tables",
        found.differences,
        cells("measure", lambda row: row["measure"].upper()),
        texts("retriever", **{"more than": "first"}),
        interval("difference", "difference"),
        texts("n"),
        tick("tied"),
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
        None, "--keep", help="File of scores; what stands there is not asked for again."
    ),
    partial: bool = PARTIAL_OPTION,
    resamples: int = RESAMPLES_OPTION,
    seed: int = SEED_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Score the same tables with several evaluators: how far scores drift, whether ranks hold."""
    from vivavoce.results.audits.evaluator_swap import audit_evaluators
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
    if as_json:
        print_json(found.as_dict())
    else:
        _print_evaluators(found)
    if keep:
        say(str(keep), quiet=as_json)


def _print_evaluators(found: SwapAudit) -> None:
    base = found.compared.base
    print_rows(
        f"F1 against {base}: {found.items:,} items, {len(found.contestants)} contestants",
        found.compared.drift,
        texts("evaluator", "aspect"),
        interval("mean change", "mean", "mean_ci"),
        *(interval(name, name, f"{name}_ci") for name in ("shift", "relative")),
        numbers("max"),
        texts(of="max_of"),
    )
    say("")
    print_rows(
        f"Ranks of the contestants against those by {base}",
        found.compared.ranks,
        texts("evaluator", "aspect"),
        *(interval(name.title(), name, f"{name}_ci") for name in ("spearman", "kendall")),
    )
    say("")
    print_rows(
        "Evaluators",
        found.evaluators,
        texts("evaluator"),
        cells("answers", lambda row: f"{row['answers']:,}"),
        interval("yes where no is right"),
        texts("n"),
    )
    say("")
    say("value [95% interval over source papers]; change: its size; shift: other minus base.")
    print_notes(found.notes)
