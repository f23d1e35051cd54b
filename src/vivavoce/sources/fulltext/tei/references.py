"""Reference lists of TEI files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from vivavoce.records import Reference
from vivavoce.sources.fulltext.tei.blocks import XML_ID, text_of
from vivavoce.text.identifiers import find_arxiv_id, find_doi

_YEAR = re.compile(r"(?<!\d)(?:1[5-9]\d\d|20\d\d|2100)(?!\d)")


def read_references(root: etree._Element) -> tuple[tuple[Reference, ...], dict[str, int]]:
    """The entries of the reference lists in order, and their ordinals by XML id."""
    references: list[Reference] = []
    ordinals: dict[str, int] = {}
    for entry in root.iterfind("text/back//listBibl/biblStruct"):
        name = entry.get(XML_ID)
        if name:
            ordinals.setdefault(name, len(references))
        references.append(_read_reference(entry, len(references)))
    return tuple(references), ordinals


def read_name(person: etree._Element | None) -> str:
    """Forenames and surname in the order printed on a title page; empty without letters."""
    if person is None:
        return ""
    parts = [text_of(name) for name in person.iterfind("forename")]
    parts += [text_of(name) for name in person.iterfind("surname")]
    parts += [text_of(name) for name in person.iterfind("genName")]
    name = " ".join(part for part in parts if part) or text_of(person)
    return name if any(character.isalpha() for character in name) else ""


def _read_reference(entry: etree._Element, ordinal: int) -> Reference:
    raw = _raw(entry)
    everything = f"{raw} {' '.join(_addresses(entry))}"
    arxiv = find_arxiv_id(_idno(entry, "arxiv")) or find_arxiv_id(everything)
    return Reference(
        ordinal=ordinal,
        raw=raw,
        title=_title(entry),
        year=_year(entry),
        first_author=_first_author(entry),
        arxiv_id=arxiv[0] if arxiv else None,
        doi=find_doi(_idno(entry, "doi")) or find_doi(everything),
    )


def _title(entry: etree._Element) -> str | None:
    analytic = entry.find("analytic")
    holder = analytic if analytic is not None else entry.find("monogr")
    if holder is None:
        return None
    titles = [text_of(title) for title in holder.iterfind("title")]
    return next((title for title in titles if any(map(str.isalpha, title))), None)


def _year(entry: etree._Element) -> int | None:
    for date in entry.iter("date"):
        for text in (date.get("when") or "", text_of(date)):
            found = _YEAR.search(text)
            if found is not None:
                return int(found[0])
    return None


def _people(entry: etree._Element) -> list[etree._Element]:
    analytic = entry.findall("analytic/author")
    return analytic or entry.findall("monogr/author")


def _first_author(entry: etree._Element) -> str | None:
    for author in _people(entry):
        surname = text_of(author.find("persName/surname"))
        name = surname or read_name(author.find("persName")) or text_of(author)
        if any(character.isalpha() for character in name):
            return name
    return None


def _idno(entry: etree._Element, kind: str) -> str:
    numbers = (n for n in entry.iter("idno") if (n.get("type") or "").lower() == kind)
    return " ".join(text_of(number) for number in numbers)


def _addresses(entry: etree._Element) -> Iterator[str]:
    for number in entry.iter("idno"):
        yield text_of(number)
    for pointer in entry.iter("ptr"):
        yield pointer.get("target") or ""


def _raw(entry: etree._Element) -> str:
    notes = entry.findall("note")
    printed = [text_of(note) for note in notes if note.get("type") == "raw_reference"]
    if any(printed):
        return " ".join(printed)
    people = (read_name(a.find("persName")) or text_of(a) for a in _people(entry))
    pieces = [", ".join(person for person in people if person)]
    pieces += [text_of(title) for title in entry.iter("title")]
    pieces += [text_of(note) for note in notes]
    pieces += [text_of(place) for place in entry.iter("meeting", "publisher")]
    pieces += [text_of(number) for number in entry.iter("idno")]
    pieces.append(str(_year(entry) or ""))
    distinct = dict.fromkeys(piece.rstrip(".") for piece in pieces if piece)
    return f"{'. '.join(distinct)}." if distinct else ""
