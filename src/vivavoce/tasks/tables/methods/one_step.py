"""The method of one step: every paper in full in one prompt, and the whole table in one answer.

Source: arXiv2Table §5.1, baseline 1. It fails where the papers are longer than the model's window.
"""

from __future__ import annotations

from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from vivavoce.tasks.tables.methods.answers import read_table
from vivavoce.tasks.tables.methods.operations import UnusableReply
from vivavoce.tasks.tables.methods.steps import ATTEMPTS, TableRun, check_common, read_output

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
        if output.choices and output.stop_reason == "model_length":
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
