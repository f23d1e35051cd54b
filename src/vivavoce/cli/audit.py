"""Verbs that look for other explanations of a score: leaks, judges, retrieval."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from vivavoce.cli.bind import Logs, RoundFolder, verb
from vivavoce.cli.corpus import AT_PLACE
from vivavoce.cli.output import Answer, progress
from vivavoce.requests import Bootstrap, Opt, PartialLogs

app = typer.Typer(
    no_args_is_help=True, help="Check a score for other causes: leaks, judges, retrieval."
)


@verb(app, "audit leakage rounds/2024-h2")
def leakage(folder: RoundFolder, bootstrap: Bootstrap) -> Answer:
    """Look for gold in inputs, wrong dates and near copies; exit with 1 if a rule is broken."""
    from vivavoce.results.audits.leakage import audit_leakage

    with progress("Comparing items") as update:
        audit = audit_leakage(folder, progress=update, **vars(bootstrap))
    return Answer.of(audit, failed=bool(audit.breaches))


@verb(app, "audit retrieval rounds/2024-h2")
def retrieval(
    folder: RoundFolder,
    bootstrap: Bootstrap,
    retriever: Annotated[
        Sequence[str],
        Opt(
            "tfidf, bm25, minilm, another preset or encoder, or PRESET=FOLDER; repeatable. By "
            "default tfidf, bm25 and, if installed, minilm."
        ),
    ] = (),
    corpus: Annotated[
        Path | None,
        typer.Option(help="Also search the papers of this corpus.", **AT_PLACE),
    ] = None,
    depth: Annotated[int, Opt("Largest cutoff of the ranking.", min=1)] = 100,
    device: Annotated[str, Opt("Device that encoders run on.")] = "cpu",
) -> Answer:
    """Measure how well the demands alone retrieve the works of a round's tables."""
    from vivavoce.results.audits.retrieval import audit_retrieval
    from vivavoce.statistics.estimates import Draws

    with progress("Retrievers") as update:
        audit = audit_retrieval(
            folder,
            retriever,
            corpus=corpus,
            depth=depth,
            device=device,
            draws=Draws(bootstrap.resamples, bootstrap.seed),
            progress=update,
        )
    return Answer.of(audit)


@verb(app, "audit evaluators logs --evaluator openai/gpt-4o")
def evaluators(
    logs: Logs,
    reading: PartialLogs,
    evaluator: Annotated[
        Sequence[str],
        Opt(
            "A model that answers questions, or SYNTHESIZER,ANSWERER if another one writes them; "
            "repeatable. The matcher is always included."
        ),
    ] = (),
    base: Annotated[str | None, Opt("The evaluator to compare with (default matcher).")] = None,
    setting: Annotated[str | None, Opt("Setting of the task, if the logs have several.")] = None,
    pairs: Annotated[int, Opt("Pairwise questions per table.", min=1)] = 10,
) -> Answer:
    """Score the same tables with several evaluators and compare scores and ranks."""
    from vivavoce.results.audits.evaluators import audit_evaluators
    from vivavoce.statistics.estimates import Draws
    from vivavoce.tasks.tables.yes_or_no import QASetup

    with progress("Answers") as update:
        audit = audit_evaluators(
            logs,
            evaluator,
            base=base,
            setting=setting,
            use=QASetup(pairs=pairs),
            partial=reading.partial,
            draws=Draws(reading.resamples, reading.seed),
            progress=update,
        )
    return Answer.of(audit)


@verb(app, "audit judge logs --human labels.jsonl")
def judge(
    logs: Logs,
    reading: PartialLogs,
    human: Annotated[Path | None, Opt("JSON Lines of {id, a, b, verdict: a|b|tie}.")] = None,
    correct: Annotated[bool, Opt("Correct the judge's metrics by these labels.")] = False,
) -> Answer:
    """Measure a judge's biases, and how far judges and people agree."""
    from vivavoce.results.audits.judge import audit_judge

    audit = audit_judge(logs, human=human, correct=correct, **vars(reading))
    return Answer.of(audit)
