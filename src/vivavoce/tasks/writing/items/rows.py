"""Rows of a round, and the report on its tasks and settings.

A row is a target with its demonstrations, works and settings. The file `cells.json` has a cell for
each task and setting: its items, and why there are none. An empty cell names a paper that was
rejected, and the reason: the demonstration that came closest, or the target that was left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from vivavoce.corpus import Corpus
from vivavoce.corpus.fields import GATES
from vivavoce.rounds.family import EVERY_TASK, Exclusion
from vivavoce.store import Row, readable_json
from vivavoce.tasks.writing.items.activity import Authors
from vivavoce.tasks.writing.items.citations import Library, Works, read_references
from vivavoce.tasks.writing.items.citing import Citing, count_before
from vivavoce.tasks.writing.items.demonstrations import KINDS, Demonstrations
from vivavoce.tasks.writing.items.inputs import DEMONSTRATED, OPEN, PaperText, settings_of
from vivavoce.tasks.writing.items.open_track import is_there
from vivavoce.tasks.writing.items.papers import (
    Memo,
    Pool,
    Reason,
    Target,
    assign_splits,
    make_target,
    why_no_gold,
)

CELLS = "cells.json"
NO_DEMONSTRATION = "no_demonstration"
_EARLY = frozenset(
    {*GATES, "outside_window", "outside_walk", "outside_component", "duplicate_title"}
)
"""Reasons for which a paper is a target of no task."""


@dataclass(frozen=True, slots=True)
class Missing:
    """An item that found no demonstration of a kind: the candidate that came closest."""

    task: str
    kind: str
    paper_id: str
    candidate: str
    reason: Reason

    @property
    def detail(self) -> str:
        """The candidate and its missing condition, as one phrase."""
        name, more = self.reason
        return f"{self.candidate}: {name}" + (f", {more}" if more else "")


_KINDS = {"random": ("random",), "coauthor": ("coauthor",), "mixed": ("random", "coauthor")}


def shown_demos(row: Row, setting: str, most: int | None = None) -> list[str]:
    """The demonstrations that an item shows in a setting: random ones first, each paper once.

    Of each kind at most `most`, by default all.
    """
    kinds = _KINDS.get(setting, ())
    return list(dict.fromkeys(name for kind in kinds for name in row[f"demos_{kind}"][:most]))


def describe_cells(
    tasks: Mapping[str, Sequence[Row]],
    settings: Sequence[str],
    missing: Sequence[Missing],
    excluded: Sequence[Exclusion],
) -> list[Row]:
    """One row for each task and setting of the round."""
    return [
        _cell(task, setting, rows, missing, excluded)
        for task, rows in tasks.items()
        for setting in settings_of(task)
        if setting in settings
    ]


def cells_as_bytes(report: Row) -> bytes:
    """The file's bytes, the same for the same report."""
    return readable_json(report).encode()


def _cell(
    task: str,
    setting: str,
    rows: Sequence[Row],
    missing: Sequence[Missing],
    excluded: Sequence[Exclusion],
) -> Row:
    items = [row for row in rows if setting in row["settings"]]
    cell: Row = {"task": task, "setting": setting, "items": len(items), "rejected": None}
    without: list[Missing] = []
    if setting in DEMONSTRATED:
        demos = [len(shown_demos(row, setting)) for row in items]
        without = [m for m in missing if m.task == task and setting in (m.kind, "mixed")]
        cell["demos_mean"] = fmean(demos) if demos else None
        cell["without_demonstrations"] = len({m.paper_id for m in without})
    if without:
        cell["rejected"] = {
            "paper_id": without[0].paper_id,
            "candidate": without[0].candidate,
            "reason": without[0].reason[0],
            "detail": without[0].reason[1],
        }
    if not items:
        places = (EVERY_TASK, task), ("", setting)
        here = [e for e in excluded if e.task in places[0] and e.setting in places[1]]
        cell["left_out"] = dict(Counter(e.reason for e in here).most_common())
        cell["rejected"] = cell["rejected"] or _left_out(here)
    return cell


def _left_out(excluded: Iterable[Exclusion]) -> Row | None:
    """The paper that came closest to being an item: one that was left out latest."""
    first = max(excluded, key=lambda e: (bool(e.setting), e.reason not in _EARLY), default=None)
    if first is None:
        return None
    return {
        "paper_id": first.paper_id,
        "candidate": first.paper_id,
        "reason": first.reason,
        "detail": first.detail,
    }


