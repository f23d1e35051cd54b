"""Dating of papers from every date that their documents state, with evidence.

Every dated statement is recorded with a verdict. A statement means that the work was public by the
end of its period, so the statement whose period ends first decides. These are not credible:

- the day of a first version before the month of its arXiv id: the submission was held (`held`);
- the day printed on a later version (`later_version`);
- a date from metadata or a DOI more than five years before all others (`far_before`);
- the date in a list of results if any other date is known (`last_resort`).

Within the month of an arXiv id, a print date is no more exact than the id: the day of a conference
gives no information about the days before it.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from vivavoce.records import Document
from vivavoce.text.dates import parse_date, period
from vivavoce.text.identifiers import (
    acl_year,
    arxiv_month,
    find_acl_id,
    find_arxiv_id,
    find_doi,
    ids_in_doi,
)

EVIDENCE = ("arxiv_id", "version", "stamp", "doi", "venue", "metadata", "near_copy")
"""Sources of a date; among equally early dates, the source listed first counts."""
MAX_LAG = timedelta(days=5 * 366)
"""Longest time by which a date from metadata may precede all others."""
MAX_HOLD = timedelta(days=92)
"""Longest time that a submission waits for its announcement."""
_ZONE = timedelta(days=2)
"""Largest difference between the clocks behind a day and a month, at the end of the month."""
# Preprint servers in biology and medicine write the day of posting into the DOI.
_POSTED = re.compile(r"10\.1101/(20[0-9]{2})\.([01][0-9])\.([0-3][0-9])\.[0-9]+")
# IEEE names the venue and the year: 10.1109/cvpr.2016.90.
_IEEE = re.compile(r"10\.1109/[a-z-]+\.((?:19|20)[0-9]{2})\.[0-9]+")
_PRINTED_YEAR = re.compile(r"(?<![0-9])((?:19|20)[0-9]{2})[a-f]?\s?[)\]]")
"""A year at the end of a remark, as in a citation."""
CONTRADICTIONS = ("id_after_date", "date_after_id", "far_before", "other_month")
"""Verdicts for two sources of one paper that cannot both be right, or that need a look.

`id_after_date`: an arXiv id assigned after a printed date, by a late upload or to another paper;
the printed date counts. `date_after_id`: a first version dated after its own id.
`other_month`: a first version or stamp long before its id.
"""


class PaperDate(NamedTuple):
    """A date with its precision and source; all three are None for an undated paper."""

    published: str | None
    precision: str | None
    source: str | None


class Statement(NamedTuple):
    """One dated statement about a work."""

    date: str
    precision: str
    evidence: str
    """One of `EVIDENCE`."""
    kind: str
    """The source of the document that states the date."""
    key: str
    """The document's key within that source."""
    verdict: str = ""
    """`used`, `agrees`, `later`, a reason not to believe it, or one of `CONTRADICTIONS`."""


def date_paper(
    published: str | None, arxiv_id: str | None, acl_id: str | None, listed: str | None = None
) -> PaperDate:
    """Date a paper from its metadata, else its arXiv id's month, else its Anthology id's year.

    `listed` is the date in a list of results: a last resort, as it often dates the entry only.
    """
    if published and (parsed := parse_date(published)):
        return PaperDate(*parsed, "metadata")
    if arxiv_id:
        return PaperDate(arxiv_month(arxiv_id), "month", "arxiv_id")
    if acl_id:
        return PaperDate(acl_year(acl_id), "year", "anthology_id")
    if listed and (parsed := parse_date(listed)):
        return PaperDate(*parsed, "results_list")
    return PaperDate(None, None, None)


def date_of_doi(doi: str) -> tuple[str, str] | None:
    """Return the date inside a DOI, with its evidence; None for a DOI without a date."""
    named = ids_in_doi(doi)
    if arxiv_id := named.get("arxiv"):
        return arxiv_month(arxiv_id), "arxiv_id"
    if acl_id := named.get("acl"):
        return acl_year(acl_id), "venue"
    if (posted := _POSTED.match(doi)) and parse_date(day := "-".join(posted.groups())):
        return day, "doi"
    return (year[1], "doi") if (year := _IEEE.match(doi)) else None


