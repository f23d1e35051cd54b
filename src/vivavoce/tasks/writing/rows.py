"""Rows of a round: targets with their demonstrations, works and settings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from vivavoce.corpus import Corpus
from vivavoce.rounds.family import Exclusion
from vivavoce.store import Row
from vivavoce.tasks.writing.citations import (
    Citing,
    Library,
    Works,
    count_before,
    read_references,
)
from vivavoce.tasks.writing.demonstrations import KINDS, Authors, Demonstrations
from vivavoce.tasks.writing.inputs import DEMONSTRATED, OPEN, PaperText, settings_of
from vivavoce.tasks.writing.open_track import is_there
from vivavoce.tasks.writing.papers import (
    Pool,
    Reason,
    Target,
    assign_splits,
    expose,
    make_target,
    why_no_gold,
)

NO_DEMONSTRATION = "no_demonstration"
_KINDS = {"random": ("random",), "coauthor": ("coauthor",), "mixed": ("random", "coauthor")}


def shown_demos(row: Row, setting: str, most: int | None = None) -> list[str]:
    """The demonstrations that an item shows in a setting: random ones first, each paper once.

    Of each kind at most `most`, by default all.
    """
    kinds = _KINDS.get(setting, ())
    return list(dict.fromkeys(name for kind in kinds for name in row[f"demos_{kind}"][:most]))


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
    ) -> None:
        self.settings = settings
        self.excluded: list[Exclusion] = []
        self._corpus = corpus
        self._pool = pool
        self._seed = seed
        self._splits = splits
        self._max_overlap = max_overlap
        self._demos = Demonstrations(pool, authors, seed, demos)
        self._relatives: dict[str, list[str]] = defaultdict(list)
        for one, other in sorted(self._demos.kinship.find_all(list(pool.texts.values()))):
            self._relatives[one].append(other)
        self._works: dict[str, Works] = {}
        self.citing = Citing(corpus)

    def rows(self, task: str, targets: Sequence[str]) -> list[Row]:
        """The items of a task, sorted by id; papers that are none go to `excluded`."""
        made = []
        for name in targets:
            paper = self._pool.texts[name]
            target = make_target(task, paper, expose(task, paper), self._max_overlap)
            if target is None:
                self.excluded.append(Exclusion(task, name, *why_no_gold(task, paper)))
            else:
                made.append(target)
        if task == "related_work":
            made = self._add_works(made)
        rows = [row for target in made if (row := self._row(target))["settings"]]
        assign_splits(rows, self._splits)
        return sorted(rows, key=lambda row: str(row["id"]))

    def _add_works(self, targets: Sequence[Target]) -> list[Target]:
        """The targets that cite a work with a title."""
        references = read_references(self._corpus, [t.paper.paper_id for t in targets])
        library = Library(self._corpus.papers, self._seed)
        kept = []
        for target in targets:
            name = target.paper.paper_id
            listed = references.get(name, [])
            category = self._pool.categories[name]
            works = library.works(target.paper, category, listed, self._relatives[name])
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
        missing = {kind: why for kind in KINDS if (why := self._add_demos(row, target, kind))}
        for setting in self.settings:
            if setting in DEMONSTRATED and setting not in out and not _has_demos(row, setting):
                found = [one for kind, one in missing.items() if setting in (kind, "mixed")]
                detail = "; ".join(found) or "both kinds have the same paper alone"
                out[setting] = (NO_DEMONSTRATION, detail)
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
        return sorted({paper_id, group, *same, *self._relatives[paper_id]})

    def _add_demos(self, row: Row, target: Target, kind: str) -> str:
        """Add the demonstrations of one kind; the reason where there is none."""
        row[f"demos_{kind}"] = []
        if kind not in self.settings and "mixed" not in self.settings:
            return ""
        choice = self._demos.choose(target.task, kind, target.paper)
        row[f"demos_{kind}"] = list(choice.shown)
        return choice.rejected

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
