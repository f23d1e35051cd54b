"""The state of a paper by its title, abstract and comments: withdrawn, retracted, a correction."""

from __future__ import annotations

import re
from dataclasses import replace

from vivavoce.records import Document

_OPENING, _MAX_COMMENTS = 200, 2_000
_WITHDRAWN = re.compile(
    r"^\W*withdrawn\b"
    r"|\b(?:this|the|our)\s(?:\w+\s)?(?:paper|article|submission|manuscript|work|note|preprint)"
    r"\s(?:has\sbeen|is|was|have\sbeen)\s(?:\w+\s){0,2}(?:withdrawn|retracted)\b"
    r"|\b(?:paper|submission|article)\swithdrawn\b",
    re.IGNORECASE,
)
# Publishers open the title with it: `RETRACTED ARTICLE: ...`, `Erratum to: ...`.
_TITLE = re.compile(
    r"\W*(?:(?P<withdrawn>withdraw(?:n|al))|(?P<retracted>retract(?:ed|ion))"
    r"|(?:(?:author|publisher)['’]?s? )?(?P<corrected>correction|errat(?:um|a)|corrigend(?:um|a))"
    r"|(?P<doubted>(?:editorial )?expression of concern))"
    r"(?: (?:article|paper|note|notice|to|for|of)){0,3}"
    r"\s?(?:[:.–—]|$|(?<= to)|(?<=notice)|(?<=note))",
    re.IGNORECASE,
)


def status_of(title: str | None, abstract: str | None, comments: str = "") -> str | None:
    """`withdrawn`, `retracted`, `corrected` or `doubted`, as a paper says; None where it does not.

    A retraction, and the notice of one, are both `retracted`; a notice of a correction is
    `corrected`.
    """
    notice = _TITLE.match((title or "")[:_OPENING])
    if notice:
        return next(name for name, text in notice.groupdict().items() if text)
    texts = ((abstract or "").strip()[:_OPENING], comments[:_MAX_COMMENTS])
    return "withdrawn" if any(_WITHDRAWN.search(text) for text in texts) else None


def with_status(document: Document) -> Document:
    """A document with its state, as its source or else its title and abstract say."""
    status = document.withdrawn or status_of(document.title, document.abstract)
    return replace(document, withdrawn=status)
