"""Papers of a corpus turned into writing items: four tasks in six settings.

Source: AcademicEval §3.2, with the rules of docs/families/writing.md.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator, model_validator

from vivavoce.corpus import Corpus
from vivavoce.errors import InputError
from vivavoce.metrics.judged_text import JUDGED, WINS
from vivavoce.networks.authors import papers_in_core, read_authorships
from vivavoce.rounds.family import EVERY_TASK, Exclusion, FamilyItems
from vivavoce.rounds.spec import Options, RoundSpec
from vivavoce.sources.catalogues.arxiv.coauthors import KIND
from vivavoce.tasks import find_family
from vivavoce.tasks.writing import open_track
from vivavoce.tasks.writing.demonstrations import draw_targets, read_authors
from vivavoce.tasks.writing.inputs import (
    DEMONSTRATED,
    OPEN,
    SCHEMAS,
    SETTINGS,
    TASKS,
    Setting,
)
from vivavoce.tasks.writing.papers import Reason, papers_as_bytes, read_pool
from vivavoce.tasks.writing.rows import Maker, demos_of

FAMILY = "writing"
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
    """With `open` the round holds title and abstract of every paper that may be found."""
    demos: int = Field(default=2, ge=0, le=20)
    """Demonstrations of each kind that the round holds; with 0 the settings that show them go."""
    splits: tuple[float, float, float] = Field(default=(0.72, 0.19, 0.09))
    """Shares of train, val and test, oldest papers first."""
    author_sampling: Literal["uniform", "inverse_activity"] = "uniform"
    """Draw of targets: every fit paper, or one in n where an author has n of them."""
    doubtful: Literal["leave_out", "keep"] = "leave_out"
    """Treatment of papers whose PDF was read with doubt: no targets, or targets like others."""
    headline: str | None = None
    """The metric that its boards rank by where a task has it; by default the first of the card."""
    within: Within = "all"
    """Papers of which the round is made: all, those of a walk through co-authors, or those whose
    first author is in the largest component of the network without authors who lead no paper."""
    max_overlap: float = Field(default=0.20, ge=0, le=1)
    """The largest share of the gold's 13-word runs that may stand in the input."""

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
    if {*options.settings} <= {"title_only", OPEN}:  # which show no text of the paper
        admitted.add("short_text")
    pool = read_pool(corpus, spec.takes, choose_papers(corpus, options.within), admitted)
    authors = read_authors(corpus, pool.texts.keys())
    dropped = (
        draw_targets(pool.candidates, authors, spec.round.seed)
        if options.author_sampling == "inverse_activity"
        else {}
    )
    targets = [name for name in pool.candidates if name not in dropped]
    maker = Maker(
        corpus,
        pool,
        authors,
        seed=spec.round.seed,
        settings=_settings(options),
        demos=options.demos,
        splits=options.splits,
        max_overlap=options.max_overlap,
    )
    unfit = [(name, *reason) for name, reason in pool.unfit.items()]
    unfit += [(n, "author_sampling", f"kept with probability 1/{m}") for n, m in dropped.items()]
    excluded = [Exclusion(EVERY_TASK, *row) for row in unfit]
    tasks = {task: maker.rows(task, targets) for task in TASKS}
    excluded += maker.excluded
    # Every target and every demonstration once, sorted by id.
    rows = [row for found in tasks.values() for row in found]
    used = {row["paper_id"] for row in rows}.union(*(demos_of(row) for row in rows))
    papers = [pool.texts[name] for name in sorted(used)]
    files = {PAPERS: papers_as_bytes(papers)}
    if library := open_track.make_library(corpus, maker.citing, tasks["related_work"]):
        files[open_track.FILE] = library
    return FamilyItems(tasks, SCHEMAS, excluded, files)


def _settings(options: WritingOptions) -> tuple[str, ...]:
    """The settings of the round in their usual order."""
    wanted = (s for s in SETTINGS if s in options.settings)
    return tuple(s for s in wanted if options.demos or s not in DEMONSTRATED)


def choose_papers(corpus: Corpus, within: Within) -> dict[str, Reason]:
    """Papers that are left out of a round because of their place in the co-author network.

    Authors who never are first author are pruned before the component is taken, and its papers are
    those that its authors lead.

    Source: AcademicEval §3.1.

    Raises:
        InputError: A walk is asked for, and the corpus holds none.
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
