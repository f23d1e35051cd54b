"""Targets of each task and setting, and the reasons why other papers are none."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from vivavoce.corpus import Corpus
from vivavoce.metrics.rouge import ngram_overlap, words_of
from vivavoce.records import Paper
from vivavoce.rounds.family import duplicate_titles, duplicate_works, names_of_holders
from vivavoce.store import Row, parquet_of_rows
from vivavoce.tasks.writing.inputs import (
    OPEN,
    PAPER,
    SECTION_TASKS,
    PaperText,
    gold,
    long_paragraphs,
    row_of_paper,
    settings_of,
    slots,
)
from vivavoce.text.dates import period
from vivavoce.text.shingles import RETOLD, retold_share, shingles_of

SPLITS = ("train", "val", "test")
RUN = 13
"""Words of a run: longer than what two texts share by chance."""
ANTHOLOGY_CATEGORY = "cs.CL"
"""Category of the ACL Anthology, by arXiv's name: its records have no categories."""
MIN_SECTION_WORDS = 40
"""A section with fewer words is not gold."""
MAX_SINGLE = 0.3
"""The largest share of words of one character in a section that is gold.

Of readable sections with much mathematics a fifth are; where a parse of a PDF spells out what
was hidden behind its formulas, nearly all.
"""
_ALIKE: Mapping[str, tuple[str, ...]] = {
    "base": ("base", "random", "coauthor", "mixed"),
    "leave_one_out": ("leave_one_out",),
    "title_only": ("title_only",),
    OPEN: (OPEN,),
}
"""Inputs that differ -> the settings that show them of the target."""

_PART = {"title": "title", "abstract": "abstract", "related_work": "references"}
"""Tasks whose gold, or whose list of works, is one part of a paper."""

Reason = tuple[str, str]
"""(short name, detail) of why something is left out."""


@dataclass(frozen=True, slots=True)
class Exposure:
    """Part of the gold that an input gives away, however much of that a round allows."""

    overlap: float | None
    """Share of the gold's 13-word runs that stand in the input; None for a gold without any."""
    leak: Reason | None
    """Reason why the input is unfit in any round."""
    retold: float | None = None
    """Share of the gold's three-word runs close together in the input; None as `overlap`."""


@dataclass(slots=True)
class Target:
    """A paper that is written for a task: its gold, and what its inputs give away."""

    task: str
    paper: PaperText
    reference: str
    left_out: dict[str, Reason] = field(default_factory=dict)
    """Settings whose input is unfit -> why."""
    overlap: float | None = None
    overlap_rest: float | None = None


@dataclass(frozen=True, slots=True)
class Pool:
    """The papers of a corpus, judged."""

    texts: Mapping[str, PaperText]
    """Papers that pass the quality gates, by id: what demonstrations are chosen from."""
    categories: Mapping[str, str | None]
    """Their primary categories."""
    unfit: Mapping[str, Reason]
    """All papers that cannot be targets -> why."""
    duplicates: Mapping[str, str]
    """Papers with the title of another, or near copies of it -> the one that is kept."""
    evidence: Mapping[str, str | None] = field(default_factory=dict)
    """Source of each paper's date, as `Paper.first_public_from` names it."""
    works: Mapping[str, str] = field(default_factory=dict)
    """Papers that are one work with others -> the work."""

    @property
    def candidates(self) -> list[str]:
        """Ids of the papers fit to be targets, sorted."""
        return [paper_id for paper_id in self.texts if paper_id not in self.unfit]


def read_pool(
    corpus: Corpus,
    takes: Callable[[Paper], bool],
    outside: Mapping[str, Reason],
    admitted: Collection[str] = frozenset(),
) -> Pool:
    """Judge every paper of a corpus, and read the texts of those that pass the gates.

    Papers outside what a round is made of are neither targets nor demonstrations; `takes` tells of
    a paper whether its date lets it be a target, and `admitted` are gates that none need pass.
    """
    papers = [
        replace(paper, gates=tuple(gate for gate in paper.gates if gate not in admitted))
        for paper in corpus.papers
    ]
    copies = duplicate_works(papers)
    titles = duplicate_titles([paper for paper in papers if paper.paper_id not in copies])
    reasons = {
        paper.paper_id: reason
        for paper in papers
        if (reason := outside.get(paper.paper_id) or _why_unfit(paper, titles, copies, takes))
    }
    sound = {
        paper.paper_id: paper
        for paper in papers
        if not paper.gates and paper.paper_id not in outside
    }
    texts = {
        paper_id: PaperText(
            paper_id,
            sound[paper_id].first_public or "",
            sound[paper_id].title or "",
            sound[paper_id].abstract or "",
            sections,
            () if "doubtful_text" in admitted else sound[paper_id].doubts,
        )
        for paper_id, sections in corpus.sections()
        if paper_id in sound
    }
    categories = {name: primary_category(sound[name]) for name in texts}
    evidence = {name: sound[name].first_public_from for name in texts}
    works = {paper.paper_id: paper.work for paper in papers if paper.work}
    return Pool(texts, categories, reasons, titles | copies, evidence, works)


def primary_category(paper: Paper) -> str | None:
    """The first category of a paper; that of the Anthology's field for papers of it without one."""
    if paper.categories:
        return paper.categories[0]
    return ANTHOLOGY_CATEGORY if paper.acl_id else None


