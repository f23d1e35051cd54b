"""Reader of saved answers of Crossref's REST API: one work or a list of works per file.

The fields are those of https://api.crossref.org/swagger-ui/index.html. A work's date is the
earliest by which it was certainly published.
"""

import re
from collections.abc import Iterator

from vivavoce.errors import InputError
from vivavoce.records import Author, Document, Fault
from vivavoce.sources import Source, has_suffix, read_with
from vivavoce.sources.catalogues.decoding import decode_text
from vivavoce.sources.fulltext.references import is_grade
from vivavoce.sources.json_records import (
    Fields,
    line_at,
    object_at,
    parse_strictly,
    rows_at,
    text_at,
    texts_at,
)
from vivavoce.sources.notices import status_named
from vivavoce.text.dates import parse_date, period
from vivavoce.text.identifiers import find_doi, find_orcid
from vivavoce.text.normalise import clean_line

KIND = "crossref"
SUFFIX = ".crossref.json"
_LARGEST_FILE = 64 << 20
_LABEL = re.compile(r"^(?:abstract|summary)\b[.:\s]*", re.IGNORECASE)
_DATES = ("published-online", "posted", "published-print", "issued")


def read_answer(content: bytes, what: str = "the answer") -> list[Fields]:
    """Read the works of an answer; raises `InputError` if it is not one."""
    value = parse_strictly(content, what)
    if not isinstance(value, dict) or value.get("status") != "ok":
        raise InputError(f"{what} is not an answer of Crossref: its status is not 'ok'")
    message = object_at(value, "message")
    return rows_at(message, "items") if "items" in message else [message]


def read_work(work: Fields) -> Document:
    """The paper that a work describes; `InputError` says why there is none."""
    doi = find_doi(line_at(work, "DOI"))
    if doi is None:
        raise InputError(f"its DOI {line_at(work, 'DOI')[:80]!r} is not valid")
    named = (next(iter(texts_at(work, field)), "") for field in ("title", "subtitle"))
    title, subtitle = (clean_line(decode_text(name)).rstrip(" :") for name in named)
    if subtitle and not title.casefold().endswith(subtitle.casefold()):
        title = f"{title}: {subtitle}" if title else subtitle
    if not title:
        raise InputError(f"{doi} has no title")
    licences = (line_at(row, "URL") for row in rows_at(work, "license"))
    authors = []
    for person in rows_at(work, "author"):
        names = [line_at(person, part) for part in ("given", "family", "suffix")]
        kept = (part for part in names if part and not is_grade(part))
        name = " ".join(kept) or line_at(person, "name")
        if any(map(str.isalpha, name)):
            authors.append(Author(name, find_orcid(line_at(person, "ORCID"))))
    abstract = clean_line(decode_text(text_at(work, "abstract")))
    dates = [date for name in _DATES for date in _date(object_at(work, name))]
    return Document(
        kind=KIND,
        key=f"doi:{doi}",
        doi=doi,
        source_url=f"https://doi.org/{doi}",
        title=title,
        abstract=_LABEL.sub("", abstract, count=1) or None,
        published=min(dates, key=lambda text: (period(text)[1], text), default=None),
        venue=next(iter(texts_at(work, "container-title")), None),
        licence=next((url for url in licences if url), None),
        authors=tuple(authors),
        withdrawn=next(_statuses(work), None),
    )


def _statuses(work: Fields) -> Iterator[str]:
    """Statuses by the notice that a work is, and by notices on it; a corrected work stands."""
    for field in ("update-to", "updated-by"):
        for row in rows_at(work, field):
            status = status_named(line_at(row, "type"))
            if status and (field == "update-to" or status != "corrected"):
                yield status


def _date(field: Fields) -> Iterator[str]:
    """The date in `date-parts`, a list of lists of numbers with the year first."""
    parts = field.get("date-parts")
    first = parts[0] if isinstance(parts, list) and parts else None
    numbers = first if isinstance(first, list) else []
    plain = [n for n in numbers[:3] if isinstance(n, int) and not isinstance(n, bool)]
    if plain and len(plain) == len(numbers[:3]):
        written = "-".join([f"{plain[0]:04d}", *(f"{n:02d}" for n in plain[1:])])
        if (parsed := parse_date(written)) is not None:
            yield parsed[0]


def _read(content: bytes, name: str) -> Iterator[Document | Fault]:
    for place, work in enumerate(read_answer(content, "the file"), start=1):
        try:
            yield read_work(work)
        except InputError as error:
            yield Fault(f"{name}:{place}", str(error))


SOURCE = Source(
    kind=KIND,
    summary="saved answers of Crossref's API (.crossref.json): titles, authors, dates, DOIs",
    is_metadata=True,
    dates="venue",
    matches=has_suffix(SUFFIX),
    read=read_with(_read, _LARGEST_FILE, "answer"),
    holds_many=True,
    reader_version="6",
)
