"""Writing metrics as Inspect scorers."""

from __future__ import annotations

from inspect_ai.scorer import Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from vivavoce.metrics.rouge import rouge
from vivavoce.tasks.shared.guard import VALID, MalformedAnswer, guarded

NAMES = ("rougeL", "rouge1", "rouge2")
_MEAN = [mean(), stderr(cluster="cluster")]


@scorer(metrics={**dict.fromkeys(NAMES, _MEAN), VALID: [mean()]})
def writing() -> Scorer:
    """ROUGE F-measures of the answer against the paper's own text."""

    async def score(answer: str, state: TaskState, target: Target) -> dict[str, float]:
        if not any(character.isalpha() for character in answer):
            raise MalformedAnswer
        found = rouge(answer, target.text)
        return {"rougeL": found.rougeL, "rouge1": found.rouge1, "rouge2": found.rouge2}

    return guarded(NAMES, score)
