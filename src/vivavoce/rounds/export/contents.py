"""Contents of a round: tables that can be shown row by row, and files that are passed on whole."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.rounds.licences import LICENCES, OpenTexts, without_details
from vivavoce.rounds.reading import MANIFEST, Round
from vivavoce.store import Row, write_bytes, write_json, write_jsonl

if TYPE_CHECKING:
    import pyarrow as pa

_LEAKAGE = "leakage.json"
_ABOUT = ("card.md", _LEAKAGE, "spec.json", LICENCES, MANIFEST)
"""Files that tell of a round and are no part of its items."""
TEXTS = "texts.json"
"""File of an export that counts what was passed on as text and what as ids."""


@dataclass(frozen=True, slots=True)
class TableFile:
    """A table of a round: the items of a task, or what items need beside their rows."""

    path: str
    """Below the round's folder."""
    name: str
    """The task, or the family and the file: `writing_papers`."""
    family: str
    is_items: bool


class Contents:
    """A round as it is given to others: with all texts, or with those of open papers only."""

    def __init__(self, opened: Round, *, open_only: bool = False) -> None:
        self.round = opened
        self._texts = OpenTexts(opened) if open_only else None

    def tables(self) -> list[TableFile]:
        """Tables of items, then those beside them that lie in a family's own folder."""
        tasks = {f"{family}/{task}.parquet": task for family, task in self.round.tasks()}
        families = set(self.round.manifest["families"])
        items, others = [], []
        for path in sorted(self.round.manifest["files"]):
            family, _, name = path.rpartition("/")
            if path in tasks:
                items.append(TableFile(path, tasks[path], family, is_items=True))
            elif family in families and name.endswith(".parquet"):
                stem = name.removesuffix(".parquet")
                others.append(TableFile(path, f"{family}_{stem}", family, is_items=False))
        return items + others

    def read(self, path: str) -> pa.Table:
        """A table of the round, without the texts that are not passed on."""
        import pyarrow.parquet as pq

        table = pq.read_table(self.round.folder / path)
        return self._texts.filter(path, table) if self._texts else table

    def write_others(self, folder: Path) -> None:
        """Write all other files as they are, but for texts that are not passed on."""
        tables = {table.path for table in self.tables()}
        for name in sorted({*self.round.manifest["files"], *_ABOUT} - tables):
            if self._texts and name == _LEAKAGE:
                write_jsonl(folder / "left_out.jsonl", without_details(self.round))
            elif (self.round.folder / name).exists() and not self._may_quote(name):
                copy_file(self.round, name, folder / name)
        if self._texts:
            write_json(folder / TEXTS, self._texts.describe())

    def _may_quote(self, name: str) -> bool:
        """True for a family's notes on its papers where not all of these are open."""
        is_notes = "/" in name and name.endswith((".json", ".jsonl"))
        return self._texts is not None and is_notes and bool(self._texts.withheld.total())

    def describe(self) -> Row | None:
        """Counts of texts and ids; None where all texts are passed on."""
        return self._texts.describe() if self._texts else None


def copy_file(opened: Round, path: str, to: Path) -> None:
    """Copy a file of a round as it is."""
    write_bytes(to, (opened.folder / path).read_bytes())
