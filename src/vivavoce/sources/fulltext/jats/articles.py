"""Elements of JATS articles: text, sections, tables, references and citations."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.records import CitedTable, Reference, Section
from vivavoce.sources.fulltext.drafts import Draft, number_sections
from vivavoce.sources.xml import (
    MAX_HEIGHT,
    MAX_WIDTH,
    Cell,
    Grid,
    children,
    is_all_in,
    parse_xml,
    span_of,
)
from vivavoce.text.headings import split_heading
from vivavoce.text.identifiers import arxiv_id_in, find_doi
from vivavoce.text.normalise import clean_text

# Their text stands beside the running text, not in it.
ASIDE = frozenset(
    {"fig", "fig-group", "table-wrap", "table-wrap-group", "table", "fn", "fn-group", "ref-list"}
    | {"supplementary-material", "media", "graphic", "inline-graphic", "object-id"}
)
# No white space separates these in the file, but their words do not touch on the page.
_APART = frozenset(
    {"p", "title", "subtitle", "label", "break", "list", "list-item", "tr", "td", "th", "def"}
    | {"term", "disp-formula", "disp-quote", "sec", "attrib", "caption"}
)
_NAME_PARTS = frozenset({"surname", "given-names", "prefix", "suffix"})
_TEX_DOCUMENT = re.compile(r"\\begin\{document\}(.*?)(?:\\end\{document\}|\Z)", re.DOTALL)
_MARKER = re.compile(r"[\s0-9a-z,;–—-]{1,60}")


def parse_jats(content: bytes) -> etree._Element:
    """The root of a JATS article, tags without namespace; `InputError` says what is wrong."""
    root = parse_xml(content)
    article = root if root.tag == "article" else root.find(".//article")
    if article is None:
        raise InputError(f"XML, but not JATS: the root element is <{root.tag}>")
    return article


def text_of(element: etree._Element | None, skip: frozenset[str] = frozenset()) -> str:
    """The text below an element with single spaces, leaving out elements whose tag is in `skip`."""
    if element is None:
        return ""
    return clean_text(" ".join("".join(_pieces(element, skip)).split()))


def _pieces(element: etree._Element, skip: frozenset[str]) -> Iterator[str]:
    yield element.text or ""
    for child in element.iterchildren():
        if not isinstance(child.tag, str):  # a named character of the DTD, such as &nbsp;
            yield html.unescape(child.text or "")
        elif child.tag == "tex-math":
            yield _tex(child)
        elif child.tag in {"sup", "xref"} and _is_raised_marker(child):
            # Raised numbers would grow into the word before them.
            yield f" [{''.join(_pieces(child, skip)).strip()}]"
        elif child.tag not in skip:
            yield from _pieces(child, skip)
        if child.tag in _APART or (child.tag in _NAME_PARTS and child.getnext() is not None):
            yield " "
        yield child.tail or ""


def _is_raised_marker(element: etree._Element) -> bool:
    """Check whether an element is a raised citation: `sup` around `xref`, or the reverse."""
    inner = element.find("xref" if element.tag == "sup" else "sup")
    if inner is None or (element if element.tag == "xref" else inner).get("ref-type") != "bibr":
        return False
    return _MARKER.fullmatch("".join(_text(element))) is not None


def _text(element: etree._Element) -> Iterator[str]:
    for piece in element.itertext(etree.Element):
        yield str(piece)


def _tex(element: etree._Element) -> str:
    """A formula's TeX where nothing else prints it; MathML beside it says the same."""
    parent = element.getparent()
    if parent is not None and parent.find("math") is not None:
        return ""
    text = "".join(_text(element))
    found = _TEX_DOCUMENT.search(text)
    return found[1] if found is not None else text


_CITATIONS = frozenset({"element-citation", "mixed-citation", "nlm-citation", "citation"})
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]\d\d|20\d\d|2100)(?!\d)")
_TITLES = ("article-title", "chapter-title", "data-title", "part-title")
_WORKS_OF_THEIR_OWN = frozenset({"book", "report", "thesis", "software", "data", "web", "webpage"})
_DASH = re.compile(r"\s*[\])]?\s*[-‐–—−]\s*[\[(]?\s*")
_MAX_RANGE = 50
HREF = "{http://www.w3.org/1999/xlink}href"

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
    links = [link.get(HREF) or "" for link in citation.iter("ext-link", "uri")]
    everything = " ".join([raw, *links])
    kind = citation.get("publication-type") or citation.get("citation-type") or ""
    tags = (*_TITLES, "source") if kind.lower() in _WORKS_OF_THEIR_OWN else _TITLES
    titles = (text_of(citation.find(f".//{tag}")).rstrip(" .") for tag in tags)
    return Reference(
        ordinal=ordinal,
        raw=raw,
        title=next((title for title in titles if any(map(str.isalpha, title))), None),
        year=_year(citation),
        first_author=_first_author(citation),
        arxiv_id=arxiv_id_in(_pub_id(citation, "arxiv")) or arxiv_id_in(everything),
        doi=find_doi(_pub_id(citation, "doi")) or find_doi(everything),
    )


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


