"""All that an ingest reads of a PDF beside pypdf with font sizes and pdfplumber's words."""

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.peers.comparison import Comparison

from vivavoce.sources.fulltext.pdf.document import read_file

MAX_PAGES = 12
"""Papers longer than that are left out: pdfplumber takes a second a page."""


def comparisons(scratch: Path, *, smoke: bool) -> Iterator[Comparison]:
    """Nothing where there are no real PDFs at hand."""
    data = Path(os.environ.get("VIVAVOCE_DATA") or "../shared/data")
    found = (path for path in sorted((data / "pdf").glob("*.pdf")) if _pages(path) <= MAX_PAGES)
    files = list(islice(found, 1 if smoke else 3))
    if not files:
        return
    pages = sum(map(_pages, files))
    for peer, read, target in (
        ("pypdf, with sizes", read_pypdf, 1.6),
        ("pdfplumber, words", read_plumber, 5.0),
    ):
        yield Comparison(
            job=f"PDF to sections, {pages} pages",
            peer=peer,
            ours=lambda: sum(_read(path) for path in files),
            theirs=lambda read=read: _each(read, files),
            agree=lambda mine, other: mine == other,
            target=target,
        )


def _read(path: Path) -> int:
    read_file(path)
    return _pages(path)


def _each(read: Callable[[Path], int], files: Sequence[Path]) -> int:
    return sum(read(path) for path in files)


def read_pypdf(path: Path) -> int:
    """Text with the size of each piece; how many pages."""
    from pypdf import PdfReader

    reader = PdfReader(path)
    seen: list[tuple[str, float]] = []

    def visit(text: str, cm: Any, tm: Any, font: Any, size: float) -> None:
        seen.append((text, size))

    for page in reader.pages:
        page.extract_text(visitor_text=visit)
    return len(reader.pages)


def read_plumber(path: Path) -> int:
    """Words with their sizes and fonts; how many pages."""
    import pdfplumber

    with pdfplumber.open(path) as document:
        for page in document.pages:
            page.extract_words(extra_attrs=["size", "fontname"])
        return len(document.pages)


def _pages(path: Path) -> int:
    import pypdfium2

    with pypdfium2.PdfDocument(path) as document:
        return len(document)
