"""The method of two stages: columns out of titles and abstracts, then a row out of each full text.

Source: arXiv2Table §5.1, after Newman et al. (2024).
"""

from __future__ import annotations

from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import collect

from vivavoce.tasks.tables.methods.answers import read_outline, read_row
from vivavoce.tasks.tables.methods.operations import Operations, apply_operations
from vivavoce.tasks.tables.methods.steps import ShownPaper, TableRun, check_common
from vivavoce.tasks.tables.methods.working_table import WorkingTable

_TEMPLATES = {"two_stage.outline": ("papers",), "two_stage.row": ("columns", "paper")}


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
        run = TableRun(state, context, cot=cot, templates=_TEMPLATES)
        table = await _outline(run)
        chosen = [paper for paper in run.papers if paper.label in table.papers]
        if table.columns:
            rows = await collect(*(_row(run, paper, table.columns) for paper in chosen))
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
        chosen = Operations(include=outline.papers, add=outline.columns)
        run.note_faults(apply_operations(chosen, table).faults)
    return table


async def _row(
    run: TableRun, paper: ShownPaper, columns: tuple[str, ...]
) -> dict[str, str | None] | None:
    listed = "\n".join(f"- {column}" for column in columns)
    prompt = run.prompt(
        "two_stage.row",
        {"columns": listed},
        {"paper": run.paper_listing([paper], texts=True)},
    )
    return await run.ask(prompt, [f"text {paper.label}", f"abstract {paper.label}"], read_row)


def _only(row: dict[str, str | None], table: WorkingTable) -> dict[str, str | None]:
    """The cells of columns that the table has; the second stage adds none."""
    return {name: value for name, value in row.items() if table.find_column(name) is not None}
