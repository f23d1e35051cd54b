"""The `viva` command. No logic here: each verb calls a library function and prints what it gives.

Modules are imported inside the verbs, so `viva --help` loads none of the heavy ones.
"""

from __future__ import annotations

import typer

from vivavoce.cli import (
    annotate,
    audit,
    board,
    board_integrity,
    comparisons,
    corpus,
    exam,
    fetch,
    info,
    live,
    networks,
    rounds,
    runs,
    views,
)
from vivavoce.cli import (
    round_updates as round_updates,
)
from vivavoce.cli.output import VivaGroup, say, set_output
from vivavoce.version import __version__

app = typer.Typer(
    name="viva",
    cls=VivaGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Find out how well language models really work with scientific papers.",
    epilog="First steps: viva demo",
)


def _print_version(asked: bool) -> None:
    if asked:
        say(f"viva {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
    debug: bool = typer.Option(False, "--debug", help="Show the traceback of an error."),
    wide: bool = typer.Option(
        False, "--wide", help="Print tables wider than the terminal; may follow the command."
    ),
) -> None:
    """Find out how well language models really work with scientific papers."""
    set_output(debug=debug, wide=wide)


_VERBS = (
    (app, exam.demo, "demo --out viva-demo"),
    (app, exam.exam, "exam papers/ --model openai/gpt-4o-mini --model anthropic/claude-haiku-4-5"),
    (app, corpus.ingest, "ingest tei papers/ --corpus corpus"),
    (rounds.app, rounds.export, "round export rounds/2024-h2 --out export --format hf"),
    (app, runs.run, "run title --round rounds/2024-h2 --model extractive/lead --logs logs"),
    (app, exam.score, "score ranking --gold gold.jsonl --predictions answers.jsonl"),
    (board.app, views.show, "board show logs --by setting"),
    (board.app, comparisons.compare, "board compare extractive/lead null --logs logs"),
    (board.app, board.serve, "board serve logs"),
    (board.app, board.add_metric, "board add-metric logs bertscore"),
    (board.app, board.export, "board export logs --as eee --out results"),
    (board.app, board_integrity.verify, "board verify logs"),
    (board.app, board_integrity.submit, "board submit --check submission"),
    (board.app, board_integrity.intake, "board intake inbox --out taken --round rounds/2024-h2"),
)
"""Verbs that stand in another group than their module's, or after others of their group."""
for group, verb, example in _VERBS:
    group.command(epilog=f"Example: viva {example}")(verb)
app.command("list", epilog="Example: viva list tasks")(info.list_things)
app.command(epilog="Example: viva doctor")(info.doctor)

_GROUPS = (
    (fetch.app, "fetch"),
    (corpus.app, "corpus"),
    (networks.app, "network"),
    (rounds.app, "round"),
    (board.app, "board"),
    (audit.app, "audit"),
    (annotate.app, "annotate"),
    (runs.library_app, "library"),
    (live.app, "live"),
)
for group, name in _GROUPS:
    app.add_typer(group, name=name)
