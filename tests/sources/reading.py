"""Files read as an ingest reads them: piece by piece, by the source of a kind."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from vivavoce.records import Document, Fault
from vivavoce.sources import ReadOptions, get_source


def reader(kind: str) -> Callable[[Path], list[Document | Fault]]:
    """Make a function that reads a file of a kind."""

    def read(path: Path) -> list[Document | Fault]:
        source = get_source(kind)
        return [item for piece in source.pieces(path) for item in source.read(piece, ReadOptions())]

    return read


def read_one(kind: str, path: Path) -> Document:
    """The only paper in a file."""
    (found,) = reader(kind)(path)
    assert isinstance(found, Document), found
    return found


def as_bytes(content: Any) -> bytes:
    """Bytes and texts as they are, and anything else as JSON."""
    if isinstance(content, bytes):
        return content
    return (content if isinstance(content, str) else json.dumps(content)).encode()


def read_content(kind: str, name: str, folder: Path, content: Any) -> list[Document | Fault]:
    """Papers and faults read from a file of this name and content."""
    (folder / name).write_bytes(as_bytes(content))
    return reader(kind)(folder / name)


def paper_in(kind: str, name: str, folder: Path, content: Any) -> Document:
    """The only paper of such a file."""
    (folder / name).write_bytes(as_bytes(content))
    return read_one(kind, folder / name)


def readers_of(kind: str, name: str) -> tuple[Callable[..., Any], Callable[..., Document]]:
    """Functions of a folder and a content: for all that comes of it, and for its only paper."""
    return partial(read_content, kind, name), partial(paper_in, kind, name)
