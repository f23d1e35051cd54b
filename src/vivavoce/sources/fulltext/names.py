"""Names of authors in the lines that markup gives: names come first, affiliations follow them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

MARK = "\x04"
"""Stands for what is raised: numbers of affiliations and notes."""
# A wide space is set between names, as `\quad` does.
_SEPARATOR = re.compile(
    rf"^&|[,;{MARK}]|\s(?:and|AND|&)\s|^\s?(?:and|AND|&)\s|[\u2001\u2003]|[ \u00a0]{{3}}"
)
_NO_NAME = re.compile(
    r"universit|institut|department|school|college|laborator|research|academy|faculty|cent(?:re|er)"
    r"|corporation|\b(?:inc|ltd|llc|gmbh)\b|google|microsoft|amazon|facebook|openai|deepmind"
    r"|anonymous|paper|equal|contribut|correspond|\bmember\b|submission|\bauthors\b|\bteam\b"
    r"|street|e-?mail|hospital|foundation|division|group|technolog|science|\blabs?\b|collaboration"
    r"|\bieee\b|\bpages\b|[@\d\\{}=]|https?:",
    re.IGNORECASE,
)
_MAX_NAME = 60


def names_in(lines: Iterable[str]) -> Iterator[str]:
    """The names in the first lines; what follows them is the affiliation."""
    is_open = may_go_on = True
    for line in lines:
        text = line.strip()
        if not text.strip(f" ,{MARK}"):
            continue
        parts = (" ".join(piece.split()).strip(" .*†‡§¶∗") for piece in _SEPARATOR.split(text))
        names = [f"{part}." if part.endswith((" Jr", " Sr")) else part for part in parts if part]
        is_marked = may_go_on and MARK in text and not text.startswith(MARK)
        is_next = text.startswith("&")  # what parts the authors of some conferences
        may_go_on = is_open or is_next or (is_marked and all(map(is_name, names)))
        if not may_go_on:
            continue
        yield from filter(is_name, names)
        is_open = text.rstrip(f" {MARK}").endswith((",", "&", " and"))


def is_name(text: str) -> bool:
    """Check whether a piece of a line is worded as a person's name."""
    words = text.split()
    return (
        1 < len(text) <= _MAX_NAME
        and len(words) <= 6
        and _NO_NAME.search(text) is None
        and words[0][0].isalpha()
        and not words[-1][0].islower()
        and not (len(words) == 1 and text.isascii() and text.isupper())  # as of a laboratory
    )


def short_names(surnames: Sequence[str], *, has_others: bool = False) -> str:
    """Surnames as a citation prints them."""
    if not surnames:
        return ""
    if len(surnames) > 2 or has_others:
        return f"{surnames[0]} et al."
    return " and ".join(surnames)
