"""JATS articles, as distributed by PubMed Central and publishers: one paper per file."""

from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.records import Author, Document
from vivavoce.sources import Source, read_with
from vivavoce.sources.fulltext.assemble import assemble
from vivavoce.sources.fulltext.jats.parts import (
    HREF,
    print_text,
    read_entries,
    read_name,
    read_table,
)
from vivavoce.sources.fulltext.model import Block, Manuscript
from vivavoce.sources.notices import status_named
from vivavoce.sources.xml import children, parse_xml
from vivavoce.text.dates import date_in, parse_month, period
from vivavoce.text.headings import split_heading
from vivavoce.text.identifiers import find_arxiv_id, find_doi, find_orcid

_META = "front/article-meta"
_NAMES = ("name", "name-alternatives/name", "string-name", "name-alternatives/string-name")
# Types of dates other than that of publication.
_OTHER_DATES = frozenset(
    {"pmc-release", "nihms-submitted", "retraction", "corrected", "received", "accepted"}
)
_MAX_LICENCE = 300
_AUTHORS = frozenset({"author", "person", "group", "collab", ""})
"""Kinds of contributors that are authors."""
_LARGEST_FILE = 32 << 20
_HEAD_BYTES = 1 << 14
_MARKS = (b"<front", b"jats", b"nlm", b"article-type")
# Elements whose text is beside the running text, not in it.
_ASIDE = frozenset(
    {"fig", "fig-group", "table-wrap", "table-wrap-group", "table", "fn", "fn-group", "ref-list"}
    | {"supplementary-material", "media", "graphic", "inline-graphic", "object-id"}
)
_PLACES = ("body", "back", "floats-group", "floats-wrap")
_RELATIONS = (("related-article", "related-article-type"), ("pub-history/event", "event-type"))
"""Elements that state a retraction by their type, such as `retraction-forward`."""
_ROLE_OF_TYPE = {
    "intro": "introduction",
    "introduction": "introduction",
    "materials|methods": "method",
    "methods": "method",
    "results": "results",
    "discussion": "discussion",
    "conclusion": "conclusion",
    "conclusions": "conclusion",
    "supplementary-material": "other",
}
_ROLE_OF_BACK = {
    "ack": "acknowledgements",
    "app": "appendix",
    "glossary": "other",
    "notes": "other",
    "sec": None,
}
_HEADS = frozenset({"title", "label", "sec-meta", "subtitle"})
_INSIDE_HEADING = _ASIDE | {"xref"}
_DIVISIONS = frozenset({"sec", "app", "notes", "glossary", "ack"})
_LISTS = frozenset({"list", "def-list"})


def read_documents(content: bytes, name: str) -> list[Document]:
    """The papers in a JATS file: one, or each of a set; `InputError` says why there is none."""
    root = parse_xml(content)
    articles = [root] if root.tag == "article" else list(root.iter("article"))
    if not articles:
        raise InputError(f"XML, but not JATS: the root element is <{root.tag}>")
    keys = [name, *(f"{name}-{number}" for number in range(2, len(articles) + 1))]
    return [_read_article(one, key) for one, key in zip(articles, keys, strict=True)]


def _read_article(article: etree._Element, name: str) -> Document:
    arxiv = find_arxiv_id(f"arXiv:{_number(article, 'arxiv')}")
    about = Document(
        kind="jats",
        key=name,
        source_file=name,
        arxiv_id=arxiv[0] if arxiv else None,
        version=arxiv[1] if arxiv else None,
        doi=find_doi(_number(article, "doi")),
        published=_published(article),
        venue=print_text(article.find("front/journal-meta//journal-title")) or None,
        licence=_licence(article),
        withdrawn=_status(article),
    )
    titles = [article.find(f"{_META}/title-group/{part}") for part in ("article-title", "subtitle")]
    lists = (one for part in ("body", "back") for one in article.iterfind(f"{part}//ref-list"))
    wraps = (wrap for place in _PLACES for wrap in article.iterfind(f"{place}//table-wrap"))
    paper = Manuscript(
        title=": ".join(filter(None, (print_text(each, _INSIDE_HEADING) for each in titles))),
        abstract=_abstract(article),
        authors=list(_authors(article)),
        blocks=_blocks(article),
        entries=[
            entry for one in lists for ref in one.iterfind("ref") for entry in read_entries(ref)
        ],
        tables=[read_table(wrap) for wrap in wraps],
    )
    return assemble(paper, about)


def _number(article: etree._Element, kind: str) -> str:
    """The article's own identifier of a kind such as `doi`; empty if it has none."""
    for number in article.iterfind(f"{_META}/article-id"):
        if (number.get("pub-id-type") or "").lower() == kind:
            return print_text(number)
    return ""


def _abstract(article: etree._Element) -> str:
    """The abstract proper in paragraphs; each part's heading is printed before its text."""
    abstracts = article.findall(f"{_META}/abstract")
    plain = [abstract for abstract in abstracts if abstract.get("abstract-type") is None]
    for abstract in plain or abstracts[:1]:
        paragraphs = [text for text in _abstract_paragraphs(abstract) if text]
        if paragraphs:
            return "\n\n".join(paragraphs)
    return ""


def _abstract_paragraphs(part: etree._Element) -> Iterator[str]:
    heading = print_text(part.find("title"), _ASIDE).rstrip(" .:") if part.tag == "sec" else ""
    for child in children(part):
        if child.tag == "sec":
            yield from _abstract_paragraphs(child)
        elif child.tag not in _ASIDE and child.tag not in {"title", "label"}:
            text = print_text(child, _ASIDE)
            yield f"{heading}: {text}" if heading and text else text
            heading = ""


