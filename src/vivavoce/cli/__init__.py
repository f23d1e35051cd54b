"""The `viva` command. No logic here: each verb calls a library function and prints the result.

Verbs import their modules when called, so `viva --help` loads no heavy ones.
"""

from __future__ import annotations

import typer

from vivavoce.cli import (
    annotate,
    audit,
    board,
    corpus,
    fetch,
    info,
    live,
    rounds,
    runs,
)
from vivavoce.cli import round_updates as round_updates
from vivavoce.cli.bind import verb
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
        False, "--wide", help="Print tables in full width; may follow the command."
    ),
) -> None:
    """Find out how well language models really work with scientific papers."""
    set_output(debug=debug, wide=wide)


_VERBS = (
    (runs.demo, "demo --out viva-demo", None),
    (runs.exam, "exam papers/ --model openai/gpt-4o-mini --model anthropic/claude-haiku-4-5", None),
    (corpus.ingest, "ingest tei papers/ --corpus corpus", None),
    (runs.run, "run title --round rounds/2024-h2 --model extractive/lead --logs logs", None),
    (runs.score, "score ranking --gold gold.jsonl --predictions answers.jsonl", None),
    (info.list_things, "list tasks", "list"),
    (info.doctor, "doctor", None),
)
for function, example, name in _VERBS:
    verb(app, example, name)(function)

_GROUPS = (
    (fetch.app, "fetch"),
    (corpus.app, "corpus"),
    (corpus.network_app, "network"),
    (rounds.app, "round"),
    (board.app, "board"),
    (audit.app, "audit"),
    (annotate.app, "annotate"),
    (live.app, "live"),
)
for group, name in _GROUPS:
    app.add_typer(group, name=name)
