"""Verbs that run tasks or score answers: `run`, `score`, `demo` and `smoke`."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vivavoce.cli import completion
from vivavoce.cli.board import print_board
from vivavoce.cli.output import JSON_OPTION, print_json, print_table, progress, say

if TYPE_CHECKING:
    from vivavoce.demonstration import SmokeReport, SmokeRow
    from vivavoce.running import RunReport


_until = partial(typer.Option, rich_help_panel="Stopping when it is decided")
_limit = partial(typer.Option, rich_help_panel="Decoding and limits")


def run(
    tasks: list[str] = typer.Argument(
        help="Tasks, such as title; viva list tasks shows them.", autocompletion=completion.tasks
    ),
    round_folder: Path = typer.Option(..., "--round", help="The folder of the round, or sample."),
    model: list[str] = typer.Option([], "--model", help="provider/model; may be given again."),
    method: list[str] = typer.Option(
        ["direct"],
        "--method",
        help="How the model is used; oracle, null and copycat need none.",
        autocompletion=completion.methods,
    ),
    agent: str | None = typer.Option(
        None,
        "--agent",
        metavar="FILE.py@NAME",
        help="An agent of your own: an async function, or an agent of Inspect.",
    ),
    judge: str | None = typer.Option(
        None, "--judge", help="A model that compares each answer with the gold: provider/model."
    ),
    witness: str | None = typer.Option(
        None,
        "--witness",
        metavar="FOLDER|URL",
        help="Where to state the head of the ledger before and after.",
    ),
    logs: Path = typer.Option(..., "--logs", help="Folder for the logs; a rerun resumes from it."),
    setting: str = typer.Option("base", "--setting", help="What the model sees."),
    context: int | None = typer.Option(
        None, "--context", min=1, help="The model's window in tokens."
    ),
    task_arg: list[str] = typer.Option(
        [], "--task-arg", "-T", help="NAME=VALUE for the tasks, such as data_info=full."
    ),
    solver_arg: list[str] = typer.Option(
        [], "--method-arg", "-S", help="NAME=VALUE for the methods, such as rounds=5."
    ),
    sweep: list[str] = typer.Option(
        [],
        "--sweep",
        help="NAME=VALUES of such arguments, every combination: batch=2,4 rounds=2..5.",
    ),
    subset: int | None = typer.Option(
        None, "--subset", min=1, help="N items of each task, the same for everyone; boards say so."
    ),
    subset_seed: int = typer.Option(0, "--subset-seed", help="Seed of the choice of items."),
    stratify: bool = typer.Option(
        False, "--stratify", help="Choose items of every category and size of gold."
    ),
    clean_only: bool = typer.Option(
        False, "--clean-only", help="Only items later than the training data of every model."
    ),
    cutoffs: Path | None = typer.Option(
        None, "--cutoffs", metavar="FILE", help="Until when training data reach, for --clean-only."
    ),
    margin: int = typer.Option(30, "--margin", min=0, help="Days after a cutoff that count as it."),
    prompts: Path | None = typer.Option(None, "--prompts", help="Folder of prompt templates."),
    epochs: int = typer.Option(1, "--epochs", min=1, help="Answers asked for each sample."),
    until: str | None = _until(
        None, "--until", metavar="top=K|all", help="Ask no more when the K best, or all, are known."
    ),
    indifference: float | None = _until(
        None, "--indifference", min=0, help="Differences below it do not matter; else 0."
    ),
    alpha: float | None = _until(
        None, "--alpha", help="Chance that any decision is false; else 0.05."
    ),
    looks: int | None = _until(None, "--looks", min=1, help="The most looks; else 20."),
    until_seed: int | None = _until(None, "--until-seed", min=0, help="Order of the items."),
    limit: int | None = typer.Option(
        None, "--limit", min=1, help="Only the first N samples; boards call that partial."
    ),
    temperature: float | None = _limit(None, "--temperature"),
    top_p: float | None = _limit(None, "--top-p"),
    max_tokens: int | None = _limit(None, "--max-tokens", min=1, help="The longest answer."),
    reasoning_effort: str | None = _limit(None, "--reasoning-effort"),
    model_arg: list[str] = typer.Option(
        [], "--model-arg", "-M", help="NAME=VALUE for the provider, such as n_ctx=4096."
    ),
    max_connections: int | None = _limit(None, "--max-connections", min=1),
    max_retries: int | None = _limit(
        None, "--max-retries", min=0, help="Tries of one request; else 6."
    ),
    attempt_timeout: int | None = _limit(
        None, "--attempt-timeout", min=1, help="Seconds of one request; else 600."
    ),
    retry_on_error: int = _limit(3, "--retry-on-error", min=0, help="Tries of one sample."),
    time_limit: int | None = _limit(None, "--time-limit", min=1, help="Seconds of one sample."),
    cost_limit: float | None = _limit(None, "--cost-limit", min=0, help="Dollars of one sample."),
    price: list[str] = _limit(
        [],
        "--price",
        metavar="MODEL=IN,OUT",
        help="Dollars for a million tokens; boards then show what a row cost.",
    ),
    display: str = typer.Option(
        "none", "--display", help="none for a progress bar, or Inspect's full, rich, plain, log."
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Run tasks with models or baselines; run it again to resume or to retry what failed."""
    from vivavoce.models.cutoffs import load_cutoffs
    from vivavoce.running import RunSpec
    from vivavoce.running import run as run_tasks
    from vivavoce.running.prices import parse_prices
    from vivavoce.running.stopping import parse_until
    from vivavoce.running.sweeps import parse_sweep
    from vivavoce.tasks.subsets import Subset

    if subset is None and (stratify or subset_seed):
        raise typer.BadParameter(
            "they belong to --subset N", param_hint="--stratify, --subset-seed"
        )
    if cutoffs is not None and not clean_only:
        raise typer.BadParameter("it belongs to --clean-only", param_hint="--cutoffs")
    stopping = {"indifference": indifference, "alpha": alpha, "looks": looks, "seed": until_seed}
    changed = {name: value for name, value in stopping.items() if value is not None}
    if until is None and changed:
        raise typer.BadParameter("they belong to --until", param_hint="--indifference, --alpha, …")
    # The shell hands over the words after the first of a sweep as tasks: no task has such a name.
    swept = [*sweep, *(word for word in tasks if sweep and "=" in word)]
    tasks = [word for word in tasks if word not in swept]

    decoding: dict[str, Any] = {
        "temperature": temperature,
        "top_p": top_p,
        "reasoning_effort": reasoning_effort,
    }
    with progress("Samples") as update:
        report = run_tasks(
            RunSpec(
                tasks=tasks,
                round=round_folder,
                logs=logs,
                models=model,
                model_args=_parse_args(model_arg, "-M"),
                task_args=_parse_args(task_arg, "-T"),
                solver_args=_parse_args(solver_arg, "-S"),
                sweep=parse_sweep(swept),
                subset=None if subset is None else Subset(subset, subset_seed, stratify),
                clean_for=load_cutoffs(cutoffs, margin) if clean_only else None,
                methods=[] if agent and method == ["direct"] else method,
                agent=agent,
                judge=judge,
                setting=setting,
                context=context,
                prompts=prompts,
                epochs=epochs,
                until=parse_until(until, changed) if until else None,
                limit=limit,
                max_tokens=max_tokens,
                generate={name: value for name, value in decoding.items() if value is not None},
                max_connections=max_connections,
                max_retries=max_retries,
                attempt_timeout=attempt_timeout,
                retry_on_error=retry_on_error,
                time_limit=time_limit,
                cost_limit=cost_limit,
                prices=parse_prices(price),
                display=display,
                witness=witness,
            ),
            update,
        )
    _print_report(report, logs, as_json)
    if report.failed:
        say("Run the same command again to retry what failed.", quiet=True)
        raise typer.Exit(1)


