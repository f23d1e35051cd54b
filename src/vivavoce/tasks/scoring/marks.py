"""Marks by which scores of our scorers are known in logs, free of Inspect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

VALID = "valid"
JUDGE = "judge"
"""Role of the model that judges."""


class Scored(Protocol):
    """A score as a log holds it."""

    @property
    def value(self) -> Any:
        """Values by metric, where our scorers gave it."""
        ...

    @property
    def metadata(self) -> dict[str, Any] | None:
        """Notes of the scorer."""
        ...

    def as_dict(self) -> dict[str, str | int | float | bool | None]:
        """Values by metric; `ValueError` where they are none."""
        ...


AnyScore = TypeVar("AnyScore", bound=Scored)


def our_scores(scores: Mapping[str, AnyScore] | None) -> list[AnyScore]:
    """Scores of a sample that our scorers gave."""
    return [
        score
        for score in (scores or {}).values()
        if isinstance(score.value, dict) and VALID in score.value
    ]
