"""unarXive full texts: JSON Lines, one paper per line, plain or gzip."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from email.utils import parsedate_to_datetime
from itertools import pairwise
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.records import Author, Document
from vivavoce.sources import Source
from vivavoce.sources.fulltext.assemble import assemble
from vivavoce.sources.fulltext.model import Block, Entry, Manuscript, RawTable, cite, full_name
from vivavoce.sources.fulltext.references import printed_year
from vivavoce.sources.json_records import (
    Fields,
    cut,
    line_at,
    object_at,
    objects_at,
    read_documents,
    read_head,
    read_records,
    rows_at,
    text_at,
)
from vivavoce.text.dates import date_in
from vivavoce.text.identifiers import find_arxiv_id, find_doi

_TOKEN = re.compile(r"\{\{(\w{1,20}):([0-9A-Za-z_-]{1,64})\}\}")
_LEVELS = {"section": 1, "subsection": 2, "subsubsection": 3, "paragraph": 4}
_NO_CAPTION = "NO_CAPTION"
_NO_NUMBER = "-1"
_MAX_NUMBER = 3
_SUFFIXES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
# Fields that only this kind of record has; one of them is near its start.
_MARKS = (b'"_source_hash"', b'"_source_name"', b'"bib_entry_raw"', b'"content_type"')
_OTHER_KIND = (b'"pdf_parse"', b'"latex_parse"')


def _printer(entries: Mapping[str, Fields]) -> Callable[[str], str]:
    """Make a function that writes out tokens of formulas and floats; citations become marks."""

    def print_token(match: re.Match[str]) -> str:
        kind, key = match[1], match[2]
        if kind == "cite":
            return cite([key], unknown="?")
        if kind == "formula":
            latex = line_at(entries.get(key, {}), "latex")
            return f"${latex}$" if latex else ""
        if kind not in {"figure", "table"}:
            return ""  # a reference to another part, whose number is not recorded
        before = match.string[max(match.start() - 1, 0) : match.start()]
        after = match.string[match.end() : match.end() + 1]
        space = " " if before.isalnum() or before == "}" else ""
        return f"{space}{kind.capitalize()}{' ' if after.isalnum() else ''}"

    return lambda text: " ".join(_TOKEN.sub(print_token, text).split())


def document_from(record: Fields, where: str) -> Document:
    """The paper in a record; `InputError` says which field is not what it should be."""
    about = object_at(record, "metadata")
    works = objects_at(record, "bib_entries")
    entries = objects_at(record, "ref_entries")
    show = _printer(entries)
    by_heading = objects_at(record, "sections")  # in releases of 2024
    paragraphs: list[Fields] = [
        {**paragraph, "section": heading} for heading, paragraph in by_heading.items()
    ]
    paper = Manuscript(
        title=line_at(about, "title"),
        abstract=line_at(about, "abstract") or _abstract(record, show),
        authors=list(_authors(about)),
        blocks=_blocks(rows_at(record, "body_text") or paragraphs, show),
        entries=[_entry(key, work) for key, work in works.items()],
        tables=[_table(one, show) for one in entries.values() if one.get("type") == "table"],
    )
    number = line_at(about, "id") or line_at(record, "paper_id")
    arxiv = find_arxiv_id(f"arXiv:{number}")
    versions = rows_at(about, "versions")
    document = Document(
        kind="unarxive",
        key=number or where,
        given_id=number if number and arxiv is None else None,
        arxiv_id=arxiv[0] if arxiv else None,
        # The record does not say which of several versions was read.
        version=line_at(versions[0], "version") or None if len(versions) == 1 else None,
        doi=find_doi(line_at(about, "doi")),
        published=_published(versions),
        categories=tuple(line_at(about, "categories").split()),
        venue=line_at(about, "journal-ref") or None,
        licence=line_at(about, "license") or None,
    )
    return assemble(paper, document)


def _abstract(record: Fields, show: Callable[[str], str]) -> str:
    """The abstract of the text: a string, a list or an object, depending on the record."""
    value = record.get("abstract")
    if isinstance(value, str):
        rows: Sequence[Fields] = [{"text": value}]
    elif isinstance(value, list):
        rows = rows_at(record, "abstract")
    else:
        rows = [object_at(record, "abstract")]
    return "\n\n".join(text for row in rows if (text := show(text_at(row, "text"))))


def _published(versions: Sequence[Fields]) -> str | None:
    """The day of the earliest version."""
    days: list[str] = []
    for version in versions:
        try:
            day = date_in(parsedate_to_datetime(line_at(version, "created")))
        except (ValueError, OverflowError):
            continue
        days += [day] if day else []
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
        if name := full_name((first, last, suffix)):
            yield Author(name)


def _blocks(paragraphs: Sequence[Fields], show: Callable[[str], str]) -> list[Block]:
    """Runs of paragraphs under one heading."""
    blocks: list[Block] = []
    for paragraph in paragraphs:
        heading, number = line_at(paragraph, "section"), line_at(paragraph, "sec_number")
        number = "" if number == _NO_NUMBER else number
        if not blocks or (blocks[-1].heading, blocks[-1].number or "") != (heading, number):
            known = _LEVELS.get(line_at(paragraph, "sec_type"))
            level = known or min(number.count("."), 5) + 1
            blocks.append(Block(heading, number or None, level))
        text = show(text_at(paragraph, "text"))
        if text:
            blocks[-1].paragraphs.append(text)
    kept = _with_lost_parents([block for block in blocks if block.paragraphs])
    for block in kept:
        block.heading = show(block.heading or "")
    return kept


def _with_lost_parents(blocks: Sequence[Block]) -> list[Block]:
    """Add sections that the format leaves out because they have no paragraph of their own.

    Their numbers are missing on the first level. The last runs of subsections, each counted from 1,
    belong to these sections, not to the section before.
    """
    counts = [_count(block.number or "") for block in blocks]
    tops = [place for place, block in enumerate(blocks) if block.level == 1 and counts[place]]
    lost: dict[int, int] = {}
    for first, following in pairwise(tops):
        missing = range(counts[first] + 1, counts[following])
        starts = _starts_of_runs(blocks, first + 1, following)
        lost.update(zip(reversed(starts), reversed(missing), strict=False))
    sections: list[Block] = []
    for place, block in enumerate(blocks):
        if place in lost:
            sections.append(Block(number=str(lost[place])))
        sections.append(block)
    return sections


def _starts_of_runs(blocks: Sequence[Block], start: int, end: int) -> list[int]:
    """Places at which the count of subsections restarts."""
    starts: list[int] = []
    last = 0
    for place in range(start, end):
        if blocks[place].level == 2 and (count := _count(blocks[place].number or "")):
            if not starts or count != last + 1:
                starts.append(place)
            last = count
    return starts


def _count(number: str) -> int:
    """A section's number if it is a plain integer, else 0."""
    return int(number) if number.isdecimal() and len(number) <= _MAX_NUMBER else 0


def _entry(key: str, work: Fields) -> Entry:
    raw = line_at(work, "bib_entry_raw")
    ids = object_at(work, "ids")
    contained = [line_at(one, "id") for one in rows_at(work, "contained_arXiv_ids")]
    numbers = [f"arXiv:{number}" for number in (line_at(ids, "arxiv_id"), *contained)]
    links = (line_at(link, "url") for link in rows_at(work, "contained_links"))
    return Entry(
        key=key,
        raw=raw,
        years=[printed_year(raw)],
        numbers={"arxiv": " ".join(numbers), "doi": line_at(ids, "doi")},
        links=" ".join(links),
    )


def _table(entry: Fields, show: Callable[[str], str]) -> RawTable:
    """The caption of a table, which is all that the format keeps of it."""
    caption = line_at(entry, "caption").removeprefix(_NO_CAPTION)
    keys = [key for kind, key in _TOKEN.findall(caption) if kind == "cite"]
    return RawTable(show(caption), keys=keys)


def _matches(path: Path) -> bool:
    """Check whether the start of a JSON Lines file has fields that only these records have."""
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
    read=lambda piece, options: read_documents(read_records(piece), document_from),
    holds_many=True,
    reader_version="9",
)
