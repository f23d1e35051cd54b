"""Values and faults of answers, and the marks of our scores in logs; free of Inspect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from vivavoce.errors import InputError

if TYPE_CHECKING:
    from inspect_ai.scorer import Score

VALID = "valid"
JUDGE = "judge"
"""Role of the model that judges."""
Values: TypeAlias = Mapping[str, float | None]
"""Metrics of an answer by name; None where one is undefined."""


def check_votes(judges: Sequence[object]) -> None:
    """Raise `InputError` for judges of an even number: their votes may have no majority."""
    if judges and len(judges) % 2 == 0:
        raise InputError(
            f"{len(judges)} judges may split evenly. Name one, three or five, each with --judge."
        )


class FaultyAnswer(Exception):
    """An answer with a fault, which `fault` names, such as `malformed`.

    `values` are the metrics that it reaches all the same; None when there is nothing to score.
    """

    def __init__(self, fault: str, values: Values | None = None) -> None:
        super().__init__(fault)
        self.fault = fault
        self.values = values


def our_scores(scores: Mapping[str, Score] | None) -> list[Score]:
    """Scores of a sample that our scorers gave."""
    return [
        score
        for score in (scores or {}).values()
        if isinstance(score.value, dict) and VALID in score.value
    ]
