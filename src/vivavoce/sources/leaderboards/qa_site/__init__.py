"""Dumps of question-and-answer sites of Stack Exchange: questions that accepted an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault, Reference, Section
from vivavoce.sources import Piece, ReadOptions, Source
from vivavoce.sources.leaderboards.qa_site.bodies import paper_links, read_body
from vivavoce.sources.leaderboards.qa_site.posts import Thread, count_parts, read_threads
from vivavoce.text.dates import parse_date
from vivavoce.text.normalise import clean_text

_POSTS, _LINKS = "posts.xml", "PostLinks.xml"
_HEAD_BYTES = 4096
_TAG = re.compile(r"[^<>|\s]{1,60}")
_MOST_TAGS = 20
_SITE = re.compile(r"[a-z0-9-]{1,60}(?:\.[a-z0-9-]{1,60}){1,5}")
_MOST_FAULTS = 1_000


def _matches(path: Path) -> bool:
    """Whether a file of the name `Posts.xml` starts as a dump does."""
    if path.name.lower() != _POSTS:
        return False
    try:
        with path.open("rb") as stream:
            return b"<posts" in stream.read(_HEAD_BYTES)
    except OSError:
        return True  # reading it says what is wrong


def _name_of(path: Path) -> str:
    """A dump is known by its folder, which has the name of the site."""
    return f"{_site(path)}/{path.name}"


def _site(path: Path) -> str:
    return path.absolute().parent.name.lower() or "site"


def _parts(path: Path) -> Sequence[Path]:
    links = [Path(_LINKS)] if path.with_name(_LINKS).exists() else []
    return [Path(path.name), *links]


def _pieces(path: Path) -> Iterator[Piece]:
    """Parts of the questions by their numbers; the whole file is passed over for each."""
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
            elif faults < _MOST_FAULTS:
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
        title=" ".join(clean_text(question.get("Title", "")).split()) or None,
        published=published[0] if published else None,
        categories=tuple(_TAG.findall(question.get("Tags", ""))[:_MOST_TAGS]),
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
    is_metadata=False,
    matches=_matches,
    pieces=_pieces,
    read=_read,
    name_of=_name_of,
    parts=_parts,
    holds_papers=False,
)
