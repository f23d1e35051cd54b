"""Comparison tables of arxivDIGESTables, and the benchmark arXiv2Table made of them."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions, Source
from vivavoce.sources.fulltext.s2orc.files import cut, is_lines, read_head
from vivavoce.sources.leaderboards.digestables.papers import paper_document, text_document
from vivavoce.sources.leaderboards.digestables.records import (
    BENCHMARK,
    PAPER,
    TABLE,
    TEXT,
    Entry,
    read_entries,
)
from vivavoce.sources.leaderboards.digestables.tables import (
    TableRecord,
    benchmark_document,
    paper_of,
    read_table,
)

_SUFFIXES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz", ".json", ".json.gz")
_OWN_NAMES = ("digestables", "arxiv2table", "tabid2tables")
_OTHER_NAMES = ("prediction", "score")
# Names that other data sets have too: the start of the file decides.
_MARK_OF = {"tables": b'"row_bib_map"', "papers": b'"tabids"', "full_text": b'"corpusId"'}
_BYTES_PER_PART = 32 << 20
_PACKED = 8
_DOCUMENT_OF = {PAPER: paper_document, TEXT: text_document, BENCHMARK: benchmark_document}


def _matches(path: Path) -> bool:
    name = path.name.lower()
    if not name.endswith(_SUFFIXES) or any(word in name for word in _OTHER_NAMES):
        return False
    if any(word in name for word in _OWN_NAMES):
        return True
    marks = [mark for start, mark in _MARK_OF.items() if name.startswith(start)]
    return bool(marks) and marks[0] in read_head(path)


def _name_of(path: Path) -> str:
    """Each quality of the data set is a folder with files of the same names."""
    return f"{path.parent.name}/{path.name}"


def _pieces(path: Path) -> Iterator[Piece]:
    """Runs of lines; tables in parts by their paper, since those of one paper are read together."""
    if not is_lines(path) or _MARK_OF["tables"] not in read_head(path):
        yield from cut(path)
        return
    parts = _parts(path)
    for part in range(parts):
        yield Piece(path) if parts == 1 else Piece(path, part, part + 1)


def _parts(path: Path) -> int:
    size = path.stat().st_size * (_PACKED if path.name.lower().endswith(".gz") else 1)
    return max(1, -(-size // _BYTES_PER_PART))


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    file = _name_of(piece.path)
    parts, part = 1, 0
    if is_lines(piece.path) and _MARK_OF["tables"] in read_head(piece.path):
        parts, part = _parts(piece.path), piece.start
        piece = Piece(piece.path)
    tables: dict[str, list[TableRecord]] = defaultdict(list)
    for entry in read_entries(piece, file):
        found = _take(entry)
        if isinstance(found, TableRecord):
            if zlib.crc32(found.paper.encode()) % parts == part:
                tables[found.paper].append(found)
        elif part == 0:  # every part passes over the whole file
            yield found
    for of_one_paper in tables.values():
        yield from _paper(of_one_paper)


def _take(entry: Entry | tuple[str, str]) -> Document | Fault | TableRecord:
    if isinstance(entry, tuple):
        return Fault(*entry)
    try:
        return read_table(entry) if entry.sort == TABLE else _DOCUMENT_OF[entry.sort](entry)
    except InputError as error:
        return Fault(entry.where, str(error))


def _paper(tables: list[TableRecord]) -> Iterator[Document | Fault]:
    try:
        yield paper_of(tables)
    except InputError as error:
        yield from (Fault(table.entry.where, str(error)) for table in tables)


SOURCE = Source(
    kind="digestables",
    summary="arxivDIGESTables (tables, papers, full_texts .jsonl) and arXiv2Table (.json)",
    is_metadata=False,
    matches=_matches,
    pieces=_pieces,
    read=_read,
    name_of=_name_of,
    reader_version="2",
)
