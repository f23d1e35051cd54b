"""Safe reading of XML bytes, and grids of cells, for every source whose files are markup."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.text.row_citations import RowCitations

MAX_WIDTH = 40
MAX_HEIGHT = 200
_MAX_COLUMNS = 400
_MAX_CELLS = 200_000


def parse_xml(content: bytes) -> etree._Element:
    """The root of an XML file, tags without namespace; `InputError` says what is wrong.

    Nothing outside the file is loaded and no entity is expanded.
    """
    check_text(content)
    # Attribute values are expanded whatever the parser is told, so the declaration is refused.
    if b"<!ENTITY" in content:
        raise InputError("the file declares XML entities, which are not read for safety")
    try:
        root = etree.fromstring(content, safe_parser())
    except etree.XMLSyntaxError as error:
        raise InputError(f"not well-formed XML: {error.msg or 'no element found'}") from error
    for element in root.iter(etree.Element):
        element.tag = etree.QName(element).localname
    return root


def check_text(content: bytes) -> None:
    """Refuse bytes that are blank or not UTF-8 with an `InputError`."""
    if not content.strip():
        raise InputError("the file is empty")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text: {error.reason} at byte {error.start}") from error


def safe_parser() -> etree.XMLParser:
    """A parser of UTF-8 that loads nothing, expands no entity and has no room for huge trees."""
    return etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )


def children(element: etree._Element) -> Iterator[etree._Element]:
    """The child elements, without entity references."""
    return element.iterchildren(etree.Element)


def span_of(value: str, most: int) -> int:
    """Number of rows or columns that a cell covers; 1 where its attribute is no number."""
    span = int(value) if value.isascii() and value.isdigit() and len(value) < 5 else 1
    return min(max(span, 1), most)


def is_all_in(element: etree._Element, is_mark: Callable[[etree._Element], bool]) -> bool:
    """Check whether all letters and digits below an element stand inside of marked ones."""
    if is_mark(element):
        return True
    if any(map(str.isalnum, element.text or "")):
        return False
    below = list(children(element))
    return any(map(_has_text, below)) and all(
        (not _has_text(one) or is_all_in(one, is_mark))
        and not any(map(str.isalnum, one.tail or ""))
        for one in below
    )


def _has_text(element: etree._Element) -> bool:
    return any(map(str.isalnum, "".join(map(str, element.itertext()))))


class Cell(NamedTuple):
    """A cell as its markup gives it."""

    text: str
    width: int
    height: int
    cited: Iterable[int]
    """References, in order of mention."""
    cited_height: int
    """Rows that cite them."""
    is_bold: bool = False


class Grid:
    """Rows of cells that may span, and what each row cites."""

    def __init__(self, room: int = _MAX_CELLS) -> None:
        self.room = room
        """Number of places that may still be read."""
        self.rows: list[tuple[str, ...]] = []
        """The rows that hold text; the further places that a cell spans are empty."""
        self.spans: list[tuple[int, ...]] = []
        """Row, column, rows and columns of cells that cover several places of these rows."""
        self.bold: list[tuple[int, ...]] = []
        self.citations = RowCitations()
        self._left: dict[int, int] = {}
        """Column -> rows below that a cell above still covers."""

    def add_row(self, row: Iterable[Cell]) -> None:
        """Read a row; it is not kept without text, or beyond the room."""
        texts: list[str] = []
        spans: list[tuple[int, ...]] = []
        bold: list[tuple[int, ...]] = []
        here = len(self.rows)
        for cell in row:
            self._pass_covered(texts)
            if len(texts) + cell.width > _MAX_COLUMNS:
                break
            columns = range(len(texts), len(texts) + cell.width)
            self._left.update(dict.fromkeys(columns, cell.height - 1))
            self.citations.cite(cell.cited, cell.cited_height)
            if cell.width > 1 or cell.height > 1:
                spans.append((here, len(texts), cell.height, cell.width))
            if cell.is_bold and cell.text:
                bold.append((here, len(texts)))
            texts += [cell.text, *[""] * (cell.width - 1)]
        self._pass_covered(texts)
        self.room -= len(texts)
        is_kept = self.room >= 0 and any(texts)
        self.citations.end_row(is_kept=is_kept)
        if is_kept:
            self.rows.append(tuple(texts))
            self.spans += spans
            self.bold += bold

    def _pass_covered(self, texts: list[str]) -> None:
        while self._left.get(len(texts), 0) > 0:
            self._left[len(texts)] -= 1
            texts.append("")
