"""Reference lists and tables of TEI files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from lxml import etree

from vivavoce.records import CitedTable, Reference
from vivavoce.sources.tei.xml import XML_ID, children, lines_of, text_of
from vivavoce.text.identifiers import find_arxiv_id, find_doi

_YEAR = re.compile(r"(?<!\d)(?:1[5-9]\d\d|20\d\d|2100)(?!\d)")
_WIDEST_SPAN = 40


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


def read_tables(
    root: etree._Element, cited_in: Callable[[etree._Element, str], tuple[int, ...]]
) -> tuple[CitedTable, ...]:
    """The tables of the text in order; `cited_in` tells what each cites, from figure and text."""
    tables: list[CitedTable] = []
    for ordinal, figure in enumerate(root.iterfind("text//figure[@type='table']")):
        caption, cells = _caption(figure), _cells(figure)
        cited = cited_in(figure, _running_text(figure, caption, cells))
        tables.append(CitedTable(ordinal, caption, cells, cited))
    return tuple(tables)


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


def _caption(figure: etree._Element) -> str:
    pieces = [text_of(figure.find("head")), text_of(figure.find("figDesc"))]
    label = text_of(figure.find("label"))
    if not pieces[0] and label and not pieces[1].casefold().startswith("tab"):
        pieces[0] = f"Table {label}:"
    caption = ""
    for piece in pieces:
        if _bare(piece).startswith(_bare(caption)):
            caption = piece
        elif _bare(piece) not in _bare(caption):
            caption += f" {piece}"
    return caption


def _bare(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _cells(figure: etree._Element) -> tuple[tuple[str, ...], ...]:
    rows: list[tuple[str, ...]] = []
    for table in figure.iterfind("table"):
        marked = list(table.iter("row"))
        if marked:
            rows += [tuple(_row(row)) for row in marked]
        else:
            rows += [(line,) for line in lines_of(table)]
    return tuple(row for row in rows if any(row))


def _row(row: etree._Element) -> Iterator[str]:
    for cell in children(row):
        yield text_of(cell)
        span = cell.get("cols") or "1"
        width = int(span) if span.isascii() and span.isdigit() and len(span) < 4 else 1
        yield from [""] * (min(width, _WIDEST_SPAN) - 1)


def _running_text(figure: etree._Element, caption: str, cells: tuple[tuple[str, ...], ...]) -> str:
    """All that a table prints: lines and the cells of a row by line, rows by blank line."""
    between_rows = "\n\n" if any(len(row) > 1 for row in cells) else "\n"
    body = between_rows.join("\n".join(cell for cell in row if cell) for row in cells)
    notes = [text_of(note) for note in figure.iterfind("note")]
    return "\n\n".join([caption, body, *notes])
