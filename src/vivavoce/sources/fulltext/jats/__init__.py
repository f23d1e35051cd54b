"""JATS articles, as PubMed Central and publishers give them out: one paper a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions, Source, one_piece, read_whole
from vivavoce.sources.fulltext.jats.header import (
    read_abstract,
    read_authors,
    read_date,
    read_licence,
    read_number,
)
from vivavoce.sources.fulltext.jats.references import read_references
from vivavoce.sources.fulltext.jats.sections import read_sections
from vivavoce.sources.fulltext.jats.tables import read_tables
from vivavoce.sources.fulltext.jats.xml import ASIDE, parse_jats, text_of
from vivavoce.text.identifiers import find_arxiv_id, find_doi

_LARGEST_FILE = 32 << 20
_HEAD_BYTES = 1 << 14
_MARKS = (b"<front", b"jats", b"nlm", b"article-type")


def _matches(path: Path) -> bool:
    """Whether the name says so, or it is an XML file whose start does."""
    name = path.name.lower()
    if name.endswith((".nxml", ".jats", ".jats.xml")):
        return True
    if not name.endswith(".xml") or name.endswith((".tei.xml", ".grobid.xml")):
        return False
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD_BYTES).lower()
    except OSError:
        return False
    return b"<article" in head and any(mark in head for mark in _MARKS)


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    name = piece.path.name
    try:
        content = read_whole(piece.path, _LARGEST_FILE, "paper")
        yield read_document(content, name)
    except (OSError, InputError) as error:
        yield Fault(name, str(error))


def read_document(content: bytes, name: str) -> Document:
    """The paper in a JATS file; `InputError` says why there is none."""
    article = parse_jats(content)
    title = text_of(article.find("front/article-meta/title-group/article-title"), ASIDE | {"xref"})
    abstract = read_abstract(article)
    sections = read_sections(article)
    references, ordinals = read_references(article)
    if not (title or abstract or sections or references):
        raise InputError("the JATS holds no title, no abstract, no text and no references")
    arxiv = find_arxiv_id(f"arXiv:{read_number(article, 'arxiv')}")
    return Document(
        kind="jats",
        key=name,
        source_file=name,
        arxiv_id=arxiv[0] if arxiv else None,
        version=arxiv[1] if arxiv else None,
        doi=find_doi(read_number(article, "doi")),
        title=title or None,
        abstract=abstract or None,
        published=read_date(article),
        venue=text_of(article.find("front/journal-meta//journal-title")) or None,
        licence=read_licence(article),
        authors=tuple(read_authors(article)),
        sections=sections,
        references=references,
        tables=read_tables(article, ordinals),
    )


SOURCE = Source(
    kind="jats",
    summary="JATS XML (.nxml, .xml): full text, references and tables, one paper a file",
    is_metadata=False,
    matches=_matches,
    pieces=one_piece,
    read=_read,
    reader_version="3",
)
