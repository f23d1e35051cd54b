"""Elements of JATS articles: text, tables and the works in the reference list."""

import re
from collections.abc import Iterator

from lxml import etree

from vivavoce.sources.formulas import print_mathml, print_script
from vivavoce.sources.fulltext.model import RANGE, Cell, Entry, RawTable, bounded, full_name
from vivavoce.sources.fulltext.references import read_printed
from vivavoce.sources.xml import (
    MAX_HEIGHT,
    MAX_WIDTH,
    children,
    is_all_in,
    is_dash,
    pieces_of,
    span_of,
    text_of,
)

# Elements without white space between them in the file, whose words are apart on the page.
_APART = frozenset(
    {"p", "title", "subtitle", "label", "break", "list", "list-item", "tr", "td", "th", "def"}
    | {"term", "disp-formula", "disp-quote", "sec", "attrib", "caption"}
)
_NAME_PARTS = frozenset({"surname", "given-names", "prefix", "suffix"})
_TEX_DOCUMENT = re.compile(r"\\begin\{document\}(.*?)(?:\\end\{document\}|\Z)", re.DOTALL)
_MARKER = re.compile(r"[\s0-9a-z,;–—-]{1,60}")
_CITATIONS = frozenset({"element-citation", "mixed-citation", "nlm-citation", "citation"})
_TITLES = ("article-title", "chapter-title", "data-title", "part-title")
_WORKS_OF_THEIR_OWN = frozenset({"book", "report", "thesis", "software", "data", "web", "webpage"})
HREF = "{http://www.w3.org/1999/xlink}href"


def read_table(wrap: etree._Element) -> RawTable:
    """A table with its caption; it cites the works in its caption, cells and notes."""
    label = print_text(wrap.find("label")).rstrip(" .:")
    caption = print_text(wrap.find("caption"))
    rows = wrap.iter("tr", "row")  # from HTML or OASIS tables
    return RawTable(
        caption=f"{label}: {caption}" if label and caption else label or caption,
        grids=bounded([(map(_cell, children(row)) for row in rows)]),
        keys=list(_keys(wrap)),
    )


def _cell(cell: etree._Element) -> Cell:
    more = cell.get("morerows") or "0"  # OASIS tables state the number of extra rows
    height = 1 + span_of(more, MAX_HEIGHT) if more != "0" else 1
    return Cell(
        text=print_text(cell),
        keys=list(_keys(cell)),
        width=span_of(cell.get("colspan") or "1", MAX_WIDTH),
        height=max(height, span_of(cell.get("rowspan") or "1", MAX_HEIGHT)),
        is_bold=is_all_in(cell, lambda inner: inner.tag in {"bold", "b", "strong"}),
    )


def _keys(element: etree._Element) -> Iterator[str]:
    """The works that marks below an element point to; a dash between two marks is a range."""
    for mark in element.iter("xref"):
        if not _is_citation(mark):
            continue
        yield from (mark.get("rid") or "").split()
        following = mark.getnext()
        is_mark = following is not None and following.tag == "xref" and _is_citation(following)
        if is_mark and is_dash(mark.tail or ""):
            yield RANGE


def _is_citation(mark: etree._Element) -> bool:
    return mark.get("ref-type") == "bibr"


def read_name(person: etree._Element) -> str:
    """Given names, surname and suffix in printed order; empty if they have no letters."""
    parts = (print_text(person.find(tag)) for tag in ("given-names", "surname", "suffix"))
    return full_name(parts, otherwise=print_text(person))


def read_entries(ref: etree._Element) -> Iterator[Entry]:
    """The works in an entry, else the entry itself; alternatives count as one work."""
    citations: list[etree._Element] = []
    for child in children(ref):
        if child.tag in _CITATIONS:
            citations.append(child)
        elif child.tag == "citation-alternatives":
            citations += [one for one in children(child) if one.tag in _CITATIONS][:1]
    for citation in citations or [ref]:
        yield _entry(citation, ref.get("id") or "")


