"""Command lines run inside one tree: reads them from a JSON file, writes what they printed.

It runs as a script in a process of its own, so that the package is that of the tree.
"""

import json
import sys
import traceback
from pathlib import Path
from typing import Any


def run(calls: list[list[str]]) -> list[dict[str, Any]]:
    """Run each command line of `viva` and keep its exit code and output."""
    from typer.testing import CliRunner

    from vivavoce.cli import app

    printed = []
    for words in calls:
        result = CliRunner().invoke(app, words)
        error = result.exception
        if error is not None and not isinstance(error, SystemExit):
            traceback.print_exception(error)
        kept = {"words": words, "code": result.exit_code}
        printed.append({**kept, "stdout": result.stdout, "stderr": result.stderr})
    return printed


def list_help() -> list[list[str]]:
    """Name every verb and group, each with --help."""
    import typer

    from vivavoce.cli import app

    found: list[list[str]] = []

    def walk(command: Any, words: list[str]) -> None:
        found.append([*words, "--help"])
        for name, child in sorted(getattr(command, "commands", {}).items()):
            walk(child, [*words, name])

    walk(typer.main.get_command(app), [])
    return found


if __name__ == "__main__":
    asked = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    if asked[0] == ["--help-of-all"]:
        asked[:1] = list_help()
    Path(sys.argv[2]).write_text(json.dumps(run(asked)), "utf-8")
