"""The guard around every scorer, and Inspect's means over values that may be undefined.

What is scored is the final answer (`text.final_answer`): reasoning, drafts, end tokens and wrappers
are cut off before. An answer that is none is counted, never scored as one: it stays in n with the
value 0, and its fault is in the score's metadata.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from inspect_ai.model import ModelOutput
from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    ScoreReducer,
    Target,
    metric,
    score_reducer,
)
from inspect_ai.solver import TaskState

from vivavoce.tasks.scoring.marks import VALID, FaultyAnswer, Values
from vivavoce.text.data import read_patterns
from vivavoce.text.final_answer import final_answer

WORK = ("steps", "searches", "reads")
"""Counts of an agent's work that its note has."""
FAULTS = (
    "overflow",
    "refusal",
    "provider_error",
    "missing",
    "empty",
    "unclosed",
    "placeholder",
    "malformed",
)

_STOP_FAULTS = {"model_length": "overflow", "content_filter": "refusal"}
_START = 400
"""Characters looked at for a refusal or an error text."""
_REFUSAL_WORDS = 80
_PATTERNS = read_patterns(__file__, "guard.toml")
_REFUSALS = (_PATTERNS["refusal"], _PATTERNS["other_languages"])
_PROVIDER_ERROR = _PATTERNS["provider_error"]
_PLACEHOLDER = _PATTERNS["placeholder"]


def find_fault(output: ModelOutput) -> str | None:
    """The fault of an output, one of `FAULTS`, or None for an answer that can be scored.

    A refusal is known by the provider's stop reason, or by a short text that opens by declining
    what was asked for: papers too begin with "I cannot" and "Sorry". An output that ends inside its
    reasoning is `unclosed`; one such as "N/A" or "[Title]" is a `placeholder`.
    """
    if (stop := _stop_reason(output)) in _STOP_FAULTS:
        return _STOP_FAULTS[stop]
    if output.error:
        return "provider_error"
    if _PROVIDER_ERROR.match(output.completion[:_START].strip()):
        return "provider_error"
    final = final_answer(output.completion)
    text = final.text
    if any(
        _PLACEHOLDER.fullmatch(each[:_START]) for each in (output.completion.strip(), text) if each
    ):
        return "placeholder"
    if final.is_unclosed:
        return "unclosed"
    if not any(character.isprintable() and not character.isspace() for character in text):
        return "missing" if (output.metadata or {}).get("missing") else "empty"
    is_short = len(text) < 2_000 and len(text.split()) <= _REFUSAL_WORDS
    declines = any(pattern.match(text[:_START]) for pattern in _REFUSALS)
    return "refusal" if is_short and declines else None


def answer_of(output: ModelOutput) -> str:
    """The final answer in an output."""
    return final_answer(output.completion).text


def _stop_reason(output: ModelOutput) -> str:
    """Stop reason of the model; empty when it never answered, as in a sample out of time."""
    return output.stop_reason if output.choices else ""


class GuardedScorer(Protocol):
    """An Inspect scorer that always gives a score."""

    async def __call__(self, state: TaskState, target: Target) -> Score:
        """Score an answer."""
        ...


def numbers(values: Values) -> dict[str, float]:
    """Values as a log holds them: NaN stands for undefined."""
    return {name: math.nan if value is None else value for name, value in values.items()}


def guarded(
    metrics: Sequence[str],
    score: Callable[[str, TaskState, Target], Awaitable[Values]],
    undefined: Sequence[str] = (),
) -> GuardedScorer:
    """Wrap a function of (answer, state, target) into a scorer that never scores a fault.

    Args:
        metrics: The names that `score` returns; each is 0 for a fault.
        score: Gives each metric's value, None where it is undefined; may raise `FaultyAnswer`.
        undefined: Metrics that a fault leaves undefined instead of 0, such as correlations.
    """

    async def scorer(state: TaskState, target: Target) -> Score:
        final = final_answer(state.output.completion)
        fault = find_fault(state.output)
        values: Values | None = None
        if fault is None:
            try:
                values = await score(final.text, state, target)
            except FaultyAnswer as error:
                fault, values = error.fault, error.values
        if values is None:
            values = {name: None if name in undefined else 0.0 for name in metrics}
        note = state.metadata.get("agent") or {}  # where an agent answered
        work = {"agent": {name: note[name] for name in WORK}} if set(WORK) <= note.keys() else {}
        # Parts that the setting or the method adds: arrived whole, cut, and not at all.
        shown = state.metadata.get("fit", {}).get("shown", {})
        added = str(state.metadata.get("adds", ""))
        fit = {name: sum(part.startswith(added) for part in parts) for name, parts in shown.items()}
        return Score(
            value={**numbers(values), VALID: 0.0 if fault else 1.0},
            answer=final.text,
            metadata={
                "fault": fault,
                "stop_reason": _stop_reason(state.output),
                "truncated": _stop_reason(state.output) == "max_tokens",
                "answer": final.text,
                "cut_from": final.cut_from,
                **({"fit": fit} if any(fit.values()) else {}),
                **work,
            },
        )

    return scorer


@metric
def defined_mean() -> Metric:
    """Mean over the samples whose value is defined; NaN when there is none."""

    def compute(scores: list[SampleScore]) -> float:
        values = [score.score.as_float() for score in scores]
        defined = [value for value in values if not math.isnan(value)]
        return math.fsum(defined) / len(defined) if defined else math.nan

    return compute


REDUCERS = ("mean", "max", "std")
"""Reducers of a sample's attempts, each over those where a value is defined."""


@score_reducer(name="std")
def standard_deviation() -> ScoreReducer:
    """Standard deviation (n - 1) of each value over the attempts; NaN with fewer than two."""

    def reduce(scores: list[Score]) -> Score:
        given = [score.value for score in scores if isinstance(score.value, dict)]
        names = dict.fromkeys(name for value in given for name in value)
        return Score(value={name: _deviation([value[name] for value in given]) for name in names})

    return reduce


def _deviation(values: list[object]) -> float:
    numbers = [float(v) for v in values if isinstance(v, int | float) and not math.isnan(v)]
    return statistics.stdev(numbers) if len(numbers) > 1 else math.nan
