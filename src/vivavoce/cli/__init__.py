"""The `viva` command. No logic here: each verb calls a library function and prints what it gives.

Modules are imported inside the verbs, so `viva --help` loads none of the heavy ones.
"""

from __future__ import annotations

import typer

from vivavoce.cli import (
    audit,
    board,
    comparisons,
    corpus,
    demo,
    fetch,
    fetch_texts,
    index,
    info,
    networks,
    rounds,
    runs,
    score,
)
from vivavoce.cli.output import VivaGroup, set_debug

app = typer.Typer(
    name="viva",
    cls=VivaGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Find out how well language models really work with scientific papers.",
    epilog="First steps: viva demo",
)


@app.callback()
def main(
    debug: bool = typer.Option(False, "--debug", help="Show the traceback of an error."),
) -> None:
    """Find out how well language models really work with scientific papers."""
    set_debug(debug)


app.command(epilog="Example: viva demo --out viva-demo")(demo.demo)
app.command(epilog="Example: viva ingest tei papers/ --corpus corpus")(corpus.ingest)
fetch.app.command(epilog="Example: viva fetch texts --corpus corpus")(fetch_texts.texts)
fetch.app.command(epilog="Example: viva fetch cited --corpus corpus")(fetch_texts.cited)
app.add_typer(fetch.app, name="fetch")
app.add_typer(corpus.app, name="corpus")
app.add_typer(networks.app, name="network")
app.add_typer(index.app, name="index")
app.add_typer(rounds.app, name="round")
app.command(
    epilog="Example: viva run title --round rounds/2024-h2 --model extractive/lead --logs logs"
)(runs.run)
app.command(epilog="Example: viva score ranking --gold gold.jsonl --predictions answers.jsonl")(
    score.score
)
board.app.command(epilog="Example: viva board gains logs")(comparisons.gains)
board.app.command(epilog="Example: viva board overall logs")(comparisons.overall)
board.app.command(epilog="Example: viva board retrievers logs")(comparisons.retrievers)
app.add_typer(board.app, name="board")
app.add_typer(audit.app, name="audit")
app.command("list", epilog="Example: viva list tasks")(info.list_things)
app.command(epilog="Example: viva doctor")(info.doctor)
