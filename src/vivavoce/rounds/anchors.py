"""Items kept between rounds, and the other parts of a round from its parent: `Lineage`.

Anchors are the same in both rounds, so that drift and difficulty can be separated.

A contestant whose score on the anchors moved has changed itself; where the anchors' score stands
and that of the new items differs, the new items are harder or easier. An item is the same when all
its columns are but `split`, which says only where it stands among the others by date.

Papers that came too late are asked about in the next fresh update, which asks about those published
since its parent ended. One that was out earlier, but whose text, date or record was not there in
time, would then never be asked about. The parent lists the papers that the rounds before judged:
its items, those that its line asked before, and the papers that it left out, each with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa

from vivavoce.corpus import Corpus
from vivavoce.corpus.fields import GATES
from vivavoce.records import Window
from vivavoce.rounds.family import EVERY_TASK, Exclusion, FamilyItems
from vivavoce.rounds.reading import UPDATE, Round
from vivavoce.rounds.spec import RoundSpec
from vivavoce.store import (
    Row,
    hash_file,
    hash_of,
    hash_rows,
    parquet_of_rows,
    table_of_parquet,
    write_json,
    write_parquet,
)
from vivavoce.text.dates import inside, parse_date
from vivavoce.text.normalise import normalise_title

SPLIT, _PAPER = "split", "paper_id"


def anchors_of(opened: Round) -> Mapping[str, list[str]]:
    """The ids of the items that a round shares with its parent on purpose, by `family/task`."""
    found: dict[str, list[str]] = opened.update.get("anchors", {})
    return found


def is_same_item(one: Row, other: Row) -> bool:
    """Return whether two rows ask the same and expect the same."""
    return _plain(one) == _plain(other)


@dataclass(slots=True)
class Anchors:
    """Keeps items of a round in the one that comes after it."""

    parent: Round
    count: int
    """Items of each task."""
    seed: int
    kept: dict[str, list[str]] = field(default_factory=dict)
    """Their ids by `family/task`, sorted."""

    def keep(self, family: str, items: FamilyItems, *, may_add: bool) -> FamilyItems:
        """The items of a family with the parent's anchors among them.

        An anchor whose paper has another text now is not the same item and gives way to the next.

        Args:
            family: The family.
            items: Its items as they would be.
            may_add: Whether items that the new round would not have, or would have otherwise, are
                put into it.
        """
        if not self.count:
            return items
        library = _Library(self.parent, family, items.files)
        tasks = dict(items.tasks)
        needed: set[str] = set()
        for task in items.tasks:
            if (family, task) not in self.parent.tasks():
                continue
            # As they are read again, and so compared with those of the parent.
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
        """The parent's anchors first, so that they stay for many rounds; then others by lot."""
        family, task = where
        before = self.parent.items_by_id(family, task)
        if any(set(row) != set(schema.names) for row in before.values()):
            return []  # written by another version: the two rounds share no item
        # A list of numbers may be of rows of a file, which mean others once it grows.
        lists = [field.type for field in schema if pa.types.is_list(field.type)]
        if not library.is_unchanged and any(pa.types.is_integer(t.value_type) for t in lists):
            return []
        old = anchors_of(self.parent).get(f"{family}/{task}", [])
        lots = sorted(before, key=lambda name: hash_of([self.seed, "anchor", family, name]))
        order = dict.fromkeys([name for name in old if name in before] + lots)
        kept: list[Row] = []
        for name in order:
            if len(kept) == self.count:
                break
            row = before[name]
            if library.has_same_papers(row) and (may_add or _is_there(row, rows)):
                kept.append(row)
        return kept


class _Library:
    """Files of a family that hold papers once for all its items, in both rounds."""

    def __init__(self, parent: Round, family: str, files: Mapping[str, bytes]) -> None:
        self._files: dict[str, tuple[pa.Table, dict[str, Row], dict[str, Row]]] = {}
        recorded = parent.manifest["files"]
        self.is_unchanged = all(
            recorded.get(f"{family}/{name}", {}).get("sha256") == sha256(content).hexdigest()
            for name, content in files.items()
        )
        """True if every file of the family is the parent's."""
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
        """Return whether no paper that an item names has another text in the new round."""
        names = set(_texts(row))
        return all(
            here[name] == there[name]
            for _, here, there in self._files.values()
            for name in names & here.keys() & there.keys()
        )

    def with_papers(self, names: set[str]) -> dict[str, bytes]:
        """The files that have to hold more papers than they do."""
        changed: dict[str, bytes] = {}
        for file, (table, here, there) in self._files.items():
            missing = (names & there.keys()) - here.keys()
            if missing:
                every = {**here, **{name: there[name] for name in missing}}
                rows = [every[name] for name in sorted(every)]
                changed[file] = parquet_of_rows(rows, table.schema)
        return changed


def _is_there(row: Row, rows: Mapping[str, Row]) -> bool:
    found = rows.get(str(row["id"]))
    return found is not None and is_same_item(found, row)


def _plain(row: Row) -> Row:
    return {name: value for name, value in row.items() if name != SPLIT}


