"""Verbs that keep a witness: what runs stated, signed by somebody other than who runs."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import typer

from vivavoce.cli.board import need_web
from vivavoce.cli.output import JSON_OPTION, print_json, say

app = typer.Typer(no_args_is_help=True, help="Keep and sign what runs state of themselves.")
KEY_OPTION = typer.Option(..., "--key", help="File of the private key.")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@app.command(epilog="Example: viva witness key witness.key")
def key(
    path: Path = typer.Argument(help="File for the private key."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Make a key to sign with, and print its public half."""
    from vivavoce.running.witness import make_key

    public = make_key(path)
    if as_json:
        print_json({"public_key": public, "file": str(path)})
    else:
        say(public)
        say(str(path))


@app.command(epilog="Example: viva witness sign statements --key witness.key")
def sign(
    folder: Path = typer.Argument(help="Folder of statements.", exists=True, file_okay=False),
    key: Path = KEY_OPTION,
    time: str = typer.Option("", "--time", help="When they were seen; now by default."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Sign every statement of a folder that is not signed yet."""
    from vivavoce.running.witness import read_key, sign_statements

    signed = sign_statements(folder, read_key(key), time or _now())
    if as_json:
        print_json({"signed": list(signed)})
    else:
        say(f"{len(signed)} statements signed in {folder}.")


@app.command(epilog="Example: viva witness serve statements --key witness.key")
def serve(
    folder: Path = typer.Argument(help="Folder that keeps the statements."),
    key: Path = KEY_OPTION,
    host: str = typer.Option("127.0.0.1", "--host", help="Address to listen on."),
    port: int = typer.Option(8765, "--port", min=0, max=65535, help="Port; 0 for any free one."),
) -> None:
    """Take statements over HTTP and sign each with the time of its arrival."""
    from vivavoce.running.witness import read_key

    need_web("viva witness serve")
    from vivavoce.web.witness import serve_witness

    signer = read_key(key)
    serve_witness(folder, signer, _now, host, port, lambda address: say(f"Listening on {address}"))
