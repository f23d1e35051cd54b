"""A paper with its text: what a round's library holds and readers read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_MAX_CHARACTERS = 400_000
"""Characters of a paper's texts that are read."""


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


@dataclass(frozen=True, slots=True)
class LibraryPaper:
    """A paper as a library holds it."""

    paper_id: str
    title: str
    published: str | None
    abstract: str | None
    sections: tuple[LibrarySection, ...]
    tables: tuple[LibraryTable, ...]
    """In the corpus' order: the place of a table is its `ordinal`."""

    def texts(self, *, abstract: bool = False) -> Iterator[str]:
        """The texts of the sections, cut where a paper holds more than any real one.

        Args:
            abstract: Begin with the abstract.
        """
        left = _MAX_CHARACTERS
        opening = [self.abstract or ""] if abstract else []
        for text in (*opening, *(section.text for section in self.sections)):
            yield text[:left]
            left = max(0, left - len(text))