def _texts(value: Any) -> Iterator[str]:
    """Every text inside a value: what a row names is among them."""
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
    """Link of a round to the one that it follows from."""

    parent: Round
    corpus: Corpus
    """The part of the corpus that its items are made of."""
    left: Mapping[str, tuple[str, str]]
    """Papers that its network does not hold -> (reason, detail)."""
    anchors: Anchors
    late: LatePapers
    state: Mapping[str, tuple[Sequence[Row], pa.Schema]]
    """Files that hold its network; none where that is the whole corpus."""
    report: Row
    """Counts of the update."""
    earlier: Round | None = None
    """The latest round that followed from the parent under this name."""

    @property
    def selects(self) -> bool:
        """True if its network may hold less than the corpus."""
        return bool(self.state)

    def moves_to(self, spec: RoundSpec) -> bool:
        """Return whether the window of the new round begins elsewhere than its parent's."""
        return spec.window.start != self.parent.window.start

    @property
    def link(self) -> Row:
        """The parent, as the manifest names it."""
        return {"id": self.parent.id, "manifest": self.parent.sha256}

    @property
    def excluded(self) -> list[Exclusion]:
        """The papers that the network does not hold."""
        return [Exclusion(EVERY_TASK, name, *reason) for name, reason in self.left.items()]

    def same_as(self, built: Round, spec: RoundSpec) -> Round | None:
        """The round there is already: the parent, or an earlier update of it with every item.

        Changes to published items do not make new ones.
        """
        if not self.adds_items(built, spec):
            return self.parent
        if self.earlier and _ids_of(built) <= _ids_of(self.earlier):
            return self.earlier
        return None

    def adds_items(self, built: Round, spec: RoundSpec) -> bool:
        """Return whether a round holds an item that its parent does not, or holds otherwise.

        A window that keeps the parent's start may also lose items, or have other files.
        """
        if not self.moves_to(spec):
            return items_of(built.manifest) != items_of(self.parent.manifest)
        for family, task in built.tasks():
            rows = self.parent.items_by_id(family, task)
            if any(not _is_there(row, rows) for row in built.items(family, task)):
                return True
        return False

    def write(self, folder: Path) -> Row:
        """Write what the update did and the network; return the entries of the manifest."""
        report = {**self.report, **self.late.report(), "anchors": self.anchors.kept}
        write_json(folder / UPDATE, report)
        entries: Row = {UPDATE: {"sha256": hash_file(folder / UPDATE)}}
        for name, (rows, schema) in {**self.state, **self.late.files()}.items():
            entries[name] = write_rows(folder / name, rows, schema)
        return entries


def write_rows(path: Path, rows: Sequence[Row], schema: pa.Schema) -> Row:
    """Write rows to a Parquet file; return its entry in the manifest."""
    write_parquet(path, rows, schema)
    return {"sha256": hash_file(path), "rows": len(rows), "row_hash": hash_rows(rows)}


def _ids_of(opened: Round) -> set[tuple[str, str]]:
    return {(task, name) for of, task in opened.tasks() for name in opened.items_by_id(of, task)}


def items_of(opened_manifest: Row) -> dict[str, str]:
    """The hash of every file that belongs to a family, by its path."""
    files: Row = opened_manifest["files"]
    return {
        name: entry["sha256"]
        for name, entry in files.items()
        if "/" in name and not name.startswith("network/")
    }


ASKED = "network/asked.parquet"
"""File of a round that holds the papers that the rounds before it asked about."""
_ASKED = pa.schema([("family", pa.string()), ("paper_id", pa.string())])
_KEY = "came_late"


def came_late(opened: Round) -> tuple[Window, frozenset[str]]:
    """Papers that a round asks about although they are older, and the days they may be of."""
    late = opened.update.get(_KEY, {"since": str(opened.window.start), "papers": []})
    days = Window(date.fromisoformat(late["since"]), opened.window.end)
    return days, frozenset(late["papers"])


@dataclass(slots=True)
class LatePapers:
    """Finds the papers that came too late for a line of rounds, and keeps which were asked."""

    parent: Round
    corpus: Corpus
    is_fresh: bool
    """False where the round asks again what its parents did: nothing is late there."""
    asked: list[str] = field(default_factory=list)

    def allow(self, family: str, spec: RoundSpec) -> RoundSpec:
        """The spec of a round that may also ask a family about what came late."""
        names = self._find(family, spec.window) if self.is_fresh else frozenset()
        return spec.model_copy(update={"late": names})

    def note(self, items: FamilyItems, spec: RoundSpec) -> None:
        """Keep which papers of those that came late are asked about."""
        rows = (row for task in items.tasks.values() for row in task)
        self.asked = sorted({*self.asked, *(_papers(rows) & spec.late)})

    @property
    def since(self) -> date:
        """The first day of the line."""
        return came_late(self.parent)[0].start

    def report(self) -> Row:
        """The entries of `update.json`."""
        entry = {"since": self.since.isoformat(), "papers": self.asked}
        return {_KEY: entry} if self.is_fresh else {}

    def files(self) -> dict[str, tuple[list[Row], pa.Schema]]:
        """The rows and columns of the file that holds what was asked before."""
        if not self.is_fresh:
            return {}
        families = sorted({family for family, _ in self.parent.tasks()})
        pairs = {(row["family"], row["paper_id"]) for row in self.parent.rows(ASKED)}
        pairs |= {(family, name) for family in families for name in self._items(family)}
        rows = [{"family": family, "paper_id": name} for family, name in sorted(pairs)]
        return {ASKED: (rows, _ASKED)}

    def _items(self, family: str) -> set[str]:
        tasks = [task for of, task in self.parent.tasks() if of == family]
        return _papers(row for task in tasks for row in self.parent.items(family, task))

    def _find(self, family: str, window: Window) -> frozenset[str]:
        """Papers of the line's days that no round before could judge, no copy of others."""
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
    """True if what kept a paper out may be mended later: its text, its record, or its date."""
    if row["reason"] != "outside_window":
        return row["reason"] in GATES
    return parse_date(row["detail"]) is not None and not inside(row["detail"], before)


def _papers(rows: Iterator[Row]) -> set[str]:
    return {str(row["paper_id"]) for row in rows if row.get("paper_id")}
