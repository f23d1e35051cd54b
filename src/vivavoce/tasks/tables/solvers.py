"""Methods of the table task: those that ask a model, and one that finds words by rule.

`one_step` puts every paper in full into one prompt and asks for the whole table in one answer; it
fails where the papers are longer than the model's window. Source: arXiv2Table §5.1, baseline 1.
"""

from __future__ import annotations

from anyio import to_thread
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import collect

from vivavoce.metrics.tables.literature_tables import LiteratureTable
from vivavoce.tasks.methods.agent import agent
from vivavoce.tasks.methods.direct import answered
from vivavoce.tasks.scoring.guard import find_fault
from vivavoce.tasks.tables.items.bm25_phrases import make_table
from vivavoce.tasks.tables.items.composing import read_pool
from vivavoce.tasks.tables.items.item import answer_text
from vivavoce.tasks.tables.items.replies import (
    Operations,
    UnusableReply,
    apply_operations,
    read_outline,
    read_row,
    read_single,
    read_table,
)
from vivavoce.tasks.tables.items.working_table import WorkingTable
from vivavoce.tasks.tables.methods.iterative import iterative
from vivavoce.tasks.tables.methods.steps import (
    ATTEMPTS,
    TableRun,
    check_common,
    read_output,
)

_TEMPLATES = {"one_step": ("papers",)}


@solver
def one_step(cot: bool = False, fit: bool = False, context: int | None = None) -> Solver:
    """Ask for the table with all papers in one prompt.

    Args:
        cot: Ask for reasoning before the answer.
        fit: Cut the papers' texts in proportion to a window that is known; else they are sent as
            they are, and a prompt that is too long is an overflow.
        context: Window in tokens; by default what the provider or the model table says.

    Raises:
        InputError: An argument makes no sense.
    """
    check_common(context, cot=cot, fit=fit)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        run = TableRun(state, context, cot=cot, templates=_TEMPLATES)
        return run.answer(await _ask(run, fit))

    return solve


async def _ask(run: TableRun, fit: bool) -> ModelOutput:
    """The model's own answer; asked for once again where it is no table, but for an overflow."""
    prompt = run.prompt("one_step", {}, {"papers": run.paper_listing(run.papers, texts=True)})
    cuts = [tuple(f"{part} {label}" for label in run.labels) for part in ("text", "abstract")]
    titles = {paper.label: paper.title for paper in run.papers}
    complaint = None
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
    return output


_PER_PAPER = {"per_paper": ("paper",)}


@solver
def per_paper(cot: bool = False, context: int | None = None) -> Solver:
    """Ask about each paper alone, then merge the rows by the names of their columns.

    Args:
        cot: Ask for reasoning before each answer.
        context: Window in tokens; by default what the provider or the model table says.

    Raises:
        InputError: An argument makes no sense.
    """
    check_common(context, cot=cot)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        run = TableRun(state, context, cot=cot, templates=_PER_PAPER)
        rows = await collect(
            *(run.ask_about(paper, "per_paper", {}, read_single) for paper in run.papers)
        )
        found = (
            (label, row) for label, row in zip(run.labels, rows, strict=True) if row is not None
        )
        table = WorkingTable(run.labels, exact_names=True)
        run.note_faults(apply_operations(Operations(rows=tuple(found)), table).faults)
        return run.finish(table)

    return solve


_TWO_STAGE = {"two_stage.outline": ("papers",), "two_stage.row": ("columns", "paper")}


@solver
def two_stage(cot: bool = False, context: int | None = None) -> Solver:
    """Ask for papers and columns by titles and abstracts, then for each paper's row by its text.

    Args:
        cot: Ask for reasoning before each answer.
        context: Window in tokens; by default what the provider or the model table says.

    Raises:
        InputError: An argument makes no sense.
    """
    check_common(context, cot=cot)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        run = TableRun(state, context, cot=cot, templates=_TWO_STAGE)
        table = await _outline(run)
        chosen = [paper for paper in run.papers if paper.label in table.papers]
        if table.columns:
            columns = {"columns": "\n".join(f"- {column}" for column in table.columns)}
            rows = await collect(
                *(run.ask_about(paper, "two_stage.row", columns, read_row) for paper in chosen)
            )
            named = zip((paper.label for paper in chosen), rows, strict=True)
            kept = tuple((label, _only(row, table)) for label, row in named if row)
            run.note_faults(apply_operations(Operations(rows=kept), table).faults)
        return run.finish(table)

    return solve


async def _outline(run: TableRun) -> WorkingTable:
    """The table with its papers and columns, and without a value."""
    prompt = run.prompt(
        "two_stage.outline", {}, {"papers": run.paper_listing(run.papers, texts=False)}
    )
    cuts = [tuple(f"abstract {label}" for label in run.labels)]
    outline = await run.ask(prompt, cuts, read_outline)
    table = WorkingTable(run.labels)
    if outline is not None:
        run.note_faults(apply_operations(outline, table).faults)
    return table


def _only(row: dict[str, str | None], table: WorkingTable) -> dict[str, str | None]:
    """The cells of columns that the table has; the second stage adds none."""
    return {name: value for name, value in row.items() if table.find_column(name) is not None}


__all__ = ["agent", "bm25_phrases", "iterative", "one_step", "per_paper", "two_stage"]


@solver
def bm25_phrases() -> Solver:
    """Answer with papers by BM25, and the phrases around the demand's words in their texts."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        table = await to_thread.run_sync(_make, state)
        return answered(state, "bm25_phrases", answer_text(table))

    return solve


def _make(state: TaskState) -> LiteratureTable:
    return make_table(state.metadata["demand"], read_pool(state.metadata))
