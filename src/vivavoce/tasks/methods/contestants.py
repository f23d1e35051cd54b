"""Contestants that need no model and bound every metric: oracle, null and copycat.

They are Inspect solvers, run with `--model none`.
"""

from __future__ import annotations

from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

CONTESTANTS = ("copycat", "null", "oracle")
NULL_ANSWER = "We study a problem and report what we find."


def _answer(state: TaskState, name: str, text: str) -> TaskState:
    state.output = ModelOutput.from_content(f"contestant/{name}", text)
    state.completed = True
    return state


@solver
def oracle() -> Solver:
    """Answer with the gold itself: the highest value a metric can take."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return _answer(state, "oracle", state.target.text)

    return solve


@solver
def null() -> Solver:
    """Answer every sample with the same sentence."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return _answer(state, "null", NULL_ANSWER)

    return solve


@solver
def copycat() -> Solver:
    """Answer with the input."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return _answer(state, "copycat", state.input_text)

    return solve
