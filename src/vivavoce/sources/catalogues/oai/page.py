"""An answer of an OAI-PMH repository: its records, its error, and whether more is to come.

The protocol is that of https://www.openarchives.org/OAI/2.0/openarchivesprotocol.htm
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.sources.catalogues.arxiv.feed import decode_feed
from vivavoce.sources.catalogues.oai.listing import one_line
from vivavoce.sources.xml import parse_xml

_LISTS = ("ListRecords", "GetRecord")
_NUMBER = re.compile(r"[0-9]{1,12}")
_SHOWN = 120


@dataclass(frozen=True, slots=True)
class Entry:
    """A record: its header, and its metadata as XML."""

    identifier: str
    datestamp: str
    """When the record was last changed in the repository, as it says."""
    is_deleted: bool
    sets: tuple[str, ...]
    metadata: etree._Element | None


@dataclass(frozen=True, slots=True)
class Page:
    """One answer."""

    verb: str
    """What was asked for, `ListRecords` or `GetRecord`; empty for an error."""
    entries: tuple[Entry, ...]
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


def text_of(element: etree._Element | None) -> str:
    """The text below an element in one line."""
    return one_line("".join(map(str, element.itertext()))) if element is not None else ""


def _entry(record: etree._Element) -> Entry:
    header, holder = record.find("header"), record.find("metadata")
    metadata = next(holder.iterchildren(etree.Element), None) if holder is not None else None
    return Entry(
        identifier=text_of(record.find("header/identifier")),
        datestamp=text_of(record.find("header/datestamp")),
        is_deleted=_attribute(header, "status") == "deleted",
        sets=tuple(text_of(name) for name in record.iterfind("header/setSpec")),
        metadata=metadata,
    )


def _attribute(element: etree._Element | None, name: str) -> str:
    return (element.get(name) or "").strip() if element is not None else ""


def _number(text: str) -> int | None:
    return int(text) if _NUMBER.fullmatch(text) else None
