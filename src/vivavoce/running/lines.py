"""Files of JSON lines that a kill may cut off: the last line is whole, or is no line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vivavoce.store import canonical_json, write_text


class LineFile:
    """A file that lines are added to; what a kill cut off is taken out before the first one."""

    def __init__(self, path: Path, *needed: str) -> None:
        """Open a file whose lines are objects with these fields; it need not be there."""
        self.path, self._needed = path, needed
        self._file: int | None = None

    def lines(self) -> Iterator[dict[str, Any]]:
        """The lines that are whole."""
        try:
            text = self.path.read_text("utf-8", "surrogateescape")
        except FileNotFoundError:
            return
        for line in text.splitlines():
            try:
                found = json.loads(line)
            except ValueError:  # a kill cut it off, or the disk is damaged
                continue
            if isinstance(found, dict) and all(name in found for name in self._needed):
                yield found

    def add(self, line: dict[str, Any]) -> None:
        """Write a line; it is on the disk when this returns."""
        if self._file is None:
            # The next line must not be glued to half of one.
            self.replace(self.lines())
            self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        os.write(self._file, (canonical_json(line) + "\n").encode("utf-8", "surrogatepass"))
        os.fsync(self._file)

    def replace(self, lines: Iterator[dict[str, Any]] | list[dict[str, Any]]) -> None:
        """Rewrite the file."""
        write_text(self.path, "".join(canonical_json(line) + "\n" for line in lines))

    def close(self) -> None:
        """Stop writing."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
