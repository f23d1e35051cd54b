"""Metadata of papers out of Parquet, JSON Lines or CSV, plain or gzip.

A row is a paper. A bad row becomes a fault that says what is wrong with it, and the rest of the
file still goes in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from vivavoce.errors import InputError
from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions, Source, has_suffix
from vivavoce.sources.catalogues.metadata.row import COLUMNS, document_from
from vivavoce.sources.catalogues.metadata.tabular import (
    DAMAGE,
    BadFile,
    Rows,
    column_names,
    cut,
    read_documents,
    read_rows,
)

_SUFFIXES = (".parquet", ".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz", ".csv", ".csv.gz")
_NAMES_SHOWN = 50

_Value = TypeVar("_Value")


def unknown_columns(path: Path, options: ReadOptions) -> list[str]:
    """The columns of a file that are ignored; of JSON Lines those of the first 10,000 rows.

    Raises:
        InputError: The file cannot be opened, or a rename asks for a column that the file lacks
            or for a name that is not ours.
    """
    _check_targets(options.rename)
    try:
        columns = column_names(path, options.rename)
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist.") from error
    except (BadFile, *DAMAGE):
        return []  # reading it says what is wrong
    _check_sources(options.rename, columns, path)
    used = set(_to_ours({column: column for column in columns}, options.rename).values())
    return [column for column in columns if column not in used]


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    """Raises `InputError` only for a rename that cannot be done."""
    rename = options.rename
    _check_targets(rename)
    return read_documents(
        piece,
        _rows(piece, rename),
        lambda row: document_from(_to_ours(row, rename) if rename else row),
    )


def _rows(piece: Piece, rename: Mapping[str, str]) -> Rows:
    if rename and piece.start == 0:
        _check_sources(rename, column_names(piece.path, rename), piece.path)
    yield from read_rows(piece, dict.fromkeys((*COLUMNS, *rename)))


def _to_ours(row: Mapping[str, _Value], rename: Mapping[str, str]) -> dict[str, _Value]:
    """A row by our names; a renamed column goes before one that has the name already."""
    own = {name: value for name, value in row.items() if name in COLUMNS and name not in rename}
    return {**own, **{ours: row[theirs] for theirs, ours in rename.items() if theirs in row}}


def _check_targets(rename: Mapping[str, str]) -> None:
    targets = list(rename.values())
    for theirs, ours in rename.items():
        if ours not in COLUMNS:
            raise InputError(
                f"--map {theirs}={ours}: no column of ours is called {ours!r}. "
                f"There are: {', '.join(COLUMNS)}."
            )
        if targets.count(ours) > 1:
            raise InputError(f"--map {theirs}={ours}: more than one column would be {ours!r}.")


def _check_sources(rename: Mapping[str, str], columns: Iterable[str], path: Path) -> None:
    there = list(columns)
    for theirs, ours in rename.items():
        if theirs not in there:
            raise InputError(
                f"--map {theirs}={ours}: {path} has no column {theirs!r}. "
                f"It has: {', '.join(there[:_NAMES_SHOWN])}."
            )


SOURCE = Source(
    kind="metadata",
    summary="titles, authors, dates and identifiers in Parquet, JSON Lines or CSV, plain or gzip",
    is_metadata=True,
    matches=has_suffix(*_SUFFIXES),
    pieces=cut,
    read=_read,
    ignored_columns=unknown_columns,
    holds_many=True,
)
