"""unarXive full texts: JSON Lines, a paper a line, plain or gzip."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions, Source
from vivavoce.sources.fulltext.s2orc.files import cut, read_head, read_records
from vivavoce.sources.fulltext.unarxive.paper import document_from
from vivavoce.sources.raw import raw_json

_SUFFIXES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
# What only this kind of record holds; one of these stands near its start.
_MARKS = (b'"_source_hash"', b'"_source_name"', b'"bib_entry_raw"', b'"content_type"')
_OTHER_KIND = (b'"pdf_parse"', b'"latex_parse"')


def _matches(path: Path) -> bool:
    """Whether the start of a file of JSON Lines holds what only these records do."""
    if not path.name.lower().endswith(_SUFFIXES):
        return False
    head = read_head(path)
    is_record = head.lstrip().startswith(b"{") and b'"paper_id"' in head
    return (
        is_record
        and any(mark in head for mark in _MARKS)
        and not any(mark in head for mark in _OTHER_KIND)
    )


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    for where, record in read_records(piece):
        if isinstance(record, str):
            yield Fault(where, record)
            continue
        try:
            yield replace(document_from(record, where), raw=raw_json(record))
        except InputError as error:
            yield Fault(where, str(error))


SOURCE = Source(
    kind="unarxive",
    summary="unarXive full texts in JSON Lines, a paper a line, plain or gzip",
    is_metadata=False,
    matches=_matches,
    pieces=cut,
    read=_read,
    holds_many=True,
    reader_version="4",
)
