"""The authors of a paper as arXiv stores them: one line of names and affiliations."""

from __future__ import annotations

import re

from vivavoce.sources.catalogues.arxiv.names import FOR, GROUP, spell_name

_LONGEST_LINE = 200_000
# A collaboration before its members.
_COLLABORATION = re.compile(rf"\b({GROUP})\s*:", re.IGNORECASE)
_BETWEEN = re.compile(r"[,;]|\s(?:and|&)(?=\s)")
_FIRST_AND = re.compile(r"^(?:and|&)(?:\s|$)", re.IGNORECASE)
_OTHERS = re.compile(r"(?:^|\s)et\.?\s?al(?:ii|ia)?\.?$", re.IGNORECASE)
_SUFFIX = re.compile(r"(?:Jr|Sr|II|III|IV)\.?", re.IGNORECASE)


def split_authors(line: str) -> tuple[str, ...]:
    """The names in a line such as `A. One (Here), B. Two Jr. and C. Three ((1) There)`.

    Affiliations, which stand in parentheses, are left out, and accents are set as characters.
    A collaboration is an author of its own.
    """
    text = " ".join(_without_parentheses(line[:_LONGEST_LINE]).split())
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
    """Text without what stands between two parentheses; one without its other is dropped alone."""
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
