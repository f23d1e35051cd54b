"""Reader of the comparison tables of arxivDIGESTables and arXiv2Table, and of papers they cite."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

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
    read_values,
    rows_at,
    text_at,
)
from vivavoce.sources.leaderboards.digestables.tables import (
    benchmark_document,
    check_id,
    paper_of,
    read_table,
)
from vivavoce.text.dates import date_in
from vivavoce.text.identifiers import arxiv_id_in, find_acl_id, find_doi
from vivavoce.text.normalise import clean_line

_MAX_SPANS = 50_000
_LARGEST_FILE = 128 << 20
_OWN_FIELDS = frozenset({"row_bib_map", "content", "metadata", "scores"})
"""Fields that tell a record from an object of records by id."""
_DATE_PARTS = (("year", 4), ("month", 2), ("day", 2))
_SUFFIXES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz", ".json", ".json.gz")
_OWN_NAMES = ("digestables", "arxiv2table", "tabid2tables")
_OTHER_NAMES = ("prediction", "score")
# Other data sets use these names too, so the start of the file decides.
_MARK_OF = {"tables": b'"row_bib_map"', "papers": b'"tabids"', "full_text": b'"corpusId"'}


class _Span(NamedTuple):
    """A span of a text and its attributes."""

    start: int
    end: int
    about: Fields


def paper_document(fields: Fields, where: str, listed_as: str) -> Document:
    """Read a row of papers.jsonl, or one of papers by id; `InputError` without id and title."""
    number = check_id(listed_as or fields.get("corpus_id"), "corpus_id")
    named = object_at(fields, "externalIds")
    ids = {name.lower(): line_at(named, name) for name in named}
    title, abstract = line_at(fields, "title"), text_at(fields, "abstract")
    if not (number or title):
        raise InputError("the paper has neither a 'corpus_id' nor a 'title'")
    return Document(
        kind="digestables",
        key=f"paper:{number or where}",
        given_id=f"s2:{number}" if number else None,
        arxiv_id=arxiv_id_in(f"arXiv:{ids.get('arxiv', '')}"),
        acl_id=find_acl_id(ids.get("acl", "")),
        doi=find_doi(ids.get("doi", "")),
        title=title or None,
        abstract=abstract or None,
        raw=raw_json(fields),
    )


def text_document(fields: Fields, where: str, listed_as: str) -> Document:
    """Read a row of full_texts.jsonl, a string with spans; `InputError` names a bad part."""
    about = object_at(fields, "metadata")
    content = object_at(fields, "content")
    named = {"id": fields.get("id"), "corpusid": fields.get("corpusid"), **about}
    numbers = (check_id(named.get(name), name) for name in ("corpusId", "corpusid", "id"))
    number = next(filter(None, numbers), "")
    if not number:
        raise InputError("the text has no corpus id")
    parse = object_at(content, "grobid") or content
    text = parse.get("contents") or parse.get("text") or ""
    if not isinstance(text, str):
        raise InputError("the contents are not a text")
    title = line_at(about, "title")
    blocks = find_sections(_blocks(parse, text), title)
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


def _blocks(parse: Fields, text: str) -> list[Block]:
    """Blocks of a text: each heading with the paragraphs that follow it."""
    both = [_spans(parse, name, len(text)) for name in ("section_header", "paragraph")]
    marked = [(span.start, is_text, span) for is_text, own in enumerate(both) for span in own]
    blocks = [Block()]
    for _, is_text, span in sorted(marked, key=lambda item: item[:2]):
        if is_text:
            blocks[-1].add(_line(text, span))
        else:
            blocks.append(Block(_line(text, span) or None, line_at(span.about, "n") or None))
    return blocks if blocks[0].paragraphs else blocks[1:]


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


def _reader_of(fields: Any) -> Callable[[Fields, str, str], Document]:
    """The reader of a record by its fields; `InputError` says why there is none."""
    if not isinstance(fields, dict):
        raise InputError("not a JSON object")
    if "scores" in fields or ("metadata" in fields and "table" in fields):
        raise InputError("a table made by a system: predictions are not read")
    if "row_bib_map" in fields:
        return read_table
    if "input_references_id" in fields or "table_query_id" in fields:
        return benchmark_document
    if "content" in fields and ("metadata" in fields or "corpusid" in fields):
        return text_document
    if "tabids" in fields or ("corpus_id" in fields and "title" in fields):
        return paper_document
    reason = "neither a table with its row_bib_map, a paper, a full text nor a benchmark entry"
    raise InputError(reason)


def _records(value: Any) -> list[tuple[str, Any]]:
    """The records in a value, each with the id that it is listed under, else an empty one."""
    if isinstance(value, list):
        return [("", one) for one in value]
    is_by_id = bool(value) and all(isinstance(one, dict) for one in value.values())
    if is_by_id and value.keys().isdisjoint(_OWN_FIELDS):
        return list(value.items())
    return [("", value)]


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
    file, has_lines = name_in_folder(piece.path), is_lines(piece.path)
    for where, value in read_values(piece, _LARGEST_FILE, nan_is_null=True):
        if isinstance(value, str):
            yield Fault(where.replace(piece.path.name, file, 1), value)
            continue
        row = int(where.rpartition(":")[2]) if has_lines else 1
        for place, (key, fields) in enumerate(_records(value), start=row):
            try:
                known = {"corpus_id": key, **fields} if key else fields
                document = _reader_of(known)(fields, f"{file}:{place}", key)
            except InputError as error:
                yield Fault(f"{file}:{place}", str(error))
                continue
            if "row_bib_map" in fields:
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
