"""Imprint of a paper on the first page of its PDF: date, identifiers, venue."""

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
_SAYS = r"(?:\s(?:date|online|on|in|first|version|for publication))*\W*$"
"""All that may be printed between a word such as `published` and the date."""
_PUBLISHED = re.compile(
    rf"\b(?:published|publication|available online|posted|issued){_SAYS}", re.IGNORECASE
)
_ACCEPTED = re.compile(rf"\baccepted{_SAYS}", re.IGNORECASE)
_LABELLED = re.compile(
    r"^\W*(?:[Dd]ated?\W+|(?!\w+ed\W)[^\W\d_a-z][\w.’'-]*(?:,?\s(?:[^\W\d_a-z][\w.’'-]*|of|de|di|da|do))*"
    r",\s)(?:\d{1,2}\s?[-–—]\s?)?$"
)
"""All that is printed before a date: a label, or a place and the first day of several."""
_ALONE = re.compile(r"^\W*\d{0,2}\s?$")
_EVENT = re.compile(r"\b(?:on|at|of|since|from|by)\s*$")
"""The end of a clause that says what happened on a day, not when an issue came out."""
_ISSUE = re.compile(
    r"(?:Proceedings|Findings|Transactions|Conference|Workshop|Symposium|Journal|©|\(c\)|Copyright"
    r"|\bVol(?:ume)?\b)",
    re.IGNORECASE,
)
"""Words in a line that says where and when a paper came out."""
_SENTENCE = re.compile(r"(?<=[a-z\d)])[.;|](?=\s)|\s[•·|]\s")
_YEAR = re.compile(r"(?:©|\(c\)|copyright)\D{0,12}((?:19|20)\d\d)", re.IGNORECASE)
_PROCEEDINGS = re.compile(
    r"(?:Proceedings|Findings|Transactions) of (?:the )?[^.;:()]{6,140}"
    r"|(?:\d{1,2}(?:st|nd|rd|th)|International|Annual)\s[^.;:]{0,60}(?:Conference|Workshop|Symposium)"
    r" on [^.;:()]{4,100}(?:\([A-Z][\w ’']{2,20}\))?"
)
_VENUE_YEAR = re.compile(
    r"(?:Conference|Workshop|Symposium|Proceedings)\D.{0,140}?((?:19|20)\d\d)\b"
    r"|\bVol(?:ume)?\b.{0,60}?\(((?:19|20)\d\d)\)"
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
        arxiv_id=next(
            (identifier for text in everything if (identifier := arxiv_id_in(text))), None
        ),
        venue=next((m[0].strip(" ,") for t in margins if (m := _PROCEEDINGS.search(t))), None),
    )


def _date(front: Sequence[str], margins: Sequence[str]) -> str | None:
    """The most credible date that a first page gives for the paper's own publication.

    It follows a word such as `published`, else is alone in the title block, else follows
    `accepted`, else a label, a place or an issue. Without any date, the year of an issue counts.
    """
    ranked: list[tuple[int, str]] = []
    for text in [*front, *margins]:
        for sentence in _SENTENCE.split(text):
            # Dates in the most exact notation that the sentence uses.
            ways = (
                [(*m.span(), day) for m in way.finditer(sentence) if (day := _iso(m.groupdict()))]
                for way in _DATES
            )
            for start, stop, date in next(filter(None, ways), []):
                before, is_last = sentence[:start], not re.search(r"\w", sentence[stop:])
                if _PUBLISHED.search(before):
                    ranked.append((0, date))
                elif (
                    text in front and is_last and (_ALONE.match(before) or _LABELLED.match(before))
                ):
                    ranked.append((1, date))
                elif _ACCEPTED.search(before):
                    ranked.append((2, date))
                elif _LABELLED.match(before) or (
                    _ISSUE.search(before) and not _EVENT.search(before)
                ):
                    ranked.append((3, date))
    if ranked:
        return min(ranked, key=lambda pair: pair[0])[1]
    return _first(_YEAR, margins) or _first(_VENUE_YEAR, margins)


def _iso(parts: dict[str, str]) -> str | None:
    month = int(parts["number"]) if "number" in parts else parse_month(parts["month"])
    if month is None or not 1 <= month <= 12:
        return None
    written = f"{parts['year']}-{month:02d}" + (
        f"-{int(parts['day']):02d}" if "day" in parts else ""
    )
    return written if parse_date(written) else None


def _first(pattern: re.Pattern[str], texts: Iterable[str]) -> str | None:
    matches = (pattern.search(text) for text in texts)
    return next((next(filter(None, match.groups())) for match in matches if match), None)
