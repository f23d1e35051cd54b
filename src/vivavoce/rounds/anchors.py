"""The lineage of a round: anchors, papers that came late, and other parts from its parent.

Anchors are items in both rounds, so that drift and difficulty can be separated.

If a contestant's score on the anchors moves, the contestant has changed. If that score stays but
the score on new items differs, the new items are harder or easier. Two items are the same if all
their columns are equal except `split`, which depends on the dates of the other items.

A fresh update asks about papers published since the end of its parent's window. An older paper
whose text, date or record was missing then would never be asked about, so the next update adds it.
The parent lists the papers already judged: those of its items, those that earlier rounds asked
about, and those it left out, each with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from vivavoce.columns import hash_rows
from vivavoce.corpus import Corpus
from vivavoce.corpus.fields import GATES
from vivavoce.records import Window
from vivavoce.rounds.family import FamilyItems
from vivavoce.rounds.reading import UPDATE, Round
from vivavoce.rounds.spec import RoundSpec
from vivavoce.store import (
    Row,
    hash_file,
    hash_of,
    parquet_of_rows,
    table_of_parquet,
    write_json,
    write_parquet,
)
from vivavoce.text.dates import inside, parse_date
from vivavoce.text.normalise import normalise_title

SPLIT, _PAPER = "split", "paper_id"


def anchors_of(opened: Round) -> Mapping[str, list[str]]:
    """Ids of the anchors that a round shares with its parent, by `family/task`."""
    anchors: dict[str, list[str]] = opened.update.get("anchors", {})
    return anchors


def is_same_item(one: Row, other: Row) -> bool:
    """Check whether two rows are the same item."""
    return {**one, SPLIT: None} == {**other, SPLIT: None}


@dataclass(slots=True)
class Anchors:
    """Keeps items of a round in the next round."""

    parent: Round
    count: int
    """Maximum number of anchors per task."""
    seed: int
    kept: dict[str, list[str]] = field(default_factory=dict)
    """Sorted ids of the anchors, by `family/task`."""

    def keep(self, family: str, items: FamilyItems, *, may_add: bool) -> FamilyItems:
        """Add the parent's anchors to the items of a family.

        If the text of an anchor's paper has changed, the next candidate replaces the anchor. With
        `may_add`, items may be added that the new round lacks or has in another form.
        """
        if not self.count:
            return items
        library = _Library(self.parent, family, items.files)
        tasks = dict(items.tasks)
        needed: set[str] = set()
        for task in items.tasks:
            if (family, task) not in self.parent.tasks():
                continue
            # Convert rows as reading a file does, to compare them with the parent's.
            read = pa.Table.from_pylist(list(items.tasks[task]), schema=items.schemas[task])
            rows = {str(row["id"]): row for row in read.to_pylist()}
            kept = self._choose((family, task), rows, items.schemas[task], library, may_add)
            self.kept[f"{family}/{task}"] = sorted(str(row["id"]) for row in kept)
            put = [row for row in kept if not _is_there(row, rows)]
            needed.update(name for row in put for name in _texts(row))
            rows.update({str(row["id"]): row for row in put})
            tasks[task] = [rows[name] for name in sorted(rows)] if put else items.tasks[task]
        files = {**items.files, **library.with_papers(needed)}
        return replace(items, tasks=tasks, files=files)

    def _choose(
        self,
        where: tuple[str, str],
        rows: Mapping[str, Row],
        schema: pa.Schema,
        library: _Library,
        may_add: bool,
    ) -> list[Row]:
        """Choose the parent's own anchors first, so that anchors last; then others at random."""
        family, task = where
        before = self.parent.items_by_id(family, task)
        if any(set(row) != set(schema.names) for row in before.values()):
            return []  # the parent is from another version: no item can be the same
        # A list of numbers may hold row indices of a file, which shift when the file grows.
        lists = [field.type for field in schema if pa.types.is_list(field.type)]
        if library.has_files and any(pa.types.is_integer(one.value_type) for one in lists):
            return []
        old = anchors_of(self.parent).get(f"{family}/{task}", [])
        lots = sorted(before, key=lambda name: hash_of([self.seed, "anchor", family, name]))
        ordered = [before[name] for name in dict.fromkeys([*old, *lots]) if name in before]
        sound = (
            row
            for row in ordered
            if library.has_same_papers(row) and (may_add or _is_there(row, rows))
        )
        return list(islice(sound, self.count))


