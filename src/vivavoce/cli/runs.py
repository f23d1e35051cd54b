"""The verb `run`: tasks with models or baselines, or what that would cost. Libraries for agents."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vivavoce.cli import completion
from vivavoce.cli.exam import smoke_test
from vivavoce.cli.output import (
    JSON_OPTION,
    print_json,
    print_table,
    progress,
    refuse_unread,
    say,
)
from vivavoce.reports import Column, sheet

if TYPE_CHECKING:
    from vivavoce.running import RunReport, RunSpec

_until = partial(typer.Option, rich_help_panel="Stopping when it is decided")
_limit = partial(typer.Option, rich_help_panel="Decoding and limits")


def run(
    context_of: typer.Context,
    tasks: list[str] | None = typer.Argument(
        None,
        help="Tasks, such as title; viva list tasks shows them.",
        autocompletion=completion.tasks,
    ),
    round_folder: Path = typer.Option(
        ...,
        "--round",
        help="The folder of the round, or sample.",
        autocompletion=completion.rounds,
    ),
    model: list[str] = typer.Option(
        [],
        "--model",
        help="provider/model; may be given again.",
        autocompletion=completion.models,
    ),
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
        help="An agent of your own, or a command line agent of inspect-swe, such as claude_code.",
    ),
    judge: str | None = typer.Option(
        None, "--judge", help="A model that compares each answer with the gold: provider/model."
    ),
    logs: Path = typer.Option(..., "--logs", help="Folder for the logs; a rerun resumes from it."),
    setting: str = typer.Option("base", "--setting", help="Texts that the model sees."),
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
        help="NAME=VALUES of arguments of methods or tasks, every combination: batch=2,4 k=2..5.",
    ),
    subset: int | None = typer.Option(
        None, "--subset", min=1, help="N items of each task, the same for everyone; boards say so."
    ),
    subset_seed: int = typer.Option(0, "--subset-seed", help="Seed of the choice of items."),
    stratify: bool = typer.Option(
        False,
        "--stratify",
        help="Choose items of every category and size of gold.",
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
    budget: float | None = _limit(
        None, "--budget", min=0, metavar="USD", help="Dollars of all logs of the folder together."
    ),
    estimate: bool = _limit(
        False, "--estimate", help="Print the cost, from the prompts; ask nobody."
    ),
    batch: bool = _limit(
        False, "--batch", help="Ask by the provider's batches: cheaper, and hours later."
    ),
    batch_tick: float = _limit(
        15.0, "--batch-tick", min=0.01, help="Seconds between looks at batches."
    ),
    cache: bool | None = _limit(
        None,
        "--cache/--no-cache",
        help="Take replies to requests that were sent before from a cache of a week; by default "
        "those of judges and evaluators.",
    ),
    price: list[str] = _limit(
        [],
        "--price",
        metavar="MODEL=IN,OUT",
        help="Dollars for a million tokens; boards then show the cost of a row.",
    ),
    smoke: bool = typer.Option(
        False,
        "--smoke",
        help="Ask one model a few items of every task and method, for a bounded sum: needs "
        "--price and --budget.",
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
    from vivavoce.running.spec import parse_prices, parse_sweep, parse_until
    from vivavoce.tasks.subsets import Subset

    if smoke:
        refuse_unread(context_of, _OF_SMOKE, "--smoke")
        smoke_test(round_folder, model, price, budget, subset, attempt_timeout, logs, as_json)
        return
    if not tasks:
        raise typer.BadParameter("name some; viva list tasks shows them", param_hint="TASKS")
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
    spec = RunSpec(
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
        budget=budget,
        batch={"tick": batch_tick, "send_delay": batch_tick} if batch else None,
        cache=cache,
        prices=parse_prices(price),
        display=display,
    )
    if estimate:
        _print_estimate(spec, as_json)
        return
    with progress("Samples") as update:
        report = run_tasks(spec, update)
    _print_report(report, logs, as_json)
    if report.failed:
        say("Run the same command again to retry what failed.", quiet=True)
        raise typer.Exit(1)


_OF_SMOKE = (
    *("smoke", "round_folder", "model", "price", "budget", "subset", "attempt_timeout", "logs"),
    "as_json",
)


def _print_estimate(spec: RunSpec, as_json: bool) -> None:
    """Print what a run would cost, before anything is asked."""
    from vivavoce.running.estimating import estimate

    rows, skipped = estimate(spec)
    for line in skipped:
        say(f"Skipped: {line}", quiet=True)
    if as_json:
        print_json({"estimate": rows})
        return
    print_table(
        sheet(
            "What the run would cost; nothing was sent",
            rows,
            *("task", "setting", "method", "model"),
            Column(lambda row: "≥ " * row["at_least"] + f"{row['requests']:,}", "requests"),
            *("input_tokens", "output_tokens"),
            *(Column(name, form=".4f") for name in ("usd", "max_usd")),
        )
    )
    known = [row for row in rows if row["usd"] is not None]
    if known:
        usd, most = (sum(row[name] for row in known) for name in ("usd", "max_usd"))
        say(f"{usd:.2f} dollars expected, {most:.2f} if every answer is as long as it may be.")
    if len(known) < len(rows):
        say("Dollars take prices: --price MODEL=IN,OUT.", quiet=True)


def _print_report(report: RunReport, logs: Path, as_json: bool) -> None:
    for line in report.skipped:
        say(f"Skipped: {line}", quiet=True)
    for name in report.set_aside:
        say(f"Set aside a log that cannot be read: {name}", quiet=True)
    if as_json:
        fields = ("logs", "failed", "skipped", "set_aside", "stopped")
        told = {name: list(getattr(report, name)) for name in fields}
        print_json({**told, "spent": report.spent, "cache": report.cache})
        return
    for each in report.stopped:
        say(
            f"{each['task']}, {each['setting']}: {each['reason']}, after {each['items']:,} of "
            f"{each['of']:,} items and {each['answers']:,} of {each['of_answers']:,} answers."
        )
    for line in report.failed:
        say(f"Not complete: {line}")
    if report.spent:
        budget = report.spent["budget"]
        say(
            f"{report.spent['usd']:.4f} dollars spent in this folder"
            + ("." if budget is None else f", of {budget:g}.")
        )
    if report.cache:
        say(
            f"Replies of {report.cache['of']} are kept for {report.cache['expiry']} in "
            f"{report.cache['folder']}, by {', '.join(report.cache['key'])}; --no-cache asks anew.",
            quiet=True,
        )
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


library_app = typer.Typer(no_args_is_help=True, help="Give the papers of a round to agents.")


@library_app.command(epilog="Example: viva library serve rounds/2024-h2 --before 2024-07-01")
def serve(
    round_folder: Path = typer.Argument(
        metavar="ROUND",
        help="The folder of the round, or sample.",
        autocompletion=completion.rounds,
    ),
    before: str | None = typer.Option(
        None,
        "--before",
        metavar="DATE",
        help="Only papers public before it; else the window's start.",
    ),
    item: str | None = typer.Option(
        None, "--item", metavar="ID", help="Only papers that an agent may see for this item."
    ),
    task: str | None = typer.Option(
        None, "--task", help="Task of the item.", autocompletion=completion.tasks
    ),
) -> None:
    """Serve the papers of a round as an MCP server: search and read, on stdin and stdout.

    Papers that items come from are left out; an MCP client starts this command by itself.
    """
    from vivavoce.tasks.library_server import library_of, serve_library

    library = library_of(round_folder, before=before, item=item, task=task)
    say(f"{len(library)} papers; waiting for an MCP client on stdin.", quiet=True)
    serve_library(library, "vivavoce").run("stdio")
