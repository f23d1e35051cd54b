"""Methods of the implementation tasks."""

from __future__ import annotations

from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from vivavoce.tasks.shared.direct import direct

__all__ = ["direct", "naive"]


@solver
def naive() -> Solver:
    """Answer with the program that forgets the instrument; the reference where no lag is taken."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        program = state.metadata["naive"] or state.target.text
        state.output = ModelOutput.from_content("contestant/naive", f"```python\n{program}```\n")
        state.completed = True
        return state

    return solve
