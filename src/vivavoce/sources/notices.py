"""Withdrawn, retracted, corrected or doubted: the status of a paper, whichever source states it.

A source names the kind of a notice, or a paper says it in its title, abstract or comments.
"""

import re
from dataclasses import replace

from vivavoce.records import Document

_KINDS = re.compile(
    r"(?P<withdrawn>withdraw|remov)|(?P<retracted>retract)|(?P<doubted>concern)"
    r"|(?P<corrected>correct|corrigend|errat|addend)",
    re.IGNORECASE,
)


def status_named(kind: str) -> str | None:
    """Status by the name of a kind of notice, such as `partial-retraction`; None for others."""
    found = _KINDS.search(kind[:_OPENING])
    return found.lastgroup if found else None


_OPENING, _MAX_COMMENTS = 200, 2_000
_WITHDRAWN = re.compile(
    r"^\W*withdrawn\b"
    r"|\b(?:this|the|our)\s(?:\w+\s)?(?:paper|article|submission|manuscript|work|note|preprint)"
    r"\s(?:has\sbeen|is|was|have\sbeen)\s(?:\w+\s){0,2}(?:withdrawn|retracted)\b"
    r"|\b(?:paper|submission|article)\swithdrawn\b",
    re.IGNORECASE,
)
# Publishers begin the title with the notice: `RETRACTED ARTICLE: ...`, `Erratum to: ...`.
_TITLE = re.compile(
    r"\W*(?:(?P<withdrawn>withdraw(?:n|al))|(?P<retracted>retract(?:ed|ion))"
    r"|(?:(?:author|publisher)['’]?s? )?(?P<corrected>correction|errat(?:um|a)|corrigend(?:um|a))"
    r"|(?P<doubted>(?:editorial )?expression of concern))"
    r"(?: (?:article|paper|note|notice|to|for|of)){0,3}"
    r"\s?(?:[:.–—\])]|$|(?<= to)|(?<=notice)|(?<=note))",
    re.IGNORECASE,
)


def status_of(title: str | None, abstract: str | None, comments: str = "") -> str | None:
    """Status stated by a paper or by a notice on it, such as `withdrawn`; None if neither does."""
    notice = _TITLE.match((title or "")[:_OPENING])
    if notice:
        return next(name for name, text in notice.groupdict().items() if text)
    texts = ((abstract or "").strip()[:_OPENING], comments[:_MAX_COMMENTS])
    return "withdrawn" if any(_WITHDRAWN.search(text) for text in texts) else None


def with_status(document: Document) -> Document:
    """Set a document's status from its source, or else from its title and abstract."""
    status = document.withdrawn or status_of(document.title, document.abstract)
    return replace(document, withdrawn=status)
