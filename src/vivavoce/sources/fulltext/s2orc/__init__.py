"""S2ORC JSON: a paper a file, or a paper a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions, Source
from vivavoce.sources.fulltext.s2orc.fields import line_at
from vivavoce.sources.fulltext.s2orc.files import Record, cut, is_lines, read_head, read_records
from vivavoce.sources.fulltext.s2orc.paper import document_from
from vivavoce.sources.raw import raw_json

_SUFFIXES = (".json", ".json.gz", ".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
_PARSES = (b'"pdf_parse"', b'"latex_parse"', b'"grobid_parse"', b'"has_pdf_parse"')
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


def _name_of(path: Path) -> str:
    """Releases have files of the same names in a folder for metadata and one for texts."""
    return f"{path.parent.name}/{path.name}" if is_lines(path) else path.name


def _key_of(record: Record) -> str:
    """What a line is known by: a release has one with the text of a paper, one without it."""
    number = line_at(record, "paper_id")
    return f"metadata:{number}" if number and "has_pdf_parse" in record else number


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    name, has_lines = piece.path.name, is_lines(piece.path)
    for where, record in read_records(piece):
        if isinstance(record, str):
            yield Fault(where, record)
            continue
        try:
            if has_lines:
                paper = document_from(record, _key_of(record) or where, None)
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
    name_of=_name_of,
    reader_version="4",
)
