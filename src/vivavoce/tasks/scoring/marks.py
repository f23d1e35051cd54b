"""Marks by which scores of our scorers are known in logs, free of Inspect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspect_ai.scorer import Score

VALID = "valid"
JUDGE = "judge"
"""Role of the model that judges."""


def our_scores(scores: Mapping[str, Score] | None) -> list[Score]:
    """Scores of a sample that our scorers gave."""
    return [
        score
        for score in (scores or {}).values()
        if isinstance(score.value, dict) and VALID in score.value
    ]
