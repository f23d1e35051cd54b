"""The verb that shows the whole way once."""

from __future__ import annotations

from pathlib import Path

import typer

from vivavoce.cli.board import print_board
from vivavoce.cli.output import JSON_OPTION, print_json, progress, say


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
