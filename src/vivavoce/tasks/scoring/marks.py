"""Values and faults of answers, questions to a judge, and marks of our scores; free of Inspect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

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


COMPARE = "compare"
"""Question of which text is better, the answer or the gold."""
BATCH = 40
"""Lines of one request."""


def template_of(question: str) -> str:
    """The template of a question."""
    return "judge" if question == COMPARE else f"judge.{question}"


@dataclass(frozen=True, slots=True)
class Question:
    """Lines of one kind about one answer."""

    name: str
    lines: Sequence[str]
    labels: Sequence[str]
    """Labels from the worst to the best."""
    slots: Mapping[str, str]
    """Texts that the judge is shown beside the lines."""
    about: Any
    """What the lines are about beside their texts, as JSON values; metrics need it."""
    cut: Sequence[str] = ()
    """Slots that may be cut, the first first."""
    values: Mapping[str, object] = field(default_factory=dict)

    def batches(self) -> list[Sequence[str]]:
        """Lines of each request."""
        return [self.lines[start : start + BATCH] for start in range(0, len(self.lines), BATCH)]


def target_source(prompt: str, spans: Mapping[str, Sequence[int]]) -> str:
    """Text of the paper itself in a sample's prompt: its slots but for those of examples.

    The works it cites come last, so that they are the first to be cut.
    """
    shown = [name for name in spans if not name.startswith("example")]
    shown.sort(key=lambda name: (name == "works", spans[name][0]))
    return "\n\n".join(
        f"{name.replace('_', ' ').capitalize()}:\n{prompt[slice(*spans[name])]}" for name in shown
    )
