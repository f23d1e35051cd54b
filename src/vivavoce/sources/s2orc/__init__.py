"""S2ORC JSON: a paper a file, or a paper a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions, Source
from vivavoce.sources.raw import raw_json
from vivavoce.sources.s2orc.fields import line_at
from vivavoce.sources.s2orc.files import cut, is_lines, read_head, read_records
from vivavoce.sources.s2orc.paper import document_from

_SUFFIXES = (".json", ".json.gz", ".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
_PARSES = (b'"pdf_parse"', b'"latex_parse"')
# Both kinds hold paragraphs with citation spans; only the other numbers and types them so.
_OTHER_KIND = (b'"_source_hash"', b'"_source_name"', b'"bib_entry_raw"', b'"content_type"')


def _matches(path: Path) -> bool:
    """Whether the start of a JSON file holds what only S2ORC records do."""
    if not path.name.lower().endswith(_SUFFIXES):
        return False
    head = read_head(path)
    if not head.lstrip().startswith(b"{") or b'"paper_id"' not in head:
        return False
    if any(mark in head for mark in _PARSES):
        return True
    return b'"cite_spans"' in head and not any(mark in head for mark in _OTHER_KIND)


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    name = piece.path.name
    for where, record in read_records(piece):
        if isinstance(record, str):
            yield Fault(where, record)
            continue
        try:
            if is_lines(piece.path):
                paper = document_from(record, line_at(record, "paper_id") or where, None)
            else:
                paper = document_from(record, name, name)
            yield replace(paper, raw=raw_json(record))
        except InputError as error:
            yield Fault(where, str(error))


SOURCE = Source(
    kind="s2orc",
    summary="S2ORC JSON, a paper a file (.json) or a line (.jsonl), plain or gzip",
    is_metadata=False,
    matches=_matches,
    pieces=cut,
    read=_read,
    reader_version="2",
)
