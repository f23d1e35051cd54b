"""Entries of the .bbl files that biblatex writes."""

from __future__ import annotations

import re

from vivavoce.sources.fulltext.latex.typeset import plain_text
from vivavoce.sources.fulltext.model import Entry
from vivavoce.sources.fulltext.references import short_names

MAX_ENTRIES = 5_000
_BIBLATEX_ENTRY = re.compile(r"\\entry\{([^{}]{1,300})\}\{([^{}]{0,60})\}")
_FIELD = re.compile(
    r"\\field\{(title|subtitle|year|journaltitle|booktitle|eprint|note)\}\{(.{0,2000})\}\s*$", re.M
)
_VERB = re.compile(r"\\verb\{(doi|eprint|url)\}\s*\n\s*\\verb (\S{1,500})")
_NAME_LIST = re.compile(r"\\name\{(?:author|editor)\}\{(\d{1,5})\}")
_AFTER_NAMES = re.compile(r"\n\s*\\(?:name|list|strng|field)\b")
_PERSON = re.compile(r"\{\{[^{}]{0,200}hash=[^{}]{0,200}\}")
_PART = re.compile(r"\b(family|given|prefix)=\{((?:[^{}]|\{[^{}]{0,200}\}){0,300})\}")


def is_biblatex(text: str) -> bool:
    """Check whether a .bbl file is one of biblatex."""
    return "\\entry{" in text and "\\field{" in text


def read_biblatex(text: str) -> list[Entry]:
    """The entries of a .bbl file of biblatex, each key once."""
    starts = list(_BIBLATEX_ENTRY.finditer(text))[:MAX_ENTRIES]
    entries: dict[str, Entry] = {}
    ends = [*(found.start() for found in starts), len(text)][1:]
    for found, end in zip(starts, ends, strict=False):
        if found[1] not in entries:
            entries[found[1]] = _read_entry(found[1], text[found.end() : end][:50_000])
    return list(entries.values())


def _read_entry(key: str, body: str) -> Entry:
    fields = {name: plain_text(value) for name, value in reversed(_FIELD.findall(body))}
    fields |= dict(_VERB.findall(body))
    surnames, first = _biblatex_names(body)
    venue = fields.get("journaltitle") or fields.get("booktitle") or ""
    title = ": ".join(filter(None, (fields.get("title"), fields.get("subtitle"))))
    year = fields.get("year", "")
    return Entry(
        key=key,
        pieces=[", ".join(surnames[:20]), title, venue, year[:4]],
        titles=[title],
        years=[year],
        surnames=[first or ""],
        names=short_names(surnames[:3], has_others=len(surnames) > 2),
        numbers={"arxiv": fields.get("eprint", ""), "doi": fields.get("doi", "")},
        links=fields.get("url", ""),
    )


def _biblatex_names(body: str) -> tuple[list[str], str | None]:
    """Surnames of the authors, else of the editors, and the first one's whole name."""
    start = _NAME_LIST.search(body)
    if start is None:
        return [], None
    lines = _AFTER_NAMES.split(body[start.end() :], maxsplit=1)[0]
    people = [dict(_PART.findall(part)) for part in _PERSON.split(lines)[1:]]
    surnames = [
        plain_text(f"{person.get('prefix', '')} {person.get('family', '')}".strip())
        for person in people[: min(int(start[1]), 100)]
    ]
    given = plain_text(people[0].get("given", "")) if people else ""
    return surnames, f"{given} {surnames[0]}".strip() if surnames else None
