"""A PDF file opened with PDFium, and the paper read from its pages."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pypdfium2.raw as pdfium

from vivavoce.errors import InputError
from vivavoce.records import CitedTable, Document, Reference
from vivavoce.sources import read_whole
from vivavoce.sources.fulltext.drafts import Draft, number_sections
from vivavoce.sources.fulltext.pdf.candidates import Bookmark, find_candidates
from vivavoce.sources.fulltext.pdf.floats import Columns, Float, find_floats
from vivavoce.sources.fulltext.pdf.front import read_front
from vivavoce.sources.fulltext.pdf.furniture import drop_marks, mark_furniture
from vivavoce.sources.fulltext.pdf.headings import Heading, find_headings
from vivavoce.sources.fulltext.pdf.layout import Line, join_words, read_layout
from vivavoce.sources.fulltext.pdf.lines import FontBook, Page, read_page
from vivavoce.sources.fulltext.pdf.references import (
    Paragraphs,
    mentions_in,
    read_reference,
    split_entries,
)
from vivavoce.text.headings import role_of_heading
from vivavoce.text.identifiers import find_acl_id, find_arxiv_id
from vivavoce.text.normalise import clean_text
from vivavoce.text.row_citations import TableText

_MIN_LETTERS = 20
MAX_PAGES = 1000
_LARGEST_FILE = 256 << 20
_TAIL = 32 << 10
_MAX_BOOKMARKS = 2000
_MAX_BOOKMARK = 6
_UTF16 = 2


def read_pages(
    pages: Sequence[Page], name: str, bookmarks: Sequence[Bookmark] = (), known_title: str = ""
) -> Document:
    """The paper on these pages; `InputError` where they hold no text.

    Args:
        pages: In order.
        name: The name of the file, which is the key of the paper.
        bookmarks: The outline that the PDF carries.
        known_title: The title in the PDF's own description, one more witness.
    """
    letters = sum(len(word.text) for page in pages for word in page.words)
    if letters < _MIN_LETTERS * len(pages):
        raise InputError("the pages hold no text, only images: run text recognition (OCR) first")
    layout = read_layout(pages)
    mark_furniture(layout)
    drop_marks(layout)
    columns = Columns(layout)
    floats = find_floats(columns)
    candidates = find_candidates(columns)
    headings = find_headings(candidates, bookmarks)
    paragraphs = Paragraphs(columns)
    body = [heading for heading in headings if _role(heading) != "abstract"]
    first = body[0].candidate.start if body else len(layout.lines)
    title, abstract = read_front(paragraphs, candidates, first, known_title)
    references = tuple(_references(body, paragraphs))
    arxiv = find_arxiv_id(_stem(name)) or find_arxiv_id(pages[0].turned)
    return Document(
        kind="pdf",
        key=name,
        source_file=name,
        arxiv_id=arxiv[0] if arxiv else None,
        version=arxiv[1] if arxiv else None,
        acl_id=find_acl_id(_stem(name)),
        title=clean_text(title) if title else None,
        abstract=clean_text(abstract) if abstract else None,
        sections=number_sections(_sections(body, paragraphs)),
        references=references,
        tables=tuple(_tables(floats, paragraphs, references)),
    )


def _stem(name: str) -> str:
    return name[:-4] if name.lower().endswith(".pdf") else name


def _role(heading: Heading) -> str | None:
    return heading.role or role_of_heading(heading.text)


def _own_lines(lines: Sequence[Line], headings: Sequence[Heading], place: int) -> list[Line]:
    start = headings[place].candidate.stop
    stop = headings[place + 1].candidate.start if place + 1 < len(headings) else len(lines)
    return [line for line in lines[start:stop] if not line.kind]


def _sections(headings: Sequence[Heading], paragraphs: Paragraphs) -> Iterator[Draft]:
    """Every section but the references, which are stored as entries."""
    lines = paragraphs.layout.lines
    for place, heading in enumerate(headings):
        if _role(heading) == "references":
            continue
        text = paragraphs.text(_own_lines(lines, headings, place), heading.candidate.rest)
        words = clean_text(heading.text)
        yield Draft(heading.level, words, heading.number, heading.role, [clean_text(text)])


def _references(headings: Sequence[Heading], paragraphs: Paragraphs) -> Iterator[Reference]:
    ordinal = 0
    for place, heading in enumerate(headings):
        if _role(heading) != "references":
            continue
        own = _own_lines(paragraphs.layout.lines, headings, place)
        for raw in split_entries(own, paragraphs):
            yield read_reference(clean_text(raw), ordinal)
            ordinal += 1


def _tables(
    floats: Sequence[Float], paragraphs: Paragraphs, references: Sequence[Reference]
) -> Iterator[CitedTable]:
    tables = [item for item in floats if item.kind == "table"]
    for ordinal, item in enumerate(tables):
        caption = clean_text(paragraphs.one(item.caption))
        cells = tuple(tuple(_cells(line)) for line in item.body)
        printed = TableText(caption, cells)
        mentions = list(mentions_in(printed.text, references))
        cited = tuple(sorted({one for _, meant in mentions for one in meant}))
        yield CitedTable(ordinal, caption, cells, cited, printed.by_row(mentions, cited))


def _cells(line: Line) -> Iterator[str]:
    cell = [line.words[0]]
    for word in line.words[1:]:
        if word.x0 - cell[-1].x1 > line.size:
            yield clean_text(join_words(cell))
            cell = []
        cell.append(word)
    yield clean_text(join_words(cell))


def read_file(path: Path, *, use_bookmarks: bool = True) -> Document:
    """The paper in a PDF file; `InputError` says why there is none.

    Runs PDFium in this process: hostile files belong into the child process.
    """
    with _opened(_content(path)) as document:
        count = pdfium.FPDF_GetPageCount(document)
        if count > MAX_PAGES:
            raise InputError(f"{count:,} pages, more than the {MAX_PAGES:,} that are read")
        if count < 1:
            raise InputError("damaged: the file holds no page")
        bookmarks = tuple(_bookmarks(document)) if use_bookmarks else ()
        pages = list(_pages(document, count))
        return read_pages(pages, path.name, bookmarks, _known_title(document))


def _content(path: Path) -> bytes:
    content = read_whole(path, _LARGEST_FILE, "paper")
    if b"%PDF-" not in content[:1024]:
        raise InputError("not a PDF: the file does not start with %PDF-")
    if b"startxref" not in content[-_TAIL:] and b"%%EOF" not in content[-_TAIL:]:
        raise InputError("damaged: the end of the file is missing, download it again")
    return content


@contextmanager
def _opened(content: bytes) -> Iterator[object]:
    pdfium.FPDF_InitLibrary()
    document = pdfium.FPDF_LoadMemDocument64(content, len(content), None)
    if not document:
        error = pdfium.FPDF_GetLastError()
        if error == pdfium.FPDF_ERR_PASSWORD:
            raise InputError("encrypted: a password is needed to open it")
        if error == pdfium.FPDF_ERR_SECURITY:
            raise InputError("encrypted in a way that cannot be read")
        raise InputError("damaged: PDFium cannot open it")
    try:
        yield document
    finally:
        pdfium.FPDF_CloseDocument(document)


def _pages(document: object, count: int) -> Iterator[Page]:
    fonts = FontBook()
    for number in range(count):
        page = read_page(document, number, fonts)
        if page is None:
            raise InputError(f"damaged: page {number + 1} cannot be read")
        yield page


def _known_title(document: object) -> str:
    buffer = ctypes.create_string_buffer(2048)
    size = pdfium.FPDF_GetMetaText(document, b"Title", buffer, len(buffer))
    return _decode(buffer, size)


def _bookmarks(document: object) -> Iterator[Bookmark]:
    """The outline in order; loops in a hostile one end at a bound."""
    stack = [(pdfium.FPDFBookmark_GetFirstChild(document, None), 1)]
    for _ in range(_MAX_BOOKMARKS):
        if not stack:
            return
        mark, depth = stack.pop()
        if not mark:
            continue
        buffer = ctypes.create_string_buffer(1024)
        size = pdfium.FPDFBookmark_GetTitle(mark, buffer, len(buffer))
        target = pdfium.FPDFBookmark_GetDest(document, mark)
        page = pdfium.FPDFDest_GetDestPageIndex(document, target) if target else -1
        yield Bookmark(depth, _decode(buffer, size), page)
        stack.append((pdfium.FPDFBookmark_GetNextSibling(document, mark), depth))
        if depth < _MAX_BOOKMARK:
            stack.append((pdfium.FPDFBookmark_GetFirstChild(document, mark), depth + 1))


def _decode(buffer: ctypes.Array[ctypes.c_char], size: int) -> str:
    if not _UTF16 < size <= len(buffer):
        return ""
    return buffer.raw[: size - _UTF16].decode("utf-16-le", "replace").strip()
