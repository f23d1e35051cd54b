"""References out of .bib files: only the entries that a paper cites are parsed."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping, Sequence

from vivavoce.sources.fulltext.latex.typeset import plain_text
from vivavoce.sources.fulltext.model import Entry
from vivavoce.text.identifiers import find_year

_START = re.compile(r"@[ \t]{0,9}([A-Za-z]{1,40})\s{0,99}[{(]\s{0,99}([^\s,{}()=]{0,300})")
_JOINED = re.compile(r'"([^"]*)"|([A-Za-z_][\w-]{0,60})')
_MAX_ENTRY = 100_000
_MAX_FIELD = 5_000
_MAX_ENTRIES = 5_000
_MAX_STRINGS = 2_000
_NO_ENTRIES = frozenset({"comment", "preamble", "string"})
_VENUES = ("journal", "journaltitle", "booktitle", "publisher", "school", "institution")


def read_cited(texts: Iterable[str], keys: Sequence[str]) -> list[Entry]:
    """The entries of .bib files for keys, in the order of the keys; `*` means all."""
    wanted = dict.fromkeys(key.casefold() for key in keys)
    blocks: dict[str, str] = {}
    strings: list[str] = []
    for text in texts:
        _cut(text, wanted, blocks, strings)
    order = [key for key in wanted if key in blocks]
    order += [key for key in blocks if key not in wanted]
    fields = _parse([blocks[key] for key in order[:_MAX_ENTRIES]], strings)
    return [_entry(*fields[key]) for key in order if key in fields]


def _cut(text: str, wanted: Mapping[str, None], blocks: dict[str, str], strings: list[str]) -> None:
    """Find the wanted blocks: from one `@type{key` to the next."""
    starts = [found for found in _START.finditer(text) if _opens(text, found.start())]
    ends = [*(found.start() for found in starts), len(text)][1:]
    for found, end in zip(starts, ends, strict=True):
        kind, key = found[1].lower(), found[2].casefold()
        block = text[found.start() : min(end, found.start() + _MAX_ENTRY)]
        if kind == "string":
            if len(strings) < _MAX_STRINGS:
                strings.append(block)
        elif kind not in _NO_ENTRIES and (key in wanted or "*" in wanted):
            blocks.setdefault(key, block)


def _opens(text: str, start: int) -> bool:
    """Check whether an `@` opens an entry: it starts a line or follows the end of another."""
    before = text[text.rfind("\n", max(0, start - 200), start) + 1 : start].strip()
    return not before or before[-1] in "})"


def _parse(blocks: Sequence[str], strings: Sequence[str]) -> dict[str, tuple[str, dict[str, str]]]:
    """Key in lower case -> the key and its fields; a damaged entry is left out."""
    from bibtexparser.entrypoint import parse_string

    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    library = parse_string("\n".join([*strings, *blocks]))
    known = {string.key.casefold(): str(string.value) for string in library.strings}
    entries: dict[str, tuple[str, dict[str, str]]] = {}
    for entry in library.entries:
        fields: dict[str, str] = {}
        for field in entry.fields:
            value = str(field.value)[:_MAX_FIELD]
            fields.setdefault(field.key.lower(), _join(value, known) if " # " in value else value)
        entries.setdefault(entry.key.casefold(), (entry.key, fields))
    return entries


def _join(value: str, strings: Mapping[str, str]) -> str:
    """A value put together with `#` out of strings."""
    if '"' not in value:
        return value
    parts = (
        found[1] if found[1] is not None else strings.get(found[2].casefold(), "")
        for found in _JOINED.finditer(value)
    )
    return "".join(parts)


def _entry(key: str, fields: Mapping[str, str]) -> Entry:
    people = _people(fields.get("author") or fields.get("editor") or "")
    title = plain_text(fields.get("title", ""))
    year = fields.get("year") or fields.get("date") or ""
    venue = next((plain_text(fields[name]) for name in _VENUES if fields.get(name)), "")
    surnames = [surname for surname, _ in people if surname != "others"]
    has_others = len(people) > 2 or len(surnames) < len(people)
    names = [name for _, name in people]
    return Entry(
        key=key,
        pieces=[", ".join(names[:20]), title, venue, str(find_year(year) or "")],
        titles=[title],
        years=[year],
        surnames=names[:1],
        names=short_names(surnames[:3], has_others=has_others),
        numbers={
            "arxiv": f"{fields.get('archiveprefix', '')}:{fields.get('eprint', '')}",
            "doi": fields.get("doi", ""),
        },
        links=" ".join(fields.get(name, "") for name in ("url", "doi", "note")),
    )


def short_names(surnames: Sequence[str], *, has_others: bool = False) -> str:
    """Surnames as a citation prints them."""
    if not surnames:
        return ""
    if len(surnames) > 2 or has_others:
        return f"{surnames[0]} et al."
    return " and ".join(surnames)


def _people(field: str) -> list[tuple[str, str]]:
    """Surname and whole name of the people in a field."""
    people = []
    for person in _split_and(field)[:200]:
        is_one = person.startswith("{") and person.endswith("}")
        last, comma, first = person.partition(",")
        if comma and not is_one:
            surname, given = plain_text(last), plain_text(first.rpartition(",")[2])
            people.append((surname, f"{given} {surname}".strip()))
        else:
            name = plain_text(person)
            if name:
                people.append((name if is_one else name.split()[-1], name))
    return people


def _split_and(field: str) -> list[str]:
    """The names in a field, parted at `and` outside of braces."""
    names: list[str] = []
    words: list[str] = []
    depth = 0
    for word in field.split():
        if word.lower() == "and" and depth <= 0:
            names.append(" ".join(words))
            words = []
        else:
            words.append(word)
        depth += word.count("{") - word.count("}")
    names.append(" ".join(words))
    return [name for name in names if name]
