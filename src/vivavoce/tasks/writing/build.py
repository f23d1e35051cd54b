"""Writing items from papers of a corpus: targets with demonstrations, works and settings.

Source: AcademicEval §3.2, with the rules of docs/families/writing.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

from pydantic import Field, field_validator, model_validator

from vivavoce.corpus import Corpus
from vivavoce.errors import InputError
from vivavoce.metrics.judged_text import JUDGED, WINS
from vivavoce.networks.authors import papers_in_core, read_authorships
from vivavoce.rounds.family import EVERY_TASK, Exclusion, FamilyItems
from vivavoce.rounds.spec import Options, RoundSpec
from vivavoce.sources.catalogues.arxiv.coauthors import KIND
from vivavoce.store import Row
from vivavoce.tasks import find_family
from vivavoce.tasks.writing.citations import (
    FILE,
    Citing,
    Library,
    count_before,
    is_there,
    make_library,
    read_references,
)
from vivavoce.tasks.writing.demonstrations import (
    KINDS,
    Authors,
    Demonstrations,
    draw_targets,
    read_authors,
)
from vivavoce.tasks.writing.inputs import (
    DEMONSTRATED,
    FAMILY,
    OPEN,
    SCHEMAS,
    SETTINGS,
    TASKS,
    PaperText,
    Setting,
    settings_of,
    shown_demos,
)
from vivavoce.tasks.writing.papers import (
    Pool,
    Reason,
    Target,
    assign_splits,
    make_target,
    papers_as_bytes,
    read_pool,
    why_no_gold,
)

FOLLOWS_AUTHORS = True
PAPERS = "papers.parquet"
Within = Literal["all", "walk", "lcc"]
_REASONS = {
    "walk": ("outside_walk", "no walk through co-authors brought it"),
    "lcc": ("outside_component", "its first author is not in the largest component"),
}


class WritingOptions(Options):
    """The `[writing]` table of a round spec."""

    settings: tuple[Setting, ...] = Field(
        default=tuple(setting for setting in SETTINGS if setting != OPEN), min_length=1
    )
    """Settings of the round; `open` adds title and abstract of all searchable papers."""
    demos: int = Field(default=2, ge=0, le=20)
    """Demonstrations of each kind; with 0, the settings with demonstrations are left out."""
    splits: tuple[float, float, float] = Field(default=(0.72, 0.19, 0.09))
    """Shares of train, val and test, oldest papers first."""
    author_sampling: Literal["uniform", "inverse_activity"] = "uniform"
    """Draw of targets: all suitable papers, or fewer of active authors."""
    doubtful: Literal["leave_out", "keep"] = "leave_out"
    """Treatment of papers with a doubtful PDF: never targets, or targets like others."""
    headline: str | None = None
    """Headline metric of tasks that have it; by default the first of the card."""
    within: Within = "all"
    """Papers of the round: all, those of a co-author walk, or those of the largest component."""
    max_overlap: float = Field(default=0.20, ge=0, le=1)
    """Maximum share of the gold's 13-word n-grams in the input."""

    @field_validator("headline")
    @classmethod
    def _check_headline(cls, value: str | None) -> str | None:
        tasks = find_family(FAMILY).card.tasks.values()
        known = dict.fromkeys([name for task in tasks for name in task.metrics])
        known |= dict.fromkeys(
            [*WINS, *JUDGED, *(name for task in tasks for name in task.diagnostics)]
        )
        if value is not None and value not in known:
            raise ValueError(f"there is no metric {value!r}. There are: {', '.join(known)}")
        return value

    @model_validator(mode="after")
    def _check_splits(self) -> WritingOptions:
        if not (min(self.splits) >= 0 and abs(sum(self.splits) - 1) <= 1e-9):
            raise ValueError("splits must be three shares that sum to 1")
        return self


OPTIONS = WritingOptions


def build(corpus: Corpus, spec: RoundSpec, options: WritingOptions) -> FamilyItems:
    """Make the items of every writing task."""
    admitted = {"doubtful_text"} if options.doubtful == "keep" else set()
    if {*options.settings} <= {"title_only", OPEN}:  # they show no text of the paper
        admitted.add("short_text")
    pool = read_pool(corpus, spec.takes, choose_papers(corpus, options.within), admitted)
    authors = read_authors(corpus, pool.texts.keys())
    dropped = (
        draw_targets(pool.candidates, authors, spec.round.seed)
        if options.author_sampling == "inverse_activity"
        else {}
    )
    targets = [name for name in pool.candidates if name not in dropped]
    maker = Maker(corpus, pool, authors, spec.round.seed, options)
    unfit = [(name, *reason) for name, reason in pool.unfit.items()]
    unfit += [(n, "author_sampling", f"kept with probability 1/{m}") for n, m in dropped.items()]
    excluded = [Exclusion(EVERY_TASK, *row) for row in unfit]
    tasks = {task: maker.rows(task, targets) for task in TASKS}
    excluded += maker.excluded
    # All targets and demonstrations, each once, sorted by id.
    rows = [row for items in tasks.values() for row in items]
    demos = (name for row in rows for kind in KINDS for name in row[f"demos_{kind}"])
    used = {row["paper_id"] for row in rows}.union(demos)
    papers = [pool.texts[name] for name in sorted(used)]
    files = {PAPERS: papers_as_bytes(papers)}
    if library := make_library(corpus, maker.citing, tasks["related_work"]):
        files[FILE] = library
    return FamilyItems(tasks, SCHEMAS, excluded, files)


