"""Papers in feeds of arXiv's query API that were saved to files, many papers a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions, Source, one_piece, read_whole
from vivavoce.sources.catalogues.arxiv.feed import read_feed

_SUFFIXES = (".atom.xml", ".atom")
_LARGEST_FILE = 64 << 20


def _matches(path: Path) -> bool:
    return path.name.lower().endswith(_SUFFIXES)


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    name = piece.path.name
    try:
        content = read_whole(piece.path, _LARGEST_FILE, "feed")
        feed = read_feed(content)
    except (OSError, InputError) as error:
        yield Fault(name, str(error))
        return
    for entry in feed.entries:
        yield replace(entry, where=f"{name}: {entry.where}") if isinstance(entry, Fault) else entry
    if feed.replaced:
        yield Fault(name, f"characters that are no text, now U+FFFD: {feed.replaced}")
    if feed.missing:
        yield Fault(
            name,
            f"{feed.missing} of the entries it announces from offset {feed.start} on are not "
            "there: fetch it again",
        )
    elif not feed.entries:
        yield Fault(name, "it holds no papers: the query it answers found none")


SOURCE = Source(
    kind="arxiv",
    summary="saved feeds of arXiv's query API (.atom.xml): titles, abstracts, authors and dates",
    is_metadata=True,
    matches=_matches,
    pieces=one_piece,
    read=_read,
    holds_many=True,
    reader_version="2",
)
