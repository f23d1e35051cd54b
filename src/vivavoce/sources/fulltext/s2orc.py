"""S2ORC JSON: one paper per file, or one per line."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from vivavoce.records import Author, Document, Fault
from vivavoce.sources import Piece, ReadOptions, Source, name_in_folder
from vivavoce.sources.fulltext.assemble import assemble
from vivavoce.sources.fulltext.model import Block, Cell, Entry, Manuscript, RawTable, cite
from vivavoce.sources.fulltext.outline import find_sections
from vivavoce.sources.json_records import (
    Fields,
    cut,
    is_lines,
    line_at,
    object_at,
    objects_at,
    read_documents,
    read_head,
    read_records,
    rows_at,
    text_at,
    texts_at,
)
from vivavoce.sources.xml import MAX_HEIGHT
from vivavoce.text.dates import date_in
from vivavoce.text.identifiers import find_acl_id, find_arxiv_id, find_doi, find_year
from vivavoce.text.table_parsing import html_cells

_TOKEN = re.compile(r"BIBREF[0-9]{1,6}")
_NESTED = re.compile(r"\s*:::?\s*")
_MAX_ROWS = 2000
_ROLE_OF_BACK = {
    "acknowledgement": "acknowledgements",
    "acknowledgements": "acknowledgements",
    "acknowledgment": "acknowledgements",
    "acknowledgments": "acknowledgements",
    "annex": "appendix",
    "appendix": "appendix",
}
_PLAIN_NAMES = frozenset({"annex"})
"""Headings that the parser made up."""
_PARSE_FIELDS = ("latex_parse", "pdf_parse", "grobid_parse")
_BULK_FIELDS = ("_pdf_hash", "s2_pdf_hash", "s2_url", "has_pdf_parse")
"""Fields of the releases, whose `paper_id` is the corpus id; elsewhere it is a file's name."""
_SUFFIXES = (".json", ".json.gz", ".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
_PARSES = (b'"pdf_parse"', b'"latex_parse"', b'"grobid_parse"', b'"has_pdf_parse"')
# unarXive records also hold paragraphs with citation spans, but only they have these fields.
_OTHER_KIND = (b'"_source_hash"', b'"_source_name"', b'"bib_entry_raw"', b'"content_type"')


def document_from(record: Fields, key: str, source_file: str | None) -> Document:
    """The paper in a record; `InputError` says which field is not what it should be."""
    parse = next((value for name in _PARSE_FIELDS if (value := object_at(record, name))), record)
    about = {**record, **object_at(record, "metadata")}
    entries = objects_at(parse, "bib_entries")
    body, back = rows_at(parse, "body_text"), rows_at(parse, "back_matter")
    title = line_at(about, "title")
    numbers = _numbers(about, source_file)
    arxiv = find_arxiv_id(numbers.get("arxiv", ""))
    names = [_name(person) for person in rows_at(about, "authors")]
    # This number joins a release's lines of text with those of its metadata.
    number = line_at(record, "paper_id")
    is_bulk = number.isascii() and number.isdigit() and any(n in record for n in _BULK_FIELDS)
    document = Document(
        kind="s2orc",
        key=key,
        source_file=source_file,
        given_id=f"s2:{number}" if is_bulk else None,
        arxiv_id=arxiv[0] if arxiv else None,
        version=arxiv[1] if arxiv else None,
        acl_id=find_acl_id(numbers.get("acl", "")),
        doi=find_doi(numbers.get("doi", "")),
        published=date_in(line_at(about, "year")),
        venue=line_at(about, "venue") or line_at(about, "journal") or None,
        licence=line_at(about, "license") or None,
    )
    spans = [span for paragraph in (*body, *back) for span in rows_at(paragraph, "cite_spans")]
    paper = Manuscript(
        title=title,
        abstract=_abstract(record, parse),
        authors=[Author(name) for name in names if sum(map(str.isalpha, name)) > 1],
        blocks=find_sections([*_blocks(body, "body"), *_blocks(back, "back")], title),
        entries=[_entry(name, entry) for name, entry in entries.items()],
        tables=[
            _table(entry)
            for entry in objects_at(parse, "ref_entries").values()
            if (line_at(entry, "type_str") or line_at(entry, "type")) == "table"
        ],
        marks=[(text_at(span, "text"), (text_at(span, "ref_id"),)) for span in spans],
    )
    return assemble(paper, document)


def _numbers(about: Fields, source_file: str | None) -> dict[str, str]:
    """Identifiers by scheme: those the record names, else those in the file's name."""
    named = {**about, **object_at(about, "identifiers")}
    stem = (source_file or "").removesuffix(".gz").removesuffix(".json")
    arxiv = line_at(named, "arxiv_id") or line_at(named, "arxiv")
    return {
        "arxiv": f"arXiv:{arxiv}" if arxiv else stem,
        "acl": line_at(named, "acl_id") or line_at(named, "acl") or stem,
        "doi": line_at(named, "doi"),
    }


def _abstract(record: Fields, parse: Fields) -> str:
    """The abstract as the record gives it, else that of its parse."""
    for holder in (record, parse):
        if isinstance(holder.get("abstract"), str):
            abstract = text_at(holder, "abstract")
        else:
            rows = (text_at(row, "text") for row in rows_at(holder, "abstract"))
            abstract = "\n\n".join(text for text in rows if text)
        if abstract:
            return _with_citations(abstract)
    return ""


def _name(person: Fields) -> str:
    parts = [line_at(person, "first"), *texts_at(person, "middle")]
    parts += [line_at(person, "last"), line_at(person, "suffix")]
    return " ".join(part for part in parts if part) or line_at(person, "name")


def _blocks(paragraphs: Sequence[Fields], place: str) -> Iterator[Block]:
    """Runs of paragraphs under one heading; `Methods ::: Data` is a heading inside another."""
    path: list[str] = []
    block: Block | None = None
    for paragraph in paragraphs:
        heading, number = line_at(paragraph, "section"), line_at(paragraph, "sec_num")
        names = [name for name in _NESTED.split(heading) if name]
        if block is None or names != path or number != (block.number or ""):
            if block is not None:
                yield block
            for depth in range(len(names) - 1):
                if names[: depth + 1] != path[: depth + 1]:
                    yield Block(names[depth], depth=depth, place=place)
            title = names[-1] if names else None
            role = _ROLE_OF_BACK.get((title or "").lower()) if place == "back" else None
            if title is not None and place == "back" and title.lower() in _PLAIN_NAMES:
                title = None
            where, depth = f"{place}:{role}" if role else place, max(len(names) - 1, 0)
            block = Block(title, number or None, role=role, place=where, depth=depth)
            path = names
        block.add(_with_citations(line_at(paragraph, "text")))
    if block is not None:
        yield block


def _entry(key: str, entry: Fields) -> Entry:
    rows = rows_at(entry, "authors")
    people = [name for person in rows if (name := _name(person))]
    ids = object_at(entry, "other_ids")
    numbers = {kind.lower(): " ".join(texts_at(ids, kind)) for kind in ids}
    title, year = line_at(entry, "title"), line_at(entry, "year")
    pieces = [", ".join(people), title, line_at(entry, "venue"), str(find_year(year) or "")]
    return Entry(
        key=key,
        raw=line_at(entry, "raw_text") or line_at(entry, "bib_entry_raw"),
        pieces=[*pieces, *numbers.values()],
        titles=[title],
        years=[year],
        surnames=[line_at(person, "last") or _name(person) for person in rows],
        people=people,
        full_names=sum(bool(line_at(one, "first") and line_at(one, "last")) for one in rows),
        numbers={"arxiv": f"arXiv:{numbers.get('arxiv', '')}", "doi": numbers.get("doi", "")},
        links=" ".join(texts_at(entry, "urls")),
    )


def _table(entry: Fields) -> RawTable:
    caption = line_at(entry, "text") or line_at(entry, "caption")
    rows = islice(html_cells(text_at(entry, "content") or text_at(entry, "html")), _MAX_ROWS)
    grid = [
        [
            Cell(_with_citations(text), _TOKEN.findall(text), width, min(height, MAX_HEIGHT))
            for text, width, height in row
        ]
        for row in rows
    ]
    return RawTable(_with_citations(caption), [grid], _TOKEN.findall(caption))


def _with_citations(text: str) -> str:
    return _TOKEN.sub(lambda match: cite([match[0]]), text)


def _matches(path: Path) -> bool:
    """Check whether the start of a JSON file holds what only S2ORC records do."""
    if not path.name.lower().endswith(_SUFFIXES):
        return False
    head = read_head(path)
    if not head.lstrip().startswith(b"{") or b'"paper_id"' not in head:
        return False
    if any(mark in head for mark in _PARSES):
        return True
    return b'"cite_spans"' in head and not any(mark in head for mark in _OTHER_KIND)


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    name = None if is_lines(piece.path) else piece.path.name

    def read(record: Fields, where: str) -> Document:
        number = line_at(record, "paper_id")
        if name is None and number and "has_pdf_parse" in record:
            # A release has one line with the text of a paper and one without it.
            number = f"metadata:{number}"
        return document_from(record, name or number or where, name)

    return read_documents(read_records(piece), read)


SOURCE = Source(
    kind="s2orc",
    summary="S2ORC JSON, a paper a file (.json) or a line (.jsonl), plain or gzip",
    matches=_matches,
    pieces=cut,
    read=_read,
    # Releases have files of the same names in two folders, one for metadata and one for texts.
    name_of=lambda path: name_in_folder(path) if is_lines(path) else path.name,
    reader_version="9",
)
