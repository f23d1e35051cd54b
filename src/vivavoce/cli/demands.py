"""Verbs about demands: what a table is asked for with."""

from __future__ import annotations

from pathlib import Path

import typer

from vivavoce.cli.corpus import CORPUS_OPTION
from vivavoce.cli.output import JSON_OPTION, print_json, progress, say

app = typer.Typer(
    no_args_is_help=True, help="Have a model word the demands that tables are asked for with."
)

_LISTED = 10


@app.command(
    epilog="Example: viva demand write --corpus corpus --spec round.toml "
    "--model openai/gpt-4o --out demands.jsonl"
)
def write(
    corpus: Path = CORPUS_OPTION,
    spec: Path = typer.Option(..., "--spec", help="The round's spec; its tables are asked for."),
    model: str = typer.Option(..., "--model", help="The model that writes: provider/model."),
    out: Path = typer.Option(..., "--out", help="The file; one begun before is gone on with."),
    checker: str | None = typer.Option(
        None, "--checker", help="The model that looks for leaks; by default the one that writes."
    ),
    prompts: Path | None = typer.Option(None, "--prompts", help="Folder of prompt templates."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Write a demand for each table of a spec; what gives a table away is written anew."""
    from vivavoce.tasks.tables.roles.demand_writing import write_round_demands

    with progress("Demands") as update:
        found = write_round_demands(
            corpus, spec, out, model, checker=checker, prompts=prompts, progress=update
        )
    if as_json:
        print_json(found.as_dict())
    else:
        counts = found.as_dict()
        for row in counts["discarded"][:_LISTED]:
            say(f"  without a demand: {row['id']}: {row['reason']}")
        if (more := len(counts["discarded"]) - _LISTED) > 0:
            say(f"  and {more:,} more; the last verdict of each is in the file")
        attempts = ", ".join(f"{n} at wording {k}" for k, n in counts["attempts"].items())
        say(
            f"{found.written:,} of {counts['tables'] - found.given:,} demands written"
            + (f" ({attempts})" if attempts else "")
            + (f", {found.given:,} came with their tables" if found.given else "")
        )
        say(str(out))
    if found.demands and not found.written:
        raise typer.Exit(1)
