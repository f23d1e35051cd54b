"""unarXive full texts: JSON Lines, a paper a line, plain or gzip."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from email.utils import parsedate_to_datetime
from itertools import pairwise
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.records import Author, CitedTable, Document, Reference, Section
from vivavoce.sources import Source
from vivavoce.sources.fulltext.drafts import Draft, number_sections
from vivavoce.sources.json_records import (
    Fields,
    cut,
    line_at,
    object_at,
    objects_at,
    read_documents,
    read_head,
    rows_at,
    text_at,
)
from vivavoce.text.dates import parse_date
from vivavoce.text.identifiers import find_arxiv_id, find_doi

_TOKEN = re.compile(r"\{\{(cite|formula|figure|table):([0-9A-Za-z_-]{1,64})\}\}")
_YEAR = re.compile(r"(?<![\d.:/-])(?:19\d\d|20\d\d)(?![\d:/-])")
_LEVELS = {"section": 1, "subsection": 2, "subsubsection": 3, "paragraph": 4}
_NO_CAPTION = "NO_CAPTION"
_NO_NUMBER = "-1"
_MAX_NUMBER = 3
_SUFFIXES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
# What only this kind of record holds; one of these stands near its start.
_MARKS = (b'"_source_hash"', b'"_source_name"', b'"bib_entry_raw"', b'"content_type"')
_OTHER_KIND = (b'"pdf_parse"', b'"latex_parse"')


class _Printer:
    """Writes out the tokens of citations, formulas and floats."""

    def __init__(self, ordinals: Mapping[str, int], entries: Mapping[str, Fields]) -> None:
        self._ordinals = ordinals
        self._entries = entries

    def print(self, text: str) -> str:
        """A text on one line: `[3]` for the third reference, TeX for a formula."""
        return " ".join(_TOKEN.sub(self._token, text).split())

    def cited_in(self, text: str) -> tuple[int, ...]:
        """The references of the tokens in a text."""
        keys = (key for kind, key in _TOKEN.findall(text) if kind == "cite")
        return tuple(sorted({self._ordinals[key] for key in keys if key in self._ordinals}))

    def _token(self, found: re.Match[str]) -> str:
        kind, key = found[1], found[2]
        if kind == "cite":
            ordinal = self._ordinals.get(key)
            return "[?]" if ordinal is None else f"[{ordinal + 1}]"
        if kind == "formula":
            latex = line_at(self._entries.get(key, {}), "latex")
            return f"${latex}$" if latex else ""
        before = found.string[max(found.start() - 1, 0) : found.start()]
        after = found.string[found.end() : found.end() + 1]
        space = " " if before.isalnum() or before == "}" else ""
        return f"{space}{kind.capitalize()}{' ' if after.isalnum() else ''}"


def document_from(record: Fields, where: str) -> Document:
    """The paper of a record; `InputError` says which field is not what it should be."""
    about = object_at(record, "metadata")
    works = objects_at(record, "bib_entries")
    entries = objects_at(record, "ref_entries")
    printer = _Printer({key: place for place, key in enumerate(works)}, entries)
    title = line_at(about, "title")
    abstract = line_at(about, "abstract") or _abstract(record, printer)
    by_heading = objects_at(record, "sections")  # in releases of 2024
    held: list[Fields] = [
        {**paragraph, "section": heading} for heading, paragraph in by_heading.items()
    ]
    sections = _sections(rows_at(record, "body_text") or held, printer)
    if not (title or abstract or sections or works):
        raise InputError("the record holds no title, no abstract, no text and no references")
    number = line_at(about, "id") or line_at(record, "paper_id")
    arxiv = find_arxiv_id(f"arXiv:{number}")
    versions = rows_at(about, "versions")
    return Document(
        kind="unarxive",
        key=number or where,
        given_id=number if number and arxiv is None else None,
        arxiv_id=arxiv[0] if arxiv else None,
        # Which of several versions was read is not recorded.
        version=line_at(versions[0], "version") or None if len(versions) == 1 else None,
        doi=find_doi(line_at(about, "doi")),
        title=title or None,
        abstract=abstract or None,
        published=_published(versions),
        categories=tuple(line_at(about, "categories").split()),
        venue=line_at(about, "journal-ref") or None,
        licence=line_at(about, "license") or None,
        authors=tuple(_authors(about)),
        sections=sections,
        references=tuple(_reference(work, place) for place, work in enumerate(works.values())),
        tables=_tables(entries, printer),
    )


def _abstract(record: Fields, printer: _Printer) -> str:
    """The abstract of the text, which is an object here and a list in some records."""
    value = record.get("abstract")
    if isinstance(value, str):
        rows: Sequence[Fields] = [{"text": value}]
    elif isinstance(value, list):
        rows = rows_at(record, "abstract")
    else:
        rows = [object_at(record, "abstract")]
    return "\n\n".join(text for row in rows if (text := printer.print(text_at(row, "text"))))


def _published(versions: Sequence[Fields]) -> str | None:
    """The day of the earliest version."""
    days: list[str] = []
    for version in versions:
        try:
            parsed = parse_date(parsedate_to_datetime(line_at(version, "created")))
        except (ValueError, OverflowError):
            continue
        if parsed is not None:
            days.append(parsed[0])
    return min(days, default=None)


def _authors(about: Fields) -> Iterator[Author]:
    """The authors by their parsed names: surname, forenames, suffix."""
    parsed = about.get("authors_parsed")
    if not isinstance(parsed, list):
        names = re.split(r",\s*(?:and\s+)?|\s+and\s+", line_at(about, "authors"))
        yield from (Author(name) for name in names if any(map(str.isalpha, name)))
        return
    for parts in parsed:
        if not isinstance(parts, list):
            raise InputError("'authors_parsed' holds something else than lists of names")
        last, first, suffix = (
            line_at({"authors_parsed": part}, "authors_parsed") for part in [*parts, "", "", ""][:3]
        )
        name = " ".join(part for part in (first, last, suffix) if part)
        if any(map(str.isalpha, name)):
            yield Author(name)


def _sections(paragraphs: Sequence[Fields], printer: _Printer) -> tuple[Section, ...]:
    """Runs of paragraphs under one heading."""
    drafts: list[Draft] = []
    for paragraph in paragraphs:
        heading, number = line_at(paragraph, "section"), line_at(paragraph, "sec_number")
        number = "" if number == _NO_NUMBER else number
        if not drafts or (drafts[-1].heading, drafts[-1].number or "") != (heading, number):
            known = _LEVELS.get(line_at(paragraph, "sec_type"))
            level = known or min(number.count("."), 5) + 1
            drafts.append(Draft(level, heading, number or None, None))
        text = printer.print(text_at(paragraph, "text"))
        if text:
            drafts[-1].paragraphs.append(text)
    kept = _with_lost_parents([draft for draft in drafts if draft.paragraphs])
    for draft in kept:
        draft.heading = printer.print(draft.heading or "") or None
    return number_sections(kept)


def _with_lost_parents(drafts: Sequence[Draft]) -> list[Draft]:
    """The sections, and those without a paragraph of their own, which the format leaves out.

    They are missing among the numbers of the first level. Subsections are renumbered in each. As
    many of the last runs of them as sections are missing belong to these and not to the section
    before.
    """
    counts = [_count(draft.number or "") for draft in drafts]
    tops = [place for place, draft in enumerate(drafts) if draft.level == 1 and counts[place]]
    lost: dict[int, int] = {}
    for first, following in pairwise(tops):
        missing = range(counts[first] + 1, counts[following])
        starts = _starts_of_runs(drafts, first + 1, following)
        lost.update(zip(reversed(starts), reversed(missing), strict=False))
    found: list[Draft] = []
    for place, draft in enumerate(drafts):
        if place in lost:
            found.append(Draft(1, None, str(lost[place]), None))
        found.append(draft)
    return found


def _starts_of_runs(drafts: Sequence[Draft], start: int, end: int) -> list[int]:
    """Places at which the count of subsections restarts."""
    starts: list[int] = []
    last = 0
    for place in range(start, end):
        if drafts[place].level == 2 and (count := _count(drafts[place].number or "")):
            if not starts or count != last + 1:
                starts.append(place)
            last = count
    return starts


def _count(number: str) -> int:
    """A section's number where that is a plain one, else 0."""
    return int(number) if number.isdecimal() and len(number) <= _MAX_NUMBER else 0


