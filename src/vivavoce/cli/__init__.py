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
    fetch,
    info,
    networks,
    round_updates,
    rounds,
    runs,
    sweeps,
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


app.command(epilog="Example: viva demo --out viva-demo")(runs.demo)
app.command(epilog="Example: viva ingest tei papers/ --corpus corpus")(corpus.ingest)
fetch.app.command(epilog="Example: viva fetch texts --corpus corpus")(fetch.texts)
fetch.app.command(epilog="Example: viva fetch cited --corpus corpus")(fetch.cited)
app.add_typer(fetch.app, name="fetch")
app.add_typer(corpus.app, name="corpus")
app.add_typer(networks.app, name="network")
app.add_typer(corpus.index_app, name="index")
rounds.app.command(
    epilog="Example: viva round update rounds/2024-h2 --corpus corpus --out rounds "
    "--until 2025-02-01"
)(round_updates.update)
rounds.app.command(epilog="Example: viva round diff rounds/2024-h1 rounds/2024-h2")(
    round_updates.diff
)
rounds.app.command(epilog="Example: viva round seal rounds/2024-h2 --out published")(
    round_updates.seal
)
rounds.app.command(epilog="Example: viva round reveal rounds/2024-h2 --out published")(
    round_updates.reveal
)
rounds.app.command(epilog="Example: viva round unseal 2024-h2.sealed.json 2024-h2.revealed.json")(
    round_updates.unseal
)
rounds.app.command(epilog="Example: viva round export rounds/2024-h2 --out export --format hf")(
    rounds.export
)
app.add_typer(rounds.app, name="round")
app.add_typer(rounds.demand_app, name="demand")
app.command(
    epilog="Example: viva run title --round rounds/2024-h2 --model extractive/lead --logs logs"
)(runs.run)
app.command(
    epilog="Example: viva smoke --model openai/gpt-4o-mini --price 0.15,0.60 --limit-usd 1"
)(runs.smoke)
app.command(epilog="Example: viva score ranking --gold gold.jsonl --predictions answers.jsonl")(
    runs.score
)
board.app.command(epilog="Example: viva board gains logs")(comparisons.gains)
board.app.command(epilog="Example: viva board overall logs")(comparisons.overall)
board.app.command(epilog="Example: viva board retrievers logs")(comparisons.retrievers)
board.app.command(epilog="Example: viva board compare extractive/lead null --logs logs")(
    comparisons.compare
)
board.app.command(epilog="Example: viva board serve logs")(board.serve)
board.app.command(epilog="Example: viva board sweep logs --over rounds,batch")(sweeps.sweep)
board.app.command(epilog="Example: viva board contamination logs")(board_integrity.contamination)
board.app.command(epilog="Example: viva board verify logs")(board_integrity.verify)
board.app.command(epilog="Example: viva board submit --check submission")(board_integrity.submit)
board.app.command(epilog="Example: viva board drift logs --round rounds/2024-h2-2025-02-01")(
    round_updates.drift
)
app.add_typer(board.app, name="board")
app.add_typer(audit.app, name="audit")
app.add_typer(annotate.app, name="annotate")
app.command("list", epilog="Example: viva list tasks")(info.list_things)
app.command(epilog="Example: viva doctor")(info.doctor)
