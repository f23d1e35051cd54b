"""Files of metadata written and read, for the tests of their formats and of their columns."""

import gzip
from pathlib import Path

from hypothesis import HealthCheck, settings

from vivavoce.records import Document, Fault
from vivavoce.sources import ReadOptions
from vivavoce.sources.catalogues.metadata import SOURCE

same_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def read(path: Path, **rename: str) -> list[Document | Fault]:
    options = ReadOptions(rename)
    return [item for piece in SOURCE.pieces(path) for item in SOURCE.read(piece, options)]


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def kinds(items: list[Document | Fault]) -> list[str | None]:
    return [i.given_id if isinstance(i, Document) else i.where for i in items]
