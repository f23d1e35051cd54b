"""What fuzzing runs of the sources: one file's bytes in, records that hold together out."""

import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError, VivaError
from vivavoce.records import SECTION_ROLES, Document, Fault
from vivavoce.sources import ReadOptions, get_source
from vivavoce.sources.fulltext.pdf.document import read_file, read_pages
from vivavoce.sources.fulltext.pdf.fonts import Font
from vivavoce.sources.fulltext.pdf.lines import Page, Word

_WIDTH, _HEIGHT = 612.0, 792.0
_LETTER = 0.5
"""Width of a character in sizes of its font."""
_FONTS = ("Times", "Times-Bold", "Times-Italic", "Times-SmallCaps")
_LARGEST = 1e5


def check_document(document: Document) -> None:
    """What every reader promises of a document; an `AssertionError` names what does not hold."""
    references = len(document.references)
    for rows in (document.sections, document.references, document.tables):
        assert [row.ordinal for row in rows] == list(range(len(rows))), "ordinals have gaps"
    for section in document.sections:
        assert section.level >= 1, f"a section of level {section.level}"
        assert section.role is None or section.role in SECTION_ROLES, section.role
    for table in document.tables:
        assert set(table.cited) <= set(range(references)), "a table cites what is not there"
        assert list(table.cited) == sorted(set(table.cited)), "cited ordinals are out of order"
        assert not table.row_cited or len(table.row_cited) == len(table.cells), "rows do not fit"
        for cited in table.row_cited:
            assert set(cited) <= set(table.cited), "a row cites what its table does not"
    for text in _texts(asdict(document)):
        assert "\x00" not in text, "NUL in a text"
        text.encode("utf-8")


def _texts(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list | tuple):
            waiting.extend(part)


@cache
def scratch() -> Path:
    """A folder of this process for the files that readers take by path."""
    return Path(tempfile.mkdtemp(prefix="viva-fuzz-"))


def through_source(kind: str, name: str) -> Callable[[bytes], None]:
    """Reads bytes as a file of this name, as `viva ingest` does; faults are as good as papers."""

    def run(content: bytes) -> None:
        path = scratch() / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        source = get_source(kind)
        source.matches(path)
        found: Iterable[Document | Fault] = (
            record for piece in source.pieces(path) for record in source.read(piece, ReadOptions())
        )
        for record in found:
            if isinstance(record, Document):
                check_document(record)
            else:
                record.reason.encode("utf-8")

    return run


def read_pdf(content: bytes) -> None:
    """A PDF in this process: what the child process of the source does with it."""
    path = scratch() / "paper.pdf"
    path.write_bytes(content)
    try:
        document = read_file(path)
    except InputError:
        return
    check_document(document)


def read_set_pages(content: bytes) -> None:
    """Pages of words wherever the input puts them: the reading of layout without PDFium."""
    pages = set_pages(content.decode("utf-8", "replace"))
    try:
        document = read_pages(pages, "paper.pdf")
    except VivaError:
        return
    check_document(document)


def set_pages(text: str) -> list[Page]:
    """Pages out of lines `x y size font words ...`, parted by form feeds.

    What is not a number counts as 0; the font is a digit, of which the last bits choose bold and
    italic. As PDFium gives them, places may be anywhere, off the page as well.
    """
    fonts: dict[tuple[int, float], Font] = {}
    pages = []
    for number, sheet in enumerate(text.split("\f")[:50]):
        words: list[Word] = []
        for line in sheet.split("\n")[:2_000]:
            parts = line.split()
            x, y, size, style = (_number(part) for part in (parts + ["0"] * 4)[:4])
            key = (int(style) % 4, round(min(max(size, 1.5), 999.0), 1))
            font = fonts.setdefault(key, _font(*key))
            for word in parts[4:]:
                end = x + _LETTER * key[1] * len(word)
                words.append(Word(word, x, end, y, font))
                x = end + 0.3 * key[1]
        pages.append(Page(number, _WIDTH, _HEIGHT, words))
    return pages


def _font(style: int, size: float) -> Font:
    return Font(_FONTS[style], size, style == 1, style == 2, style == 3)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if abs(value) <= _LARGEST else 0.0
