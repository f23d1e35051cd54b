"""What tables are read into: rows of results under a header."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Record:
    """One row of results."""

    label: str
    values: tuple[str, ...]
    context: str = ""
    """What else names the row: a group's heading, a split, another column of words."""


@dataclass(frozen=True, slots=True)
class Block:
    """Rows under one header."""

    heads: tuple[str, ...]
    """What stands before the rows, line by line."""
    columns: tuple[str, ...]
    """What stands above each column of values."""
    records: tuple[Record, ...]
