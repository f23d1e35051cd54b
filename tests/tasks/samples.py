"""Samples of tasks opened on a round, and single answers as a task's scorer takes them."""

from __future__ import annotations

import asyncio
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ModelName, ModelOutput, StopReason
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from vivavoce.rounds import Round
from vivavoce.tasks.lookup import create_task


def samples_of(task: str, opened: Round, **given: Any) -> list[Sample]:
    return list(create_task(task, {"round": str(opened.folder), **given}).dataset)


def score_of(
    scorer: Scorer,
    answer: str,
    gold: str = "",
    metadata: dict[str, Any] | None = None,
    stop: StopReason = "stop",
) -> Score:
    """Score of an answer outside of any run."""
    ask = [ChatMessageUser(content="ask")]
    state = TaskState(ModelName("none/none"), "a", 1, "ask", ask, metadata=metadata or {})
    state.output = ModelOutput.from_content("scripted/model", answer, stop_reason=stop)
    found = asyncio.run(scorer(state, Target(gold)))  # type: ignore[arg-type]
    assert isinstance(found, Score)
    return found


def values_of(score: Score) -> dict[str, Any]:
    assert isinstance(score.value, dict)
    return dict(score.value)
