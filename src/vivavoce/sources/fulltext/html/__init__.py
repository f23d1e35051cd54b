"""HTML that LaTeXML made of a paper, as arXiv and ar5iv serve it: one paper a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions, Source, one_piece, read_whole
from vivavoce.sources.fulltext.html.authors import read_authors, read_identity, read_licence
from vivavoce.sources.fulltext.html.references import read_references
from vivavoce.sources.fulltext.html.sections import Body, read_abstract
from vivavoce.sources.fulltext.html.tree import find_document, parse_page, with_class
from vivavoce.sources.fulltext.html.typeset import line_of
from vivavoce.text.identifiers import find_acl_id

_SUFFIXES = (".html", ".htm", ".xhtml")
_LARGEST_FILE = 32 << 20
_IN_BRACKETS = re.compile(r"\[[^\]]{4,30}\]\s*")
_UNTITLED = frozenset({"untitled document", "no content available"})


def _matches(path: Path) -> bool:
    return path.name.lower().endswith(_SUFFIXES)


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    name = piece.path.name
    try:
        content = read_whole(piece.path, _LARGEST_FILE, "paper")
        yield read_document(content, name)
    except InputError as error:
        yield Fault(name, str(error))
    except OSError as error:
        yield Fault(name, f"the file cannot be read: {error.strerror}")


def read_document(content: bytes, name: str) -> Document:
    """The paper on a page; `InputError` says why there is none."""
    root = parse_page(content)
    document = find_document(root, content)
    references, ordinals = read_references(document)
    body = Body(document, ordinals)
    sections, headed_abstract = body.sections()
    abstract = read_abstract(document) or headed_abstract
    if not (abstract or sections or references or body.tables()):
        raise InputError("the page holds no abstract, no text and no references")
    identity = read_identity(root, name)
    return Document(
        kind="html",
        key=name,
        source_file=name,
        arxiv_id=identity.arxiv_id,
        version=identity.version,
        acl_id=find_acl_id(name),
        title=_title(root, document),
        abstract=abstract or None,
        published=identity.published,
        categories=identity.categories,
        licence=read_licence(root),
        authors=read_authors(document),
        sections=sections,
        references=references,
        tables=body.tables(),
    )


def _title(root: etree._Element, document: etree._Element) -> str | None:
    """The title over the paper, else that of the page without the identifier before it."""
    title = line_of(next(with_class(document, "ltx_title_document"), None))
    if title:
        return title
    named = _IN_BRACKETS.sub("", line_of(root.find("head/title")), count=1)
    return named if named and named.lower() not in _UNTITLED else None


SOURCE = Source(
    kind="html",
    summary="HTML by LaTeXML, as of arXiv and ar5iv (.html, .xhtml), one paper a file",
    is_metadata=False,
    matches=_matches,
    pieces=one_piece,
    read=_read,
    reader_version="2",
)