def _why_unfit(
    paper: Paper,
    titles: Mapping[str, str],
    copies: Mapping[str, str],
    takes: Callable[[Paper], bool],
) -> Reason | None:
    """Reason why a paper is not a target; the first cause that holds."""
    if paper.gates:
        return paper.gates[0], ", ".join(paper.gates)
    if not takes(paper):
        return "outside_window", str(paper.first_public)
    if kept := copies.get(paper.paper_id):
        return "near_copy", f"the same work as {kept}"
    if kept := titles.get(paper.paper_id):
        return "duplicate_title", f"same title as {kept}"
    return None


def gold_of(task: str, paper: PaperText) -> str | None:
    """Text of a paper that is to be written; None where it is short or was read with doubt."""
    return None if _PART.get(task) in paper.doubts else _text_of(task, paper)


def _text_of(task: str, paper: PaperText) -> str | None:
    """Text of a paper that is to be written, however well it was read; None for a short one."""
    text = gold(task, paper.title, paper.abstract, paper.sections)
    return None if task in SECTION_TASKS and text and _fault(text) else text


def why_no_gold(task: str, paper: PaperText) -> Reason:
    """The reason that goes with a gold of None."""
    if (part := _PART.get(task)) in paper.doubts:
        return f"doubtful_{part}", "it was read from the PDF with doubt: see health_reasons"
    if text := gold(task, paper.title, paper.abstract, paper.sections):
        name, detail = _fault(text) or ("unfit", "it is not gold")
        return f"{name}_{task}", detail
    return f"no_{task}", "no section of the paper is one"


def _fault(text: str) -> Reason | None:
    """Reason why the text of a section is not gold."""
    words = text.split()
    if len(words) < MIN_SECTION_WORDS:
        return "short", f"{len(words)} words, at least {MIN_SECTION_WORDS} are needed"
    single = sum(len(word) == 1 for word in words) / len(words)
    if single > MAX_SINGLE:
        return "garbled", f"{single:.0%} of its words have one character"
    return None


def make_target(
    task: str, paper: PaperText, exposed: Mapping[str, Exposure], max_overlap: float
) -> Target | None:
    """A paper as a target of a task; None where it has no gold."""
    reference = gold_of(task, paper)
    if reference is None:
        return None
    made = Target(task, paper, reference)
    made.overlap, made.overlap_rest = exposed["base"].overlap, exposed["leave_one_out"].overlap
    for setting, alike in _ALIKE.items():
        if setting in exposed and (leak := _leak(exposed[setting], max_overlap)):
            made.left_out.update(dict.fromkeys(alike, leak))
    return made


def _leak(exposure: Exposure, max_overlap: float) -> Reason | None:
    """Reason why an input is unfit in a round that allows so much overlap."""
    overlap = exposure.overlap
    if exposure.leak is None and overlap is not None and overlap > max_overlap:
        return "overlap", f"{overlap:.0%} of the gold's 13-word runs are in the input"
    retold = exposure.retold
    if exposure.leak is None and retold is not None and retold >= max(RETOLD, max_overlap):
        return "gold_retold", f"{retold:.0%} of the gold's 3-word runs are close together in it"
    return exposure.leak


def expose(task: str, paper: PaperText) -> dict[str, Exposure]:
    """Exposure of the gold by each input of a task, by setting; empty where there is no gold.

    It depends on the text of the paper alone. Settings that show the same as `base` are not listed.
    """
    reference = _text_of(task, paper)
    if reference is None:
        return {}
    golds = [reference, *long_paragraphs(task, paper.sections)]
    has_runs = len(words_of(reference)) >= RUN
    found = {}
    for setting in (s for s in _ALIKE if s in settings_of(task)):
        shown = slots(task, setting, paper)
        overlap = ngram_overlap(reference, "\n\n".join(shown.values())) if has_runs else None
        text = "\n\n".join(shown.values())
        retold = retold_share(shingles_of(reference), shingles_of(text)) if has_runs else None
        found[setting] = Exposure(overlap, _verbatim(golds, shown), retold)
    return found


def _verbatim(golds: Sequence[str], shown: Mapping[str, str]) -> Reason | None:
    """Reason why an input gives its own answer away word for word, or is none."""
    if shown.get("content") == "":
        return "empty_input", "no section is left to write from"
    texts = {name: text for name, text in shown.items() if text}
    found = names_of_holders(golds, texts)
    return ("gold_in_input", f"is verbatim in: {', '.join(found)}") if found else None


def assign_splits(rows: list[Row], shares: Sequence[float]) -> None:
    """Cut the items into train, val and test by date, oldest first; equal dates by id.

    A date known to the month or the year counts as its last day.
    """
    rows.sort(key=lambda row: (*reversed(period(row["published"])), row["id"]))
    first = round(shares[0] * len(rows))
    second = round((shares[0] + shares[1]) * len(rows))
    for index, row in enumerate(rows):
        row["split"] = SPLITS[(index >= first) + (index >= second)]


def papers_as_bytes(papers: Sequence[PaperText]) -> bytes:
    """The file `papers.parquet`, the same bytes for the same papers."""
    return parquet_of_rows([row_of_paper(paper) for paper in papers], PAPER)
