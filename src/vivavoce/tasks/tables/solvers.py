"""Methods of the table task: those that ask a model, and one that finds words by rule."""

from __future__ import annotations

from anyio import to_thread
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from vivavoce.metrics.literature_tables import LiteratureTable
from vivavoce.tasks.methods.agent import agent
from vivavoce.tasks.tables.items.composing import pool_with_texts
from vivavoce.tasks.tables.items.keyword.papers import read_pool
from vivavoce.tasks.tables.items.table_items import answer_text
from vivavoce.tasks.tables.methods.baselines import one_step, per_paper, two_stage
from vivavoce.tasks.tables.methods.iterative import iterative

__all__ = ["agent", "iterative", "keyword_table", "one_step", "per_paper", "two_stage"]


@solver
def keyword_table() -> Solver:
    """Answer with papers that are near the demand, and with what patterns find in their texts."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        table = await to_thread.run_sync(_make, state)
        state.output = ModelOutput.from_content("contestant/keyword_table", answer_text(table))
        state.completed = True
        return state

    return solve


def _make(state: TaskState) -> LiteratureTable:
    from vivavoce.tasks.tables.items.keyword.making import make_table

    return make_table(state.metadata["demand"], read_pool(pool_with_texts(state.metadata)))
