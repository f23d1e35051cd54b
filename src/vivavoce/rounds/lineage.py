"""What a round has from the one before it: its parent, its network, its anchors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.corpus import Corpus
from vivavoce.rounds.anchors import Anchors
from vivavoce.rounds.family import EVERY_TASK, Exclusion
from vivavoce.rounds.reading import UPDATE, Round
from vivavoce.store import Row, hash_file, hash_rows, write_json, write_parquet

if TYPE_CHECKING:
    import pyarrow as pa

ITEM_FOLDERS_NOT = ("network",)
"""Folders of a round that are no family's."""


@dataclass(frozen=True, slots=True)
class Lineage:
    """How a round follows from another one."""

    parent: Round
    corpus: Corpus
    """What of the corpus its items are made of."""
    left: Mapping[str, tuple[str, str]]
    """Papers that its network does not hold -> (reason, detail)."""
    anchors: Anchors
    state: Mapping[str, tuple[Sequence[Row], pa.Schema]]
    """Files that hold its network; none where that is the whole corpus."""
    report: Row
    """What the update did."""

    @property
    def selects(self) -> bool:
        """Whether its network may hold less than the corpus."""
        return bool(self.state)

    @property
    def link(self) -> Row:
        """The parent, as the manifest names it."""
        return {"id": self.parent.id, "manifest": self.parent.sha256}

    @property
    def excluded(self) -> list[Exclusion]:
        """The papers that the network does not hold."""
        return [Exclusion(EVERY_TASK, name, *reason) for name, reason in self.left.items()]

    def write(self, folder: Path) -> Row:
        """Write what the update did and the network; return the entries of the manifest."""
        write_json(folder / UPDATE, {**self.report, "anchors": self.anchors.kept})
        entries: Row = {UPDATE: {"sha256": hash_file(folder / UPDATE)}}
        for name, (rows, schema) in self.state.items():
            write_parquet(folder / name, rows, schema)
            entries[name] = {
                "sha256": hash_file(folder / name),
                "rows": len(rows),
                "row_hash": hash_rows(rows),
            }
        return entries

    def describe(self) -> str:
        """The part of the card on the update."""
        did = self.report
        lines = [
            "## Update",
            "",
            f"Follows round {self.parent.id} (manifest `{self.parent.sha256[:16]}`), "
            f"which ended before {did['since']}.",
            "",
            f"- {did['by_known_authors']:,} new papers of known first authors, "
            f"{did['by_new_authors']:,} of {did['authors_adopted']:,} new ones, {did['late']:,} "
            "older papers that were not there before",
            f"- dropped: {did['stale_papers']:,} stale papers, {did['inactive_authors']:,} "
            f"inactive authors with {did['papers_of_inactive_authors']:,} papers",
            f"- the network now holds {did['papers']:,} papers of {did['authors']:,} first authors",
            f"- anchors: {sum(map(len, self.anchors.kept.values())):,} items of the round before",
            "",
        ]
        return "\n".join(lines)


def items_of(opened_manifest: Row) -> dict[str, str]:
    """The hash of every file that belongs to a family, by its path."""
    files: Row = opened_manifest["files"]
    return {
        name: entry["sha256"]
        for name, entry in files.items()
        if "/" in name and not name.startswith(tuple(f"{f}/" for f in ITEM_FOLDERS_NOT))
    }
