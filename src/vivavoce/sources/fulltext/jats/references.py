"""Reference lists of JATS articles, and which of them a part of the text cites."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lxml import etree

from vivavoce.records import Reference
from vivavoce.sources.fulltext.jats.xml import text_of
from vivavoce.sources.xml import children
from vivavoce.text.identifiers import arxiv_id_in, find_doi

_CITATIONS = frozenset({"element-citation", "mixed-citation", "nlm-citation", "citation"})
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]\d\d|20\d\d|2100)(?!\d)")
_TITLES = ("article-title", "chapter-title", "data-title", "part-title")
_WORKS_OF_THEIR_OWN = frozenset({"book", "report", "thesis", "software", "data", "web", "webpage"})
_DASH = re.compile(r"\s*[\])]?\s*[-‐–—−]\s*[\[(]?\s*")
_MAX_RANGE = 50
_HREF = "{http://www.w3.org/1999/xlink}href"

Ordinals = Mapping[str, tuple[int, ...]]
"""Ordinals of references by XML id; an entry may list several works."""


def read_references(article: etree._Element) -> tuple[tuple[Reference, ...], Ordinals]:
    """The works of the reference lists in order, and their ordinals by XML id."""
    references: list[Reference] = []
    ordinals: dict[str, tuple[int, ...]] = {}
    for entry in _entries(article):
        first = len(references)
        for citation in _citations(entry):
            own = citation.get("id")
            if own:
                ordinals.setdefault(own, (len(references),))
            references.append(_read(citation, len(references)))
        name = entry.get("id")
        if name:
            ordinals.setdefault(name, tuple(range(first, len(references))))
    return tuple(references), ordinals


def mentions_in(element: etree._Element, ordinals: Ordinals) -> Iterator[int]:
    """The references that marks below an element point to; a dash between two marks is a range."""
    for mark in element.iter("xref"):
        if not _is_citation(mark):
            continue
        here = _targets(mark, ordinals)
        yield from here
        following = mark.getnext()
        is_range = (
            following is not None
            and following.tag == "xref"
            and _is_citation(following)
            and _DASH.fullmatch(mark.tail or "") is not None
        )
        there = _targets(following, ordinals) if is_range and following is not None else []
        if here and there and 0 < there[0] - here[-1] <= _MAX_RANGE:
            yield from range(here[-1] + 1, there[0])


def read_name(person: etree._Element) -> str:
    """Given names, surname and suffix in the order printed; empty without letters."""
    parts = [text_of(person.find(tag)) for tag in ("given-names", "surname", "suffix")]
    name = " ".join(part for part in parts if part) or text_of(person)
    return name if any(map(str.isalpha, name)) else ""


def _is_citation(mark: etree._Element) -> bool:
    return mark.get("ref-type") == "bibr"


def _targets(mark: etree._Element, ordinals: Ordinals) -> list[int]:
    names = (mark.get("rid") or "").split()
    return [ordinal for name in names for ordinal in ordinals.get(name, ())]


def _entries(article: etree._Element) -> Iterator[etree._Element]:
    """The entries of the article itself: those of its sub-articles are another paper's."""
    for part in ("body", "back"):
        for entries in article.iterfind(f"{part}//ref-list"):
            yield from entries.iterfind("ref")


def _citations(entry: etree._Element) -> list[etree._Element]:
    """The works of an entry; alternatives are the same work; the entry itself if none is marked."""
    found: list[etree._Element] = []
    for child in children(entry):
        if child.tag in _CITATIONS:
            found.append(child)
        elif child.tag == "citation-alternatives":
            found += [one for one in children(child) if one.tag in _CITATIONS][:1]
    return found or [entry]


def _read(citation: etree._Element, ordinal: int) -> Reference:
    raw = _raw(citation)
    links = [link.get(_HREF) or "" for link in citation.iter("ext-link", "uri")]
    everything = " ".join([raw, *links])
    return Reference(
        ordinal=ordinal,
        raw=raw,
        title=_title(citation),
        year=_year(citation),
        first_author=_first_author(citation),
        arxiv_id=arxiv_id_in(_pub_id(citation, "arxiv")) or arxiv_id_in(everything),
        doi=find_doi(_pub_id(citation, "doi")) or find_doi(everything),
    )


def _title(citation: etree._Element) -> str | None:
    kind = citation.get("publication-type") or citation.get("citation-type") or ""
    tags = (*_TITLES, "source") if kind.lower() in _WORKS_OF_THEIR_OWN else _TITLES
    titles = (text_of(citation.find(f".//{tag}")).rstrip(" .") for tag in tags)
    return next((title for title in titles if any(map(str.isalpha, title))), None)


def _year(citation: etree._Element) -> int | None:
    for year in citation.iter("year"):
        found = _YEAR.search(text_of(year))
        if found is not None:
            return int(found[0])
    if citation.tag == "element-citation":
        return None
    found = _YEAR.search(text_of(citation))
    return int(found[0]) if found is not None and citation.find(".//name") is None else None


def _people(citation: etree._Element) -> list[etree._Element]:
    """The authors; where nothing says who is one, all people."""
    for group in citation.iterfind("person-group"):
        if group.get("person-group-type") in {"author", None}:
            return [*group.iter("name", "string-name", "collab")]
    return [*citation.iter("name", "string-name", "collab")]


def _first_author(citation: etree._Element) -> str | None:
    for person in _people(citation):
        name = text_of(person.find("surname")) or read_name(person)
        if any(map(str.isalpha, name)):
            return name
    return None


def _pub_id(citation: etree._Element, kind: str) -> str:
    numbers = citation.iter("pub-id", "article-id")
    return " ".join(text_of(n) for n in numbers if (n.get("pub-id-type") or "").lower() == kind)


def _holds_only_fields(citation: etree._Element) -> bool:
    """Check whether little is printed between the fields, as in all entries of some publishers."""
    if citation.tag in ("element-citation", "nlm-citation"):
        return True
    tails = [child.tail or "" for child in citation][:-1]
    return sum(not tail.strip() for tail in tails) > len(tails) / 2


def _raw(citation: etree._Element) -> str:
    """The entry as printed; one that holds only fields is put together from them."""
    if not _holds_only_fields(citation):
        return text_of(citation, frozenset({"label"}))
    pieces = [", ".join(name for person in _people(citation) if (name := read_name(person)))]
    pieces += [text_of(title) for tag in _TITLES for title in citation.iter(tag)]
    pieces += [text_of(citation.find(tag)) for tag in ("source", "publisher-name")]
    pieces += [text_of(citation.find("year")), text_of(citation.find("volume"))]
    pages = (text_of(citation.find(tag)) for tag in ("fpage", "lpage"))
    pieces.append("-".join(page for page in pages if page))
    pieces += [text_of(note) for note in citation.iter("comment")]
    pieces += [_pub_id(citation, "doi"), _pub_id(citation, "arxiv")]
    distinct = dict.fromkeys(text for piece in pieces if (text := piece.rstrip(" .")))
    return f"{'. '.join(distinct)}." if distinct else ""
