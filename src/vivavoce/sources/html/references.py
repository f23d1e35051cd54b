"""Lists of references on LaTeXML pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from lxml import etree

from vivavoce.records import Reference
from vivavoce.sources.html.tree import classes_of, with_class
from vivavoce.sources.html.typeset import line_of
from vivavoce.text.identifiers import find_arxiv_id, find_doi

_MOST_ENTRIES = 5_000
_LONGEST_RAW = 3_000
_LONGEST_GUESS = 600
_LABEL_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)[a-z]?(?!\d)")
_YEAR = re.compile(r"(?<![\d.:/–-])((?:19|20)\d\d)[a-z]?(?![\d–-]|\.\d)")
_PLAIN_YEAR = re.compile(r"\W*(?:19|20)\d\d[a-z]?\W*")
_QUOTED = re.compile(r"“([^“”]{8,400})”")
_NO_TITLE = re.compile(r"(?:in:?|proc\w*\.?|arxiv\S*|corr|https?:\S*|doi\S*|url\S*)(?:\s|$)", re.I)
# Author, A., Other, B.: Title. Venue
_AFTER_COLON = re.compile(r"[^:]{3,400}?\.\s?:\s+([^.?!]{8,400}[?!]?)(?:[.?!]\s|$)")
# What LaTeXML adds to the printed entry: where it is cited, and addresses behind names.
_ADDED = ("External Links:", "Cited by:")


def read_references(document: etree._Element) -> tuple[tuple[Reference, ...], dict[str, int]]:
    """The entries of the lists in order, and their ordinals by the name that links lead to."""
    references: list[Reference] = []
    ordinals: dict[str, int] = {}
    for entry in islice(_entries(document), _MOST_ENTRIES):
        name = entry.get("id")
        if name:
            ordinals.setdefault(name, len(references))
        references.append(_read(entry, len(references)))
    return tuple(references), ordinals


def _entries(document: etree._Element) -> Iterator[etree._Element]:
    for holder in with_class(document, "ltx_bibliography"):
        yield from with_class(holder, "ltx_bibitem")


def _read(entry: etree._Element, ordinal: int) -> Reference:
    # Imported late: it loads what reads PDF files.
    from vivavoce.sources.pdf.references import read_reference

    parts = list(_blocks(entry)) or [entry]
    printed = [text for part in parts if (text := line_of(part))]
    blocks = [text for text in printed if not text.startswith(_ADDED)]
    raw = " ".join(blocks)[:_LONGEST_RAW]
    everything = " ".join([*printed, *_links(parts)])
    read = read_reference(raw[:_LONGEST_GUESS], ordinal)
    arxiv = find_arxiv_id(everything)
    return replace(
        read,
        raw=raw,
        title=_field(entry, "ltx_bib_title") or _title(blocks, raw, read.title),
        year=_year(entry, raw),
        arxiv_id=arxiv[0] if arxiv else None,
        doi=find_doi(raw) or find_doi(everything),
    )


def _blocks(entry: etree._Element) -> Iterator[etree._Element]:
    for block in with_class(entry, "ltx_bibblock"):
        if "ltx_bib_cited" not in classes_of(block):
            yield block


def _links(parts: list[etree._Element]) -> Iterator[str]:
    """The addresses of other works: those with a place in a page lead into the paper itself."""
    for part in parts:
        for link in part.iter("a"):
            address = link.get("href") or ""
            if "#" not in address:
                yield address


def _field(entry: etree._Element, name: str) -> str:
    """A field that LaTeXML marks where it has set the list from a .bib file itself."""
    return line_of(next(with_class(entry, name), None)).strip(' .,()“”"')


def _title(blocks: list[str], raw: str, guess: str | None) -> str | None:
    quoted = _QUOTED.search(raw)
    if quoted is not None:
        return quoted[1].rstrip(" .,")
    rest = [block for block in blocks[1:] if not _PLAIN_YEAR.fullmatch(block)]
    if rest and not _NO_TITLE.match(rest[0]):
        return rest[0].rstrip(" .,") or None
    after = _AFTER_COLON.match(raw)
    if after is not None:
        return after[1].strip()
    # A guess that opens the entry has the authors in it.
    return guess if guess and not raw.startswith(guess) else None


def _year(entry: etree._Element, raw: str) -> int | None:
    """The year of the field or of the label, else the last one printed."""
    label = _label(entry)
    marked = _LABEL_YEAR.search(_field(entry, "ltx_bib_year")) or _LABEL_YEAR.search(label)
    if marked is not None:
        return int(marked[1])
    years = _YEAR.findall(raw)
    return int(years[-1]) if years else None


def _label(entry: etree._Element) -> str:
    """The label of an entry, such as `[3]` or `Author et al. (2016a)`."""
    return line_of(next(with_class(entry, "ltx_tag_bibitem"), None))
