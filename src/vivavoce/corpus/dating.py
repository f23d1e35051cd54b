"""When a paper first appeared, and where that is known from."""

from __future__ import annotations

from typing import NamedTuple

from vivavoce.text.dates import parse_date
from vivavoce.text.identifiers import acl_year, arxiv_month


class PaperDate(NamedTuple):
    """A date as precise as its source, or three times None for an undated paper."""

    published: str | None
    precision: str | None
    source: str | None


UNDATED = PaperDate(None, None, None)


def date_paper(
    published: str | None, arxiv_id: str | None, acl_id: str | None, listed: str | None = None
) -> PaperDate:
    """Date a paper from its metadata, else its arXiv id's month, else its Anthology id's year.

    Args:
        published: What metadata or a text says.
        arxiv_id: Versionless.
        acl_id: Of the Anthology.
        listed: What a list of results says, which often is the date of an entry: the last resort.
    """
    if published and (parsed := parse_date(published)):
        return PaperDate(*parsed, "metadata")
    if arxiv_id:
        return PaperDate(arxiv_month(arxiv_id), "month", "arxiv_id")
    if acl_id:
        return PaperDate(acl_year(acl_id), "year", "anthology_id")
    if listed and (parsed := parse_date(listed)):
        return PaperDate(*parsed, "results_list")
    return UNDATED