def _reference(work: Fields, ordinal: int) -> Reference:
    raw = line_at(work, "bib_entry_raw")
    ids = object_at(work, "ids")
    arxiv = find_arxiv_id(f"arXiv:{line_at(ids, 'arxiv_id')}")
    for contained in rows_at(work, "contained_arXiv_ids"):
        arxiv = arxiv or find_arxiv_id(f"arXiv:{line_at(contained, 'id')}")
    links = " ".join(line_at(link, "url") for link in rows_at(work, "contained_links"))
    arxiv = arxiv or find_arxiv_id(raw) or find_arxiv_id(links)
    years = sorted(set(_YEAR.findall(raw)))
    return Reference(
        ordinal=ordinal,
        raw=raw,
        year=int(years[0]) if len(years) == 1 else None,
        arxiv_id=arxiv[0] if arxiv else None,
        doi=find_doi(line_at(ids, "doi")) or find_doi(raw) or find_doi(links),
    )


def _tables(entries: Mapping[str, Fields], printer: _Printer) -> tuple[CitedTable, ...]:
    """The captions of tables, which are all that the format keeps of them."""
    captions = [
        "" if line_at(entry, "caption") == _NO_CAPTION else line_at(entry, "caption")
        for entry in entries.values()
        if line_at(entry, "type") == "table"
    ]
    return tuple(
        CitedTable(ordinal, printer.print(caption), (), printer.cited_in(caption))
        for ordinal, caption in enumerate(captions)
    )


def _matches(path: Path) -> bool:
    """Check whether the start of a file of JSON Lines holds what only these records do."""
    if not path.name.lower().endswith(_SUFFIXES):
        return False
    head = read_head(path)
    is_record = head.lstrip().startswith(b"{") and b'"paper_id"' in head
    return (
        is_record
        and any(mark in head for mark in _MARKS)
        and not any(mark in head for mark in _OTHER_KIND)
    )


SOURCE = Source(
    kind="unarxive",
    summary="unarXive full texts in JSON Lines, a paper a line, plain or gzip",
    dates="version",
    matches=_matches,
    pieces=cut,
    read=lambda piece, options: read_documents(piece, document_from),
    holds_many=True,
    reader_version="4",
)