def _authors(article: etree._Element) -> Iterator[Author]:
    """The authors in order, people and groups; editors and reviewers are left out."""
    for contrib in article.iterfind(f"{_META}/contrib-group/contrib"):
        group = contrib.getparent()
        content = "" if group is None else group.get("content-type") or ""
        is_author = (contrib.get("contrib-type") or "").lower() in _AUTHORS
        if not is_author or content.lower() not in {"author", "authors", ""}:
            continue
        person = next((p for tag in _NAMES if (p := contrib.find(tag)) is not None), None)
        collab = contrib.find("collab")
        name = read_name(person) if person is not None else ""
        if not name and collab is not None:
            name = print_text(collab, frozenset({"contrib-group", "aff", "xref"}))
        if name:
            numbers = contrib.iter("contrib-id")
            ids = [n for n in numbers if (n.get("contrib-id-type") or "").lower() == "orcid"]
            yield Author(name, next((o for one in ids if (o := find_orcid(print_text(one)))), None))


def _published(article: etree._Element) -> str | None:
    """The date by which the paper was surely published: the one whose period ends first."""
    dates = [
        text
        for date in article.iterfind(f"{_META}/pub-date")
        if (date.get("pub-type") or date.get("date-type") or "") not in _OTHER_DATES
        and (text := _date(date))
    ]
    return min(dates, key=lambda text: (period(text)[1], text), default=None)


def _date(date: etree._Element) -> str | None:
    if iso := date_in(date.get("iso-8601-date")):
        return iso
    parts = [print_text(date.find("year")).zfill(4)]
    month = parse_month(print_text(date.find("month")))
    if month is not None:
        day = print_text(date.find("day"))
        parts += [f"{month:02d}", *([day.zfill(2)] if day else [])]
    # An impossible day is dropped, which leaves the month; so is an impossible month.
    texts = ("-".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next(filter(None, map(date_in, texts)), None)


def _status(article: etree._Element) -> str | None:
    """Status of an article by its own type, or by a retraction that it is linked with."""
    kinds = (
        one.get(name) or ""
        for path, name in _RELATIONS
        for one in article.iterfind(f"{_META}/{path}")
    )
    is_retracted = any(status_named(kind) == "retracted" for kind in kinds)
    return "retracted" if is_retracted else status_named(article.get("article-type") or "")


def _licence(article: etree._Element) -> str | None:
    """The address of the licence, else its first words."""
    for licence in article.iterfind(f"{_META}/permissions/license"):
        named = [licence.get(HREF) or "", print_text(licence.find("license_ref"))]
        linked = [link.get(HREF) or "" for link in licence.iter("ext-link", "uri")]
        named += [link for link in linked if "licen" in link or "creativecommons" in link]
        licence_text = next((text for text in named if text), print_text(licence))
        if licence_text:
            return licence_text[:_MAX_LICENCE]
    return None


def _blocks(article: etree._Element) -> list[Block]:
    """The sections of body and back matter, without notes, floats and the reference list."""
    blocks: list[Block] = []
    body = article.find("body")
    if body is not None:
        blocks += _division(body, Block(), 1)
    back = article.find("back")
    if back is not None:
        for child in children(back):
            for part in child.iterfind("app") if child.tag == "app-group" else [child]:
                if part.tag in _ROLE_OF_BACK:
                    role = _ROLE_OF_BACK[str(part.tag)]
                    blocks += _division(part, _open(part, 1, role), 2)
    kept: list[Block] = []
    for block in reversed(blocks):
        # Keep a section that has text of its own or in a subsection.
        if block.paragraphs or (block.heading and kept and kept[-1].level > block.level):
            kept.append(block)
    return kept[::-1]


def _open(element: etree._Element, level: int, role: str | None) -> Block:
    """The section that an element starts, without its text."""
    label = print_text(element.find("label")) or None
    number, heading = split_heading(print_text(element.find("title"), _INSIDE_HEADING), label)
    if level == 1 and role is None:
        role = _ROLE_OF_TYPE.get((element.get("sec-type") or "").lower())
    return Block(heading or None, number, level, role)


def _division(element: etree._Element, section: Block, below: int) -> Iterator[Block]:
    """A section and its subsections; text after a subsection belongs to the section around it."""
    yield section
    for child in children(element):
        if child.tag in _DIVISIONS:
            role = "appendix" if section.role == "appendix" else None
            yield from _division(child, _open(child, below, role), below + 1)
        else:
            section.paragraphs += filter(None, _paragraphs(child))


def _paragraphs(block: etree._Element) -> Iterator[str]:
    if block.tag in _LISTS:
        for item in children(block):
            if item.tag not in _HEADS:
                yield print_text(item, _ASIDE)
    elif block.tag not in _HEADS and block.tag not in _ASIDE:
        yield print_text(block, _ASIDE)


def _matches(path: Path) -> bool:
    """Check whether a file is JATS, by its name or by the start of its XML."""
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


SOURCE = Source(
    kind="jats",
    summary="JATS XML (.nxml, .xml): full text, references and tables, one paper a file",
    dates="venue",
    matches=_matches,
    read=read_with(read_documents, _LARGEST_FILE, "paper"),
    reader_version="11",
)
