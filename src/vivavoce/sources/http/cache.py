"""Bodies kept on disk by their address, so that no address is asked for twice."""

from __future__ import annotations

import hashlib
from pathlib import Path

from vivavoce.errors import DamagedError
from vivavoce.store import read_sealed, write_bytes, write_sealed


class Cache:
    """A folder of bodies, each beside a sealed note of its address and hash."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, url: str) -> bytes | None:
        """The body of an address; None when it is not there or no longer what was written."""
        path = self._path(url)
        try:
            note = read_sealed(path.with_suffix(".json"))
            body = path.read_bytes()
        except (DamagedError, OSError):
            return None
        is_whole = note.get("url") == url and note.get("sha256") == _sha256(body)
        return body if is_whole else None

    def write(self, url: str, body: bytes) -> None:
        """Keep a body."""
        path = self._path(url)
        write_bytes(path, body)
        write_sealed(path.with_suffix(".json"), {"url": url, "sha256": _sha256(body)})

    def set_aside(self, url: str, body: bytes) -> Path:
        """Keep a body that could not be used, to be looked at; it is never read back."""
        path = self._folder / "unusable" / self._path(url).name
        write_bytes(path, body)
        return path

    def _path(self, url: str) -> Path:
        return self._folder / f"{_sha256(url.encode())}.body"


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
