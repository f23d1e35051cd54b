"""A paper with its text: what a round's library holds and readers read."""

from __future__ import annotations

from dataclasses import dataclass


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