def date_entry(address: str | None, method: str, listed: str | None) -> str | None:
    """First public date of a work in a list; None if unknown.

    Args:
        address: The work's address, which may hold its arXiv id, DOI or Anthology id.
        method: The name of the entry, which may end in the work's year: `Elmo (Peters, 2018)`.
        listed: The date that the list gives.
    """
    if address and (arxiv := find_arxiv_id(address)):
        return arxiv_month(arxiv[0])
    if listed and (parsed := parse_date(listed)):
        return parsed[0]
    if address and (doi := find_doi(address)) and (stated := date_of_doi(doi)):
        return stated[0]
    if address and (acl_id := find_acl_id(address)):
        return acl_year(acl_id)
    years = _PRINTED_YEAR.findall(method)
    return str(max(years)) if years else None


def statements_of(document: Document, evidence: str) -> Iterator[Statement]:
    """Every date that a document states; `evidence` is the kind of its `published` date."""
    is_first = document.version in (None, "v1")
    dated = [
        (document.arxiv_id and arxiv_month(document.arxiv_id), "arxiv_id"),
        (document.acl_id and acl_year(document.acl_id), "venue"),
        (document.doi and date_of_doi(document.doi)) or (None, "doi"),
        (document.published, evidence),
        (document.stamped, "stamp" if is_first else f"stamp {document.version}"),
    ]
    for text, source in dated:
        if text and (parsed := parse_date(text)):
            yield Statement(*parsed, source, document.kind, document.key)


def judge(
    statements: Iterable[Statement], listed: Collection[str] = ()
) -> tuple[Statement | None, tuple[Statement, ...]]:
    """Choose the statement that dates a work, or None; also return all statements with verdicts.

    `listed` holds the kinds of sources that date list entries rather than works.
    """
    ordered = sorted(set(statements), key=_order)
    ids = [s for s in ordered if s.evidence == "arxiv_id"]
    doubts = {s: d for s in ordered if (d := _doubt(s, ids, listed, ordered))}
    credible = [s for s in ordered if s not in doubts]
    while len(credible) > 1 and _is_far(credible):
        doubts[credible.pop(0)] = "far_before"
    credible = credible or ordered
    used = _more_careful(credible) if credible else None
    judged = (s._replace(verdict=_verdict(s, used, doubts, credible)) for s in ordered)
    return (used._replace(verdict="used") if used else None), tuple(judged)


def _order(statement: Statement) -> tuple[date, int, int, Statement]:
    """Sort key: first the end of the period, then its length."""
    first, after = period(statement.date)
    evidence = statement.evidence.partition(" ")[0]
    return after, (after - first).days, EVIDENCE.index(evidence), statement


def _doubt(
    statement: Statement,
    ids: Sequence[Statement],
    listed: Collection[str],
    ordered: Sequence[Statement],
) -> str | None:
    """Reason not to believe a statement, other than `far_before`; None if there is none."""
    if statement.kind in listed and statement.evidence == "metadata":
        rest = (s for s in ordered if s.kind not in listed or s.evidence != "metadata")
        return "last_resort" if any(rest) else None
    if statement.evidence.startswith("stamp "):
        return "later_version" if len(ordered) > 1 else None
    if statement.evidence in ("version", "stamp") and ids:
        begins, after = period(ids[0].date)
        first, end = period(statement.date)
        if end <= begins:
            return "held" if begins - end <= MAX_HOLD else "other_month"
        return "date_after_id" if first >= after + _ZONE else None
    return None


def _is_far(credible: Sequence[Statement]) -> bool:
    """True if the first statement is from no identifier and lies far before all the others."""
    if credible[0].evidence in ("arxiv_id", "version", "venue"):
        return False
    return min(period(s.date)[0] for s in credible[1:]) - period(credible[0].date)[1] > MAX_LAG


def _more_careful(credible: Sequence[Statement]) -> Statement:
    """The earliest statement, or the arXiv id if its month contains the earliest print date."""
    used = credible[0]
    if used.evidence not in ("venue", "doi"):
        return used
    begins, end = period(used.date)
    for other in credible:
        first, after = period(other.date)
        if other.evidence == "arxiv_id" and first <= begins and end <= after:
            return other
    return used


def _verdict(
    statement: Statement,
    used: Statement | None,
    doubts: dict[Statement, str],
    credible: Sequence[Statement],
) -> str:
    if statement == used:
        return "used"
    if statement in doubts:
        return doubts[statement]
    begins, end = period(used.date) if used else (date.min, date.min)
    first, after = period(statement.date)
    if statement.evidence == "arxiv_id":
        printed = [s for s in credible if s.evidence in ("doi", "venue", "metadata")]
        if any(period(s.date)[1] <= first for s in printed):
            return "id_after_date"
    return "later" if first >= end else "agrees" if after > begins else "earlier"
