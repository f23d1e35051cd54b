"""TEI files as GROBID writes them: one paper a file, with its tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.records import Author, CitedTable, Document
from vivavoce.sources import Source, has_suffix, read_with
from vivavoce.sources import one_piece as one_piece
from vivavoce.sources.fulltext.tei.blocks import ASIDE, lines_of, parse_tei, read_blocks, text_of
from vivavoce.sources.fulltext.tei.citations import (
    Citations,
    find_itself,
    read_name,
    read_references,
)
from vivavoce.sources.fulltext.tei.sections import build_sections
from vivavoce.sources.xml import children
from vivavoce.text.identifiers import find_acl_id, find_arxiv_id, find_doi
from vivavoce.text.row_citations import RowCitations, RowsCited, TableText

_WIDEST_SPAN = 40
_TALLEST_SPAN = 200
_SUFFIXES = (".grobid.tei.xml", ".tei.xml", ".grobid.xml", ".tei")
_LARGEST_FILE = 32 << 20
_ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]")
# What journals and conferences print above a title, up to its year.
_BANNER = re.compile(
    r"(?:preprint\.?\s+)?"
    r"(?:(?:published|accepted|presented|appeared) (?:as|at|in|by|for|to)"
    r"|under (?:double[- ]blind )?review (?:as|at|for|by|in)|under review|in submission"
    r"|to appear (?:in|at)|submitted (?:to|as)|workshop track)"
    r"\b[^:?!]{0,100}?\b(?:19|20)\d\d\b\)?[\s.,:;|–—-]*",
    re.IGNORECASE,
)
_YEARLESS_BANNER = re.compile(
    r"(?:under review as a (?:conference|workshop|journal) (?:paper|submission|contribution)"
    r"|preprint\. under review\.|preprint\. work in progress\.|work in progress\.)[\s.,:;|–—-]*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Cell:
    text: str
    height: int = 1
    """Rows that it covers."""
    marked: tuple[int, ...] = ()
    """References that its markup points to."""


def read_tables(root: etree._Element, citations: Citations) -> tuple[CitedTable, ...]:
    """The tables of the text in order."""
    figures = root.iterfind("text//figure[@type='table']")
    return tuple(_read_table(figure, ordinal, citations) for ordinal, figure in enumerate(figures))


def _read_table(figure: etree._Element, ordinal: int, citations: Citations) -> CitedTable:
    caption, rows = _caption(figure), list(_rows(figure, citations))
    cells = tuple(tuple(cell.text for cell in row) for row in rows if _is_kept(row))
    notes = [text_of(note) for note in figure.iterfind("note")]
    between_rows = "\n\n" if any(len(row) > 1 for row in cells) else "\n"
    text = TableText(caption, cells, notes, between_rows=between_rows)
    mentions = list(citations.printed_in(text.text))
    printed = (one for _, meant in mentions for one in meant)
    cited = tuple(sorted({*citations.marked_in(figure), *printed}))
    return CitedTable(ordinal, caption, cells, cited, _by_row(rows, text.by_cell(mentions), cited))


def _by_row(
    rows: list[list[_Cell]], printed: dict[tuple[int, int], tuple[int, ...]], cited: tuple[int, ...]
) -> RowsCited:
    found = RowCitations()
    kept = 0
    for row in rows:
        is_kept = _is_kept(row)
        for column, cell in enumerate(row):
            of_text = printed.get((kept, column), ()) if is_kept else ()
            found.cite((*cell.marked, *of_text), cell.height)
        found.end_row(is_kept=is_kept)
        kept += is_kept
    return found.by_row(cited)


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


def _rows(figure: etree._Element, citations: Citations) -> Iterator[list[_Cell]]:
    for table in figure.iterfind("table"):
        marked = list(table.iter("row"))
        for row in marked:
            yield list(_cells(row, citations))
        if not marked:
            yield from ([_Cell(line)] for line in lines_of(table))


def _cells(row: etree._Element, citations: Citations) -> Iterator[_Cell]:
    for cell in children(row):
        height = _span(cell, "rows", _TALLEST_SPAN)
        yield _Cell(text_of(cell), height, tuple(citations.marked_in(cell)))
        yield from [_Cell("")] * (_span(cell, "cols", _WIDEST_SPAN) - 1)


def _span(cell: etree._Element, name: str, most: int) -> int:
    span = cell.get(name) or "1"
    is_number = span.isascii() and span.isdigit() and len(span) < 4
    return min(int(span), most) if is_number else 1


def _is_kept(row: list[_Cell]) -> bool:
    return any(cell.text for cell in row)


def read_document(content: bytes, name: str) -> Document:
    """The paper in a TEI file; `InputError` says why there is none.

    Dates of the header are left alone: they are those of whatever GROBID took for one.
    """
    root = parse_tei(content)
    title = clean_title(_title(root))
    references, ordinals = read_references(root)
    sections = build_sections(read_blocks(root), title)
    abstract = _abstract(root)
    if not (title or abstract or sections or references):
        raise InputError("the TEI holds no title, no abstract, no text and no references")
    header = _header_numbers(root)
    suffix = next((s for s in _SUFFIXES if name.lower().endswith(s)), "")
    stem = name[: len(name) - len(suffix)]
    arxiv = find_arxiv_id(header.get("arxiv", "")) or find_arxiv_id(stem)
    arxiv_id = arxiv[0] if arxiv else None
    itself = find_itself(references, title, arxiv_id)
    citations = Citations(root, references, ordinals, itself)
    return Document(
        kind="tei",
        key=name,
        source_file=name,
        arxiv_id=arxiv_id,
        version=arxiv[1] if arxiv else None,
        acl_id=find_acl_id(stem),
        doi=find_doi(header.get("doi", "")),
        title=title or None,
        abstract=abstract or None,
        licence=_licence(root),
        authors=tuple(_authors(root)),
        sections=sections,
        references=references,
        tables=read_tables(root, citations),
    )


def clean_title(title: str) -> str:
    """A title without the venue banner printed above it, where a title remains."""
    for banner in (_BANNER, _YEARLESS_BANNER):
        found = banner.match(title)
        if found is not None and any(map(str.isalpha, title[found.end() :])):
            return title[found.end() :]
    return title


def _title(root: etree._Element) -> str:
    file = "teiHeader/fileDesc/"
    for path in (file + "titleStmt/title", file + "sourceDesc/biblStruct/analytic/title"):
        for element in root.iterfind(path):
            title = text_of(element, frozenset({"note"}))
            if any(map(str.isalpha, title)):
                return title
    return ""


def _abstract(root: etree._Element) -> str:
    abstract = root.find("teiHeader/profileDesc/abstract")
    if abstract is None:
        return ""
    paragraphs = [text_of(p, ASIDE) for p in abstract.iter("p")]
    return "\n\n".join(p for p in paragraphs if p) or text_of(abstract, ASIDE)


def _authors(root: etree._Element) -> Iterator[Author]:
    source = root.find("teiHeader/fileDesc/sourceDesc/biblStruct")
    if source is None:
        return
    for author in source.findall("analytic/author") or source.findall("monogr/author"):
        name = read_name(author.find("persName"))
        if name:
            yield Author(name, _orcid(author))


def _orcid(author: etree._Element) -> str | None:
    for number in author.iter("idno"):
        if (number.get("type") or "").upper() == "ORCID":
            found = _ORCID.search(text_of(number).upper())
            return found[0] if found else None
    return None


def _header_numbers(root: etree._Element) -> dict[str, str]:
    """Identifiers of the paper itself by lower-case type; the first of a type counts."""
    numbers: dict[str, str] = {}
    for path in ("publicationStmt/idno", "sourceDesc/biblStruct//idno"):
        for number in root.iterfind(f"teiHeader/fileDesc/{path}"):
            parent = number.getparent()
            if parent is not None and parent.tag not in {"author", "editor"}:
                numbers.setdefault((number.get("type") or "").lower(), text_of(number))
    return numbers


def _licence(root: etree._Element) -> str | None:
    licence = root.find("teiHeader/fileDesc/publicationStmt/availability/licence")
    if licence is None:
        return None
    return text_of(licence) or licence.get("target") or None


SOURCE = Source(
    kind="tei",
    summary="GROBID TEI XML: full text, references and tables, one paper a file",
    matches=has_suffix(*_SUFFIXES),
    read=read_with(lambda content, name: [read_document(content, name)], _LARGEST_FILE, "paper"),
    reader_version="3",
)
