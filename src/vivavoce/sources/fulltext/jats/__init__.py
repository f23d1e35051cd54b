"""JATS articles, as PubMed Central and publishers give them out: one paper a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.records import Author, Document
from vivavoce.sources import Source, read_with
from vivavoce.sources import one_piece as one_piece
from vivavoce.sources.fulltext.jats.articles import (
    ASIDE,
    HREF,
    parse_jats,
    read_name,
    read_references,
    read_sections,
    read_tables,
    text_of,
)
from vivavoce.sources.xml import children
from vivavoce.text.dates import parse_date, parse_month, period
from vivavoce.text.identifiers import find_arxiv_id, find_doi

_META = "front/article-meta"
_ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]")
_NAMES = ("name", "name-alternatives/name", "string-name", "name-alternatives/string-name")
# When something else happened than that the paper came out.
_OTHER_DATES = frozenset(
    {"pmc-release", "nihms-submitted", "retraction", "corrected", "received", "accepted"}
)
_MAX_LICENCE = 300
_AUTHORS = frozenset({"author", "person", "group", "collab", ""})
"""Kinds of contributors that are authors, where their group does not say otherwise."""
_LARGEST_FILE = 32 << 20
_HEAD_BYTES = 1 << 14
_MARKS = (b"<front", b"jats", b"nlm", b"article-type")


def read_number(article: etree._Element, kind: str) -> str:
    """The article's own identifier of a kind, such as `doi`; empty without one."""
    for number in article.iterfind(f"{_META}/article-id"):
        if (number.get("pub-id-type") or "").lower() == kind:
            return text_of(number)
    return ""


def read_abstract(article: etree._Element) -> str:
    """The abstract proper by paragraphs; names of its parts are printed before these."""
    found = article.findall(f"{_META}/abstract")
    plain = [abstract for abstract in found if abstract.get("abstract-type") is None]
    for abstract in plain or found[:1]:
        paragraphs = [text for text in _abstract_paragraphs(abstract) if text]
        if paragraphs:
            return "\n\n".join(paragraphs)
    return ""


def _abstract_paragraphs(part: etree._Element) -> Iterator[str]:
    heading = text_of(part.find("title"), ASIDE).rstrip(" .:") if part.tag == "sec" else ""
    for child in children(part):
        if child.tag == "sec":
            yield from _abstract_paragraphs(child)
        elif child.tag not in ASIDE and child.tag not in {"title", "label"}:
            text = text_of(child, ASIDE)
            yield f"{heading}: {text}" if heading and text else text
            heading = ""


def read_authors(article: etree._Element) -> Iterator[Author]:
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
            name = text_of(collab, frozenset({"contrib-group", "aff", "xref"}))
        if name:
            yield Author(name, _orcid(contrib))


def _orcid(contrib: etree._Element) -> str | None:
    for number in contrib.iter("contrib-id"):
        found = _ORCID.search(text_of(number).upper())
        if found and (number.get("contrib-id-type") or "").lower() == "orcid":
            return found[0]
    return None


def read_date(article: etree._Element) -> str | None:
    """The date by which the paper was first out for sure: the one that ends before the others."""
    dates = [
        text
        for date in article.iterfind(f"{_META}/pub-date")
        if (date.get("pub-type") or date.get("date-type") or "") not in _OTHER_DATES
        and (text := _date(date))
    ]
    return min(dates, key=lambda text: (period(text)[1], text), default=None)


def _date(date: etree._Element) -> str | None:
    iso = parse_date(date.get("iso-8601-date") or "")
    if iso is not None:
        return iso[0]
    parts = [text_of(date.find("year")).zfill(4)]
    month = parse_month(text_of(date.find("month")))
    if month is not None:
        day = text_of(date.find("day"))
        parts += [f"{month:02d}", *([day.zfill(2)] if day else [])]
    # A day that no calendar has leaves the month, and so on.
    texts = ("-".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((parsed[0] for text in texts if (parsed := parse_date(text))), None)


def read_licence(article: etree._Element) -> str | None:
    """The address of the licence, else its first words."""
    for licence in article.iterfind(f"{_META}/permissions/license"):
        named = [licence.get(HREF) or "", text_of(licence.find("license_ref"))]
        linked = [link.get(HREF) or "" for link in licence.iter("ext-link", "uri")]
        named += [link for link in linked if "licen" in link or "creativecommons" in link]
        found = next((text for text in named if text), text_of(licence))
        if found:
            return found[:_MAX_LICENCE]
    return None


def _matches(path: Path) -> bool:
    """Check whether the name says so, or it is an XML file whose start does."""
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
    dates="venue",
    matches=_matches,
    read=read_with(lambda content, name: [read_document(content, name)], _LARGEST_FILE, "paper"),
    reader_version="4",
)