_PLACES = ("body", "back", "floats-group", "floats-wrap")
_ROLE_OF_TYPE = {
    "intro": "introduction",
    "introduction": "introduction",
    "materials|methods": "method",
    "methods": "method",
    "results": "results",
    "discussion": "discussion",
    "conclusion": "conclusion",
    "conclusions": "conclusion",
    "supplementary-material": "other",
}
_ROLE_OF_BACK = {
    "ack": "acknowledgements",
    "app": "appendix",
    "glossary": "other",
    "notes": "other",
    "sec": None,
}
_HEADS = frozenset({"title", "label", "sec-meta", "subtitle"})
_INSIDE_HEADING = ASIDE | {"xref"}
_DIVISIONS = frozenset({"sec", "app", "notes", "glossary", "ack"})
_LISTS = frozenset({"list", "def-list"})


def read_tables(article: etree._Element, ordinals: Ordinals) -> tuple[CitedTable, ...]:
    """The tables in order; a table cites the works in its caption, cells and notes."""
    found = (table for place in _PLACES for table in article.iterfind(f"{place}//table-wrap"))
    return tuple(_read_table(table, ordinal, ordinals) for ordinal, table in enumerate(found))


def _read_table(wrap: etree._Element, ordinal: int, ordinals: Ordinals) -> CitedTable:
    cited = tuple(sorted(set(mentions_in(wrap, ordinals))))
    grid = Grid()
    for row in wrap.iter("tr", "row"):  # of HTML, or of OASIS tables
        if grid.room < 0:
            break
        grid.add_row(_cells(row, ordinals))
    label = text_of(wrap.find("label")).rstrip(" .:")
    caption = text_of(wrap.find("caption"))
    return CitedTable(
        ordinal,
        f"{label}: {caption}" if label and caption else label or caption,
        tuple(grid.rows),
        cited,
        grid.citations.by_row(cited),
        tuple(grid.spans),
        tuple(grid.bold),
    )


def _cells(row: etree._Element, ordinals: Ordinals) -> Iterator[Cell]:
    for cell in children(row):
        height = span_of(cell.get("rowspan") or "1", MAX_HEIGHT)
        more = cell.get("morerows") or "0"  # OASIS tables state how many rows more than one
        oasis_height = 1 if more == "0" else 1 + span_of(more, MAX_HEIGHT)
        yield Cell(
            text=text_of(cell),
            width=span_of(cell.get("colspan") or "1", MAX_WIDTH),
            height=height,
            cited=mentions_in(cell, ordinals),
            cited_height=max(height, oasis_height),
            is_bold=is_all_in(cell, lambda inner: inner.tag in {"bold", "b", "strong"}),
        )


def read_sections(article: etree._Element) -> tuple[Section, ...]:
    """The sections of body and back matter; notes, floats and the reference list are out."""
    drafts: list[Draft] = []
    body = article.find("body")
    if body is not None:
        drafts += _division(body, Draft(1, None, None, None), 1)
    back = article.find("back")
    if back is not None:
        for child in children(back):
            for part in child.iterfind("app") if child.tag == "app-group" else [child]:
                if part.tag in _ROLE_OF_BACK:
                    role = _ROLE_OF_BACK[str(part.tag)]
                    drafts += _division(part, _open(part, 1, role), 2)
    kept: list[Draft] = []
    for draft in reversed(drafts):
        # With text, of its own or below it.
        if draft.paragraphs or (draft.heading and kept and kept[-1].level > draft.level):
            kept.append(draft)
    return number_sections(kept[::-1])


def _open(element: etree._Element, level: int, role: str | None) -> Draft:
    """The section that an element starts, without its text."""
    label = text_of(element.find("label")) or None
    number, heading = split_heading(text_of(element.find("title"), _INSIDE_HEADING), label)
    if label and not heading:
        heading = label
    if level == 1 and role is None:
        role = _ROLE_OF_TYPE.get((element.get("sec-type") or "").lower())
    return Draft(level, heading or None, number, role)


def _division(element: etree._Element, draft: Draft, below: int) -> Iterator[Draft]:
    """A section and those inside it; text that follows these opens one without a heading."""
    yield draft
    current: Draft | None = draft
    for child in children(element):
        if child.tag in _DIVISIONS:
            current = None
            role = "appendix" if draft.role == "appendix" else None
            yield from _division(child, _open(child, below, role), below + 1)
            continue
        paragraphs = [text for text in _paragraphs(child) if text]
        if not paragraphs:
            continue
        if current is None:
            current = Draft(below, None, None, draft.role)
            yield current
        current.paragraphs += paragraphs


def _paragraphs(block: etree._Element) -> Iterator[str]:
    if block.tag in _LISTS:
        for item in children(block):
            if item.tag not in _HEADS:
                yield text_of(item, ASIDE)
    elif block.tag not in _HEADS and block.tag not in ASIDE:
        yield text_of(block, ASIDE)
