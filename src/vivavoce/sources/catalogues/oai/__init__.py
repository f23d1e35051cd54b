"""Papers in saved answers of an OAI-PMH repository, many papers a file.

Three metadata formats of arXiv's repository are read: `arXiv`, `arXivRaw` and Dublin Core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.records import Author, Document, Fault
from vivavoce.sources import Piece, ReadOptions, Source, one_piece, read_whole
from vivavoce.sources.catalogues.oai.listing import (
    authors_of,
    first_day,
    read_listing,
    read_versions,
    split_authors,
)
from vivavoce.sources.catalogues.oai.page import Entry, Page, read_page, text_of
from vivavoce.text.dates import parse_date
from vivavoce.text.identifiers import find_arxiv_id, find_doi

KIND = "oai"
_FIELDS = ("id", "title", "abstract", "categories", "doi", "journal-ref", "license")
_ADDRESS = ("http://", "https://")


def read_entry(entry: Entry) -> Document:
    """The paper of a record; `InputError` says why there is none."""
    if entry.is_deleted:
        raise InputError("deleted by the repository")
    if entry.metadata is None:
        raise InputError("the record has no metadata")
    name = str(entry.metadata.tag)
    reader = _READERS.get(name)
    if reader is None:
        raise InputError(f"its format {name[:40]!r} is none of {', '.join(_READERS)}")
    return reader(entry, entry.metadata)


def _read_arxiv(_entry: Entry, metadata: etree._Element) -> Document:
    fields = _fields(metadata)
    found = find_arxiv_id(f"arXiv:{fields['id']}")
    days = [text_of(metadata.find("created"))]
    return read_listing(
        KIND,
        fields,
        authors=_split_names(metadata),
        published=first_day(found[0], days) if found else None,
        version=None,
    )


def _read_raw(_entry: Entry, metadata: etree._Element) -> Document:
    versions = [
        ((version.get("version") or "").strip(), text_of(version.find("date")))
        for version in metadata.iterfind("version")
    ]
    published, latest = read_versions(versions)
    return read_listing(
        KIND,
        _fields(metadata),
        authors=map(Author, split_authors(text_of(metadata.find("authors")))),
        published=published,
        version=latest,
    )


def _read_dublin_core(entry: Entry, metadata: etree._Element) -> Document:
    names = [text_of(element) for element in metadata.iterfind("identifier")]
    found = find_arxiv_id(next((name for name in names if "arxiv.org" in name.lower()), ""))
    arxiv_id = found[0] if found else None
    title = text_of(metadata.find("title"))
    if not title:
        raise InputError("the record has no title")
    days = [text_of(element) for element in metadata.iterfind("date")]
    parsed = [day[0] for text in days if (day := parse_date(text))]
    addresses = [name for name in names if name.startswith(_ADDRESS)]
    others = (name for name in names if name and not name.lower().startswith((*_ADDRESS, "doi:")))
    return Document(
        kind=KIND,
        key=f"arxiv:{arxiv_id}" if arxiv_id else f"oai:{entry.identifier}",
        given_id=None if arxiv_id else entry.identifier or None,
        arxiv_id=arxiv_id,
        doi=next((doi for name in names if (doi := find_doi(name))), None),
        source_url=f"https://arxiv.org/abs/{arxiv_id}" if arxiv_id else next(iter(addresses), None),
        title=title,
        abstract=text_of(metadata.find("description")) or None,
        published=first_day(arxiv_id, days) if arxiv_id else min(parsed, default=None),
        categories=_categories(entry) if arxiv_id else (),
        # arXiv sets the reference to the journal among the identifiers.
        venue=next(others, None) if arxiv_id else None,
        licence=text_of(metadata.find("rights")) or None,
        authors=tuple(_turned_names(metadata)),
    )


_READERS: dict[str, Callable[[Entry, etree._Element], Document]] = {
    "arXiv": _read_arxiv,
    "arXivRaw": _read_raw,
    "dc": _read_dublin_core,
}


def _fields(metadata: etree._Element) -> dict[str, str]:
    return {name: text_of(metadata.find(name)) for name in _FIELDS}


def _split_names(metadata: etree._Element) -> Iterator[Author]:
    for author in metadata.iterfind("authors/author"):
        names = (text_of(author.find(part)) for part in ("forenames", "keyname", "suffix"))
        yield from authors_of(*names)


def _turned_names(metadata: etree._Element) -> Iterator[Author]:
    """Names given as `Family, Given`."""
    for creator in metadata.iterfind("creator"):
        family, _, given = text_of(creator).partition(",")
        yield from authors_of(given, family, "")


def _categories(entry: Entry) -> tuple[str, ...]:
    """Categories out of sets such as `math:math:NA` and `physics:hep-lat`."""
    paths = [name.split(":") for name in entry.sets]
    return tuple(dict.fromkeys(".".join(path[1:]) for path in paths if len(path) > 1))


_LARGEST_FILE = 64 << 20


def _matches(path: Path) -> bool:
    return path.name.lower().endswith(".oai.xml")


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    name = piece.path.name
    try:
        content = read_whole(piece.path, _LARGEST_FILE, "answer")
        page = read_page(content)
    except (OSError, InputError) as error:
        yield Fault(name, str(error))
        return
    yield from _read_page(page, name)


def _read_page(page: Page, name: str) -> Iterator[Document | Fault]:
    if page.error:
        code, said = page.error
        yield Fault(name, f"the repository reports {code}: {said or 'no reason given'}")
        return
    for place, entry in enumerate(page.entries, start=1):
        try:
            yield read_entry(entry)
        except InputError as error:
            yield Fault(f"{name}: {entry.identifier[:80] or f'record {place}'}", str(error))
    if page.replaced:
        yield Fault(name, f"characters that are no text, now U+FFFD: {page.replaced}")
    if not page.entries:
        yield Fault(name, "it lists no records")


SOURCE = Source(
    kind="oai",
    summary="saved OAI-PMH answers of arXiv (.oai.xml): titles, authors, dates, licences",
    is_metadata=True,
    matches=_matches,
    pieces=one_piece,
    read=_read,
    holds_many=True,
    reader_version="2",
)
