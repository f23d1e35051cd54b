"""LaTeXML pages from arXiv and ar5iv, one paper per file; this module reads the front matter."""

import re
from collections.abc import Iterator

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.records import Author, Document
from vivavoce.sources import Source, has_suffix, read_with
from vivavoce.sources.fulltext.assemble import assemble, without_typesetting
from vivavoce.sources.fulltext.html.sections import (
    Body,
    citation_style,
    read_abstract,
    read_entries,
)
from vivavoce.sources.fulltext.html.typeset import (
    classes_of,
    find_document,
    line_of,
    parse_page,
    with_class,
)
from vivavoce.sources.fulltext.model import Manuscript
from vivavoce.sources.fulltext.references import MARK, names_in
from vivavoce.sources.xml import children
from vivavoce.text.dates import find_day
from vivavoce.text.identifiers import find_acl_id, find_arxiv_id, find_orcid
from vivavoce.text.normalise import clean_text

_STAMP = re.compile(r"\[(?P<category>[a-z-]{2,10}(?:\.[A-Za-z-]{2,20})?)\]\s+\d{1,2} [A-Z]")
_LICENCE_START = re.compile(r"licen[sc]e\s?:?\s*", re.IGNORECASE)
_LICENCES = ("creativecommons.org/", "arxiv.org/licenses/")
_MAX_LICENCE = 300
_LINE = "\n"
_RAISED = frozenset({"sup", "math", "sub"})
_LINES = frozenset({"br", "tr", "p", "div", "li", "table"})
_LINE_CLASSES = frozenset({"ltx_tr", "ltx_p"})
_NOT_PRINTED = frozenset({"script", "style", "svg", "button", "annotation"})
_ASIDE = frozenset({"ltx_contact", "ltx_author_notes", "ltx_author_before"})
_WHOLE_NO_NAME = re.compile(
    r"anonymous|double.blind|[@=\\]|https?:|universit|institut|^ieee$", re.IGNORECASE
)
# Leftovers of commands that LaTeXML does not know: `[0.5em]` from a line, `cor1` from a note.
_LEFT_OVER = re.compile(r"^\s*(?:\[-?[\d.]+ ?(?:em|ex|pt|mm|cm|in)\]|name\s?=)\s*")
_LEFT_OVERS = re.compile(
    r"(?:(?<=[,;\x04])|^)\s*(?:\[-?[\d.]+ ?(?:em|ex|pt|mm|cm|in)\]|name\s?=)\s*"
)
_ARGUMENT = re.compile(r"^[a-z]{1,9}\d{1,3}(?!\w)")
_MAX_AUTHORS = 3_000
_MAX_PIECES = 20_000
_MAX_NAME = 60
_SUFFIXES = (".html", ".htm", ".xhtml")
_LARGEST_FILE = 32 << 20
_IN_BRACKETS = re.compile(r"\[[^\]]{4,30}\]\s*")
_UNTITLED = frozenset({"untitled document", "no content available"})


def read_identity(root: etree._Element, name: str) -> Document:
    """The identity of the paper; what the page itself states comes before the file's name."""
    stamp = line_of(_by_id(root, "watermark-tr"))
    links = [link for link in root.iter("link") if (link.get("rel") or "").lower() == "canonical"]
    addresses = [address.get("href") or "" for address in (*links, *root.iter("base"))]
    texts = [*addresses, stamp, name]
    identifiers = [known for text in texts if (known := find_arxiv_id(text)) is not None]
    arxiv_id = identifiers[0][0] if identifiers else None
    versions = (version for known, version in identifiers if known == arxiv_id and version)
    version = next(versions, None)
    parts = _STAMP.search(stamp)
    day = find_day(stamp) if parts else None
    return Document(
        kind="html",
        key=name,
        source_file=name,
        arxiv_id=arxiv_id,
        version=version,
        acl_id=find_acl_id(name),
        categories=(parts["category"],) if parts else (),
        published=day if version == "v1" else None,
        stamped=day,
        licence=_licence(root),
    )


def _licence(root: etree._Element) -> str | None:
    """The licence that arXiv prints: its address if the link has one, else its name."""
    holder = _by_id(root, "license-tr")
    href = "" if holder is None else holder.get("href") or ""
    if not any(part in href for part in _LICENCES):
        href = _LICENCE_START.sub("", line_of(holder), count=1)
    return href[:_MAX_LICENCE] or None