class _Library:
    """A family's files of papers shared by its items, in the new round and in its parent."""

    def __init__(self, parent: Round, family: str, files: Mapping[str, bytes]) -> None:
        self.has_files = bool(files)
        self._files: dict[str, tuple[pa.Table, dict[str, Row], dict[str, Row]]] = {}
        for name, content in sorted(files.items()):
            if not name.endswith(".parquet") or f"{family}/{name}" not in parent.manifest["files"]:
                continue
            new = table_of_parquet(content)
            old = table_of_parquet(parent.read_file(family, name))
            if _PAPER in new.column_names and new.schema.equals(old.schema):
                here, there = _by_paper(new), _by_paper(old)
                if len(there) == old.num_rows and len(here) == new.num_rows:
                    self._files[name] = new, here, there

    def has_same_papers(self, row: Row) -> bool:
        """Check that no paper named by an item has a different row in the new round."""
        names = set(_texts(row))
        return all(
            here[name] == there[name]
            for _, here, there in self._files.values()
            for name in names & here.keys() & there.keys()
        )

    def with_papers(self, names: set[str]) -> dict[str, bytes]:
        """Add these papers to files that lack them; return the changed files."""
        changed: dict[str, bytes] = {}
        for file, (table, here, there) in self._files.items():
            missing = (names & there.keys()) - here.keys()
            if missing:
                every = {**here, **{name: there[name] for name in missing}}
                rows = [every[name] for name in sorted(every)]
                changed[file] = parquet_of_rows(rows, table.schema)
        return changed


def _is_there(row: Row, rows: Mapping[str, Row]) -> bool:
    present = rows.get(str(row["id"]))
    return present is not None and is_same_item(present, row)


def _texts(value: Any) -> Iterator[str]:
    """All strings inside a value; these include the papers that a row names."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, Sequence) and not isinstance(value, bytes):
        for inner in value:
            yield from _texts(inner)


def _by_paper(table: pa.Table) -> dict[str, Row]:
    return {str(row[_PAPER]): row for row in table.to_pylist()}


@dataclass(frozen=True, slots=True)
class Lineage:
    """Link of a round to its parent."""

    parent: Round
    corpus: Corpus
    """The part of the corpus from which items are built."""
    left: Mapping[str, tuple[str, str]]
    """Maps papers outside the network to (reason, detail)."""
    anchors: Anchors
    late: LatePapers
    state: Mapping[str, tuple[Sequence[Row], pa.Schema]]
    """Files of the network; empty if the network covers the whole corpus."""
    report: Row
    """Counts of the update's changes."""
    earlier: Round | None = None
    """The latest existing update of the parent with this name."""

    def moves_to(self, spec: RoundSpec) -> bool:
        """Check whether the new round's window begins on another day than its parent's window."""
        return spec.window.start != self.parent.window.start

    def same_as(self, built: Round, spec: RoundSpec) -> Round | None:
        """Find an existing round with all of these items: the parent, or an earlier update of it.

        A changed item counts as new, but not in comparison with an earlier update. If the parent's
        window has the same start, lost items and changed files count too.
        """
        if self.moves_to(spec):
            tasks = [(built.items(*one), self.parent.items_by_id(*one)) for one in built.tasks()]
            is_parent = all(_is_there(row, rows) for items, rows in tasks for row in items)
        else:
            is_parent = items_of(built.manifest) == items_of(self.parent.manifest)
        if is_parent:
            return self.parent
        if self.earlier and _ids_of(built) <= _ids_of(self.earlier):
            return self.earlier
        return None

    def write(self, folder: Path) -> Row:
        """Write the update's report and the network; return their entries for the manifest."""
        report = {**self.report, **self.late.report(), "anchors": self.anchors.kept}
        write_json(folder / UPDATE, report)
        entries: Row = {UPDATE: {"sha256": hash_file(folder / UPDATE)}}
        for name, (rows, schema) in {**self.state, **self.late.files()}.items():
            entries[name] = write_rows(folder / name, rows, schema)
        return entries


def write_rows(path: Path, rows: Sequence[Row], schema: pa.Schema) -> Row:
    """Write rows to a Parquet file; return the file's entry for the manifest."""
    write_parquet(path, rows, schema)
    return {"sha256": hash_file(path), "rows": len(rows), "row_hash": hash_rows(rows)}


