"""Reader of the comparison tables of arxivDIGESTables and arXiv2Table, and of papers they cite."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from vivavoce.errors import InputError
from vivavoce.records import CitedTable, Document, Fault, Reference
from vivavoce.sources import Piece, ReadOptions, Source, name_in_folder
from vivavoce.sources.fulltext.assemble import build_sections
from vivavoce.sources.fulltext.citing import RowsCited
from vivavoce.sources.fulltext.model import Block
from vivavoce.sources.fulltext.outline import find_sections
from vivavoce.sources.json_records import (
    Fields,
    cut,
    is_lines,
    line_at,
    list_at,
    object_at,
    raw_json,
    read_head,
    read_values,
    rows_at,
    text_at,
)
from vivavoce.text.dates import date_in
from vivavoce.text.identifiers import arxiv_id_in, find_acl_id, find_arxiv_id, find_doi
from vivavoce.text.normalise import clean_line

_MAX_SPANS, _MAX_CELLS = 50_000, 200_000
_LARGEST_FILE = 128 << 20
_OWN_FIELDS = frozenset({"row_bib_map", "content", "metadata", "scores"})
"""Fields that tell a record from an object of records by id."""
_DATE_PARTS = (("year", 4), ("month", 2), ("day", 2))
_SUFFIXES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz", ".json", ".json.gz")
_OWN_NAMES = ("digestables", "arxiv2table", "tabid2tables")
_OTHER_NAMES = ("prediction", "score")
# Other data sets use these names too, so the start of the file decides.
_MARK_OF = {"tables": b'"row_bib_map"', "papers": b'"tabids"', "full_text": b'"corpusId"'}


def check_id(value: Any, name: str) -> str:
    """Read an id as text; empty if it is absent or -1, `InputError` if neither number nor text."""
    if value is None or value == -1:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise InputError(f"{name!r} is a {type(value).__name__}, not an id")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = clean_line(str(value))
    return "" if text == "-1" else text


def read_table(fields: Fields, where: str, listed_as: str) -> Document:
    """Read a row of tables.jsonl as the document of its paper, known by its arXiv id.

    The table's own id stands for an unknown paper; `InputError` names the field of a bad row.
    """
    name = check_id(fields.get("tabid"), "tabid") or listed_as
    arxiv = find_arxiv_id(f"arXiv:{line_at(fields, 'arxiv_id')}")
    if not (arxiv or name):
        raise InputError("the table has neither an 'arxiv_id' nor a 'tabid'")
    works = rows_at(fields, "row_bib_map")
    is_own = [line_at(work, "type") == "ours" for work in works]
    own: Fields = next((work for work, is_it in zip(works, is_own, strict=True) if is_it), {})
    number = check_id(own.get("corpus_id"), "corpus_id")
    cells = _cells(object_at(fields, "table"), works)
    cited = tuple(place for place, is_it in enumerate(is_own) if not is_it)
    rows = _row_cited(works, is_own)
    return Document(
        kind="digestables",
        key=f"tables:{arxiv[0] if arxiv else f'table:{name}'}",
        given_id=f"s2:{number}" if number else None,
        arxiv_id=arxiv[0] if arxiv else None,
        version=arxiv[1] if arxiv else None,
        title=line_at(own, "title") or None,
        abstract=text_at(own, "abstract") or None,
        references=tuple(_reference(work, place) for place, work in enumerate(works)),
        tables=(CitedTable(0, line_at(fields, "caption"), cells, cited, rows),),
    )


def paper_of(rows: Sequence[Document]) -> Document:
    """Join the documents of a paper's tables, in their order, into one."""
    references: list[Reference] = []
    tables: list[CitedTable] = []
    for ordinal, row in enumerate(rows):
        start = len(references)
        references += (replace(one, ordinal=start + one.ordinal) for one in row.references)
        (table,) = row.tables
        cited = tuple(start + place for place in table.cited)
        by_row = tuple(tuple(start + place for place in line) for line in table.row_cited)
        tables.append(replace(table, ordinal=ordinal, cited=cited, row_cited=by_row))
    described = (row for row in rows if row.given_id or row.title or row.abstract)
    about = replace(next(described, rows[0]), version=rows[0].version)
    return replace(about, references=tuple(references), tables=tuple(tables))


