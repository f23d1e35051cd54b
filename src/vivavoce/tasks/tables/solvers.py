"""Methods of the table task: with a model, and one by rule.

`one_step` puts every paper in full into one prompt and asks for the whole table in one answer; it
fails if the papers are longer than the model's window. Source: arXiv2Table §5.1, baseline 1.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np
from anyio import to_thread
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import collect

from vivavoce.metrics.tables.literature_tables import LiteratureTable, TableRow
from vivavoce.retrieval.sparse import Bm25Retriever
from vivavoce.tasks.methods.agent import agent
from vivavoce.tasks.methods.direct import answered
from vivavoce.tasks.scoring.guard import find_fault
from vivavoce.tasks.tables.demand_leaks import telling_words
from vivavoce.tasks.tables.item import PoolText, answer_text, read_pool
from vivavoce.tasks.tables.iterative import iterative
from vivavoce.tasks.tables.replies import (
    Cells,
    Operations,
    Outline,
    SinglePaper,
    UnusableReply,
    apply_operations,
    read_table,
)
from vivavoce.tasks.tables.steps import ATTEMPTS, TableRun, check_common, read_output
from vivavoce.tasks.tables.working_table import WorkingTable

MAX_COLUMNS = 6
_WORDS_BESIDE = 2
_NEAR = 60
"""Characters around a word that are searched for its phrase."""
_BREAK = re.compile(r"[^\w\s'-]|\n")


def make_table(demand: str, papers: Sequence[PoolText]) -> LiteratureTable:
    """Make a table of the better half of a pool, as ranked by BM25 on title and abstract.

    Columns are the demand's first words that occur in some but not all texts. A cell is the phrase
    around the word's first occurrence, or N/A.
    """
    asked = list(dict.fromkeys(word.casefold() for word in telling_words(demand)))
    searched = Bm25Retriever((f"{one.title}\n{one.abstract}" for one in papers), epsilon=None)
    order = np.argsort(-searched.scores(" ".join(asked)), kind="stable")
    chosen = [papers[place] for place in sorted(order[: -(-len(papers) // 2)].tolist())]
    texts = {one.label: "\n".join((one.title, one.abstract, one.text)) for one in chosen}
    columns = {
        word.capitalize(): cells
        for word in asked
        if 0 < len(cells := _phrases(word, texts)) < len(texts)
    }
    shown = dict(list(columns.items())[:MAX_COLUMNS])
    return LiteratureTable(
        papers=tuple(texts),
        columns=tuple(shown),
        rows=tuple(
            TableRow(label, tuple(cells.get(label) for cells in shown.values())) for label in texts
        ),
    )


def _phrases(word: str, texts: Mapping[str, str]) -> dict[str, str]:
    """A word's neighbours up to the next punctuation, by the label of each text that has it."""
    pattern = re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE)
    phrases = {}
    for label, text in texts.items():
        if match := pattern.search(text):
            before = _BREAK.split(text[max(0, match.start() - _NEAR) : match.start()])[-1].split()
            behind = _BREAK.split(text[match.end() : match.end() + _NEAR])[0].split()
            words = [*before[-_WORDS_BESIDE:], match[0], *behind[:_WORDS_BESIDE]]
            phrases[label] = " ".join(words)
    return phrases


@solver
def one_step(cot: bool = False, fit: bool = False, context: int | None = None) -> Solver:
    """Ask for the table with all papers in one prompt.

    Args:
        cot: Ask for reasoning before the answer.
        fit: Cut the papers' texts in proportion to fit a known window; otherwise a prompt that is
            too long is an overflow.
        context: Window in tokens; by default what the provider or the model table says.
    """
    check_common(context, cot=cot, fit=fit)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        run = TableRun(state, context, cot=cot, templates={"one_step": ("papers",)})
        prompt = run.prompt("one_step", {}, {"papers": run.paper_listing(run.papers, texts=True)})
        cuts = [tuple(f"{part} {label}" for label in run.labels) for part in ("text", "abstract")]
        titles = {paper.label: paper.title for paper in run.papers}
        complaint = None
        # Ask once more if the answer is not a table, except after an overflow.
        for attempt in range(ATTEMPTS):
            output, _ = await run.send(prompt, cuts, complaint, is_fitted=fit)
            if find_fault(output) == "overflow":
                run.record["overflows"] += 1
                break
            try:
                read_output(output, lambda answer: read_table(answer, titles))
                break
            except UnusableReply as error:
                complaint = str(error)
                run.record["malformed"] += 1
                run.record["skipped"] += attempt + 1 == ATTEMPTS
        return run.answer(output)

    return solve


@solver
def per_paper(cot: bool = False, context: int | None = None) -> Solver:
    """Ask about each paper alone, then merge the rows by the names of their columns.

    Args:
        cot: Ask for reasoning before each answer.
        context: Window in tokens; by default what the provider or the model table says.
    """
    check_common(context, cot=cot)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        run = TableRun(state, context, cot=cot, templates={"per_paper": ("paper",)})
        rows = await collect(
            *(run.ask_about(paper, "per_paper", {}, SinglePaper.read) for paper in run.papers)
        )
        named = zip(run.labels, rows, strict=True)
        kept = {label: row.cells for label, row in named if row is not None and row.include}
        table = WorkingTable(run.labels, exact_names=True)
        run.note_faults(apply_operations(Operations.model_construct(rows=kept), table)[1])
        return run.finish(table)

    return solve


_TWO_STAGE = {"two_stage.outline": ("papers",), "two_stage.row": ("columns", "paper")}


@solver
def two_stage(cot: bool = False, context: int | None = None) -> Solver:
    """Ask for papers and columns by titles and abstracts, then for each paper's row by its text.

    Args:
        cot: Ask for reasoning before each answer.
        context: Window in tokens; by default what the provider or the model table says.
    """
    check_common(context, cot=cot)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        run = TableRun(state, context, cot=cot, templates=_TWO_STAGE)
        papers = {"papers": run.paper_listing(run.papers, texts=False)}
        prompt = run.prompt("two_stage.outline", {}, papers)
        cuts = [tuple(f"abstract {label}" for label in run.labels)]
        outline = await run.ask(prompt, cuts, Outline.read)
        table = WorkingTable(run.labels)
        if outline is not None:
            changes = Operations(include=outline.papers, add=outline.columns)
            run.note_faults(apply_operations(changes, table)[1])
        chosen = [paper for paper in run.papers if paper.label in table.papers]
        if table.columns:
            columns = {"columns": "\n".join(f"- {column}" for column in table.columns)}
            rows = await collect(
                *(run.ask_about(paper, "two_stage.row", columns, Cells.read) for paper in chosen)
            )
            named = zip((paper.label for paper in chosen), rows, strict=True)
            # The second stage does not add columns.
            kept = {
                label: {name: cell for name, cell in row.cells.items() if table.find_column(name)}
                for label, row in named
                if row is not None
            }
            run.note_faults(apply_operations(Operations.model_construct(rows=kept), table)[1])
        return run.finish(table)

    return solve


__all__ = ["agent", "bm25_phrases", "iterative", "one_step", "per_paper", "two_stage"]


@solver
def bm25_phrases() -> Solver:
    """Answer with papers by BM25, and the phrases around the demand's words in their texts."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        pool = await to_thread.run_sync(read_pool, state.metadata)
        table = await to_thread.run_sync(make_table, state.metadata["demand"], pool)
        return answered(state, "bm25_phrases", answer_text(table))

    return solve
