"""Papers in saved answers of an OAI-PMH repository, such as arXiv's, many papers a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions, Source, one_piece, read_whole
from vivavoce.sources.catalogues.oai.formats import read_entry
from vivavoce.sources.catalogues.oai.page import Page, read_page

_LARGEST_FILE = 64 << 20


def _matches(path: Path) -> bool:
    return path.name.lower().endswith(".oai.xml")


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    name = piece.path.name
    try:
        content = read_whole(piece.path, _LARGEST_FILE, "answer")
        page = read_page(content)
    except (OSError, InputError) as error:
        yield Fault(name, str(error))
        return
    yield from _read_page(page, name)


def _read_page(page: Page, name: str) -> Iterator[Document | Fault]:
    if page.error:
        code, said = page.error
        yield Fault(name, f"the repository reports {code}: {said or 'no reason given'}")
        return
    for place, entry in enumerate(page.entries, start=1):
        try:
            yield read_entry(entry)
        except InputError as error:
            yield Fault(f"{name}: {entry.identifier[:80] or f'record {place}'}", str(error))
    if page.replaced:
        yield Fault(name, f"characters that are no text, now U+FFFD: {page.replaced}")
    if not page.entries:
        yield Fault(name, "it lists no records")


SOURCE = Source(
    kind="oai",
    summary="saved OAI-PMH answers of arXiv (.oai.xml): titles, authors, dates, licences",
    is_metadata=True,
    matches=_matches,
    pieces=one_piece,
    read=_read,
    holds_many=True,
    reader_version="2",
)
