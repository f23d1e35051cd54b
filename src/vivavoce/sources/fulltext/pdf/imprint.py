"""The imprint on the first page of a PDF: date, DOI, arXiv id and venue."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from vivavoce.text.dates import parse_date, parse_month
from vivavoce.text.identifiers import arxiv_id_in, find_doi

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY, _OF_YEAR = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?", r",?\s(?P<year>(?:19|20)\d\d)"
_DATES = (
    re.compile(rf"{_DAY}\s(?P<month>{_MONTH}){_OF_YEAR}", re.IGNORECASE),
    re.compile(rf"(?P<month>{_MONTH})\s{_DAY}{_OF_YEAR}", re.IGNORECASE),
    re.compile(r"(?P<year>(?:19|20)\d\d)-(?P<number>\d\d)-(?P<day>\d\d)"),
    re.compile(rf"(?P<month>{_MONTH}){_OF_YEAR}", re.IGNORECASE),
)
_PUBLISHED = re.compile(
    r"(?:published|available)(?:\sonline)?\W{0,3}$|posted\W{0,3}$", re.IGNORECASE
)
_ACCEPTED = re.compile(r"accepted(?:\sfor\spublication)?\W{0,3}$", re.IGNORECASE)
_BEFORE = re.compile(
    r"(?:received|revised|submitted(?:\sto\s[^,.;]{0,60})?|accessed|retrieved"
    r"|draft(?:\sversion)?)\W{0,3}$",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:©|\(c\)|copyright)\D{0,12}((?:19|20)\d\d)", re.IGNORECASE)
_PROCEEDINGS = re.compile(
    r"(?:Proceedings|Findings|Transactions) of (?:the )?[^.;:()]{6,140}"
    r"|(?:\d{1,2}(?:st|nd|rd|th)|International|Annual)\s[^.;:]{0,60}(?:Conference|Workshop|Symposium)"
    r" on [^.;:()]{4,100}(?:\([A-Z][\w ’']{2,20}\))?"
)
_VENUE_YEAR = re.compile(
    r"(?:Conference|Workshop|Symposium|Proceedings)\D.{0,140}?((?:19|20)\d\d)\b"
)


class Imprint(NamedTuple):
    """Data that a first page prints about its paper."""

    date: str | None = None
    doi: str | None = None
    arxiv_id: str | None = None
    venue: str | None = None


def read_imprint(front: Sequence[str], margins: Sequence[str]) -> Imprint:
    """The imprint of a first page."""
    everything = [*front, *margins]
    return Imprint(
        date=_date(front, margins),
        doi=next((doi for text in everything if (doi := find_doi(text))), None),
        arxiv_id=next((found for text in everything if (found := arxiv_id_in(text))), None),
        venue=next((m[0].strip(" ,") for t in margins if (m := _PROCEEDINGS.search(t))), None),
    )


def _date(front: Sequence[str], margins: Sequence[str]) -> str | None:
    """The most credible date: of publication, printed alone, of acceptance, of the copyright."""
    ranked: list[tuple[int, str]] = []
    for text in [*front, *margins]:
        for start, found in _dates(text):
            before = text[:start]
            if _BEFORE.search(before):
                continue
            rank = 3 if text in margins else 1
            rank = 2 if _ACCEPTED.search(before) else rank
            ranked.append((0 if _PUBLISHED.search(before) else rank, found))
    if ranked:
        return min(ranked, key=lambda pair: pair[0])[1]
    return _first(_YEAR, margins) or _first(_VENUE_YEAR, margins)


def _dates(text: str) -> list[tuple[int, str]]:
    """Places and dates of a text, by the most exact way of writing that it uses."""
    for pattern in _DATES:
        written = ((found.start(), _iso(found.groupdict())) for found in pattern.finditer(text))
        if dates := [(start, date) for start, date in written if date is not None]:
            return dates
    return []


def _iso(parts: dict[str, str]) -> str | None:
    month = int(parts["number"]) if "number" in parts else parse_month(parts["month"])
    if month is None or not 1 <= month <= 12:
        return None
    written = f"{parts['year']}-{month:02d}" + (
        f"-{int(parts['day']):02d}" if "day" in parts else ""
    )
    return written if parse_date(written) else None


def _first(pattern: re.Pattern[str], texts: Iterable[str]) -> str | None:
    return next((found[1] for text in texts if (found := pattern.search(text))), None)