class Maker:
    """Makes the items of one round, and keeps what it leaves out."""

    def __init__(
        self,
        corpus: Corpus,
        pool: Pool,
        authors: Authors,
        *,
        seed: int,
        settings: Sequence[str],
        demos: int,
        splits: Sequence[float],
        max_overlap: float,
        memo: Memo,
    ) -> None:
        self.settings = settings
        self.excluded: list[Exclusion] = []
        self.missing: list[Missing] = []
        self._corpus = corpus
        self._pool = pool
        self._seed = seed
        self._splits = splits
        self._max_overlap = max_overlap
        self._memo = memo
        self._demos = Demonstrations(pool, authors, seed, demos)
        self._pairs = self._demos.kinship.find_all(list(pool.texts.values()))
        self._kin: dict[str, list[str]] = defaultdict(list)
        for one, other in sorted(self._pairs):
            self._kin[one].append(other)
        self._works: dict[str, Works] = {}
        self.citing = Citing(corpus)

    def rows(self, task: str, targets: Sequence[str]) -> list[Row]:
        """The items of a task, sorted by id; papers that are none go to `excluded`."""
        made = []
        for name in targets:
            paper = self._pool.texts[name]
            exposed = self._memo.exposures(paper)[task]
            target = make_target(task, paper, exposed, self._max_overlap)
            if target is None:
                self.excluded.append(Exclusion(task, name, *why_no_gold(task, paper)))
            else:
                made.append(target)
        if task == "related_work":
            made = self._add_works(made)
        rows = [row for target in made if (row := self._row(target))["settings"]]
        assign_splits(rows, self._splits)
        return sorted(rows, key=lambda row: str(row["id"]))

    def describe_kin(self) -> list[Row]:
        """Copies and versions of targets, which are never their demonstrations."""
        return [
            {"paper_id": one, "candidate": other, "reason": reason, "detail": detail}
            for (one, other), (reason, detail) in sorted(self._pairs.items())
            if one not in self._pool.unfit
        ]

    def describe_works(self) -> Row:
        """Counts of works that the related-work items list, and of items whose text told which."""
        found = list(self._works.values())
        return {
            "items": len(found),
            "told_by_text": sum(works.by_text for works in found),
            "cited": sum(works.cited for works in found),
            "padding": sum(len(works.rows) - works.cited for works in found),
        }

    def _add_works(self, targets: Sequence[Target]) -> list[Target]:
        """The targets that cite a work with a title."""
        references = read_references(self._corpus, [t.paper.paper_id for t in targets])
        library = Library(self._corpus.papers, self._seed)
        kept = []
        for target in targets:
            name = target.paper.paper_id
            listed = references.get(name, [])
            category = self._pool.categories[name]
            works = library.works(target.paper, category, listed, self._kin[name])
            if works.cited:
                self._works[name] = works
                kept.append(target)
            else:
                reason = ("no_cited_works", f"{len(listed)} references, none with a title")
                self.excluded.append(Exclusion(target.task, name, *reason))
        return kept

    def _row(self, target: Target) -> Row:
        paper = target.paper
        row: Row = {
            "id": paper.paper_id,
            "paper_id": paper.paper_id,
            "cluster": paper.paper_id,
            "split": None,
            "published": paper.published,
            "published_from": self._pool.evidence.get(paper.paper_id),
            "category": self._pool.categories[paper.paper_id],
            "reference": target.reference,
            "overlap": target.overlap,
            "overlap_rest": target.overlap_rest,
        }
        out = dict(target.left_out)
        if target.task == "related_work":
            row["works"] = [self._counted(work, paper) for work in self._works[paper.paper_id].rows]
            row["hidden"] = self._copies(paper.paper_id)
            if not any(is_there(work, row) for work in row["works"]):
                out[OPEN] = ("no_work_to_find", "no cited work is in the corpus and earlier")
        missing = [found for kind in KINDS if (found := self._add_demos(row, target, kind))]
        if not missing and "mixed" in self.settings and len(shown_demos(row, "mixed")) == 1:
            reason = ("shown_already", "it is the only one of either kind")
            missing.append(Missing(target.task, "mixed", paper.paper_id, demos_of(row)[0], reason))
        # Where the input leaks, a demonstration would not make an item of it.
        self.missing += [one for one in missing if one.kind not in target.left_out]
        for setting in self.settings:
            if setting in DEMONSTRATED and setting not in out and not _has_demos(row, setting):
                why = [one.detail for one in missing if setting in (one.kind, "mixed")]
                out[setting] = (NO_DEMONSTRATION, "; ".join(why))
        wanted = [setting for setting in settings_of(target.task) if setting in self.settings]
        row["settings"] = [setting for setting in wanted if setting not in out]
        self._leave_out(row, target.task, {s: out[s] for s in wanted if s in out})
        return row

    def _counted(self, work: Row, paper: PaperText) -> Row:
        """A work with its citations on the day that a paper appeared."""
        if work["work_id"] is None:
            return work
        days = self.citing.days(work["work_id"])
        return {**work, "citations": count_before(days, paper.published)}

    def _copies(self, paper_id: str) -> list[str]:
        """A paper, other versions of it, and papers of its title or text."""
        group = self._pool.duplicates.get(paper_id, paper_id)
        same = {name for name, kept in self._pool.duplicates.items() if kept == group}
        return sorted({paper_id, group, *same, *self._kin[paper_id]})

    def _add_demos(self, row: Row, target: Target, kind: str) -> Missing | None:
        """Add the demonstrations of one kind; what came closest where there is none."""
        row[f"demos_{kind}"] = []
        if kind not in self.settings and "mixed" not in self.settings:
            return None
        choice = self._demos.choose(target.task, kind, target.paper)
        row[f"demos_{kind}"] = list(choice.shown)
        if choice.rejected is None:
            return None
        return Missing(target.task, kind, target.paper.paper_id, *choice.rejected)

    def _leave_out(self, row: Row, task: str, out: dict[str, Reason]) -> None:
        """Note why an item is not in some settings; once when it is in none, for one reason."""
        reasons = set(out.values())
        if not row["settings"] and len(reasons) == 1:
            self.excluded.append(Exclusion(task, row["id"], *reasons.pop()))
        else:
            self.excluded += [Exclusion(task, row["id"], *r, setting=s) for s, r in out.items()]


def demos_of(row: Row) -> list[str]:
    """The demonstrations of an item, of all kinds."""
    return [name for kind in KINDS for name in row[f"demos_{kind}"]]


def _has_demos(row: Row, setting: str) -> bool:
    """Check whether an item can be in a setting with demonstrations; `mixed` shows both kinds."""
    if setting != "mixed":
        return bool(row[f"demos_{setting}"])
    return all(row[f"demos_{kind}"] for kind in KINDS) and len(shown_demos(row, setting)) > 1
