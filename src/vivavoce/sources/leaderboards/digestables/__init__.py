"""Reader of the comparison tables of arxivDIGESTables and arXiv2Table, and of papers they cite."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault, Reference
from vivavoce.sources import Piece, ReadOptions, Source, name_in_folder
from vivavoce.sources.fulltext.assemble import build_sections
from vivavoce.sources.fulltext.model import Block
from vivavoce.sources.fulltext.outline import find_sections
from vivavoce.sources.json_records import (
    Fields,
    cut,
    is_lines,
    line_at,
    object_at,
    raw_json,
    read_head,
    rows_at,
    text_at,
)
from vivavoce.sources.leaderboards.digestables.tables import (
    BENCHMARK,
    PAPER,
    TABLE,
    TEXT,
    PlacedRecord,
    benchmark_document,
    check_id,
    paper_of,
    read_entries,
    read_table,
)
from vivavoce.text.dates import date_in
from vivavoce.text.identifiers import arxiv_id_in, find_acl_id, find_doi
from vivavoce.text.normalise import clean_line

_MAX_SPANS = 50_000
_DATE_PARTS = (("year", 4), ("month", 2), ("day", 2))
_SUFFIXES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz", ".json", ".json.gz")
_OWN_NAMES = ("digestables", "arxiv2table", "tabid2tables")
_OTHER_NAMES = ("prediction", "score")
# Other data sets use these names too, so the start of the file decides.
_MARK_OF = {"tables": b'"row_bib_map"', "papers": b'"tabids"', "full_text": b'"corpusId"'}


@dataclass(frozen=True, slots=True)
class _Span:
    """A span of a text and its attributes."""

    start: int
    end: int
    about: Fields = field(default_factory=dict)


def paper_document(entry: PlacedRecord) -> Document:
    """Read a row of papers.jsonl, or one of papers by id; `InputError` without id and title."""
    fields = entry.fields
    number = check_id(entry.listed_as or fields.get("corpus_id"), "corpus_id")
    named = object_at(fields, "externalIds")
    ids = {name.lower(): line_at(named, name) for name in named}
    title, abstract = line_at(fields, "title"), text_at(fields, "abstract")
    if not (number or title):
        raise InputError("the paper has neither a 'corpus_id' nor a 'title'")
    return Document(
        kind="digestables",
        key=f"paper:{number or entry.where}",
        given_id=f"s2:{number}" if number else None,
        arxiv_id=arxiv_id_in(f"arXiv:{ids.get('arxiv', '')}"),
        acl_id=find_acl_id(ids.get("acl", "")),
        doi=find_doi(ids.get("doi", "")),
        title=title or None,
        abstract=abstract or None,
        raw=raw_json(fields),
    )


def text_document(entry: PlacedRecord) -> Document:
    """Read a row of full_texts.jsonl, a string with spans; `InputError` names a bad part."""
    fields = entry.fields
    about = object_at(fields, "metadata")
    content = object_at(fields, "content")
    number = (
        check_id(about.get("corpusId"), "corpusId")
        or check_id(fields.get("corpusid"), "corpusid")
        or check_id(fields.get("id"), "id")
    )
    if not number:
        raise InputError("the text has no corpus id")
    parse = object_at(content, "grobid") or content
    text = parse.get("contents") or parse.get("text") or ""
    if not isinstance(text, str):
        raise InputError("the contents are not a text")
    title = line_at(about, "title")
    blocks = find_sections(list(_blocks(parse, text)), title)
    sections, abstract = build_sections(blocks, text_at(about, "abstract"))
    ids = object_at(about, "externalIds") or object_at(about, "externalids")
    names = {name.lower(): line_at(ids, name) for name in ids}
    source = object_at(content, "source")
    access = object_at(source, "oa_info") or object_at(source, "oainfo")
    return Document(
        kind="digestables",
        key=f"text:{number}",
        given_id=f"s2:{number}",
        arxiv_id=arxiv_id_in(f"arXiv:{names.get('arxiv', '')}"),
        acl_id=find_acl_id(names.get("acl", "")),
        doi=find_doi(names.get("doi", "")),
        title=title or None,
        abstract=abstract or None,
        published=_date(about),
        venue=line_at(about, "venue") or None,
        licence=line_at(access, "license") or None,
        sections=sections,
        references=tuple(_references(parse, text)),
    )


def _date(about: Fields) -> str | None:
    published = about.get("publication_date")
    if isinstance(published, dict):
        parts = [line_at(published, name).zfill(size) for name, size in _DATE_PARTS]
        known = next((n for n, part in enumerate(parts) if not part.strip("0")), len(parts))
        return date_in("-".join(parts[:known]))
    return date_in(line_at(about, "publication_date")) or date_in(line_at(about, "year"))


def _blocks(parse: Fields, text: str) -> Iterator[Block]:
    """Blocks of a text: each heading with the paragraphs that follow it."""
    headers = _spans(parse, "section_header", len(text))
    paragraphs = _spans(parse, "paragraph", len(text))
    marked = [(span.start, 0, span) for span in headers]
    marked += [(span.start, 1, span) for span in paragraphs]
    block: Block | None = None
    for _, is_paragraph, span in sorted(marked, key=lambda item: item[:2]):
        if not is_paragraph:
            if block is not None:
                yield block
            block = Block(_line(text, span) or None, line_at(span.about, "n") or None)
        else:
            block = block or Block()
            block.add(_line(text, span))
    if block is not None:
        yield block


def _references(parse: Fields, text: str) -> Iterator[Reference]:
    titles = _spans(parse, "bib_title", len(text))
    place = 0
    for ordinal, span in enumerate(_spans(parse, "bib_entry", len(text))):
        raw = _line(text, span)
        while place < len(titles) and titles[place].start < span.start:
            place += 1
        has_title = place < len(titles) and titles[place].end <= span.end
        yield Reference(
            ordinal=ordinal,
            raw=raw,
            title=(_line(text, titles[place]) or None) if has_title else None,
            arxiv_id=arxiv_id_in(raw),
            doi=find_doi(raw),
        )


def _spans(parse: Fields, name: str, length: int) -> Sequence[_Span]:
    """Spans of one kind, in order; upstream sometimes writes their list as JSON text."""
    annotations = object_at(parse, "annotations")
    value = annotations.get(name)
    if isinstance(value, str):
        try:
            annotations = {name: json.loads(value)}
        except (ValueError, RecursionError) as error:
            raise InputError(f"the annotations {name!r} are not readable JSON") from error
    rows = rows_at(annotations, name)
    if len(rows) > _MAX_SPANS:
        raise InputError(f"over {_MAX_SPANS} annotations {name!r}")
    spans = [_Span(*_bounds(row, name, length), object_at(row, "attributes")) for row in rows]
    return sorted(spans, key=lambda span: (span.start, span.end))


def _bounds(row: Fields, name: str, length: int) -> tuple[int, int]:
    bounds = []
    for side in ("start", "end"):
        value = row.get(side)
        value = int(value) if isinstance(value, str) and value.isdecimal() else value
        if not isinstance(value, int) or not 0 <= value <= length:
            raise InputError(f"an annotation {name!r} lies outside the text")
        bounds.append(value)
    return bounds[0], bounds[1]


def _line(text: str, span: _Span) -> str:
    return clean_line(text[span.start : span.end])


_DOCUMENT_OF = {
    TABLE: read_table,
    PAPER: paper_document,
    TEXT: text_document,
    BENCHMARK: benchmark_document,
}


def _matches(path: Path) -> bool:
    name = path.name.lower()
    if not name.endswith(_SUFFIXES) or any(word in name for word in _OTHER_NAMES):
        return False
    if any(word in name for word in _OWN_NAMES):
        return True
    marks = [mark for start, mark in _MARK_OF.items() if name.startswith(start)]
    return bool(marks) and marks[0] in read_head(path)


def _pieces(path: Path) -> Iterator[Piece]:
    """Cut a file into runs of lines; tables stay whole, as those of a paper are read together."""
    holds_tables = is_lines(path) and _MARK_OF["tables"] in read_head(path)
    yield from [Piece(path)] if holds_tables else cut(path)


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    tables: dict[str, list[Document]] = defaultdict(list)
    for entry in read_entries(piece, name_in_folder(piece.path)):
        if isinstance(entry, Fault):
            yield entry
            continue
        try:
            document = _DOCUMENT_OF[entry.sort](entry)
        except InputError as error:
            yield Fault(entry.where, str(error))
            continue
        if entry.sort == TABLE:
            tables[document.key].append(document)
        else:
            yield document
    yield from map(paper_of, tables.values())


SOURCE = Source(
    kind="digestables",
    summary="arxivDIGESTables (tables, papers, full_texts .jsonl) and arXiv2Table (.json)",
    matches=_matches,
    pieces=_pieces,
    read=_read,
    name_of=name_in_folder,
    reader_version="5",
)
