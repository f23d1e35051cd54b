"""A round as JSON Lines: a line an item, in folders by family as in the round."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.rounds.export.contents import (
    ABOUT,
    copy_file,
    files_beside,
    read_table,
    tables_of,
)
from vivavoce.rounds.reading import Round
from vivavoce.store import canonical_json, write_chunks

if TYPE_CHECKING:
    from vivavoce.corpus import Corpus


def write(opened: Round, out: Path, papers: Mapping[str, str], corpus: Corpus | None) -> None:
    """Write every table as JSON Lines and every other file as it is."""
    for table in tables_of(opened):
        lines = _lines(opened, table.path)
        if lines is not None:
            write_chunks(out / table.path.replace(".parquet", ".jsonl"), lines)
        else:
            copy_file(opened, table.path, out / table.path)
    for name in (*files_beside(opened), *ABOUT):
        copy_file(opened, name, out / name)


def _lines(opened: Round, path: str) -> list[bytes] | None:
    """A table's rows; None where JSON has no word for a value, such as a moment or infinity."""
    try:
        return [f"{canonical_json(row)}\n".encode() for row in read_table(opened, path).to_pylist()]
    except (TypeError, ValueError):
        return None
