"""The guard around every scorer, and Inspect's means over values that may be undefined.

The final answer (`text.final_answer`) is scored, without reasoning, drafts, end tokens and
wrappers. A faulty answer is counted in n with the value 0, and its fault is in the score's
metadata.
"""

import math
import statistics
from collections.abc import Awaitable, Callable

from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Metric, SampleScore, Score, ScoreReducer, metric, score_reducer
from inspect_ai.solver import TaskState

from vivavoce.metrics import FaultyAnswer, Values
from vivavoce.tasks.scoring import VALID, fault_in
from vivavoce.text.final_answer import final_answer

WORK = ("steps", "searches", "reads")
"""Counts in the record of an agent's work."""
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


def find_fault(output: ModelOutput) -> str | None:
    """Find the fault of an output, one of `FAULTS`; None if it can be scored.

    What the provider states comes before what the text shows.
    """
    if (stop := _stop_reason(output)) in _STOP_FAULTS:
        return _STOP_FAULTS[stop]
    if output.error:
        return "provider_error"
    fault = fault_in(output.completion)
    return "missing" if fault == "empty" and (output.metadata or {}).get("missing") else fault


def answer_of(output: ModelOutput) -> str:
    """The final answer in an output."""
    return final_answer(output.completion).text


def _stop_reason(output: ModelOutput) -> str:
    """Stop reason of the model; empty without an answer, as after a time limit."""
    return output.stop_reason if output.choices else ""


async def guarded(
    score: Callable[[str], Awaitable[Values]], state: TaskState, failed: Values
) -> Score:
    """Score a sample's final answer; metrics that a fault leaves open have the values of `failed`.

    `score` returns metrics of an answer by name, and may raise `FaultyAnswer`.
    """
    final = final_answer(state.output.completion)
    fault = find_fault(state.output)
    values: Values | None = None
    if fault is None:
        try:
            values = await score(final.text)
        except FaultyAnswer as error:
            fault, values = error.fault, error.values
    known = {name: value for name, value in (values or {}).items() if name in failed}
    note = state.metadata.get("agent") or {}  # if an agent answered
    work = {"agent": {name: note[name] for name in WORK}} if set(WORK) <= note.keys() else {}
    # Parts that the setting or the method adds: whole, cut and dropped.
    shown = state.metadata.get("fit", {}).get("shown", {})
    added = str(state.metadata.get("adds", ""))
    fit = {name: sum(part.startswith(added) for part in parts) for name, parts in shown.items()}
    numbers = {
        name: math.nan if value is None else value for name, value in {**failed, **known}.items()
    }
    return Score(
        value={**numbers, VALID: 0.0 if fault else 1.0},
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


@metric
def defined_mean() -> Metric:
    """Mean over samples with a defined value; NaN without any."""

    def compute(scores: list[SampleScore]) -> float:
        values = [score.score.as_float() for score in scores]
        defined = [value for value in values if not math.isnan(value)]
        return math.fsum(defined) / len(defined) if defined else math.nan

    return compute


REDUCERS = ("mean", "max", "std")
"""Reducers of a sample's attempts, over defined values."""


@score_reducer(name="std")
def standard_deviation() -> ScoreReducer:
    """Standard deviation (n - 1) of each value over the attempts; NaN with fewer than two."""

    def reduce(scores: list[Score]) -> Score:
        given = [score.value for score in scores if isinstance(score.value, dict)]
        deviations = {}
        for name in dict.fromkeys(name for value in given for name in value):
            values = [value[name] for value in given]
            defined = [float(v) for v in values if isinstance(v, int | float) and not math.isnan(v)]
            deviations[name] = statistics.stdev(defined) if len(defined) > 1 else math.nan
        return Score(value=deviations)

    return reduce
