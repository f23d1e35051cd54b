"""The verb of `viva board` that adds a metric to logs after their runs."""

from __future__ import annotations

from pathlib import Path

import typer

from vivavoce.cli.output import JSON_OPTION, LOGS_ARGUMENT, print_json, progress, say


def add_metric(
    logs: Path = LOGS_ARGUMENT,
    name: str = typer.Argument(help="The metric, such as bertscore."),
    model: str | None = typer.Option(
        None, "--model", help="Model that the metric rests on: a name on the hub or a folder."
    ),
    layer: int | None = typer.Option(None, "--layer", min=1, help="Layer of the model."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Compute a metric for the answers of logs; every board of them then has it.

    Each text is computed once and kept beside the logs. Run it again after further runs.
    """
    from vivavoce.results.logs.adding import add_metric as add

    given = {"model": model, "layer": layer}
    with progress(f"Computing {name}") as show:
        found = add(logs, name, {key: v for key, v in given.items() if v is not None}, show)
    if as_json:
        print_json(found.as_dict())
        return
    say(f"{', '.join(found.metrics)} of {found.samples} answers; {found.computed} texts computed.")
    for path in found.files:
        say(path)