def benchmark_document(fields: Fields, where: str, listed_as: str) -> Document:
    """Read an entry of arXiv2Table, a table without its paper; `InputError` for a bad entry."""
    name = check_id(fields.get("table_id"), "table_id")
    query = check_id(fields.get("table_query_id"), "table_query_id")
    if not (name or query):
        raise InputError("the entry has neither a 'table_id' nor a 'table_query_id'")
    papers = list_at(fields, "table_references")
    if not papers:
        labels = list_at(fields, "input_references_label")  # 1: the paper belongs to the table
        labelled = zip(list_at(fields, "input_references_id"), labels, strict=False)
        papers = [paper for paper, label in labelled if label == 1]
    listed = (paper if isinstance(paper, dict) else {"corpus_id": paper} for paper in papers)
    works = [{**paper, "row": row} for row, paper in enumerate(listed)]
    references = tuple(_reference(work, place) for place, work in enumerate(works))
    cells = _cells(object_at(fields, "table"), works)
    rows = _row_cited(works, [False] * len(works))
    caption = line_at(fields, "table_caption")
    return Document(
        kind="digestables",
        key=f"arxiv2table:{name}:{query}",
        references=references,
        tables=(CitedTable(0, caption, cells, tuple(range(len(references))), rows),),
        raw=raw_json(fields),
    )


def _cells(table: Mapping[str, Any], works: Sequence[Fields]) -> tuple[tuple[str, ...], ...]:
    """Make the header, then a row for each row of the upstream table that cites a work.

    If several rows cite the same paper, upstream has only the last one's values.
    """
    columns = {name: object_at(table, name) for name in table}
    cited = [check_id(work.get("corpus_id"), "corpus_id") for work in works]
    rows: dict[int, list[int]] = defaultdict(list)
    last_row: dict[str, int] = {}
    for place, work in enumerate(works):
        row = _row_of(work, place)
        rows[row].append(place)
        last_row[cited[place]] = row
    if len(rows) * (len(columns) + 1) > _MAX_CELLS:
        raise InputError(f"the table has over {_MAX_CELLS} cells")
    cells = [("", *map(clean_line, columns))]
    for row, places in sorted(rows.items()):
        label = "; ".join(filter(None, (line_at(works[place], "title") for place in places)))
        known = [cited[p] for p in places if cited[p] and last_row[cited[p]] == row]
        values = (
            next((_text(column[number]) for number in known if number in column), "")
            for column in columns.values()
        )
        cells.append((label, *values))
    return tuple(cells)


def _row_of(work: Fields, place: int) -> int:
    """Row of the upstream table that cites a work; the work's place in the map if missing."""
    row = work.get("row")
    return row if isinstance(row, int) and not isinstance(row, bool) else place


def _row_cited(works: Sequence[Fields], is_own: Sequence[bool]) -> RowsCited:
    """References cited by each row of `_cells`; the header and the paper's own row cite none."""
    rows: dict[int, list[int]] = defaultdict(list)
    for place, work in enumerate(works):
        rows[_row_of(work, place)] += [] if is_own[place] else [place]
    return ((), *(tuple(places) for _, places in sorted(rows.items())))


def _reference(work: Fields, ordinal: int) -> Reference:
    title = line_at(work, "title")
    name = check_id(work.get("bib_hash_or_arxiv_id"), "bib_hash_or_arxiv_id")
    arxiv = find_arxiv_id(f"arXiv:{name}") if name.replace("arXiv:", "")[:1].isalnum() else None
    number = check_id(work.get("corpus_id"), "corpus_id")
    return Reference(
        ordinal=ordinal,
        raw=title or name or (f"CorpusId:{number}" if number else ""),
        title=title or None,
        arxiv_id=arxiv[0] if arxiv else None,
        given_id=f"s2:{number}" if number else None,
    )


def _text(value: Any) -> str:
    """Text of a cell, with its values separated by semicolons."""
    parts = value if isinstance(value, list) else [value]
    lines = (clean_line(str(part)) for part in parts if part is not None)
    return "; ".join(filter(None, lines))


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
    raise InputError("neither a table with its row_bib_map, a paper, a text nor a benchmark entry")


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