def _print_report(report: RunReport, logs: Path, as_json: bool) -> None:
    for line in report.skipped:
        say(f"Skipped: {line}", quiet=True)
    for name in report.set_aside:
        say(f"Set aside a log that cannot be read: {name}", quiet=True)
    if as_json:
        fields = ("logs", "failed", "skipped", "set_aside", "stopped")
        print_json({name: list(getattr(report, name)) for name in fields})
        return
    for each in report.stopped:
        say(
            f"{each['task']}, {each['setting']}: {each['reason']}, after {each['items']:,} of "
            f"{each['of']:,} items and {each['answers']:,} of {each['of_answers']:,} answers."
        )
    for line in report.failed:
        say(f"Not complete: {line}")
    say(str(logs))


def _parse_args(pairs: list[str], option: str) -> dict[str, Any]:
    """NAME=VALUE options; a value is read as YAML, so that 4096 is a number."""
    import yaml

    args = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not (name and separator):
            raise typer.BadParameter(f"{pair!r} is not of the form NAME=VALUE", param_hint=option)
        try:
            args[name] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise typer.BadParameter(
                f"{pair!r} has no readable value", param_hint=option
            ) from error
    return args


def demo(
    out: Path = typer.Option(Path("viva-demo"), "--out", help="Folder for everything it makes."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Sample papers -> corpus -> round -> baselines -> leaderboard; offline, without a key."""
    from vivavoce.demonstration import run_demo

    with progress("Demo") as update:
        result = run_demo(out, update)
    for line in result.left_out:
        say(line, quiet=True)
    if as_json:
        print_json({**result.board.as_dict(), "page": str(result.page)})
    else:
        print_board(result.board)
        say(str(result.page))


class Aggregation(StrEnum):
    """How questions of several items are put together."""

    macro = "macro"
    micro = "micro"


def score(
    family: str = typer.Argument(
        help="writing, ranking, leaderboards, tables, factor or architecture.",
        autocompletion=completion.score_families,
    ),
    gold: Path = typer.Option(..., "--gold", help="The gold file."),
    predictions: Path = typer.Option(..., "--predictions", help="The answers."),
    resamples: int = typer.Option(10_000, "--resamples", min=0, help="0 for no intervals."),
    seed: int = typer.Option(0, "--seed", help="Seed of the bootstrap and of sampled pairs."),
    aggregate: Aggregation = typer.Option(Aggregation.macro, "--aggregate"),
    stem: bool = typer.Option(False, "--stem", help="writing: compare word stems."),
    bertscore: str | None = typer.Option(
        None, "--bertscore", help="writing: a model name or path that adds BERTScore."
    ),
    layer: int | None = typer.Option(None, "--layer", help="writing: BERTScore's layer."),
    legacy: bool = typer.Option(False, "--legacy", help="ranking, architecture: as published."),
    pairs: int | None = typer.Option(None, "--pairs", min=1, help="tables: pairs asked a table."),
    gamma: float = typer.Option(1.1, "--gamma", help="architecture: weight of deeper layers."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Score answers made anywhere against a gold file; loads no model and no Inspect."""
    from vivavoce.results.scoring import ScoreOptions
    from vivavoce.results.scoring import score as score_files

    options = ScoreOptions(
        aggregate=aggregate.value,
        seed=seed,
        stem=stem,
        bertscore=bertscore,
        layer=layer,
        legacy=legacy,
        pairs=pairs,
        gamma=gamma,
    )
    result = score_files(family, gold, predictions, resamples=resamples, options=options)
    if as_json:
        print_json(result)
        return
    rows = [
        [
            name,
            "undefined" if entry["value"] is None else f"{entry['value']:.4f}",
            "" if entry["ci"] is None else f"[{entry['ci'][0]:.4f}, {entry['ci'][1]:.4f}]",
            str(entry["n"]),
            str(entry["undefined"]),
        ]
        for name, entry in result["metrics"].items()
    ]
    print_table(["metric", "value", "95% interval", "n", "undefined"], rows)
    say(f"{predictions}: {result['n']:,} items, {result['missing']:,} without a prediction")


def smoke(
    model: str = typer.Option(..., "--model", help="provider/model."),
    price: str = typer.Option(
        ..., "--price", metavar="IN,OUT", help="Dollars for a million tokens: without it no limit."
    ),
    limit_usd: float = typer.Option(..., "--limit-usd", help="Dollars that all of it may cost."),
    round_folder: Path | None = typer.Option(
        None, "--round", help="The folder of a round; else the sample papers."
    ),
    items: int = typer.Option(2, "--items", min=1, help="Items of each task and method."),
    attempt_timeout: int = typer.Option(
        120, "--attempt-timeout", min=1, help="Seconds of one request."
    ),
    out: Path = typer.Option(Path("viva-smoke"), "--out", help="Folder for everything it makes."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Ask a model a few items of every task and method, for a bounded sum."""
    from vivavoce.demonstration import run_smoke
    from vivavoce.running.prices import parse_price

    report = run_smoke(
        model,
        parse_price(price),
        limit_usd,
        out,
        items,
        round_folder,
        tell=_tell,
        attempt_timeout=attempt_timeout,
    )
    if as_json:
        print_json(report.as_dict())
    else:
        _print_smoke_report(report)
        say(str(out / "logs"))
    if not report.is_whole:
        raise typer.Exit(1)


def _tell(row: SmokeRow) -> None:
    say(f"{row.task} with {row.method}: {row.answered} of {row.items} answers", quiet=True)


def _print_smoke_report(report: SmokeReport) -> None:
    lines = [
        [
            row.task,
            row.method,
            f"{row.answered}/{row.items}",
            "–" if row.valid is None else f"{row.valid:.0%}",
            f"{row.metric} {'–' if row.value is None else f'{row.value:.3f}'}",
            f"{row.tokens:,}",
            f"{row.cost:.4f}",
            str(row.stopped or ""),
        ]
        for row in report.rows
    ]
    headers = ["task", "method", "answers", "valid", "score", "tokens", "dollars", "stopped"]
    print_table(headers, lines, title=report.model)
    for row in report.rows:
        if row.problem:
            say(f"{row.task} with {row.method}: {row.problem}")
    for line in report.left_out:
        say(line)
    say(f"Cost {report.cost:.4f} of at most {report.limit:g} dollars.")
