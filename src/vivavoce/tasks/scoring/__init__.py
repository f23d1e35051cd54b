"""Questions to judges, and marks of our scores; without Inspect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vivavoce.errors import InputError

if TYPE_CHECKING:
    from inspect_ai.scorer import Score

VALID = "valid"
JUDGE = "judge"


def check_votes(judges: Sequence[object]) -> None:
    """Raise `InputError` for an even number of judges, which may have no majority."""
    if judges and len(judges) % 2 == 0:
        raise InputError(
            f"{len(judges)} judges may tie. Name one, three or five, each with --judge."
        )


def our_scores(scores: Mapping[str, Score] | None) -> list[Score]:
    """Scores of a sample by our scorers."""
    every = (scores or {}).values()
    return [one for one in every if isinstance(one.value, dict) and VALID in one.value]


COMPARE = "compare"
"""Question whether the answer or the gold is better."""
BATCH = 40


def template_of(question: str) -> str:
    """Name of a question's template."""
    return "judge" if question == COMPARE else f"judge.{question}"


@dataclass(frozen=True, slots=True)
class Question:
    """Lines of one kind about an answer, to be labelled."""

    name: str
    lines: Sequence[str]
    labels: Sequence[str]
    """Labels from the worst to the best."""
    slots: Mapping[str, str]
    """Texts for the judge besides the lines."""
    about: Any
    """Subject of the lines as JSON values, for the metrics."""
    cut: Sequence[str] = ()
    """Slots that may be cut, the first first."""
    values: Mapping[str, object] = field(default_factory=dict)


def target_source(prompt: str, spans: Mapping[str, Sequence[int]]) -> str:
    """Text of the sample's own paper in a prompt, without examples; works last, to be cut first."""
    shown = [name for name in spans if not name.startswith("example")]
    shown.sort(key=lambda name: (name == "works", spans[name][0]))
    return "\n\n".join(
        f"{name.replace('_', ' ').capitalize()}:\n{prompt[slice(*spans[name])]}" for name in shown
    )
