"""What the front matter of a JATS article says of the paper."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from vivavoce.records import Author
from vivavoce.sources.fulltext.jats.references import read_name
from vivavoce.sources.fulltext.jats.xml import ASIDE, text_of
from vivavoce.sources.xml import children
from vivavoce.text.dates import parse_date, parse_month, period

_META = "front/article-meta"
_HREF = "{http://www.w3.org/1999/xlink}href"
_ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]")
_NAMES = ("name", "name-alternatives/name", "string-name", "name-alternatives/string-name")
# When something else happened than that the paper came out.
_OTHER_DATES = frozenset(
    {"pmc-release", "nihms-submitted", "retraction", "corrected", "received", "accepted"}
)
_LONGEST_LICENCE = 300
_AUTHORS = frozenset({"author", "person", "group", "collab", ""})
"""Kinds of contributors that are authors, where their group does not say otherwise."""


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
    """The date by which the paper was first out for sure: that which is over before the others."""
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
        named = [licence.get(_HREF) or "", text_of(licence.find("license_ref"))]
        linked = [link.get(_HREF) or "" for link in licence.iter("ext-link", "uri")]
        named += [link for link in linked if "licen" in link or "creativecommons" in link]
        found = next((text for text in named if text), text_of(licence))
        if found:
            return found[:_LONGEST_LICENCE]
    return None
