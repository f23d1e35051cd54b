"""The method of one paper at a time: each is judged and tabulated alone, and columns are merged.

Source: arXiv2Table §5.1, baseline 2. Columns are one only where their names are exactly equal, so
that the table is sparse.
"""

from __future__ import annotations

from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import collect

from vivavoce.tasks.tables.methods.answers import read_single
from vivavoce.tasks.tables.methods.operations import Operations, apply_operations
from vivavoce.tasks.tables.methods.steps import ShownPaper, TableRun, check_common
from vivavoce.tasks.tables.methods.working_table import WorkingTable

_TEMPLATES = {"per_paper": ("paper",)}


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
        run = TableRun(state, context, cot=cot, templates=_TEMPLATES)
        rows = await collect(*(_row(run, paper) for paper in run.papers))
        found = (
            (label, row) for label, row in zip(run.labels, rows, strict=True) if row is not None
        )
        table = WorkingTable(run.labels, exact_names=True)
        run.note_faults(apply_operations(Operations(rows=tuple(found)), table).faults)
        return run.finish(table)

    return solve


async def _row(run: TableRun, paper: ShownPaper) -> dict[str, str | None] | None:
    """The paper's cells by column; None for a paper that is left out or not answered for."""
    prompt = run.prompt("per_paper", {}, {"paper": run.paper_listing([paper], texts=True)})
    cuts = [f"text {paper.label}", f"abstract {paper.label}"]
    return await run.ask(prompt, cuts, read_single)
