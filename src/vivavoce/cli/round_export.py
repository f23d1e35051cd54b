"""The verb that gives a round to others."""

from __future__ import annotations

from pathlib import Path

import typer

from vivavoce.cli.output import JSON_OPTION, print_json, say
from vivavoce.cli.rounds import ROUND_ARGUMENT


def export(
    folder: Path = ROUND_ARGUMENT,
    out: Path = typer.Option(..., "--out", help="The folder to make."),
    form: str = typer.Option(
        "hf",
        "--format",
        metavar="hf|ids|jsonl",
        help="A Hugging Face dataset; ids and hashes without any text; JSON Lines.",
    ),
    ids_only: bool = typer.Option(False, "--ids-only", help="The same as --format ids."),
    corpus: Path | None = typer.Option(
        None, "--corpus", help="What the round was built from: ids then list its papers too."
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Write a round for others; texts keep their papers' licences, ids hold no text."""
    from vivavoce.corpus import load_corpus
    from vivavoce.rounds import load_round
    from vivavoce.rounds.export import export_round
    from vivavoce.store import hash_tree
    from vivavoce.tasks import list_families

    papers = {name: card.paper for name, card in list_families().items()}
    opened = load_round(folder)
    known = load_corpus(corpus) if corpus else None
    chosen = "ids" if ids_only else form
    made = export_round(opened, out, chosen, papers, known)
    if as_json:
        files = hash_tree(made)
        print_json({"round": opened.id, "format": chosen, "path": str(made), "files": files})
        return
    if chosen != "ids":
        say("It holds texts of papers, each under its own licence: check before you pass it on.")
    say(str(made))
