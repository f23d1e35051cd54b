"""Verbs that look for what may be behind a score: leaks, judges, retrieval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from vivavoce.cli.bind import Json, Logs, RoundFolder, verb
from vivavoce.cli.corpus import AT_PLACE
from vivavoce.cli.output import (
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
from vivavoce.cli.views import print_gains
from vivavoce.requests import Bootstrap, Opt, WithPartial

if TYPE_CHECKING:
    from vivavoce.results.audits.evaluators import SwapAudit
    from vivavoce.results.audits.judge import JudgeAudit
    from vivavoce.results.audits.leakage import LeakageAudit
    from vivavoce.results.audits.retrieval import RetrievalAudit

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


@verb(app, "audit leakage rounds/2024-h2 --logs logs")
def leakage(
    folder: RoundFolder,
    reading: WithPartial,
    logs: Annotated[
        Path | None, Opt("Folder of logs of the round, for the title-only gap.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Look for gold in inputs, wrong dates and near copies; end with 1 when a rule is broken."""
    from vivavoce.results.audits.leakage import audit_leakage

    with progress("Comparing items") as update:
        found = audit_leakage(folder, logs=logs, progress=update, **vars(reading))
    print_report(found, _print_leakage, as_json=as_json)
    if found.breaches:
        raise typer.Exit(1)


@verb(app, "audit retrieval rounds/2024-h2")
def retrieval(
    folder: RoundFolder,
    bootstrap: Bootstrap,
    retriever: Annotated[
        Sequence[str],
        Opt(
            "tfidf, bm25, minilm, another preset or encoder, or PRESET=FOLDER; may be given "
            "again. By default the first three, minilm where it is installed."
        ),
    ] = (),
    corpus: Annotated[
        Path | None,
        typer.Option(
            help="Search the papers of this corpus beside the works of the round.", **AT_PLACE
        ),
    ] = None,
    depth: Annotated[int, Opt("The largest cutoff.", min=1)] = 100,
    device: Annotated[str, Opt("Where encoders run.")] = "cpu",
    cache: Annotated[Path | None, Opt("Folder that keeps vectors.")] = None,
    as_json: Json = False,
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
            draws=Draws(bootstrap.resamples, bootstrap.seed),
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


@verb(app, "audit evaluators logs --evaluator openai/gpt-4o --keep scores.jsonl")
def evaluators(
    logs: Logs,
    reading: WithPartial,
    evaluator: Annotated[
        Sequence[str],
        Opt(
            "A model that answers questions, or SYNTHESIZER,ANSWERER where another one words "
            "them; may be given again. The matcher is always among them."
        ),
    ] = (),
    base: Annotated[
        str | None, Opt("The evaluator that others are held against; by default matcher.")
    ] = None,
    setting: Annotated[str | None, Opt("Setting of the task, where the logs have several.")] = None,
    subset: Annotated[
        int | None, Opt("Score so many items, across all sizes of tables.", min=1)
    ] = None,
    pairs: Annotated[int, Opt("Pairwise questions a table.", min=1)] = 10,
    question_seed: Annotated[int, Opt("Seed of subset and questions.")] = 0,
    runs: Annotated[int, Opt("Runs of a model that are averaged.", min=1)] = 2,
    headers: Annotated[
        Literal["none", "schema", "model"], Opt("Who says which columns mean the same.")
    ] = "schema",
    prompts: Annotated[Path | None, Opt("Folder of prompt templates.")] = None,
    keep: Annotated[
        Path | None, Opt("File of scores; a score in it is not asked for again.")
    ] = None,
    as_json: Json = False,
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
            use=Use(pairs=pairs, seed=question_seed, runs=runs, headers=headers),
            prompts=prompts,
            keep=keep,
            partial=reading.partial,
            draws=Draws(reading.resamples, reading.seed),
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


@verb(app, "audit judge logs --human labels.jsonl")
def judge(
    logs: Logs,
    reading: WithPartial,
    human: Annotated[
        Path | None, Opt("People's labels: JSON Lines of {id, a, b, verdict: a|b|tie}.")
    ] = None,
    correct: Annotated[bool, Opt("Correct the judge's win rates by these labels.")] = False,
    as_json: Json = False,
) -> None:
    """Measure what sways a judge, and how far judges and people agree."""
    from vivavoce.results.audits.judge import audit_judge

    found = audit_judge(logs, human=human, correct=correct, **vars(reading))
    print_report(found, _print_judge, as_json=as_json)
