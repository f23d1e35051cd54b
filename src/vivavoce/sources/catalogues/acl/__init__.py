"""The ACL Anthology's own XML: a collection of volumes, many papers a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions, Source, one_piece, read_whole
from vivavoce.sources.catalogues.acl.earlier import read_earlier
from vivavoce.sources.catalogues.acl.identifiers import is_collection
from vivavoce.sources.catalogues.acl.volume import KIND, read_collection
from vivavoce.sources.xml import parse_xml

_LARGEST_FILE = 64 << 20
_READERS = {"collection": read_collection, "volume": read_earlier}


def _matches(path: Path) -> bool:
    """Whether the name is that of a collection, as in the Anthology's folder of XML files."""
    return path.name.endswith(".xml") and is_collection(path.name.removesuffix(".xml"))


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    name = piece.path.name
    try:
        content = read_whole(piece.path, _LARGEST_FILE, "collection")
        root = parse_xml(content)
        if root.tag not in _READERS:
            raise InputError(
                f"XML, but no collection of the Anthology: the root is <{str(root.tag)[:80]}>"
            )
    except (OSError, InputError) as error:
        yield Fault(name, str(error))
        return
    yield from _READERS[str(root.tag)](root, name)


SOURCE = Source(
    kind=KIND,
    summary="XML files of the ACL Anthology (2020.acl.xml, P19.xml): titles, abstracts, authors",
    is_metadata=True,
    matches=_matches,
    pieces=one_piece,
    read=_read,
    holds_many=True,
    reader_version="2",
)
