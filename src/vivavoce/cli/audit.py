"""Verbs that look for what may be behind a score: leaks, judges, retrieval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import typer

from vivavoce.cli.corpus import AT_PLACE
from vivavoce.cli.output import (
    JSON_OPTION,
    LOGS_ARGUMENT,
    PARTIAL_OPTION,
    RESAMPLES_OPTION,
    SEED_OPTION,
    Columns,
    cells,
    estimate,
    inner,
    interval,
    number,
    numbers,
    print_notes,
    print_report,
    print_rows,
    print_section,
    progress,
    say,
    texts,
    tick,
)
from vivavoce.cli.rounds import ROUND_ARGUMENT
from vivavoce.cli.views import print_gains

if TYPE_CHECKING:
    from vivavoce.results.audits.evaluators import SwapAudit
    from vivavoce.results.audits.judge import JudgeAudit
    from vivavoce.results.audits.leakage import LeakageAudit
    from vivavoce.results.audits.retrieval import RetrievalAudit
    from vivavoce.tasks.tables.roles.answering import Headers

_CURVE = (2, 5, 10, 20, 50, 100)
"""Cutoffs of the curve that are printed; --json has all."""

app = typer.Typer(
    no_args_is_help=True, help="Audit what may explain a score: leaks, judges, retrieval."
)


def _print_leakage(found: LeakageAudit) -> None:
    print_section(
        f"Round {found.round}: share of the gold's runs of words that stand in the input",
        found.cells,
        texts("task", "setting", "items", words="run_words"),
        inner("overlap"),
        cells("n", lambda row: str(row["overlap"]["n"])),
        numbers("median", "p95", "max"),
        texts(**{"> limit": "above_limit"}, verbatim="verbatim"),
    )
    print_section(
        "Dates",
        found.dates,
        texts("task", "items"),
        cells("earliest", lambda row: row["earliest"] or "–"),
        cells("latest", lambda row: row["latest"] or "–"),
        texts(outside="outside_window", demonstrations="demonstrations"),
        texts(**{"not earlier": "not_earlier", "split order": "split_order"}),
    )
    columns = texts("family", "task", "setting", "reason", "papers")
    print_section("Left out", found.left_out, columns)
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
    print_report(found, _print_leakage, as_json=as_json)
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
    print_report(found, _print_retrieval, as_json=as_json)


def _print_retrieval(found: RetrievalAudit) -> None:
    print_section(
        f"Round {found.round}: the works of its tables among {found.works:,} works",
        found.retrievers,
        texts("retriever"),
        *(_at(name) for name in found.retrievers[0]["at"]),
        inner(AP="ap", reachable="reachable"),
        texts(n="tables"),
    )
    curves = [(row["retriever"], row["curve"]) for row in found.retrievers]
    print_section(
        "Precision and recall by the number of works retrieved",
        [
            {"k": point["k"], "place": place}
            for place, point in enumerate(curves[0][1])
            if point["k"] in _CURVE
        ],
        texts("k"),
        *(
            _on_curve(f"{part.upper()} {name}", curve, part)
            for name, curve in curves
            for part in "pr"
        ),
    )
    print_section(
        "Differences on the same tables",
        found.differences,
        cells("measure", lambda row: row["measure"].upper()),
        texts("retriever", **{"more than": "first"}),
        interval("difference", "difference"),
        texts("n"),
        tick("tied"),
    )
    say("mean over tables [95% interval over source papers]; --json has every cutoff.")
    print_notes(found.notes)


def _at(name: str) -> Columns:
    return cells(name.upper(), lambda row: estimate(row["at"][name]))


def _on_curve(header: str, curve: Sequence[Mapping[str, Any]], part: str) -> Columns:
    return cells(header, lambda row: number(curve[row["place"]][part]["value"]))


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
    print_report(found, _print_evaluators, as_json=as_json)
    if keep:
        say(str(keep), quiet=as_json)


def _print_evaluators(found: SwapAudit) -> None:
    base = found.compared.base
    print_section(
        f"F1 against {base}: {found.items:,} items, {len(found.contestants)} contestants",
        found.compared.drift,
        texts("evaluator", "aspect"),
        interval("mean change", "mean", "mean_ci"),
        *(interval(name, name, f"{name}_ci") for name in ("shift", "relative")),
        numbers("max"),
        texts(of="max_of"),
    )
    print_section(
        f"Ranks of the contestants against those by {base}",
        found.compared.ranks,
        texts("evaluator", "aspect"),
        *(interval(name.title(), name, f"{name}_ci") for name in ("spearman", "kendall")),
    )
    print_section(
        "Evaluators",
        found.evaluators,
        texts("evaluator"),
        cells("answers", lambda row: f"{row['answers']:,}"),
        interval("yes where no is right"),
        texts("n"),
    )
    say("value [95% interval over source papers]; change: its size; shift: other minus base.")
    print_notes(found.notes)


_AGREEMENT = inner("agreement", "kappa", "alpha") + texts("n")


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
    print_report(found, _print_judge, as_json=as_json)
