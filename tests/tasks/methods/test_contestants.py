"""The contestants that bound every metric answer without a model."""

from __future__ import annotations

import asyncio

import pytest
from inspect_ai.model import ChatMessageUser, ModelName
from inspect_ai.scorer import Target
from inspect_ai.solver import Generate, Solver, TaskState

from vivavoce.tasks.methods.direct import NULL_ANSWER, copycat, null, oracle


def solve(solver: Solver, prompt: str = "the input", gold: str = "the gold") -> TaskState:
    async def generate(state: TaskState, **_: object) -> TaskState:
        raise AssertionError("a contestant asked a model")

    state = TaskState(
        ModelName("none/none"), "a", 1, prompt, [ChatMessageUser(content=prompt)], Target(gold)
    )
    ask: Generate = generate  # type: ignore[assignment]
    return asyncio.run(solver(state, ask))


@pytest.mark.parametrize(
    ("contestant", "answer"),
    [(oracle(), "the gold"), (null(), NULL_ANSWER), (copycat(), "the input")],
)
def test_each_contestant_has_one_answer(contestant: Solver, answer: str) -> None:
    state = solve(contestant)
    assert state.output.completion == answer
    assert state.completed


def test_the_null_answer_knows_nothing_of_the_item() -> None:
    assert (
        solve(null(), "one", "two").output.completion
        == solve(null(), "three", "four").output.completion
    )