def _entry(citation: etree._Element, group: str) -> Entry:
    kind = citation.get("publication-type") or citation.get("citation-type") or ""
    tags = (*_TITLES, "source") if kind.lower() in _WORKS_OF_THEIR_OWN else _TITLES
    # The authors, or all people if none are marked as authors.
    groups = citation.iterfind("person-group")
    authors = (one for one in groups if one.get("person-group-type") in {"author", None})
    people = [*next(authors, citation).iter("name", "string-name", "collab")]
    years = [print_text(year) for year in citation.iter("year")]
    # Some publishers put little text between the fields of their entries.
    tails = [child.tail or "" for child in citation][:-1]
    has_fields_only = citation.tag in ("element-citation", "nlm-citation") or (
        sum(not tail.strip() for tail in tails) > len(tails) / 2
    )
    is_named = citation.tag == "element-citation" or citation.find(".//name") is not None
    numbers = {
        kind: " ".join(
            print_text(number)
            for number in citation.iter("pub-id", "article-id")
            if (number.get("pub-id-type") or "").lower() == kind
        )
        for kind in ("doi", "arxiv")
    }
    raw = "" if has_fields_only else print_text(citation, frozenset({"label"}))
    named = [print_text(citation.find(f".//{tag}")).rstrip(" .") for tag in tags]
    return Entry(
        key=citation.get("id") or "",
        group=group,
        raw=raw,
        pieces=[*_pieces(citation, people), *numbers.values()],
        titles=[*named, *(read_printed(raw).titles if raw and not any(named) else ())],
        years=years if is_named else [*years, print_text(citation)],
        surnames=[print_text(person.find("surname")) or read_name(person) for person in people],
        numbers=numbers,
        links=" ".join(link.get(HREF) or "" for link in citation.iter("ext-link", "uri")),
    )


def _pieces(citation: etree._Element, people: list[etree._Element]) -> Iterator[str]:
    """The fields of an entry in printed order, without identifiers."""
    yield ", ".join(name for person in people if (name := read_name(person)))
    yield from (print_text(title) for tag in _TITLES for title in citation.iter(tag))
    fields = ("source", "publisher-name", "year", "volume")
    yield from (print_text(citation.find(tag)) for tag in fields)
    pages = (print_text(citation.find(tag)) for tag in ("fpage", "lpage"))
    yield "-".join(page for page in pages if page)
    yield from (print_text(note) for note in citation.iter("comment"))


def print_text(element: etree._Element | None, skip: frozenset[str] = frozenset()) -> str:
    """The text below an element with single spaces, leaving out elements whose tag is in `skip`."""
    return text_of(element, _APART, skip, _special)


def _special(element: etree._Element, skip: frozenset[str]) -> str | None:
    if element.tag == "tex-math":
        return _tex(element)
    if element.tag == "math":
        return print_mathml(element)
    if element.tag in {"sup", "xref"} and _is_raised_marker(element):
        # Raised numbers would run into the word before them.
        return f" [{''.join(pieces_of(element, _APART, skip, _special)).strip()}]"
    if element.tag in _NAME_PARTS and element.getnext() is not None:
        return f"{''.join(pieces_of(element, _APART, skip, _special))} "
    sign = {"sup": "^", "sub": "_"}.get(str(element.tag))
    return print_script(element, sign) if sign else None


def _is_raised_marker(element: etree._Element) -> bool:
    """Check whether an element is a raised citation: `sup` around `xref`, or the reverse."""
    inner = element.find("xref" if element.tag == "sup" else "sup")
    if inner is None or (element if element.tag == "xref" else inner).get("ref-type") != "bibr":
        return False
    return _MARKER.fullmatch("".join(map(str, element.itertext(etree.Element)))) is not None


def _tex(element: etree._Element) -> str:
    """A formula's TeX; empty if MathML beside it prints the same."""
    parent = element.getparent()
    if parent is not None and parent.find("math") is not None:
        return ""
    text = "".join(map(str, element.itertext(etree.Element)))
    match = _TEX_DOCUMENT.search(text)
    return match[1] if match is not None else text
