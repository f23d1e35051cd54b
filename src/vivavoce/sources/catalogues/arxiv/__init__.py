"""Reader of saved feeds of arXiv's query API, which hold many papers each.

Names of authors and collaborations are read as arXiv's listings write them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.records import Author, Document, Fault
from vivavoce.sources import Source, has_suffix, read_with
from vivavoce.sources.fulltext.latex.typeset import plain_text
from vivavoce.sources.notices import status_of
from vivavoce.sources.xml import safe_parser, text_of
from vivavoce.text.dates import date_in, period
from vivavoce.text.identifiers import arxiv_month, find_arxiv_id, find_doi
from vivavoce.text.normalise import clean_line

_MAX_NAME = 300
_INITIAL = re.compile(r"(?<=[^\W\d_])\.(?=[^\W\d_])")
_SPLIT_INITIALS = re.compile(r"\. -(?=[^\W\d_])")
GROUP = r"(?:collaborations?|consortium|team|group)\b"
FOR = re.compile(
    rf"(?:^|[\s(])(?:for|on behalf of)\s+(?:the\s+|(?=(?:[^\s,;]+\s){{1,6}}?{GROUP}))",
    re.IGNORECASE,
)
"""Words between a person and the collaboration they write for."""
_DECLARATION = re.compile(r"\s*<\?xml[^>]{0,200}\?>")
_REPLACEMENT = "\ufffd"
# Characters that no XML document may hold, written out or as a reference.
_FORBIDDEN = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_REFERENCE = re.compile(r"&#(?:x0{0,8}([0-9A-Fa-f]{1,8})|0{0,8}([0-9]{1,9}));")
ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_SEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
_FIELDS = {
    **{"id": f"{ATOM}id", "title": f"{ATOM}title", "abstract": f"{ATOM}summary"},
    **{"doi": f"{_ARXIV}doi", "journal-ref": f"{_ARXIV}journal_ref"},
    "comments": f"{_ARXIV}comment",
}
"""Elements of an entry by the names that arXiv's listings give their fields."""
_ERROR = re.compile(r"https?://(?:[a-z]+\.)?arxiv\.org/api/errors", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,12}")
_SHOWN = 120
_SUFFIXES = (".atom.xml", ".atom")
LARGEST_FILE = 64 << 20


def part_names(name: str) -> tuple[str, ...]:
    """Split a person from the collaboration they write for; drop parts without letters."""
    parts = FOR.split(spell_name(name))
    return tuple(part.strip() for part in parts if any(map(str.isalpha, part)))


def spell_name(name: str) -> str:
    """Write a name in one line: TeX accents as characters, initials as in `J.-N. F. One`."""
    if len(name) <= _MAX_NAME and any(sign in name for sign in "\\{}~"):
        name = plain_text(name)
    return _SPLIT_INITIALS.sub(".-", _INITIAL.sub(". ", " ".join(name.split())))


def decode_feed(content: bytes) -> tuple[str, int]:
    """Decode a feed: its text without the XML declaration, and the number of replaced characters.

    NUL characters are dropped and not counted.
    """
    text = content.decode("utf-8", "replace").removeprefix("\ufeff")
    has_replacement = _REPLACEMENT in text
    text = _REFERENCE.sub(_safe_reference, text.replace("\x00", ""))
    text = _FORBIDDEN.sub(_REPLACEMENT, text)
    text = _DECLARATION.sub("", text, count=1) if text.lstrip().startswith("<?xml") else text
    own = content.count(_REPLACEMENT.encode()) if has_replacement else 0
    return text, max(0, text.count(_REPLACEMENT) - own)


def _safe_reference(match: re.Match[str]) -> str:
    code = int(match[1], 16) if match[1] else int(match[2])
    if code == 0:
        return ""
    if code > 0x10FFFF or _FORBIDDEN.match(chr(code)):
        return _REPLACEMENT
    return match[0]


def check_opening(text: str, what: str) -> None:
    """Raise `InputError` for plain text or a web page in the place of XML."""
    opening = text.lstrip()[:_SHOWN]
    if opening and not opening.startswith("<"):
        raise InputError(f"it is not {what} but says {opening!r}")
    if opening[:14].lower().startswith(("<!doctype html", "<html")):
        raise InputError(f"it is a web page instead of {what}")


class ReportedError(InputError):
    """A feed that reports an API error instead of papers."""


@dataclass(frozen=True, slots=True)
class Feed:
    """A page of results."""

    total: int
    """Number of results for the whole query."""
    start: int
    """Offset of the first entry, from 0."""
    per_page: int
    entries: tuple[Document | Fault, ...]
    replaced: int
    """Number of invalid characters, which became U+FFFD."""

    @property
    def missing(self) -> int:
        """Number of entries that the feed announces but does not hold."""
        due = min(self.per_page, max(0, self.total - self.start))
        return max(0, due - len(self.entries))


