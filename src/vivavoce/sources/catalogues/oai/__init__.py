"""Papers in saved answers of an OAI-PMH repository, many papers a file.

The protocol is that of https://www.openarchives.org/OAI/2.0/openarchivesprotocol.htm. Two metadata
formats of arXiv's repository are read: `arXiv`, and `arXivRaw`, which lists every version.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.records import Author, Document, Fault
from vivavoce.sources import Piece, ReadOptions, Source, has_suffix, read_with
from vivavoce.sources import one_piece as one_piece
from vivavoce.sources.catalogues.arxiv import decode_feed
from vivavoce.sources.catalogues.oai.listing import (
    authors_of,
    first_day,
    read_listing,
    read_versions,
    split_authors,
)
from vivavoce.sources.xml import parse_xml, text_of
from vivavoce.store import read_json
from vivavoce.text.identifiers import find_arxiv_id

_LISTS = ("ListRecords", "GetRecord")
_NUMBER = re.compile(r"[0-9]{1,12}")
_SHOWN = 120
_SUFFIX = ".oai.xml"
KIND = "oai"
_FIELDS = ("id", "title", "abstract", "categories", "doi", "journal-ref", "license", "comments")
STATE = "harvest.json"
"""Name of the file in which a harvest keeps its progress."""
_LARGEST_FILE = 64 << 20


@dataclass(frozen=True, slots=True)
class OaiRecord:
    """A record: its header, and its metadata as XML."""

    identifier: str
    datestamp: str
    """Day of the record's last change in the repository, as it says."""
    is_deleted: bool
    metadata: etree._Element | None


@dataclass(frozen=True, slots=True)
class Page:
    """One answer."""

    verb: str
    """The request, `ListRecords` or `GetRecord`; empty for an error."""
    entries: tuple[OaiRecord, ...]
    error: tuple[str, str] | None
    """Code, such as `noRecordsMatch`, and what the repository says about it."""
    token: str | None
    """Asks for the next page; None on the last."""
    total: int | None
    """Records of the whole list, where the repository tells."""
    cursor: int | None
    """Records before this page, where the repository tells."""
    replaced: int
    """Characters that were no text and became U+FFFD."""


def read_page(content: bytes) -> Page:
    """Read an answer; `InputError` says why it is none."""
    text, replaced = decode_feed(content)
    opening = text.lstrip()[:_SHOWN]
    if opening and not opening.startswith("<"):
        raise InputError(f"it is no OAI-PMH answer but says {opening!r}")
    if opening[:14].lower().startswith(("<!doctype html", "<html")):
        raise InputError("it is a web page instead of an OAI-PMH answer")
    root = parse_xml(text.encode("utf-8"))
    if root.tag != "OAI-PMH":
        raise InputError(f"it is XML but no OAI-PMH answer: the root is <{str(root.tag)[:_SHOWN]}>")
    error = root.find("error")
    listing = next((found for verb in _LISTS if (found := root.find(verb)) is not None), None)
    if error is None and listing is None:
        raise InputError("it is an OAI-PMH answer that lists no records")
    if error is not None or listing is None:
        said = (_attribute(error, "code") or "unknown", text_of(error)[:_SHOWN])
        return Page("", (), said, None, None, None, replaced)
    token = listing.find("resumptionToken")
    return Page(
        verb=str(listing.tag),
        entries=tuple(_entry(record) for record in listing.iterfind("record")),
        error=None,
        # A token is opaque: not a character of it may be changed.
        token=("".join(map(str, token.itertext())).strip() or None) if token is not None else None,
        total=_number(_attribute(token, "completeListSize")),
        cursor=_number(_attribute(token, "cursor")),
        replaced=replaced,
    )


def _entry(record: etree._Element) -> OaiRecord:
    header, holder = record.find("header"), record.find("metadata")
    metadata = next(holder.iterchildren(etree.Element), None) if holder is not None else None
    return OaiRecord(
        identifier=text_of(record.find("header/identifier")),
        datestamp=text_of(record.find("header/datestamp")),
        is_deleted=_attribute(header, "status") == "deleted",
        metadata=metadata,
    )


def _attribute(element: etree._Element | None, name: str) -> str:
    return (element.get(name) or "").strip() if element is not None else ""


def _number(text: str) -> int | None:
    return int(text) if _NUMBER.fullmatch(text) else None


def read_entry(entry: OaiRecord) -> Document:
    """The paper of a record; `InputError` says why there is none.

    A deleted record marks the paper that earlier records gave.
    """
    if entry.is_deleted:
        found = find_arxiv_id(entry.identifier.replace("oai:arXiv.org:", "arXiv:"))
        return Document(
            kind=KIND,
            key=f"deleted:{entry.identifier}",
            given_id=None if found else entry.identifier or None,
            arxiv_id=found[0] if found else None,
            withdrawn="deleted",
        )
    if entry.metadata is None:
        raise InputError("the record has no metadata")
    name = str(entry.metadata.tag)
    if name not in _READERS:
        raise InputError(f"its format {name[:40]!r} is none of {', '.join(_READERS)}")
    return _READERS[name](entry.metadata)


def _read_arxiv(metadata: etree._Element) -> Document:
    fields = _fields(metadata)
    found = find_arxiv_id(f"arXiv:{fields['id']}")
    days = [text_of(metadata.find("created"))]
    names = [
        [text_of(author.find(part)) for part in ("forenames", "keyname", "suffix")]
        for author in metadata.iterfind("authors/author")
    ]
    return read_listing(
        KIND,
        fields,
        authors=[author for parts in names for author in authors_of(*parts)],
        published=first_day(found[0], days) if found else None,
        version=None,
    )


def _read_raw(metadata: etree._Element) -> Document:
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


_READERS = {"arXiv": _read_arxiv, "arXivRaw": _read_raw}


def _fields(metadata: etree._Element) -> dict[str, str]:
    return {name: text_of(metadata.find(name)) for name in _FIELDS}


def _read_answer(content: bytes, name: str) -> Iterator[Document | Fault]:
    page = read_page(content)
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


def _parts(path: Path) -> list[Path]:
    """The state of the harvest belongs to its last page: what it says is said there."""
    state = path.parent / STATE
    is_last = state.is_file() and path == max(path.parent.glob(f"*{_SUFFIX}"), default=path)
    return [Path(path.name), *([Path(STATE)] if is_last else [])]


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    yield from _read_pages(piece, options)
    if len(_parts(piece.path)) > 1 and _is_open(piece.path.parent / STATE):
        folder = piece.path.parent
        yield Fault(
            f"{folder.name}/{STATE}",
            "the harvest in this folder is unfinished, so papers are missing: run the same viva "
            f"fetch oai --out {folder.name} again, then ingest it again",
        )


def _is_open(state: Path) -> bool:
    """Check whether a harvest stopped before its end."""
    try:
        value = read_json(state)
    except InputError:
        return False  # the harvest itself says what is wrong with its state
    lists = value.get("lists") if isinstance(value, dict) else None
    return any(isinstance(one, dict) and one.get("open") for one in lists or ())


_read_pages = read_with(_read_answer, _LARGEST_FILE, "answer")

SOURCE = Source(
    kind="oai",
    summary="saved OAI-PMH answers of arXiv (.oai.xml): titles, authors, dates, licences",
    is_metadata=True,
    dates="version",
    matches=has_suffix(_SUFFIX),
    read=_read,
    parts=_parts,
    holds_many=True,
    reader_version="6",
)
