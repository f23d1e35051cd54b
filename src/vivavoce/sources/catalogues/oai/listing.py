"""A paper out of the fields that arXiv's own formats share, whichever file they come in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from email.utils import parsedate_to_datetime

from vivavoce.errors import InputError
from vivavoce.records import Author, Document
from vivavoce.sources.catalogues.arxiv.names import part_names
from vivavoce.text.dates import parse_date, period
from vivavoce.text.identifiers import arxiv_month, find_arxiv_id, find_doi
from vivavoce.text.normalise import clean_text

_SHOWN = 80
_LONGEST_DATE = 100


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
        fields: `id`, `title`, `abstract`, `categories`, `doi`, `journal-ref`, `license`.
        authors: In order.
        published: The day of the first version.
        version: The latest version, such as `v2`.
    """
    name = one_line(fields.get("id", ""))
    found = find_arxiv_id(f"arXiv:{name}")
    if found is None:
        raise InputError(f"its id {name[:_SHOWN]!r} is no arXiv id")
    arxiv_id = found[0]
    title = one_line(fields.get("title", ""))
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
        abstract=one_line(fields.get("abstract", "")) or None,
        published=published,
        categories=tuple(dict.fromkeys(one_line(fields.get("categories", "")).split())),
        venue=one_line(fields.get("journal-ref", "")) or None,
        licence=one_line(fields.get("license", "")) or None,
        authors=tuple(authors),
    )


def authors_of(forenames: str, keyname: str, suffix: str) -> Iterator[Author]:
    """An author in the order a name is printed, and the collaboration that is part of the name."""
    return map(Author, part_names(one_line(" ".join((forenames, keyname, suffix)))))


def read_versions(versions: Sequence[tuple[str, str]]) -> tuple[str | None, str | None]:
    """The day of the first version and the name of the latest.

    Args:
        versions: Name, such as `v2`, and time, such as `Mon, 2 Apr 2007 19:18:42 GMT`, of each.
    """
    numbered = [(int(name[1:]), time) for name, time in versions if _is_version(name)]
    if not numbered:
        return None, None
    first, latest = min(numbered), max(numbered)
    return (_day(first[1]) if first[0] == 1 else None), f"v{latest[0]}"


def first_day(arxiv_id: str, days: Iterable[str]) -> str | None:
    """When a paper came out, of days that may be of a later version.

    A paper has its id since its first version: of a day after the month of the id, that month is
    what is known.
    """
    parsed = (parse_date(day.strip()) for day in days)
    earliest = min((found[0] for found in parsed if found), default=None)
    if earliest is None:
        return None
    month = arxiv_month(arxiv_id)
    return month if period(earliest)[0] >= period(month)[1] else earliest


def one_line(text: str) -> str:
    """Text with single spaces, safe to store."""
    return " ".join(clean_text(text).split())


def _is_version(name: str) -> bool:
    return name[:1] == "v" and name[1:].isascii() and name[1:].isdigit() and len(name) <= 5


def _day(time: str) -> str | None:
    text = time.strip()
    if not 0 < len(text) <= _LONGEST_DATE:
        return None
    try:
        parsed = parse_date(parsedate_to_datetime(text))
    except (ValueError, TypeError, IndexError, OverflowError):
        parsed = parse_date(text)
    return parsed[0] if parsed else None