def _by_id(root: etree._Element, name: str) -> etree._Element | None:
    return next(
        (element for element in root.iter("a", "div", "span") if element.get("id") == name), None
    )


def read_authors(document: etree._Element) -> tuple[Author, ...]:
    """The authors in order, each once; affiliations, notes and addresses are left out."""
    authors: dict[str, Author] = {}
    for holder in with_class(document, "ltx_authors"):
        # Elements that hold all details of an author; bare names if there are none.
        creators = list(with_class(holder, "ltx_creator"))
        for creator in creators or with_class(holder, "ltx_personname"):
            if "ltx_role_editor" in classes_of(creator):
                continue
            names = list(_names(creator))
            links = (link.get("href") or "" for link in creator.iter("a") if len(names) == 1)
            ids = (find_orcid(link) for link in links if "orcid" in link)
            orcid = next(filter(None, ids), None)
            for name in names:
                authors.setdefault(name, Author(name, orcid))
                if len(authors) >= _MAX_AUTHORS:
                    return tuple(authors.values())
    return tuple(authors.values())


def _names(creator: etree._Element) -> Iterator[str]:
    is_person = "ltx_personname" in classes_of(creator)
    for person in [creator] if is_person else with_class(creator, "ltx_personname"):
        pieces: list[str] = []
        _print(person, pieces, 0)
        lines = without_typesetting("".join(pieces)).split(_LINE)
        names = list(names_in(_LEFT_OVERS.sub("", line) for line in lines))
        if names:
            yield from names
            continue
        # A single line that is not a person's name, such as the name of a collaboration.
        text = _LEFT_OVER.sub("", " ".join(" ".join(lines).replace(MARK, " ").split()))
        if 1 < len(text) <= _MAX_NAME and text[0].isalpha() and not _WHOLE_NO_NAME.search(text):
            yield text


def _print(element: etree._Element, out: list[str], depth: int) -> None:
    """Append the text of a name, with marks for raised parts and a line end after each line."""
    out.append(_plain(element.text))
    for child in children(element):
        names = classes_of(child)
        is_note = "ltx_note" in names
        if len(out) > _MAX_PIECES or depth > 40:
            return
        tail = _plain(child.tail)
        if child.tag in _RAISED or is_note:
            out.append(MARK)
        elif "ltx_ERROR" in names:
            is_next = (child.text or "").strip().lower() == "\\and"
            tail = f"{_LINE}&{tail}" if is_next else _ARGUMENT.sub(MARK, tail)
        elif child.tag not in _NOT_PRINTED and not names & _ASIDE:
            edge = _LINE if child.tag in _LINES or names & _LINE_CLASSES else ""
            out.append(edge)
            _print(child, out, depth + 1)
            out.append(edge)
        out.append(tail)


def _plain(text: str | None) -> str:
    """Text with its line ends turned into spaces; wide spaces stay, as they separate names."""
    return clean_text(text or "").replace("\n", " ").replace("\t", " ")


def read_document(content: bytes, name: str) -> Document:
    """The paper on a page; `InputError` says why there is none."""
    root = parse_page(content)
    document = find_document(root, content)
    entries = read_entries(document)
    body = Body(document)
    abstract = read_abstract(document)
    if not (body.blocks or entries or body.tables or abstract):
        raise InputError("the page holds no abstract, no text and no references")
    paper = Manuscript(
        title=_title(root, document),
        abstract=abstract,
        authors=read_authors(document),
        blocks=body.blocks,
        entries=entries,
        tables=body.tables,
        style=citation_style(document),
    )
    return assemble(paper, read_identity(root, name))


def _title(root: etree._Element, document: etree._Element) -> str:
    """The title above the paper, else the page's title without the identifier before it."""
    title, subtitle = (
        line_of(next(with_class(document, name), None))
        for name in ("ltx_title_document", "ltx_subtitle")
    )
    if title:
        return f"{title}: {subtitle}" if subtitle else title
    named = _IN_BRACKETS.sub("", line_of(root.find("head/title")), count=1)
    return "" if named.lower() in _UNTITLED else named


SOURCE = Source(
    kind="html",
    summary="HTML by LaTeXML, as on arXiv and ar5iv (.html, .xhtml), one paper a file",
    dates="version",
    matches=has_suffix(*_SUFFIXES),
    read=read_with(lambda content, name: [read_document(content, name)], _LARGEST_FILE, "paper"),
    reader_version="8",
)
