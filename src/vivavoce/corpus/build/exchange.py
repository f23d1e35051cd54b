"""Tasks of a build on machines that share no folder: their files go through an object store.

The machine that hands out a task sends the files that it reads. The worker brings them into a
folder of its own, does the task there, and sends what it made.
"""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from vivavoce.corpus.places import Hashes, Place, stamps_of
from vivavoce.store import Row, canonical_json, hash_file


@dataclass(frozen=True)
class Exchange:
    """The folder of a build and the place that its tasks go through."""

    folder: Path
    place: Place
    _sent: dict[str, str] = field(default_factory=dict)

    def pack(self, task: Row, reads: Iterable[Path]) -> str:
        """A task for `do_away`; what it reads is sent before."""
        files = {path.relative_to(self.folder).as_posix(): hash_file(path) for path in reads}
        new = {name: digest for name, digest in files.items() if self._sent.get(name) != digest}
        self.place.send(self.folder, new)
        self._sent.update(new)
        folder, address = str(self.folder), self.place.address
        return canonical_json({"task": task, "folder": folder, "files": files, "address": address})

    def unpack(self, done: str) -> str:
        """Bring what a task made; returns its outcome."""
        told = json.loads(done)
        self.place.fetch(told["made"], self.folder)
        self._sent.update(told["made"])
        return str(told["outcome"])


def do_away(attempt: Callable[[str], str], packed: str) -> str:
    """Do a packed task with its files in a folder of this process; what `unpack` takes."""
    told = json.loads(packed)
    place, folder, files = Place(told["address"]), _own_folder(), told["files"]
    held = _held()
    for name in held.keys() - files.keys():
        (folder / name).unlink()
        del held[name]
    lacking = {name: digest for name, digest in files.items() if held.get(name) != digest}
    place.fetch(lacking, folder)
    before = stamps_of(folder)
    outcome = attempt(canonical_json(_moved(told["task"], told["folder"], str(folder))))
    made: Hashes = {
        name: hash_file(folder / name)
        for name, stamp in stamps_of(folder).items()
        if before.get(name) != stamp
    }
    held.update({**files, **made})
    place.send(folder, made)
    return canonical_json({"outcome": outcome, "made": made})


@cache
def _own_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="vivavoce-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def _held() -> dict[str, str]:
    """Sha256 of each file in the folder of this process: the next task may read some again."""
    return {}


def _moved(value: Any, old: str, new: str) -> Any:
    """A task with its paths below another folder."""
    if isinstance(value, str):
        return (
            new + value.removeprefix(old) if value == old or value.startswith(f"{old}/") else value
        )
    if isinstance(value, dict):
        return {name: _moved(each, old, new) for name, each in value.items()}
    return [_moved(each, old, new) for each in value] if isinstance(value, list) else value
