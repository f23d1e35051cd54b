"""An Atom feed of arXiv's query API, read and checked for what is missing from it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.records import Author, Document, Fault
from vivavoce.sources.catalogues.arxiv.decoding import decode_feed
from vivavoce.sources.catalogues.arxiv.names import part_names
from vivavoce.sources.xml import safe_parser
from vivavoce.text.dates import parse_date
from vivavoce.text.identifiers import find_arxiv_id, find_doi
from vivavoce.text.normalise import clean_text

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_SEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
_ERROR = re.compile(r"https?://(?:[a-z]+\.)?arxiv\.org/api/errors", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,12}")
_SHOWN = 120


class ReportedError(InputError):
    """A feed that holds an error of the API instead of papers."""


@dataclass(frozen=True, slots=True)
class Feed:
    """A page of results."""

    total: int
    """Results of the whole query."""
    start: int
    """Offset of the first entry, from 0."""
    per_page: int
    entries: tuple[Document | Fault, ...]
    replaced: int
    """Characters that were no text and became U+FFFD."""

    @property
    def missing(self) -> int:
        """Entries that the feed should hold, by its own numbers, and does not."""
        due = min(self.per_page, max(0, self.total - self.start))
        return max(0, due - len(self.entries))


def read_feed(content: bytes) -> Feed:
    """Read a feed; `InputError` says why it is none, `ReportedError` what the API complains of."""
    root, replaced = _parse(content)
    entries = root.findall(f"{_ATOM}entry")
    for entry in entries:
        if _ERROR.match(_text(entry, f"{_ATOM}id")):
            said = _text(entry, f"{_ATOM}summary") or "no reason given"
            raise ReportedError(f"arXiv reports an error: {said[:_SHOWN]}")
    return Feed(
        total=_number(root, "totalResults"),
        start=_number(root, "startIndex"),
        per_page=_number(root, "itemsPerPage"),
        entries=tuple(_document(entry, place) for place, entry in enumerate(entries, start=1)),
        replaced=replaced,
    )


def _parse(content: bytes) -> tuple[etree._Element, int]:
    text, replaced = decode_feed(content)
    opening = text.lstrip()[:_SHOWN]
    if not opening:
        raise InputError("it is empty")
    if not opening.startswith("<"):
        raise InputError(f"it is no feed but says {opening!r}")
    if opening[:14].lower().startswith(("<!doctype html", "<html")):
        raise InputError("it is a web page instead of a feed")
    # A feed has no use for a document type, and entities can only be declared in one.
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise InputError("it declares a document type or XML entities, not read for safety")
    try:
        root = etree.fromstring(text.encode("utf-8"), safe_parser())
    except etree.XMLSyntaxError as error:
        raise InputError(f"it is cut off or damaged XML: {error.msg or 'no element'}") from error
    if root.tag != f"{_ATOM}feed":
        raise InputError(f"it is XML but no Atom feed: the root element is {root.tag[:_SHOWN]!r}")
    return root, replaced


def _number(root: etree._Element, name: str) -> int:
    text = _text(root, f"{_SEARCH}{name}")
    if not _NUMBER.fullmatch(text):
        raise InputError(f"its {name} is {text[:_SHOWN]!r} instead of a number")
    return int(text)


def _document(entry: etree._Element, place: int) -> Document | Fault:
    """The paper of an entry; a fault when it has no identity or no title."""
    address = _text(entry, f"{_ATOM}id")
    found = find_arxiv_id(address)
    if found is None:
        return Fault(f"entry {place}", f"its id {address[:_SHOWN]!r} holds no arXiv id")
    arxiv_id, version = found
    title = _text(entry, f"{_ATOM}title")
    if not title:
        return Fault(f"entry {place}", f"arXiv {arxiv_id} has no title")
    published = parse_date(_text(entry, f"{_ATOM}published"))
    return Document(
        kind="arxiv",
        key=f"arxiv:{arxiv_id}",
        arxiv_id=arxiv_id,
        version=version,
        doi=find_doi(_text(entry, f"{_ARXIV}doi")),
        source_url=f"https://arxiv.org/abs/{arxiv_id}{version or ''}",
        title=title,
        abstract=_text(entry, f"{_ATOM}summary") or None,
        published=published[0] if published else None,
        categories=_categories(entry),
        venue=_text(entry, f"{_ARXIV}journal_ref") or None,
        authors=tuple(
            Author(name)
            for author in entry.findall(f"{_ATOM}author")
            for name in part_names(_text(author, f"{_ATOM}name"))
        ),
    )


def _categories(entry: etree._Element) -> tuple[str, ...]:
    """Each category once, the primary one first."""
    marked = [
        *entry.findall(f"{_ARXIV}primary_category"),
        *entry.findall(f"{_ATOM}category"),
    ]
    terms = (clean_text(element.get("term") or "").strip() for element in marked)
    return tuple(dict.fromkeys(term for term in terms if term))


def _text(parent: etree._Element, path: str) -> str:
    """The text of a child in one line, safe to store."""
    element = parent.find(path)
    if element is None:
        return ""
    return " ".join(clean_text("".join(map(str, element.itertext()))).split())
