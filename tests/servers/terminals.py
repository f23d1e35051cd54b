"""The `viva` command on a terminal of so many columns, in this process."""

import os
import pty
import threading
from pathlib import Path

import pytest

from vivavoce.cli import app


def check_widths(columns: int, *words: str | Path, expect: int = 0) -> list[str]:
    """Lines that a command prints on a terminal, none of them wider and none coloured."""
    printed = on_terminal(columns, *words, expect=expect)
    assert printed
    # A command stays in one piece, to be copied.
    whole = [line for line in printed if "viva " not in line and "pip install" not in line]
    assert [line for line in whole if len(line) > columns] == []
    assert "\x1b" not in "".join(printed)
    return printed


def on_terminal(
    columns: int, *words: str | Path, stream: str = "stdout", expect: int = 0
) -> list[str]:
    """Lines that a command prints on a terminal to a stream."""
    ours, theirs = pty.openpty()
    said: list[bytes] = []
    reader = threading.Thread(target=_read, args=(ours, said))
    reader.start()
    with (
        os.fdopen(theirs, "w", encoding="utf-8") as terminal,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("COLUMNS", str(columns))
        patch.setenv("TERM", "xterm-256color")
        patch.delenv("NO_COLOR", raising=False)
        patch.setattr(f"sys.{stream}", terminal)
        patch.setattr("sys.argv", ["viva", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            app()
    reader.join()
    os.close(ours)
    assert (ended.value.code or 0) == expect
    return b"".join(said).decode().splitlines()


def _read(end: int, said: list[bytes]) -> None:
    while True:
        try:
            piece = os.read(end, 65536)
        except OSError:  # the other end is closed
            return
        if not piece:
            return
        said.append(piece)
