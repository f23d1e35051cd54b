"""Files read as an ingest reads them: piece by piece, by the source of a kind."""

from collections.abc import Callable
from pathlib import Path

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