def _ids_of(opened: Round) -> set[tuple[str, str]]:
    return {
        (task, name) for family, task in opened.tasks() for name in opened.items_by_id(family, task)
    }


def items_of(opened_manifest: Row) -> dict[str, str]:
    """Hash of each file of a family, by path."""
    files: Row = opened_manifest["files"]
    return {
        name: entry["sha256"]
        for name, entry in files.items()
        if "/" in name and not name.startswith("network/")
    }


ASKED = "network/asked.parquet"
"""File that lists the papers asked about by earlier rounds."""
_ASKED = pa.schema([("family", pa.string()), ("paper_id", pa.string())])
_KEY = "came_late"


def came_late(opened: Round) -> tuple[Window, frozenset[str]]:
    """Window of the dates of late papers, and the late papers that a round asks about."""
    late = opened.update.get(_KEY, {"since": str(opened.window.start), "papers": []})
    days = Window(date.fromisoformat(late["since"]), opened.window.end)
    return days, frozenset(late["papers"])


@dataclass(slots=True)
class LatePapers:
    """Finds papers that came too late for earlier rounds, and records those asked about."""

    parent: Round
    corpus: Corpus
    is_fresh: bool
    """False if the round repeats the items of its parents; then no paper is late."""
    asked: list[str] = field(default_factory=list)

    def allow(self, family: str, spec: RoundSpec) -> RoundSpec:
        """Return a spec that also admits a family's late papers."""
        names = self._find(family, spec.window) if self.is_fresh else frozenset()
        return spec.model_copy(update={"late": names})

    def note(self, items: FamilyItems, spec: RoundSpec) -> None:
        """Record which late papers the items ask about."""
        rows = (row for task in items.tasks.values() for row in task)
        self.asked = sorted({*self.asked, *(_papers(rows) & spec.late)})

    @property
    def since(self) -> date:
        """First day covered by the whole line of rounds."""
        return came_late(self.parent)[0].start

    def report(self) -> Row:
        """Entries for `update.json`."""
        entry = {"since": self.since.isoformat(), "papers": self.asked}
        return {_KEY: entry} if self.is_fresh else {}

    def files(self) -> dict[str, tuple[list[Row], pa.Schema]]:
        """Rows and columns of the file `ASKED`."""
        if not self.is_fresh:
            return {}
        families = sorted({family for family, _ in self.parent.tasks()})
        pairs = {(row["family"], row["paper_id"]) for row in self.parent.rows(ASKED)}
        pairs |= {(family, name) for family in families for name in self._items(family)}
        rows = [{"family": family, "paper_id": name} for family, name in sorted(pairs)]
        return {ASKED: (rows, _ASKED)}

    def _items(self, family: str) -> set[str]:
        tasks = [task for owner, task in self.parent.tasks() if owner == family]
        return _papers(row for task in tasks for row in self.parent.items(family, task))

    def _find(self, family: str, window: Window) -> frozenset[str]:
        """Papers since the line began that no round has judged, except copies of judged papers."""
        judged = self._items(family)
        judged |= {r["paper_id"] for r in self.parent.rows(ASKED) if r["family"] == family}
        before = Window(self.since, window.start)
        excluded = (r for r in self.parent.leakage["excluded"] if r["family"] == family)
        judged |= {row["paper_id"] for row in excluded if not _may_change(row, before)}
        line = Window(self.since, window.end)
        new = [
            paper
            for paper in self.corpus.papers
            if paper.first_public
            and paper.paper_id not in judged
            and inside(paper.first_public, line)
            and not inside(paper.first_public, window)
        ]
        if not new:
            return frozenset()
        known = [paper for paper in self.corpus.papers if paper.paper_id in judged]
        works = {paper.work for paper in known if paper.work}
        titles = {normalise_title(paper.title) for paper in known if paper.title}
        return frozenset(
            paper.paper_id
            for paper in new
            if paper.work not in works and normalise_title(paper.title or "") not in titles
        )


def _may_change(row: Row, before: Window) -> bool:
    """Check whether a paper's reason for exclusion may go away with a new text, record or date."""
    if row["reason"] != "outside_window":
        return row["reason"] in GATES
    return parse_date(row["detail"]) is not None and not inside(row["detail"], before)


def _papers(rows: Iterator[Row]) -> set[str]:
    return {str(row["paper_id"]) for row in rows if row.get("paper_id")}
