"""Contents of a round: tables that can be shown row by row, and files that are passed on whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.rounds.reading import MANIFEST, Round
from vivavoce.store import write_bytes

if TYPE_CHECKING:
    import pyarrow as pa

ABOUT = ("card.md", "leakage.json", "spec.json", MANIFEST)
"""Files that tell of a round and are no part of its items."""


@dataclass(frozen=True, slots=True)
class TableFile:
    """A table of a round: the items of a task, or what items need beside their rows."""

    path: str
    """Below the round's folder."""
    name: str
    """The task, or the family and the file: `writing_papers`."""
    family: str
    is_items: bool


def tables_of(opened: Round) -> list[TableFile]:
    """Tables of items, then those beside them that lie in a family's own folder."""
    tasks = {f"{family}/{task}.parquet": task for family, task in opened.tasks()}
    families = set(opened.manifest["families"])
    items, others = [], []
    for path in sorted(opened.manifest["files"]):
        family, _, name = path.rpartition("/")
        if path in tasks:
            items.append(TableFile(path, tasks[path], family, is_items=True))
        elif family in families and name.endswith(".parquet"):
            stem = name.removesuffix(".parquet")
            others.append(TableFile(path, f"{family}_{stem}", family, is_items=False))
    return items + others


def files_beside(opened: Round) -> Iterator[str]:
    """Paths of all other files, but for those that tell of the round."""
    tables = {table.path for table in tables_of(opened)}
    return (p for p in sorted(opened.manifest["files"]) if p not in tables and p not in ABOUT)


def read_table(opened: Round, path: str) -> pa.Table:
    """A table of a round as it was written."""
    import pyarrow.parquet as pq

    return pq.read_table(opened.folder / path)


def copy_file(opened: Round, path: str, to: Path) -> None:
    """Copy a file of a round as it is."""
    write_bytes(to, (opened.folder / path).read_bytes())


def demoted(card: str) -> str:
    """A card's Markdown one level lower, to stand inside another page."""
    lines = card.splitlines()
    return "\n".join(f"#{line}" if line.startswith("#") else line for line in lines)
