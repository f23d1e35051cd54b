"""Reader of saved answers of an OAI-PMH repository, which hold many papers each.

The protocol is that of https://www.openarchives.org/OAI/2.0/openarchivesprotocol.htm. Two metadata
formats of arXiv's repository are read: `arXiv`, and `arXivRaw`, which lists every version.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.records import Author, Document, Fault
from vivavoce.sources import Piece, ReadOptions, Source, has_suffix, read_with
from vivavoce.sources.catalogues.arxiv import (
    FOR,
    GROUP,
    check_opening,
    decode_feed,
    first_day,
    part_names,
    read_listing,
    spell_name,
)
from vivavoce.sources.xml import parse_xml, text_of
from vivavoce.store import read_json
from vivavoce.text.dates import date_in
from vivavoce.text.identifiers import find_arxiv_id
from vivavoce.text.normalise import clean_line as clean_line

_SHOWN = 120
_VERSION = re.compile(r"v[0-9]{1,4}")
_MAX_DATE = 100
_MAX_LINE = 200_000
# A collaboration named before its members.
_COLLABORATION = re.compile(rf"\b({GROUP})\s*:", re.IGNORECASE)
_BETWEEN = re.compile(r"[,;]|\s(?:and|&)(?=\s)")
_FIRST_AND = re.compile(r"^(?:and|&)(?:\s|$)", re.IGNORECASE)
_OTHERS = re.compile(r"(?:^|\s)et\.?\s?al(?:ii|ia)?\.?$", re.IGNORECASE)
_INNERMOST = re.compile(r"\([^()]*\)")
_MAX_NESTED = 20
_MORE = re.compile(r"et\.?\sal\b", re.IGNORECASE)
_NAME_SUFFIX = re.compile(r"(?:Jr|Sr|II|III|IV)\.?", re.IGNORECASE)


def authors_of(forenames: str, keyname: str, suffix: str) -> Iterator[Author]:
    """Join the parts of a name as it is printed; a collaboration in it is a second author."""
    name = " ".join(map(spell_name, (forenames, keyname, suffix)))
    return map(Author, () if _MORE.match(name) else part_names(name))


def read_versions(versions: Sequence[tuple[str, str]]) -> tuple[str | None, str | None]:
    """The first version's day and the latest version's name (`v2`), from pairs of name and time."""
    numbered = [(int(name[1:]), time) for name, time in versions if _VERSION.fullmatch(name)]
    if not numbered:
        return None, None
    (first, time), (latest, _) = min(numbered), max(numbered)
    text = time.strip()
    if first != 1 or not 0 < len(text) <= _MAX_DATE:
        return None, f"v{latest}"
    try:
        published = date_in(parsedate_to_datetime(text))
    except (ValueError, TypeError, IndexError, OverflowError):
        published = date_in(text)
    return published, f"v{latest}"


def split_authors(line: str) -> tuple[str, ...]:
    """The names in a line such as `A. One (Here), B. Two Jr. and C. Three ((1) There)`.

    Affiliations in parentheses are dropped; a collaboration is an author of its own.
    """
    text = _without_parentheses(FOR.sub(", ", line[:_MAX_LINE]))
    text = _COLLABORATION.sub(r"\1,", " ".join(text.split()))
    names: list[str] = []
    for part in _BETWEEN.split(text):
        name = spell_name(_OTHERS.sub("", _FIRST_AND.sub("", part.strip(), count=1)))
        if names and _NAME_SUFFIX.fullmatch(name):
            names[-1] = f"{names[-1]} {name}"
        elif any(map(str.isalpha, name)):
            names.append(name)
    return tuple(names)


def _without_parentheses(text: str) -> str:
    """Text without parentheses and their content; a lone parenthesis is dropped by itself."""
    for _ in range(_MAX_NESTED):
        if (text := _INNERMOST.sub(" ", before := text)) == before:
            break
    return text.replace("(", " ").replace(")", " ")


_LISTS = ("ListRecords", "GetRecord")
_NUMBER = re.compile(r"[0-9]{1,12}")
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
    """Day of the record's last change, according to the repository."""
    is_deleted: bool
    metadata: etree._Element | None


@dataclass(frozen=True, slots=True)
class Page:
    """One answer of the repository."""

    verb: str
    """The request, `ListRecords` or `GetRecord`; empty for an error."""
    entries: tuple[OaiRecord, ...]
    error: tuple[str, str] | None
    """Code, such as `noRecordsMatch`, and the repository's message."""
    token: str | None
    """Token that requests the next page; None on the last page."""
    total: int | None
    """Number of records in the whole list, if the repository states it."""
    cursor: int | None
    """Number of records before this page, if the repository states it."""
    replaced: int
    """Number of invalid characters, which became U+FFFD."""


def read_page(content: bytes) -> Page:
    """Read an answer; raises `InputError` if it is not one."""
    text, replaced = decode_feed(content)
    check_opening(text, "an OAI-PMH answer")
    root = parse_xml(text.encode("utf-8"))
    if root.tag != "OAI-PMH":
        raise InputError(f"it is XML but not OAI-PMH: its root is <{str(root.tag)[:_SHOWN]}>")
    error = root.find("error")
    listing = next((element for verb in _LISTS if (element := root.find(verb)) is not None), None)
    if error is None and listing is None:
        raise InputError("it is an OAI-PMH answer that lists no records")
    if error is not None or listing is None:
        fault = (_attribute(error, "code") or "unknown", text_of(error)[:_SHOWN])
        return Page("", (), fault, None, None, None, replaced)
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
    """The paper in a record, or a mark if it is deleted; `InputError` says why there is none."""
    if entry.is_deleted:
        identity = find_arxiv_id(entry.identifier.replace("oai:arXiv.org:", "arXiv:"))
        return Document(
            kind=KIND,
            key=f"deleted:{entry.identifier}",
            given_id=None if identity else entry.identifier or None,
            arxiv_id=identity[0] if identity else None,
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
    identity = find_arxiv_id(f"arXiv:{fields['id']}")
    days = [text_of(metadata.find("created"))]
    names = [
        [text_of(author.find(part)) for part in ("forenames", "keyname", "suffix")]
        for author in metadata.iterfind("authors/author")
    ]
    return read_listing(
        KIND,
        fields,
        authors=[author for parts in names for author in authors_of(*parts)],
        published=first_day(identity[0], days) if identity else None,
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
        code, message = page.error
        yield Fault(name, f"the repository reports {code}: {message or 'no reason given'}")
        return
    for place, entry in enumerate(page.entries, start=1):
        try:
            yield read_entry(entry)
        except InputError as error:
            yield Fault(f"{name}: {entry.identifier[:80] or f'record {place}'}", str(error))
    if page.replaced:
        yield Fault(name, f"invalid characters replaced by U+FFFD: {page.replaced}")
    if not page.entries:
        yield Fault(name, "it lists no records")


def _parts(path: Path) -> list[Path]:
    """Files that a page is read from; the last page also reports the state of the harvest."""
    state = path.parent / STATE
    is_last = state.is_file() and path == max(path.parent.glob(f"*{_SUFFIX}"), default=path)
    return [Path(path.name), *([Path(STATE)] if is_last else [])]


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    yield from _read_pages(piece, options)
    folder = piece.path.parent
    if len(_parts(piece.path)) > 1 and _is_open(folder / STATE):
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
        return False  # `viva fetch oai` reports a damaged state
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
    reader_version="7",
)
