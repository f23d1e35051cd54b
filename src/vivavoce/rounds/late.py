"""Papers that came too late for the rounds before, and are asked about in the next fresh one.

A fresh update asks about papers published since its parent ended. A paper that was out earlier, but
whose text, date or record was not there in time, would then never be asked about. The parent lists
the papers that the rounds before judged: its items, those that its line asked before, and the
papers that it left out, each with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date

import pyarrow as pa

from vivavoce.corpus import Corpus
from vivavoce.corpus.fields import GATES
from vivavoce.records import Window
from vivavoce.rounds.family import FamilyItems
from vivavoce.rounds.reading import Round
from vivavoce.rounds.spec import RoundSpec
from vivavoce.store import Row
from vivavoce.text.dates import inside, parse_date
from vivavoce.text.normalise import normalise_title

ASKED = "network/asked.parquet"
"""File of a round that holds the papers that the rounds before it asked about."""
_ASKED = pa.schema([("family", pa.string()), ("paper_id", pa.string())])
_KEY = "came_late"


def came_late(opened: Round) -> tuple[Window, frozenset[str]]:
    """Papers that a round asks about although they are older, and the days they may be of."""
    span = opened.manifest["window"]
    told = opened.update.get(_KEY, {"since": span["start"], "papers": []})
    days = Window(date.fromisoformat(told["since"]), date.fromisoformat(span["end"]))
    return days, frozenset(told["papers"])


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
        told = {"since": self.since.isoformat(), "papers": self.asked}
        return {_KEY: told} if self.is_fresh else {}

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
