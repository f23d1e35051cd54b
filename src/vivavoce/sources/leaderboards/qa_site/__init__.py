"""Dumps of question-and-answer sites of Stack Exchange: questions that accepted an answer.

The XML files of a dump are read as a stream.
"""

from __future__ import annotations

import io
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault, Reference, Section
from vivavoce.sources import Piece, ReadOptions, Source, holds_in_text
from vivavoce.sources.leaderboards.qa_site.bodies import paper_links, read_body
from vivavoce.sources.xml import SAFE
from vivavoce.text.dates import parse_date
from vivavoce.text.normalise import clean_line

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
