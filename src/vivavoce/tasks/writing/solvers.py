"""Extractive methods of the writing tasks."""

from inspect_ai.solver import Solver, TaskState, solver

from vivavoce.models.offline import PICKS, Pick, extract
from vivavoce.tasks.methods.agent import agent
from vivavoce.tasks.methods.direct import baseline, direct
from vivavoce.tasks.methods.rag import rag

__all__ = ["abstract_copy", "agent", "centrality", "direct", "lead", "rag"]


@solver
def lead() -> Solver:
    """Answer with the opening sentences of the paper."""
    return _copy("lead", ("content", "title"), PICKS["lead"])


@solver
def centrality() -> Solver:
    """Answer with the paper's most central sentences."""
    return _copy("centrality", ("content", "title"), PICKS["centrality"])


@solver
def abstract_copy() -> Solver:
    """Answer with the abstract, or with the opening if the abstract is the gold or not shown."""
    return _copy("abstract_copy", ("abstract", "content", "title"), PICKS["lead"])


def _copy(name: str, slots: tuple[str, ...], pick: Pick) -> Solver:
    """Answer with sentences of the first of these texts in the prompt."""

    def answer(state: TaskState) -> str:
        spans = state.metadata["spans"]
        start, end = next(spans[slot] for slot in slots if slot in spans)
        return extract(state.input_text[start:end], state.metadata["words"], pick)

    return baseline(name, answer)