def choose_papers(corpus: Corpus, within: Within) -> dict[str, Reason]:
    """Papers left out of a round because of their position in the co-author network.

    Authors without first-author papers are pruned first; the component's papers are those with its
    members as first author. `InputError` if a walk is requested, but the corpus has none.

    Source: AcademicEval §3.1.
    """
    if within == "all":
        return {}
    if within == "lcc":
        authorships = read_authorships(corpus)
        names, inside = authorships.paper_ids.to_pylist(), papers_in_core(authorships).tolist()
        kept = {name for name, is_inside in zip(names, inside, strict=True) if is_inside}
    else:
        kept = {p.paper_id for p in corpus.papers if KIND in p.source.split("+")}
        if not kept:
            raise InputError(
                'within = "walk" needs papers of a walk: fetch them with viva fetch coauthors and '
                "ingest them with viva ingest coauthors FOLDER --corpus CORPUS."
            )
    reason = _REASONS[within]
    return {p.paper_id: reason for p in corpus.papers if p.paper_id not in kept}


NO_DEMONSTRATION = "no_demonstration"


class Maker:
    """Makes the items of a round and records exclusions."""

    def __init__(
        self,
        corpus: Corpus,
        pool: Pool,
        authors: Authors,
        seed: int,
        options: WritingOptions,
    ) -> None:
        self.settings = [
            setting
            for setting in SETTINGS
            if setting in options.settings and (options.demos or setting not in DEMONSTRATED)
        ]
        self.excluded: list[Exclusion] = []
        self._corpus = corpus
        self._pool = pool
        self._seed = seed
        self._options = options
        self._demos = Demonstrations(pool, authors, seed, options.demos)
        self._relatives: dict[str, list[str]] = defaultdict(list)
        for one, other in sorted(self._demos.kinship.find_all(list(pool.texts.values()))):
            self._relatives[one].append(other)
        self._works: dict[str, list[Row]] = {}
        self.citing = Citing(corpus)

    def rows(self, task: str, targets: Sequence[str]) -> list[Row]:
        """Make the items of a task, sorted by id; exclusions go to `excluded`."""
        made = []
        for name in targets:
            paper = self._pool.texts[name]
            target = make_target(task, paper, self._options.max_overlap)
            if target is None:
                self.excluded.append(Exclusion(task, name, *why_no_gold(task, paper)))
            else:
                made.append(target)
        if task == "related_work":
            made = self._add_works(made)
        rows = [row for target in made if (row := self._row(target))["settings"]]
        assign_splits(rows, self._options.splits)
        return sorted(rows, key=lambda row: str(row["id"]))

    def _add_works(self, targets: Sequence[Target]) -> list[Target]:
        """Limit targets to those that cite a work with a title."""
        references = read_references(self._corpus, [t.paper.paper_id for t in targets])
        library = Library(self._corpus.papers, self._seed)
        kept = []
        for target in targets:
            name = target.paper.paper_id
            listed = references.get(name, [])
            category = self._pool.category(name)
            works = library.works(target.paper, category, listed, self._relatives[name])
            if works:
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
            "published_from": self._pool.papers[paper.paper_id].first_public_from,
            "category": self._pool.category(paper.paper_id),
            "reference": target.reference,
            "overlap": target.overlap,
            "overlap_rest": target.overlap_rest,
        }
        out = dict(target.left_out)
        if target.task == "related_work":
            row["works"] = [self._counted(work, paper) for work in self._works[paper.paper_id]]
            # The paper, its versions, and papers with its title or text.
            group = self._pool.duplicates.get(paper.paper_id, paper.paper_id)
            same = {name for name, kept in self._pool.duplicates.items() if kept == group}
            copies = {paper.paper_id, group, *same, *self._relatives[paper.paper_id]}
            row["hidden"] = sorted(copies)
            if not any(is_there(work, row) for work in row["works"]):
                out[OPEN] = ("no_work_to_find", "no cited work is in the corpus and earlier")
        missing: dict[str, str] = {}
        for kind in KINDS:
            row[f"demos_{kind}"] = []
            if kind in self.settings or "mixed" in self.settings:
                row[f"demos_{kind}"], rejected = self._demos.choose(target.task, kind, paper)
                missing |= {kind: rejected} if rejected else {}
        for setting in self.settings:
            if setting not in DEMONSTRATED or setting in out:
                continue
            kinds = KINDS if setting == "mixed" else (setting,)
            has_all = all(row[f"demos_{kind}"] for kind in kinds)
            if not has_all or len(shown_demos(row, setting)) < len(kinds):
                causes = [one for kind, one in missing.items() if setting in (kind, "mixed")]
                detail = "; ".join(causes) or "both kinds have the same paper alone"
                out[setting] = (NO_DEMONSTRATION, detail)
        wanted = [setting for setting in settings_of(target.task) if setting in self.settings]
        row["settings"] = [setting for setting in wanted if setting not in out]
        left_out = {setting: out[setting] for setting in wanted if setting in out}
        reasons = set(left_out.values())
        if not row["settings"] and len(reasons) == 1:  # recorded once
            self.excluded.append(Exclusion(target.task, row["id"], *reasons.pop()))
        else:
            self.excluded += [
                Exclusion(target.task, row["id"], *reason, setting=setting)
                for setting, reason in left_out.items()
            ]
        return row

    def _counted(self, work: Row, paper: PaperText) -> Row:
        """A work with its number of citations on the day of a paper."""
        if work["work_id"] is None:
            return work
        days = self.citing.days(work["work_id"])
        return {**work, "citations": count_before(days, paper.published)}
