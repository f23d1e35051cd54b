"""Pure functions that read scores, methods and board names in texts and tables of papers.

Here are the papers themselves, as in a round's library.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from vivavoce.text.cell_text import spread_cells

_MAX_CHARACTERS = 400_000
"""Maximum number of characters read from a paper's texts."""


@dataclass(frozen=True, slots=True)
class LibrarySection:
    """One section of a paper."""

    heading: str | None
    text: str


@dataclass(frozen=True, slots=True)
class LibraryTable:
    """One table of a paper."""

    caption: str
    cells: tuple[tuple[str, ...], ...]
    spans: tuple[tuple[int, ...], ...] = ()
    """As the field of the same name in `CitedTable`."""
    bold: tuple[tuple[int, ...], ...] = ()
    """As the field of the same name in `CitedTable`."""

    def shown(self) -> list[list[str]]:
        """The rows for display: spanning cells are repeated, bold cells are between stars."""
        rows = spread_cells(self.cells, self.spans)
        for row, column in self.bold:
            if row < len(rows) and column < len(rows[row]) and rows[row][column]:
                rows[row][column] = f"**{rows[row][column]}**"
        return rows


@dataclass(frozen=True, slots=True)
class LibraryPaper:
    """A paper in a library."""

    paper_id: str
    title: str
    published: str | None
    abstract: str | None
    sections: tuple[LibrarySection, ...]
    tables: tuple[LibraryTable, ...]
    """Tables in corpus order, so a table's index is its `ordinal`."""

    def texts(self, *, abstract: bool = False) -> Iterator[str]:
        """The section texts, truncated beyond the length of any real paper."""
        left = _MAX_CHARACTERS
        opening = [self.abstract or ""] if abstract else []
        for text in (*opening, *(section.text for section in self.sections)):
            yield text[:left]
            left = max(0, left - len(text))
