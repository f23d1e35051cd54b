"""A PDF file opened with PDFium, and the paper on its pages: front matter, sections, tables."""

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

import pypdfium2.raw as pdfium

from vivavoce.errors import InputError, UnreadableError
from vivavoce.records import CitedTable, Document
from vivavoce.sources import read_whole
from vivavoce.sources.fulltext.assemble import build_sections
from vivavoce.sources.fulltext.citing import PrintedCitations, TableText
from vivavoce.sources.fulltext.model import Block
from vivavoce.sources.fulltext.pdf.authors import read_authors
from vivavoce.sources.fulltext.pdf.candidates import HeadingCandidate, find_candidates
from vivavoce.sources.fulltext.pdf.floats import Columns, Float, find_floats
from vivavoce.sources.fulltext.pdf.fonts import FontBook
from vivavoce.sources.fulltext.pdf.front import read_front
from vivavoce.sources.fulltext.pdf.furniture import abstract_label, mark_furniture
from vivavoce.sources.fulltext.pdf.headings import Heading, find_headings
from vivavoce.sources.fulltext.pdf.health import Facts, judge, measure_coverage
from vivavoce.sources.fulltext.pdf.imprint import read_imprint
from vivavoce.sources.fulltext.pdf.layout import read_layout
from vivavoce.sources.fulltext.pdf.lines import Page, read_page
from vivavoce.sources.fulltext.pdf.margins import count_cover_sheets
from vivavoce.sources.fulltext.pdf.paragraphs import Paragraphs
from vivavoce.sources.fulltext.pdf.references import (
    find_unheaded,
    print_raised_citations,
    printed_numbers,
    split_entries,
)
from vivavoce.sources.fulltext.pdf.runs import PLAIN, Line, Style
from vivavoce.sources.fulltext.pdf.tables import read_grid
from vivavoce.sources.fulltext.references import read_entry, read_printed
from vivavoce.text.dates import find_day
from vivavoce.text.headings import role_of_heading
from vivavoce.text.identifiers import find_acl_id, find_arxiv_id
from vivavoce.text.normalise import clean_text

_MIN_LETTERS = 20
MAX_PAGES = 1000
_LARGEST_FILE = 256 << 20
_TAIL = 32 << 10
_MIN_COLUMNS = 2
_UTF16 = 2


def read_pages(pages: Sequence[Page], name: str, known_title: str = "") -> Document:
    """The paper on these pages; `InputError` if they hold no text."""
    letters = sum(len(word.text) for page in pages for word in page.words)
    if letters < _MIN_LETTERS * len(pages):
        reason = "the pages hold no text, only images: run text recognition (OCR) first"
        raise UnreadableError(reason, "scan")
    cover = count_cover_sheets(pages)
    pages = [replace(page, number=number) for number, page in enumerate(pages[cover:])]
    layout = read_layout(pages)
    mark_furniture(layout)
    columns = Columns(layout)
    floats = find_floats(columns)
    candidates = find_candidates(columns)
    headings, chosen = find_headings(candidates, layout.lines)
    paragraphs = Paragraphs(columns)
    opening = _abstract_place(candidates, layout.lines)
    body = [h for h in headings if _role(h) != "abstract" and h.candidate.start >= (opening or 0)]
    if not any(_role(heading) == "references" for heading in body):
        place = find_unheaded(layout.lines)
        if place is not None:
            style = Style(layout.body.name, layout.body.size, PLAIN)
            lines = HeadingCandidate(place, place, "References", style, (), [], is_apart=True)
            body.append(Heading(lines, 1, "References", None, "references"))
            body.sort(key=lambda heading: heading.candidate.start)
    lists = [one.candidate.start for one in body if _role(one) == "references"]
    last = layout.lines[lists[-1] if lists else -1]
    first = body[0].candidate.start if body else len(layout.lines)
    front = read_front(paragraphs, candidates, opening, first, known_title)
    imprint = read_imprint(
        [line.text for line in front.between], [line.text for line in front.margins]
    )
    entries = [
        read_printed(clean_text(raw))
        for _, own in _parts(body, layout.lines, of_references=True)
        for raw in split_entries(own, paragraphs)
    ]
    references = tuple(map(read_entry, entries, count()))
    printed = PrintedCitations(entries, references, numbers=printed_numbers(references))
    print_raised_citations(layout.lines, len(references))
    sections, _ = build_sections(_sections(body, paragraphs))
    authors, unread = read_authors(front.between)
    known = {id(line) for line in (*front.text, *front.between, *front.margins)}
    verdict = judge(
        Facts(
            front=front,
            described_title=known_title,
            authors=authors,
            unread_authors=unread,
            sections=sections,
            references=references,
            lines=layout.lines,
            letters_by_page=[sum(len(word.text) for word in page.words) for page in pages],
            coverage=measure_coverage(pages, layout, known, first, last.page),
            cover=cover,
            features=chosen.features,
            score=chosen.score,
        )
    )
    stem = Path(name).stem
    stamp = find_arxiv_id(pages[0].turned)
    named = find_arxiv_id(stem) or stamp
    is_stamped = stamp is not None and named is not None and stamp[0] == named[0]
    arxiv_id, version = (stamp if is_stamped else named) or (imprint.arxiv_id, None)
    return Document(
        kind="pdf",
        key=name,
        source_file=name,
        arxiv_id=arxiv_id,
        version=version,
        doi=imprint.doi,
        published=imprint.date,
        venue=imprint.venue,
        authors=authors,
        stamped=find_day(pages[0].turned) if is_stamped else None,
        acl_id=find_acl_id(stem),
        title=clean_text(front.title) if front.title else None,
        abstract=clean_text(front.abstract) if front.abstract else None,
        sections=sections,
        references=references,
        tables=tuple(_tables(floats, paragraphs, printed)),
        health=verdict.health,
        health_reasons=verdict.reasons,
        doubts=verdict.doubts,
    )


