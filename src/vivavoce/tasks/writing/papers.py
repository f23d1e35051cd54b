"""Targets of each task and setting, and reasons for exclusions."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

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
    gold_paragraphs,
    is_long,
    row_of_paper,
    settings_of,
    slots,
)
from vivavoce.text.dates import period
from vivavoce.text.normalise import normalise_title
from vivavoce.text.shingles import RETOLD, retold_share, shingles_of

SPLITS = ("train", "val", "test")
RUN = 13
"""Length of n-grams that two texts do not share by chance."""
ANTHOLOGY_CATEGORY = "cs.CL"
"""arXiv category for papers of the ACL Anthology, whose records have no categories."""
MIN_SECTION_WORDS = 40
MAX_SINGLE = 0.3
"""Maximum share of one-character words in a gold section.

In readable sections with much mathematics it is a fifth; in PDFs whose formulas are spelled out
letter by letter, nearly all.
"""
_ALIKE: Mapping[str, tuple[str, ...]] = {
    "base": ("base", "random", "coauthor", "mixed"),
    "leave_one_out": ("leave_one_out",),
    "title_only": ("title_only",),
    OPEN: (OPEN,),
}
"""Distinct inputs -> settings that show them for the target."""

_PART = {"title": "title", "abstract": "abstract", "related_work": "references"}
"""Part of a paper that is the gold, or the list of works, by task."""

Reason = tuple[str, str]
"""(Short name, detail) of an exclusion."""


@dataclass(frozen=True, slots=True)
class Target:
    """A target of a task: its gold, and how far its inputs give the gold away."""

    task: str
    paper: PaperText
    reference: str
    left_out: Mapping[str, Reason]
    """Settings with an unsuitable input -> reason."""
    overlap: float | None
    """Share of the gold's 13-word n-grams in the input `base`; None if the gold has none."""
    overlap_rest: float | None
    """Share of these n-grams in the input `leave_one_out`."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The papers of a corpus, sorted into suitable and unsuitable ones."""

    texts: Mapping[str, PaperText]
    """Papers that pass the quality gates, by id, from which demonstrations are chosen."""
    papers: Mapping[str, Paper]
    """Rows of these papers in the corpus, by id."""
    unfit: Mapping[str, Reason]
    """Papers that cannot be targets -> reason."""
    duplicates: Mapping[str, str]
    """Papers with the same title as, or near copies of, another -> the kept one."""

    @property
    def candidates(self) -> list[str]:
        """Sorted ids of papers that can be targets."""
        return [paper_id for paper_id in self.texts if paper_id not in self.unfit]

    def category(self, paper_id: str) -> str | None:
        """Primary category of a paper."""
        return primary_category(self.papers[paper_id])


def read_pool(
    corpus: Corpus,
    takes: Callable[[Paper], bool],
    outside: Mapping[str, Reason],
    admitted: Collection[str] = frozenset(),
) -> Pool:
    """Check all papers of a corpus, and read the texts of those that pass the gates.

    Papers in `outside` are neither targets nor demonstrations; `takes` returns whether a paper's
    date allows it as a target, and `admitted` has gates to ignore.
    """
    papers = [
        replace(paper, gates=tuple(gate for gate in paper.gates if gate not in admitted))
        for paper in corpus.papers
    ]
    copies = duplicate_works(papers)
    titles = duplicate_titles([paper for paper in papers if paper.paper_id not in copies])
    reasons: dict[str, Reason] = {}
    for paper in papers:
        name = paper.paper_id
        if name in outside:
            reasons[name] = outside[name]
        elif paper.gates:
            reasons[name] = paper.gates[0], ", ".join(paper.gates)
        elif not takes(paper):
            reasons[name] = "outside_window", str(paper.first_public)
        elif name in copies:
            reasons[name] = "near_copy", f"the same work as {copies[name]}"
        elif name in titles:
            reasons[name] = "duplicate_title", f"same title as {titles[name]}"
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
    return Pool(texts, sound, reasons, titles | copies)


def primary_category(paper: Paper) -> str | None:
    """First category of a paper; for Anthology papers without one, the Anthology's category."""
    if paper.categories:
        return paper.categories[0]
    return ANTHOLOGY_CATEGORY if paper.acl_id else None


def gold_of(task: str, paper: PaperText) -> str | None:
    """Gold text of a paper; None if it is short or doubtful."""
    if _PART.get(task) in paper.doubts:
        return None
    text = gold(task, paper.title, paper.abstract, paper.sections)
    return None if task in SECTION_TASKS and text and _fault(text) else text


def why_no_gold(task: str, paper: PaperText) -> Reason:
    """Reason why a paper has no gold."""
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


def make_target(task: str, paper: PaperText, max_overlap: float) -> Target | None:
    """Make a target of a task; None without gold."""
    reference = gold_of(task, paper)
    if reference is None:
        return None
    # Long paragraphs do not occur elsewhere by chance.
    paragraphs = gold_paragraphs(task, paper.sections)
    golds = [reference, *(p for p in paragraphs if is_long(normalise_title(p)))]
    has_runs = len(words_of(reference)) >= RUN
    overlaps: dict[str, float | None] = {}
    left_out: dict[str, Reason] = {}
    for setting in (s for s in _ALIKE if s in settings_of(task)):
        shown = slots(task, setting, paper)
        text = "\n\n".join(shown.values())
        overlaps[setting] = ngram_overlap(reference, text) if has_runs else None
        retold = retold_share(shingles_of(reference), shingles_of(text)) if has_runs else None
        if leak := _leak(golds, shown, overlaps[setting], retold, max_overlap):
            left_out |= dict.fromkeys(_ALIKE[setting], leak)
    return Target(task, paper, reference, left_out, overlaps["base"], overlaps["leave_one_out"])


def _leak(
    golds: Sequence[str],
    shown: Mapping[str, str],
    overlap: float | None,
    retold: float | None,
    max_overlap: float,
) -> Reason | None:
    """Reason why an input is unsuitable; `retold` is the share that is close together in it."""
    if shown.get("content") == "":
        return "empty_input", "no section is left to write from"
    if holders := names_of_holders(golds, {name: part for name, part in shown.items() if part}):
        return "gold_in_input", f"is verbatim in: {', '.join(holders)}"
    if overlap is not None and overlap > max_overlap:
        return "overlap", f"{overlap:.0%} of the gold's 13-word runs are in the input"
    if retold is not None and retold >= max(RETOLD, max_overlap):
        return "gold_retold", f"{retold:.0%} of the gold's 3-word runs are close together in it"
    return None


def assign_splits(rows: list[Row], shares: Sequence[float]) -> None:
    """Split items into train, val and test by date, oldest first, ties by id.

    A date known only to the month or year counts as its last day.
    """
    rows.sort(key=lambda row: (*reversed(period(row["published"])), row["id"]))
    first = round(shares[0] * len(rows))
    second = round((shares[0] + shares[1]) * len(rows))
    for index, row in enumerate(rows):
        row["split"] = SPLITS[(index >= first) + (index >= second)]


def papers_as_bytes(papers: Sequence[PaperText]) -> bytes:
    """Write `papers.parquet`, the same bytes for the same papers."""
    return parquet_of_rows([row_of_paper(paper) for paper in papers], PAPER)