def read_feed(content: bytes) -> Feed:
    """Read a feed; raises `InputError` if it is not one, `ReportedError` for an API error."""
    root, replaced = _parse(content)
    entries = root.findall(f"{ATOM}entry")
    for entry in entries:
        if _ERROR.match(_text(entry, f"{ATOM}id")):
            message = _text(entry, f"{ATOM}summary") or "no reason given"
            raise ReportedError(f"arXiv reports an error: {message[:_SHOWN]}")
    return Feed(
        total=_number(root, "totalResults"),
        start=_number(root, "startIndex"),
        per_page=_number(root, "itemsPerPage"),
        entries=tuple(_document(entry, place) for place, entry in enumerate(entries, start=1)),
        replaced=replaced,
    )


def _parse(content: bytes) -> tuple[etree._Element, int]:
    text, replaced = decode_feed(content)
    if not text.strip():
        raise InputError("it is empty")
    check_opening(text, "a feed")
    # A feed has no use for a document type, and entities can only be declared in one.
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise InputError("it declares a document type or XML entities, refused for safety")
    try:
        root = etree.fromstring(text.encode("utf-8"), safe_parser())
    except etree.XMLSyntaxError as error:
        raise InputError(f"its XML is cut off or damaged: {error.msg or 'no element'}") from error
    if root.tag != f"{ATOM}feed":
        raise InputError(f"it is XML but not an Atom feed: its root is {root.tag[:_SHOWN]!r}")
    return root, replaced


def _number(root: etree._Element, name: str) -> int:
    text = _text(root, f"{_SEARCH}{name}")
    if not _NUMBER.fullmatch(text):
        raise InputError(f"its {name} is {text[:_SHOWN]!r} instead of a number")
    return int(text)


def _document(entry: etree._Element, place: int) -> Document | Fault:
    """The paper in an entry; a fault if it has no arXiv id or no title."""
    fields = {name: _text(entry, path) for name, path in _FIELDS.items()}
    primary, others = (entry.findall(p) for p in (f"{_ARXIV}primary_category", f"{ATOM}category"))
    fields["categories"] = " ".join(element.get("term") or "" for element in (*primary, *others))
    authors = [
        Author(name)
        for author in entry.findall(f"{ATOM}author")
        for name in part_names(_text(author, f"{ATOM}name"))
    ]
    try:
        paper = read_listing("arxiv", fields, authors=authors)
        return replace(paper, published=date_in(_text(entry, f"{ATOM}published")))
    except InputError as error:
        return Fault(f"entry {place}", str(error))


def read_listing(
    kind: str,
    fields: Mapping[str, str],
    *,
    authors: Iterable[Author],
    published: str | None = None,
    version: str | None = None,
) -> Document:
    """Make a paper from fields under arXiv's names; raises `InputError` without id or title.

    `published` is the day of the first version, `version` the latest (by default the id's).
    """
    name = clean_line(fields.get("id", ""))
    identity = find_arxiv_id(f"arXiv:{name}")
    if identity is None:
        raise InputError(f"its id {name[:_SHOWN]!r} is not an arXiv id")
    arxiv_id, version = identity[0], version or identity[1]
    title = clean_line(fields.get("title", ""))
    if not title:
        raise InputError(f"arXiv {arxiv_id} has no title")
    return Document(
        kind=kind,
        key=f"arxiv:{arxiv_id}",
        arxiv_id=arxiv_id,
        version=version,
        doi=find_doi(fields.get("doi", "")),
        source_url=f"https://arxiv.org/abs/{arxiv_id}{version or ''}",
        title=title,
        abstract=clean_line(fields.get("abstract", "")) or None,
        published=first_day(arxiv_id, [published or ""]),
        categories=tuple(dict.fromkeys(clean_line(fields.get("categories", "")).split())),
        venue=clean_line(fields.get("journal-ref", "")) or None,
        licence=clean_line(fields.get("license", "")) or None,
        authors=tuple(authors),
        withdrawn=status_of(title, fields.get("abstract"), fields.get("comments", "")),
    )


def first_day(arxiv_id: str, days: Iterable[str]) -> str | None:
    """Day on which a paper came out: the first of `days`, but no later than the month of its id."""
    earliest = min(filter(None, (date_in(day.strip()) for day in days)), default=None)
    if earliest is None:
        return None
    month = arxiv_month(arxiv_id)
    return month if period(earliest)[0] >= period(month)[1] else earliest


def _text(parent: etree._Element, path: str) -> str:
    """The text of a child in one line, safe to store."""
    return text_of(parent.find(path))


def read_file(content: bytes, name: str) -> Iterator[Document | Fault]:
    """Read the papers of a saved feed, and its faults."""
    feed = read_feed(content)
    for entry in feed.entries:
        yield replace(entry, where=f"{name}: {entry.where}") if isinstance(entry, Fault) else entry
    if feed.replaced:
        yield Fault(name, f"invalid characters replaced by U+FFFD: {feed.replaced}")
    if feed.missing:
        yield Fault(
            name,
            f"{feed.missing} of the entries announced from offset {feed.start} on are missing: "
            "fetch the feed again",
        )
    elif not feed.entries:
        yield Fault(name, "the feed holds no papers: its query has no results")


SOURCE = Source(
    kind="arxiv",
    summary="saved feeds of arXiv's query API (.atom.xml): titles, abstracts, authors and dates",
    is_metadata=True,
    dates="version",
    matches=has_suffix(*_SUFFIXES),
    read=read_with(read_file, LARGEST_FILE, "feed"),
    holds_many=True,
    reader_version="6",
)
