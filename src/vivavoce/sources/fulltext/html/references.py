"""Lists of references on LaTeXML pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from lxml import etree

from vivavoce.records import Reference
from vivavoce.sources.fulltext.html.typeset import classes_of, line_of, with_class
from vivavoce.sources.xml import children
from vivavoce.text.identifiers import arxiv_id_in, find_doi

_MAX_ENTRIES = 5_000
_MAX_RAW = 3_000
_MAX_GUESS = 600
_MAX_LABEL = 1_000
_LABEL_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)[a-z]?(?!\d)")
_YEAR = re.compile(r"(?<![\d.:/–-])((?:19|20)\d\d)[a-z]?(?![\d–-]|\.\d)")
_PLAIN_YEAR = re.compile(r"\W*(?:19|20)\d\d[a-z]?\W*")
_QUOTED = re.compile(r"“([^“”]{8,400})”")
_NO_TITLE = re.compile(
    r"(?:in:?|proc\w*\.?|arxiv\S*|corr|https?:\S*|doi\S*|url\S*"
    r"|(?:ph\.? ?d\.?|master\S*|doctoral) thesis,?)(?:\s|$)",
    re.IGNORECASE,
)
# Author, A., Other, B.: Title. Venue
_AFTER_COLON = re.compile(r"[^:]{3,400}?\.\s?:\s+([^.?!]{8,400}[?!]?)(?:[.?!]\s|$)")
# A Book (Its Press, Town, 2012)
_PRESS = re.compile(r"\s\([^()]{2,200},\s(?:19|20)\d\d\)$")
# A. Author, B. C. Other, Title, in: Proceedings; or: Title, Journal 10 (2) (2010)
_NAME = re.compile(
    r"(?:and )?(?:[^\W\d_]{1,2}\.[ -]?){1,4}(?:(?:de|der|den|van|von|da|di|la|le|el) ){0,3}"
    r"[^\W\d_]{2,}(?:[ '’-][^\W\d_]+){0,2}"
)
_PARTICLES = frozenset("and de der den van von da di la le el".split())
_BEFORE_IN = re.compile(r"(.{8,400}?),\s(?:in:|arXiv)")
_BEFORE_JOURNAL = re.compile(r"(.{8,400}),\s[^,]{3,120}\s\d+\s\(")
_JOURNAL = re.compile(r"\(\d{4}\)|\b(?:Phys|Lett|Rev|Nucl|Astron|Math|J)\.\s")
_VOLUME = re.compile(r"[^,]{2,120},\s[A-Z]?\d{1,5},\s[\w.–-]{1,20}")
_AFTER_IN = re.compile(r"\bin:?\s(?:\d{4}\s)?$", re.IGNORECASE)
# A Title. In Proceedings of Such Things
_VENUE = re.compile(r"(?:\.|(?<=[?!]))\s+In:?\s+[A-Z\d].*")
# What LaTeXML adds to the printed entry: where it is cited, and addresses behind names.
_ADDED = ("External Links:", "Cited by:")


def read_references(document: etree._Element) -> tuple[tuple[Reference, ...], dict[str, int]]:
    """The entries of the lists in order, and their ordinals by the name that links lead to."""
    references: list[Reference] = []
    ordinals: dict[str, int] = {}
    for entry in islice(_entries(document), _MAX_ENTRIES):
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
    from vivavoce.sources.fulltext.pdf.references import read_reference

    parts = list(_blocks(entry)) or [entry]
    printed = [text for part in parts if (text := line_of(part))]
    blocks = [text for text in printed if not text.startswith(_ADDED)]
    raw = " ".join([*_label_names(entry), *blocks])[:_MAX_RAW]
    everything = " ".join([*printed, *_links(parts)])
    read = read_reference(raw[:_MAX_GUESS], ordinal)
    return replace(
        read,
        raw=raw,
        title=_field(entry, "ltx_bib_title") or _slanted(parts) or _title(blocks, raw, read.title),
        year=_year(entry, raw),
        arxiv_id=arxiv_id_in(everything),
        doi=find_doi(raw) or find_doi(everything),
    )


def _label_names(entry: etree._Element) -> Iterator[str]:
    """The label where LaTeXML has the names and the year of an entry in it alone."""
    label = next(with_class(entry, "ltx_tag_bibitem"), None)
    if label is not None and "ltx_bib_author-year" in classes_of(label):
        yield line_of(label)[:_MAX_LABEL]


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


def _slanted(parts: list[etree._Element]) -> str | None:
    """The title of a one-block entry that slants it between the names and a comma."""
    inside = children(parts[0]) if len(parts) == 1 else iter(())
    before = parts[0].text or ""
    for child in inside:
        if child.tag == "em" or "ltx_font_italic" in classes_of(child):
            names = [part.removeprefix("and ") for part in before.strip(" ,\n").split(", ")]
            is_title = before.rstrip().endswith(",") and (child.tail or "").startswith(",")
            title = line_of(child).strip(" ,.:") if is_title and all(map(_is_person, names)) else ""
            return title if len(title.split()) > 2 else None
        before = f"{before}{line_of(child)}{child.tail or ''}"
    return None


def _is_person(text: str) -> bool:
    words = [word for word in text.split() if word not in _PARTICLES]
    return 0 < len(words) < 8 and all(word[0].isupper() for word in words)


def _title(blocks: list[str], raw: str, guess: str | None) -> str | None:
    quoted = _QUOTED.search(raw)
    if quoted is not None:
        return quoted[1].rstrip(" .,")
    rest = [block for block in blocks[1:] if not _PLAIN_YEAR.fullmatch(block)]
    if rest and not _is_venue(rest[0]):
        return _PRESS.sub("", _VENUE.sub("", rest[0]).rstrip(" .,")) or None
    after = _AFTER_COLON.match(raw)
    if after is not None:
        return after[1].strip()
    between = _between_commas(raw[:_MAX_GUESS])
    if between or not guess:
        return between
    # A guess that opens the entry has the authors in it; one behind `in` is no title.
    before = raw.partition(guess)[0]
    return guess if before and not _AFTER_IN.search(before) and not _is_venue(guess) else None


def _is_venue(text: str) -> bool:
    """Check whether a work is named by what it is in: `in Proc. of`, or `Some Journal, 44, 61`."""
    return _NO_TITLE.match(text) is not None or _VOLUME.fullmatch(text.strip(" .")) is not None


def _between_commas(raw: str) -> str | None:
    """The title of an entry that sets all between commas, where what follows marks its end."""
    parts = raw.split(", ")
    is_name = [_NAME.fullmatch(part) is not None for part in parts] + [False]
    first = is_name.index(False)
    rest = ", ".join(parts[first:])
    found = _BEFORE_IN.match(rest) or _BEFORE_JOURNAL.match(rest) if first else None
    title = found[1].strip(" ,:") if found else ""
    if not title or _NO_TITLE.match(title) or _JOURNAL.search(title):
        return None
    return title


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
