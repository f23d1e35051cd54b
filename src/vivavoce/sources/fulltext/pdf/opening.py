"""A PDF file opened with PDFium: pages, outline and title, or the reason why not."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pypdfium2.raw as pdfium

from vivavoce.errors import InputError
from vivavoce.records import Document
from vivavoce.sources import read_whole
from vivavoce.sources.fulltext.pdf.bookmarks import Bookmark
from vivavoce.sources.fulltext.pdf.document import read_pages
from vivavoce.sources.fulltext.pdf.lines import FontBook, Page, read_page

MOST_PAGES = 1000
_LARGEST_FILE = 256 << 20
_TAIL = 32 << 10
_MOST_BOOKMARKS = 2000
_DEEPEST_BOOKMARK = 6
_UTF16 = 2


def read_file(path: Path, *, use_bookmarks: bool = True) -> Document:
    """The paper in a PDF file; `InputError` says why there is none.

    Runs PDFium in this process: hostile files belong into the child process.
    """
    with _opened(_content(path)) as document:
        count = pdfium.FPDF_GetPageCount(document)
        if count > MOST_PAGES:
            raise InputError(f"{count:,} pages, more than the {MOST_PAGES:,} that are read")
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
    for _ in range(_MOST_BOOKMARKS):
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
        if depth < _DEEPEST_BOOKMARK:
            stack.append((pdfium.FPDFBookmark_GetFirstChild(document, mark), depth + 1))


def _decode(buffer: ctypes.Array[ctypes.c_char], size: int) -> str:
    if not _UTF16 < size <= len(buffer):
        return ""
    return buffer.raw[: size - _UTF16].decode("utf-16-le", "replace").strip()
