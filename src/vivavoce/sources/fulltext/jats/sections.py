"""Sections of a JATS article in reading order, and its tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from vivavoce.records import CitedTable, Section
from vivavoce.sources.fulltext.jats.references import Ordinals, mentions_in
from vivavoce.sources.fulltext.jats.xml import ASIDE, text_of
from vivavoce.sources.xml import MAX_HEIGHT, MAX_WIDTH, Cell, Grid, children, span_of
from vivavoce.text.headings import split_heading

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
    """The tables in order; a table cites what stands in its caption, cells and notes."""
    found = (table for place in _PLACES for table in article.iterfind(f"{place}//table-wrap"))
    return tuple(_read_table(table, ordinal, ordinals) for ordinal, table in enumerate(found))


def _read_table(wrap: etree._Element, ordinal: int, ordinals: Ordinals) -> CitedTable:
    cited = tuple(sorted(set(mentions_in(wrap, ordinals))))
    grid = Grid()
    for row in wrap.iter("tr", "row"):  # of HTML, or of OASIS tables
        if grid.room < 0:
            break
        grid.add_row(_cells(row, ordinals))
    return CitedTable(
        ordinal, _caption(wrap), tuple(grid.rows), cited, grid.citations.by_row(cited)
    )


def _caption(table: etree._Element) -> str:
    label = text_of(table.find("label")).rstrip(" .:")
    caption = text_of(table.find("caption"))
    return f"{label}: {caption}" if label and caption else label or caption


def _cells(row: etree._Element, ordinals: Ordinals) -> Iterator[Cell]:
    for cell in children(row):
        height = span_of(cell.get("rowspan") or "1", MAX_HEIGHT)
        yield Cell(
            text=text_of(cell),
            width=span_of(cell.get("colspan") or "1", MAX_WIDTH),
            height=height,
            cited=mentions_in(cell, ordinals),
            cited_height=max(height, _oasis_height(cell)),
        )


def _oasis_height(cell: etree._Element) -> int:
    """Number of rows that a cell of an OASIS table covers: it states how many more than one."""
    more = cell.get("morerows") or "0"
    return 1 if more == "0" else 1 + span_of(more, MAX_HEIGHT)


@dataclass(slots=True)
class _Draft:
    """A section in the making."""

    level: int
    heading: str | None
    number: str | None
    role: str | None
    paragraphs: list[str] = field(default_factory=list)


def read_sections(article: etree._Element) -> tuple[Section, ...]:
    """The sections of body and back matter; notes, floats and the reference list are out."""
    drafts: list[_Draft] = []
    body = article.find("body")
    if body is not None:
        drafts += _division(body, _Draft(1, None, None, None), 1)
    back = article.find("back")
    if back is not None:
        for part in _parts(back):
            role = _ROLE_OF_BACK[str(part.tag)]
            drafts += _division(part, _open(part, 1, role), 2)
    return tuple(
        Section(
            ordinal=ordinal,
            level=draft.level,
            heading=draft.heading,
            role=draft.role,
            text="\n\n".join(draft.paragraphs),
            number=draft.number,
        )
        for ordinal, draft in enumerate(_with_text(drafts))
    )


def _with_text(drafts: list[_Draft]) -> list[_Draft]:
    """The sections that have text, themselves or below them."""
    kept: list[_Draft] = []
    for draft in reversed(drafts):
        if draft.paragraphs or (draft.heading and kept and kept[-1].level > draft.level):
            kept.append(draft)
    return kept[::-1]


def _parts(back: etree._Element) -> Iterator[etree._Element]:
    for part in children(back):
        if part.tag == "app-group":
            yield from part.iterfind("app")
        elif part.tag in _ROLE_OF_BACK:
            yield part


def _open(element: etree._Element, level: int, role: str | None) -> _Draft:
    """The section that an element starts, without its text."""
    label = text_of(element.find("label")) or None
    number, heading = split_heading(text_of(element.find("title"), _INSIDE_HEADING), label)
    if label and not heading:
        heading = label
    if level == 1 and role is None:
        role = _ROLE_OF_TYPE.get((element.get("sec-type") or "").lower())
    return _Draft(level, heading or None, number, role)


def _division(element: etree._Element, draft: _Draft, below: int) -> Iterator[_Draft]:
    """A section and those inside it; text that follows these opens one without a heading."""
    yield draft
    current: _Draft | None = draft
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
            current = _Draft(below, None, None, draft.role)
            yield current
        current.paragraphs += paragraphs


def _paragraphs(block: etree._Element) -> Iterator[str]:
    if block.tag in _LISTS:
        for item in children(block):
            if item.tag not in _HEADS:
                yield text_of(item, ASIDE)
    elif block.tag not in _HEADS and block.tag not in ASIDE:
        yield text_of(block, ASIDE)
