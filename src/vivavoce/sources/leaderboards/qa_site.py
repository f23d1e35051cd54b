"""Dumps of question-and-answer sites of Stack Exchange: questions that accepted an answer.

The XML files of a dump are read as a stream; a post is HTML, which links to papers.
"""

from __future__ import annotations

import io
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault, Reference, Section
from vivavoce.sources import Piece, ReadOptions, Source, holds_in_text
from vivavoce.sources.xml import SAFE
from vivavoce.text.dates import parse_date
from vivavoce.text.identifiers import find_acl_id, find_arxiv_id, find_doi
from vivavoce.text.normalise import clean_line, clean_text

_BREAKS = frozenset(
    {"blockquote", "div", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre"}
    | {"table", "tr", "ul", "dd", "dt"}
)
_SILENT = frozenset({"script", "style"})
_URL = re.compile(r"https?://[^\s<>\"'()\[\]{}]{4,500}")
_MAX_BODY = 2_000_000
_MAX_LINKS = 500
_MIN_TITLE_WORDS = 4


@dataclass(frozen=True, slots=True)
class Body:
    """Text of a post, paragraphs separated by blank lines, and its links in order."""

    text: str
    links: tuple[tuple[str, str], ...]
    """(Address, the words that carry it); no words for an address that is printed."""


def read_body(html: str) -> Body:
    """The text and the links of a post."""
    content = clean_text(html[:_MAX_BODY]).strip()
    if not content:
        return Body("", ())
    parser = etree.HTMLParser(
        no_network=True, huge_tree=False, remove_comments=True, remove_pis=True, encoding="utf-8"
    )
    try:
        root = etree.fromstring(content.encode("utf-8"), parser)
    except etree.XMLSyntaxError:
        root = None  # nothing in it is text
    if root is None:
        return Body("", ())
    writer = _Writer()
    for event, element in etree.iterwalk(root, events=("start", "end")):
        writer.take(event, element)
    text = "\n\n".join(writer.paragraphs())
    printed = [(found[0].rstrip(".,;:!?"), "") for found in _URL.finditer(text)]
    return Body(text, tuple([*writer.links, *printed][:_MAX_LINKS]))


def paper_links(bodies: Sequence[Body]) -> Iterator[Reference]:
    """The papers linked to, each once: by arXiv id, DOI or Anthology id."""
    seen: set[str] = set()
    for body in bodies:
        for address, words in body.links:
            found = _paper_at(address)
            if found is None or found[0] in seen:
                continue
            name, arxiv, doi = found
            seen.add(name)
            words = " ".join(words.split())
            is_title = len(words.split()) >= _MIN_TITLE_WORDS and "://" not in words
            yield Reference(
                ordinal=len(seen) - 1,
                raw=f"{words} {address}" if words and words != address else address,
                title=words if is_title else None,
                arxiv_id=arxiv,
                doi=doi,
            )


def _paper_at(address: str) -> tuple[str, str | None, str | None] | None:
    """(A name for it, its arXiv id, its DOI) of the paper at an address; None for all else."""
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return None
    if parts.scheme not in ("http", "https"):
        return None
    if host in ("arxiv.org", "ar5iv.org") or host.endswith((".arxiv.org", ".labs.arxiv.org")):
        arxiv = find_arxiv_id(f"arXiv:{parts.path.rpartition('/abs/')[2]}") or find_arxiv_id(
            address
        )
        return (f"arxiv:{arxiv[0]}", arxiv[0], None) if arxiv else None
    if host in ("doi.org", "dx.doi.org"):
        doi = find_doi(address)
        return (f"doi:{doi}", None, doi) if doi else None
    if host == "aclanthology.org" or (host == "aclweb.org" and "/anthology/" in parts.path):
        acl = find_acl_id(address)
        return (f"acl:{acl}", None, None) if acl else None
    return None


class _Writer:
    """Writes out the text of elements as they start and end."""

    def __init__(self) -> None:
        self.links: list[tuple[str, str]] = []
        self._done: list[str] = []
        self._words: list[str] = []
        self._link: tuple[str, list[str]] | None = None
        self._verbatim = 0
        self._silent = 0

    def paragraphs(self) -> list[str]:
        """The text so far, without empty paragraphs."""
        self._break()
        return self._done

    def take(self, event: str, element: etree._Element) -> None:
        tag = element.tag
        is_start = event == "start"
        if tag in _SILENT:
            self._silent += 1 if is_start else -1
        if tag in _BREAKS:
            self._break()
        if tag == "pre":
            self._verbatim += 1 if is_start else -1
        if tag == "a":
            self._at_link(element, is_start=is_start)
        if tag == "br" and is_start:
            self._say("\n")
        if tag == "img" and is_start:
            self._say(element.get("alt") or "")
        self._say((element.text if is_start else element.tail) or "")

    def _at_link(self, element: etree._Element, *, is_start: bool) -> None:
        if self._link is not None:
            address, words = self._link
            self.links.append((address, "".join(words)))
            self._link = None
        if is_start and element.get("href"):
            self._link = (str(element.get("href")).strip(), [])

    def _say(self, words: str) -> None:
        if self._silent:
            return
        self._words.append(words)
        if self._link is not None:
            self._link[1].append(words)

    def _break(self) -> None:
        text = "".join(self._words)
        if not self._verbatim:
            lines = (" ".join(line.split()) for line in text.split("\n"))
            text = " ".join(line for line in lines if line)
        text = text.strip("\n")
        if text.strip():
            self._done.append(text)
        self._words = []


Row = Mapping[str, str]

_QUESTION, _ANSWER = "1", "2"
_BYTES_PER_PART = 64 << 20
_MAX_RELATED = 50
_MAX_ID = 18
_FORBIDDEN = (b"<!ENTITY", b"<!DOCTYPE")
_OVERLAP = max(map(len, _FORBIDDEN)) - 1
_POSTS, _LINKS = "posts.xml", "PostLinks.xml"
_HEAD_BYTES = 4096
_ROOT = re.compile(rb"<posts")
_TAG = re.compile(r"[^<>|\s]{1,60}")
_MAX_TAGS = 20
_SITE = re.compile(r"[a-z0-9-]{1,60}(?:\.[a-z0-9-]{1,60}){1,5}")
_MAX_FAULTS = 1_000


@dataclass(frozen=True, slots=True)
class Thread:
    """A question, its accepted answer and the questions it is linked with."""

    question: Row
    answer: Row
    related: tuple[str, ...]


def count_parts(path: Path) -> int:
    """In how many parts a file is read, so that memory does not grow with it."""
    return max(1, -(-path.stat().st_size // _BYTES_PER_PART))


def read_threads(path: Path, parts: int, part: int) -> Iterator[Thread | tuple[str, str]]:
    """The threads of one part of the questions; or (row, why it cannot be read).

    Raises:
        InputError: The file, or the file of links beside it, is no XML from some place on.
    """
    related = _related(path.with_name("PostLinks.xml"), parts, part)
    waiting: dict[str, Row] = {}
    for row in read_rows(path):
        number, kind, accepted = (
            row.get(name, "") for name in ("Id", "PostTypeId", "AcceptedAnswerId")
        )
        if not _is_id(number):
            if part == 0:
                yield "row", f"the row has the Id {number[:40]!r}, which is no number"
        elif kind == _QUESTION and "AcceptedAnswerId" in row and int(number) % parts == part:
            if accepted in waiting:
                yield number, f"the accepted answer {accepted[:40]} is that of another question"
            else:
                waiting[accepted] = row
        elif kind == _ANSWER and number in waiting:
            yield _thread(waiting.pop(number), row, related)
    if waiting:  # an answer that was moved from another question stands before it
        for row in read_rows(path):
            if row.get("PostTypeId") == _ANSWER and row.get("Id") in waiting:
                yield _thread(waiting.pop(row["Id"]), row, related)
    for accepted, question in waiting.items():
        yield question["Id"], f"the accepted answer {accepted[:40]} is not in the file"


def _thread(
    question: Row, answer: Row, related: Mapping[str, tuple[str, ...]]
) -> Thread | tuple[str, str]:
    number = question["Id"]
    if answer.get("ParentId", number) != number:
        return number, "the accepted answer belongs to another question"
    return Thread(question, answer, related.get(number, ()))


def read_rows(path: Path) -> Iterator[Row]:
    """The attributes of each row of a file; `InputError` where it is no XML."""
    try:
        with path.open("rb") as stream:
            rows = etree.iterparse(
                _Checked(stream),
                events=("end",),
                tag="row",
                **SAFE,
            )
            for _, element in rows:
                yield {str(name): str(value) for name, value in element.attrib.items()}
                element.clear()
                parent = element.getparent()
                while parent is not None and element.getprevious() is not None:
                    del parent[0]
    except etree.XMLSyntaxError as error:
        raise InputError(f"not well-formed XML: {error.msg or 'no element found'}") from error
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror}") from error


class _Checked(io.RawIOBase):
    """A stream that refuses declarations of documents and entities."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream
        self._tail = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        content = self._stream.read(size)
        seen = self._tail + content
        # Inside of a row these would be escaped, so they stand for themselves.
        if any(word in seen for word in _FORBIDDEN):
            raise InputError("the file declares a document type, which is not read for safety")
        self._tail = seen[-_OVERLAP:]
        return content


def _related(path: Path, parts: int, part: int) -> dict[str, tuple[str, ...]]:
    """The questions that each question of a part is linked with."""
    if not path.exists():
        return {}
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for row in read_rows(path):
        number, other = row.get("PostId", ""), row.get("RelatedPostId", "")
        if not (_is_id(number) and _is_id(other)) or int(number) % parts != part:
            continue
        if len(found[number]) < _MAX_RELATED:
            found[number][other] = None
    return {number: tuple(others) for number, others in found.items()}


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MAX_ID


def _matches(path: Path) -> bool:
    """Check whether a file of the name `Posts.xml` starts as a dump does."""
    return path.name.lower() == _POSTS and holds_in_text(path, _ROOT, _HEAD_BYTES)


def _name_of(path: Path) -> str:
    """A dump is known by its folder, which has the name of the site."""
    return f"{_site(path)}/{path.name}"


def _site(path: Path) -> str:
    return path.absolute().parent.name.lower() or "site"


def _parts(path: Path) -> Sequence[Path]:
    links = [Path(_LINKS)] if path.with_name(_LINKS).exists() else []
    return [Path(path.name), *links]


def _pieces(path: Path) -> Iterator[Piece]:
    """Parts of the questions by their numbers; the whole file is read for each."""
    try:
        parts = count_parts(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    for part in range(parts):
        yield Piece(path) if parts == 1 else Piece(path, part, part + 1)


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    name, site = _name_of(piece.path), _site(piece.path)
    faults = 0
    try:
        for found in read_threads(piece.path, count_parts(piece.path), piece.start):
            if isinstance(found, Thread):
                yield _document(found, site)
            elif faults < _MAX_FAULTS:
                faults += 1
                yield Fault(f"{name}:{found[0]}", found[1])
    except InputError as error:
        yield Fault(name, str(error))


def _document(thread: Thread, site: str) -> Document:
    question, answer = thread.question, thread.answer
    number = question["Id"]
    asked, answered = read_body(question.get("Body", "")), read_body(answer.get("Body", ""))
    published = parse_date(question.get("CreationDate", ""))
    is_host = _SITE.fullmatch(site) is not None
    licences = [row.get("ContentLicense", "").strip() for row in (question, answer)]
    texts = (("Question", asked.text), ("Accepted answer", answered.text))
    papers = list(paper_links([asked, answered]))
    return Document(
        kind="qa_site",
        key=f"{site}:{number}",
        source_url=f"https://{site}/questions/{number}" if is_host else None,
        title=clean_line(question.get("Title", "")) or None,
        published=published[0] if published else None,
        categories=tuple(_TAG.findall(question.get("Tags", ""))[:_MAX_TAGS]),
        venue=site,
        licence="; ".join(dict.fromkeys(filter(None, licences))) or None,
        sections=tuple(
            Section(ordinal, 1, heading, "other", text)
            for ordinal, (heading, text) in enumerate(texts)
        ),
        references=(*papers, *_linked(thread, site, len(papers))),
    )


def _linked(thread: Thread, site: str, start: int) -> Iterator[Reference]:
    """The questions that a question is linked with, behind the papers."""
    for ordinal, number in enumerate(thread.related, start):
        yield Reference(ordinal, f"https://{site}/questions/{number}")


SOURCE = Source(
    kind="qa_site",
    summary="Stack Exchange dumps (Posts.xml, PostLinks.xml): questions with accepted answers",
    matches=_matches,
    pieces=_pieces,
    read=_read,
    name_of=_name_of,
    parts=_parts,
    holds_papers=False,
)
