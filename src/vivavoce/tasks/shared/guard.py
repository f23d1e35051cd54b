"""The guard around every scorer: an answer that is none is counted, never scored as one.

It stays in n with the value 0, and its fault stands in the score's metadata.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence

from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

VALID = "valid"
FAULTS = ("overflow", "refusal", "provider_error", "missing", "empty", "malformed")

_STOP_FAULTS = {"model_length": "overflow", "content_filter": "refusal"}
_START = 400
"""Characters looked at for a refusal or an error text."""
_REFUSAL_WORDS = 80
_REFUSAL = re.compile(
    r"^\W*(?:i['’]?m (?:very |so |really )?sorry|sorry|i apologi[sz]e|unfortunately|"
    r"as an ai\b[^.]{0,80}|i)?[\s,.:;!—-]{0,5}(?:but )?"
    r"(?:i |we )?(?:cannot|can['’]?t|can not|am unable to|['’]m unable to|am not able to|"
    r"['’]m not able to|won['’]?t|will not|must decline|decline to|refuse to)\b",
    re.IGNORECASE,
)
_PROVIDER_ERROR = re.compile(
    r"^\s*(?:error code: ?\d{3}\b|\{\s*\"error\"\s*:|<!doctype html|<html\b|rate exceeded\b|"
    r"(?:http )?(?:4\d\d|5\d\d) (?:bad request|unauthorized|forbidden|not found|"
    r"too many requests|internal server error|bad gateway|service unavailable)|"
    r"this model's maximum context length|upstream connect error)",
    re.IGNORECASE,
)


class MalformedAnswer(Exception):
    """Raised by a scorer for an answer that is not of the form the task asks for."""


def find_fault(output: ModelOutput) -> str | None:
    """The fault of an output, one of `FAULTS`, or None for an answer that can be scored.

    A refusal is told by the provider's stop reason, or by a short text that opens by declining.
    """
    if output.stop_reason in _STOP_FAULTS:
        return _STOP_FAULTS[output.stop_reason]
    if output.error:
        return "provider_error"
    text = output.completion
    if not text.strip():
        return "missing" if (output.metadata or {}).get("missing") else "empty"
    start = text[:_START]
    if _PROVIDER_ERROR.match(start):
        return "provider_error"
    is_short = len(text) < 2_000 and len(text.split()) <= _REFUSAL_WORDS
    return "refusal" if is_short and _REFUSAL.match(start) else None


def guarded(
    metrics: Sequence[str],
    score: Callable[[str, TaskState, Target], Awaitable[Mapping[str, float]]],
) -> Scorer:
    """Wrap a function of (answer, state, target) into a scorer that never scores a fault.

    Args:
        metrics: The names that `score` returns; each is 0 for a fault.
        score: Gives each metric's value; may raise `MalformedAnswer`.
    """

    async def scorer(state: TaskState, target: Target) -> Score:
        answer = state.output.completion
        fault = find_fault(state.output)
        values: Mapping[str, float] = {}
        if fault is None:
            try:
                values = await score(answer, state, target)
            except MalformedAnswer:
                fault = "malformed"
        if fault is not None:
            values = dict.fromkeys(metrics, 0.0)
        return Score(
            value={**values, VALID: 0.0 if fault else 1.0},
            answer=answer,
            metadata={"fault": fault, "stop_reason": state.output.stop_reason},
        )

    return scorer
