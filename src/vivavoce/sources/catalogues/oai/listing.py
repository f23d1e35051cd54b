"""A paper out of the fields that arXiv's own formats share, with its line of authors split."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from email.utils import parsedate_to_datetime

from vivavoce.errors import InputError
from vivavoce.records import Author, Document
from vivavoce.sources.catalogues.arxiv import (
    FOR,
    GROUP,
    part_names,
    spell_name,
)
from vivavoce.sources.notices import status_of
from vivavoce.text.dates import parse_date, period
from vivavoce.text.identifiers import arxiv_month, find_arxiv_id, find_doi
from vivavoce.text.normalise import clean_line

_SHOWN = 80
_VERSION = re.compile(r"v[0-9]{1,4}")
_MAX_DATE = 100
_MAX_LINE = 200_000
# A collaboration before its members.
_COLLABORATION = re.compile(rf"\b({GROUP})\s*:", re.IGNORECASE)
_BETWEEN = re.compile(r"[,;]|\s(?:and|&)(?=\s)")
_FIRST_AND = re.compile(r"^(?:and|&)(?:\s|$)", re.IGNORECASE)
_OTHERS = re.compile(r"(?:^|\s)et\.?\s?al(?:ii|ia)?\.?$", re.IGNORECASE)
_SUFFIX = re.compile(r"(?:Jr|Sr|II|III|IV)\.?", re.IGNORECASE)


def read_listing(
    kind: str,
    fields: Mapping[str, str],
    *,
    authors: Iterable[Author],
    published: str | None,
    version: str | None,
) -> Document:
    """The paper of some fields under arXiv's names; `InputError` says why there is none.

    Args:
        kind: The source.
        fields: `id`, `title`, `abstract`, `categories`, `doi`, `journal-ref`, `license`, and
            `comments` where the format has them.
        authors: In order.
        published: The day of the first version.
        version: The latest version, such as `v2`.
    """
    name = clean_line(fields.get("id", ""))
    found = find_arxiv_id(f"arXiv:{name}")
    if found is None:
        raise InputError(f"its id {name[:_SHOWN]!r} is no arXiv id")
    arxiv_id = found[0]
    title = clean_line(fields.get("title", ""))
    if not title:
        raise InputError(f"arXiv {arxiv_id} has no title")
    return Document(
        kind=kind,
        key=f"arxiv:{arxiv_id}",
        arxiv_id=arxiv_id,
        version=version,
        doi=find_doi(fields.get("doi", "")),
        source_url=f"https://arxiv.org/abs/{arxiv_id}{version or ''}",
        title=title,
        abstract=clean_line(fields.get("abstract", "")) or None,
        published=first_day(arxiv_id, [published or ""]),
        categories=tuple(dict.fromkeys(clean_line(fields.get("categories", "")).split())),
        venue=clean_line(fields.get("journal-ref", "")) or None,
        licence=clean_line(fields.get("license", "")) or None,
        authors=tuple(authors),
        withdrawn=status_of(title, fields.get("abstract"), fields.get("comments", "")),
    )


def authors_of(forenames: str, keyname: str, suffix: str) -> Iterator[Author]:
    """An author in the order a name is printed, and the collaboration that is part of the name."""
    return map(Author, part_names(clean_line(" ".join((forenames, keyname, suffix)))))


def read_versions(versions: Sequence[tuple[str, str]]) -> tuple[str | None, str | None]:
    """The day of the first version and the name of the latest.

    Args:
        versions: Name, such as `v2`, and time, such as `Mon, 2 Apr 2007 19:18:42 GMT`, of each.
    """
    numbered = [(int(name[1:]), time) for name, time in versions if _VERSION.fullmatch(name)]
    if not numbered:
        return None, None
    first, latest = min(numbered), max(numbered)
    return (_day(first[1]) if first[0] == 1 else None), f"v{latest[0]}"


def first_day(arxiv_id: str, days: Iterable[str]) -> str | None:
    """Day on which a paper came out, of days that may be of a later version.

    A paper has its id since its first version: of a day after the month of the id, that month is
    what is known.
    """
    parsed = (parse_date(day.strip()) for day in days)
    earliest = min((found[0] for found in parsed if found), default=None)
    if earliest is None:
        return None
    month = arxiv_month(arxiv_id)
    return month if period(earliest)[0] >= period(month)[1] else earliest


def _day(time: str) -> str | None:
    text = time.strip()
    if not 0 < len(text) <= _MAX_DATE:
        return None
    try:
        parsed = parse_date(parsedate_to_datetime(text))
    except (ValueError, TypeError, IndexError, OverflowError):
        parsed = parse_date(text)
    return parsed[0] if parsed else None


def split_authors(line: str) -> tuple[str, ...]:
    """The names in a line such as `A. One (Here), B. Two Jr. and C. Three ((1) There)`.

    Affiliations, which are in parentheses, are left out, and accents are set as characters. A
    collaboration is an author of its own.
    """
    text = " ".join(_without_parentheses(line[:_MAX_LINE]).split())
    text = FOR.sub(", ", _COLLABORATION.sub(r"\1,", text))
    names: list[str] = []
    for part in _BETWEEN.split(text):
        name = spell_name(_OTHERS.sub("", _FIRST_AND.sub("", part.strip(), count=1)))
        if names and _SUFFIX.fullmatch(name):
            names[-1] = f"{names[-1]} {name}"
        elif any(map(str.isalpha, name)):
            names.append(name)
    return tuple(names)


def _without_parentheses(text: str) -> str:
    """Text without parentheses and their content; a lone parenthesis is dropped by itself."""
    open_at: list[int] = []
    spans: list[tuple[int, int]] = []
    for place, sign in enumerate(text):
        if sign == "(":
            open_at.append(place)
        elif sign == ")" and open_at:
            start = open_at.pop()
            while spans and spans[-1][0] > start:
                spans.pop()
            spans.append((start, place + 1))
    kept, after = [], 0
    for start, end in spans:
        kept.append(text[after:start])
        after = end
    return " ".join([*kept, text[after:]]).replace("(", " ").replace(")", " ")
