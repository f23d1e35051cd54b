"""What a page says of itself: identifier, version, category, date and licence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from vivavoce.sources.fulltext.html.typeset import line_of
from vivavoce.text.dates import parse_date, parse_month
from vivavoce.text.identifiers import find_arxiv_id

_STAMP = re.compile(
    r"\[(?P<category>[a-z-]{2,10}(?:\.[A-Za-z-]{2,20})?)\]\s+"
    r"(?P<day>\d{1,2}) (?P<month>[A-Z][a-z]{2}) (?P<year>\d{4})"
)
_LICENCE_START = re.compile(r"licen[sc]e\s?:?\s*", re.IGNORECASE)
_LICENCES = ("creativecommons.org/", "arxiv.org/licenses/")
_LONGEST_LICENCE = 300


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a page is."""

    arxiv_id: str | None
    version: str | None
    categories: tuple[str, ...]
    published: str | None
    """The day of the first version; a later version does not tell it."""


def read_identity(root: etree._Element, name: str) -> Identity:
    """The identity of a page: its own word goes before the name of the file."""
    stamp = line_of(_by_id(root, "watermark-tr"))
    texts = [*_addresses(root), stamp, name]
    found = [known for text in texts if (known := find_arxiv_id(text)) is not None]
    arxiv_id = found[0][0] if found else None
    versions = (version for known, version in found if known == arxiv_id and version)
    version = next(versions, None)
    parts = _STAMP.search(stamp)
    return Identity(
        arxiv_id=arxiv_id,
        version=version,
        categories=(parts["category"],) if parts else (),
        published=_day(parts) if parts and version == "v1" else None,
    )


def read_licence(root: etree._Element) -> str | None:
    """The licence that arXiv prints: its address where the link has it, else its name."""
    holder = _by_id(root, "license-tr")
    if holder is None:
        return None
    href = holder.get("href") or ""
    if any(part in href for part in _LICENCES):
        return href[:_LONGEST_LICENCE]
    return _LICENCE_START.sub("", line_of(holder), count=1)[:_LONGEST_LICENCE] or None


def _addresses(root: etree._Element) -> Iterator[str]:
    for link in root.iter("link"):
        if (link.get("rel") or "").lower() == "canonical":
            yield link.get("href") or ""
    for base in root.iter("base"):
        yield base.get("href") or ""


def _by_id(root: etree._Element, name: str) -> etree._Element | None:
    return next(
        (element for element in root.iter("a", "div", "span") if element.get("id") == name), None
    )


def _day(parts: re.Match[str]) -> str | None:
    month = parse_month(parts["month"])
    parsed = parse_date(f"{parts['year']}-{month:02d}-{parts['day']:0>2}") if month else None
    return parsed[0] if parsed else None
