"""Papers of a corpus turned into writing items.

Source: AcademicEval §3.2. A title is written from the main body and the abstract; an abstract
from the title and the main body without its conclusion. The main body is every section but the
abstract, the references, the acknowledgements and the appendix.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import pyarrow as pa
from pydantic import Field, model_validator

from vivavoce.corpus import Corpus
from vivavoce.metrics.text_statistics import ngram_overlap
from vivavoce.records import Paper, Section
from vivavoce.rounds.family import Exclusion, FamilyItems
from vivavoce.rounds.leakage import duplicate_titles, gold_is_inside
from vivavoce.rounds.spec import Options, RoundSpec
from vivavoce.store import Row
from vivavoce.text.dates import inside, period

FAMILY = "writing"
TASKS = ("title", "abstract")
SPLITS = ("train", "val", "test")

_NEVER_IN_BODY = frozenset({"abstract", "references", "acknowledgements", "appendix"})
_LEFT_OUT = {"title": _NEVER_IN_BODY, "abstract": _NEVER_IN_BODY | {"conclusion"}}

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("paper_id", pa.string()),
        ("cluster", pa.string()),
        ("split", pa.string()),
        ("published", pa.string()),
        ("title", pa.string()),
        ("abstract", pa.string()),
        ("content", pa.string()),
        ("reference", pa.string()),
    ]
)
"""`title` and `abstract` are inputs: the one that is the gold is null and stands in `reference`."""


class WritingOptions(Options):
    """The `[writing]` table of a round spec."""

    settings: tuple[Literal["base"], ...] = ("base",)
    demos: int = Field(default=2, ge=0)
    """Demonstrations a setting that has them shows; `base` has none."""
    splits: tuple[float, float, float] = Field(default=(0.72, 0.19, 0.09))
    """Shares of train, val and test, oldest papers first."""
    author_sampling: Literal["uniform"] = "uniform"
    """How targets are drawn over authors; every fit paper is a target."""
    max_overlap: float = Field(default=0.20, ge=0, le=1)
    """The largest share of the gold's 13-word runs that may stand in the input."""

    @model_validator(mode="after")
    def _check_splits(self) -> WritingOptions:
        if not (min(self.splits) >= 0 and abs(sum(self.splits) - 1) <= 1e-9):
            raise ValueError("splits must be three shares that sum to 1")
        return self


OPTIONS = WritingOptions


def build(corpus: Corpus, spec: RoundSpec, options: WritingOptions) -> FamilyItems:
    """Make the items of every writing task."""
    candidates, early = _candidates(corpus, spec)
    sections = {paper_id: found for paper_id, found in corpus.sections() if paper_id in candidates}
    tasks: dict[str, Sequence[Row]] = {}
    excluded = [Exclusion(task, *reason) for task in TASKS for reason in early]
    for task in TASKS:
        rows = []
        for paper in candidates.values():
            row = _item(task, paper, sections[paper.paper_id])
            leak = _leak(row, options.max_overlap)
            if leak:
                excluded.append(Exclusion(task, paper.paper_id, *leak))
            else:
                rows.append(row)
        _assign_splits(rows, options.splits)
        tasks[task] = sorted(rows, key=lambda row: row["id"])
    return FamilyItems(tasks, dict.fromkeys(tasks, SCHEMA), excluded)


def _candidates(
    corpus: Corpus, spec: RoundSpec
) -> tuple[dict[str, Paper], list[tuple[str, str, str]]]:
    """Papers fit to be targets by id; (paper id, reason, detail) of all others."""
    duplicates = duplicate_titles(corpus.papers)
    fit: dict[str, Paper] = {}
    left_out = []
    for paper in corpus.papers:
        reason = _reason(paper, duplicates, spec)
        if reason:
            left_out.append((paper.paper_id, *reason))
        else:
            fit[paper.paper_id] = paper
    return fit, left_out


def _reason(paper: Paper, duplicates: dict[str, str], spec: RoundSpec) -> tuple[str, str] | None:
    """Why a paper is no target: (short name, detail); the first cause that holds."""
    if paper.gates:
        return paper.gates[0], ", ".join(paper.gates)
    if paper.published is None or not inside(paper.published, spec.window):
        return "outside_window", str(paper.published)
    if kept := duplicates.get(paper.paper_id):
        return "duplicate_title", f"same title as {kept}"
    return None


def _item(task: str, paper: Paper, sections: Sequence[Section]) -> Row:
    gold = {"title": paper.title, "abstract": paper.abstract}[task]
    return {
        "id": paper.paper_id,
        "paper_id": paper.paper_id,
        "cluster": paper.paper_id,
        "split": None,
        "published": paper.published,
        "title": None if task == "title" else paper.title,
        "abstract": None if task == "abstract" else paper.abstract,
        "content": "\n\n".join(_body(sections, _LEFT_OUT[task])),
        "reference": gold,
    }


def _body(sections: Sequence[Section], left_out: frozenset[str]) -> Iterator[str]:
    """Headings and texts of the sections that are not left out, in order."""
    for section in sections:
        if section.role in left_out:
            continue
        if section.heading:
            yield f"{section.number} {section.heading}" if section.number else section.heading
        if section.text:
            yield section.text


def _leak(row: Row, max_overlap: float) -> tuple[str, str] | None:
    """(reason, detail) when the item gives its own answer away."""
    if not row["content"]:
        return "empty_input", "no section is left to write from"
    inputs = {name: row[name] for name in ("content", "title", "abstract") if row[name]}
    found = [name for name, text in inputs.items() if gold_is_inside(row["reference"], [text])]
    if found:
        return "gold_in_input", f"stands verbatim in: {', '.join(found)}"
    overlap = ngram_overlap(row["reference"], "\n\n".join(inputs.values())) or 0.0
    if overlap > max_overlap:
        return "overlap", f"{overlap:.0%} of the gold's 13-word runs stand in the input"
    return None


def _assign_splits(rows: list[Row], shares: Sequence[float]) -> None:
    """Cut the items into train, val and test by date, oldest first; equal dates by id."""
    rows.sort(key=lambda row: (*period(row["published"]), row["id"]))
    first = round(shares[0] * len(rows))
    second = round((shares[0] + shares[1]) * len(rows))
    for index, row in enumerate(rows):
        row["split"] = SPLITS[(index >= first) + (index >= second)]