def _abstract_place(candidates: Sequence[HeadingCandidate], lines: Sequence[Line]) -> int | None:
    """The place of the abstract's label on the first three pages, above any introduction.

    What is above it is front matter: an initial in a list of authors is no letter of a section.
    """
    roles = ((role_of_heading(candidate.text), candidate.start) for candidate in candidates)
    stop = next((start for role, start in roles if role == "introduction"), len(lines))
    labels = (p for p, line in enumerate(lines[:stop]) if not line.kind and abstract_label(line))
    return next((place for place in labels if lines[place].page <= 2), None)


def _role(heading: Heading) -> str | None:
    return heading.role or role_of_heading(heading.text)


def _parts(
    headings: Sequence[Heading], lines: Sequence[Line], *, of_references: bool
) -> Iterator[tuple[Heading, list[Line]]]:
    """Each heading of references, or of other text, with the lines of running text below it."""
    stops = [*(heading.candidate.start for heading in headings[1:]), len(lines)]
    for heading, stop in zip(headings, stops, strict=False):
        if (_role(heading) == "references") == of_references:
            yield heading, [line for line in lines[heading.candidate.stop : stop] if not line.kind]


def _sections(headings: Sequence[Heading], paragraphs: Paragraphs) -> Iterator[Block]:
    for heading, own in _parts(headings, paragraphs.layout.lines, of_references=False):
        text = paragraphs.text(own, heading.candidate.rest)
        yield Block(heading.text, heading.number, heading.level, heading.role, [text])


def _tables(
    floats: Sequence[Float],
    paragraphs: Paragraphs,
    citations: PrintedCitations,
) -> Iterator[CitedTable]:
    tables = [item for item in floats if item.kind == "table"]
    for ordinal, item in enumerate(tables):
        caption = clean_text(paragraphs.one(item.caption))
        rules = paragraphs.layout.rules[item.body[0].page] if item.body else []
        cells, spans, bold = read_grid(item.body, rules)
        if not (item.is_aligned and cells and len(cells[0]) >= _MIN_COLUMNS):
            cells, spans, bold = (), (), ()  # cells of another table, or columns not separated
        cited = citations.cited_in(TableText(caption, cells))
        yield CitedTable(ordinal, caption, cells, *cited, spans, bold)


def read_file(path: Path) -> Document:
    """The paper in a PDF file, or `InputError`; read hostile files in the child process."""
    content = read_whole(path, _LARGEST_FILE, "paper")
    if b"%PDF-" not in content[:1024]:
        raise InputError("not a PDF: the file does not start with %PDF-")
    if b"startxref" not in content[-_TAIL:] and b"%%EOF" not in content[-_TAIL:]:
        raise InputError("damaged: the end of the file is missing, download it again")
    with _opened(content) as document:
        count = pdfium.FPDF_GetPageCount(document)
        if count > MAX_PAGES:
            raise InputError(f"{count:,} pages, more than the {MAX_PAGES:,} that are read")
        if count < 1:
            raise InputError("damaged: the file holds no page")
        fonts, pages = FontBook(content), list[Page]()
        for number in range(count):
            page = read_page(document, number, fonts)
            if page is None:
                raise InputError(f"damaged: page {number + 1} cannot be read")
            pages.append(page)
        buffer = ctypes.create_string_buffer(8192)
        size = pdfium.FPDF_GetMetaText(document, b"Title", buffer, len(buffer))
        is_whole = _UTF16 < size <= len(buffer)
        title = buffer.raw[: size - _UTF16] if is_whole else b""
        return read_pages(pages, path.name, title.decode("utf-16-le", "replace").strip())


@contextmanager
def _opened(content: bytes) -> Iterator[object]:
    pdfium.FPDF_InitLibrary()
    document = pdfium.FPDF_LoadMemDocument64(content, len(content), None)
    if not document:
        error = pdfium.FPDF_GetLastError()
        if error == pdfium.FPDF_ERR_PASSWORD:
            raise UnreadableError("encrypted: a password is needed to open it", "locked")
        if error == pdfium.FPDF_ERR_SECURITY:
            raise InputError("encrypted in a way that cannot be read")
        raise InputError("damaged: PDFium cannot open it")
    try:
        yield document
    finally:
        pdfium.FPDF_CloseDocument(document)
