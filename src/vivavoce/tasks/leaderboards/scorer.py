"""Leaderboard metrics as an Inspect scorer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from vivavoce.metrics.leaderboards import (
    CEILINGS,
    FAULTS,
    Entry,
    method_key,
    read_board,
    score_board,
)
from vivavoce.tasks.scoring.guard import FaultyAnswer, Values, guarded, numbers
from vivavoce.tasks.scoring.marks import VALID

NAMES = ("f1", "mr", "mp", "sp_matched", "sp_generated", "ktau")
_UNDEFINED = ("ktau",)
_LISTED = 50
"""Invented names that a log keeps, at most."""
_MAX_NAME = 200


@scorer(
    metrics={
        "m?": [mean(), stderr(cluster="cluster")],
        "f1": [mean(), stderr(cluster="cluster")],
        "sp_*d": [mean(), stderr(cluster="cluster")],
        "ktau": [mean()],
        "*_ceiling": [mean()],
        "invented": [mean()],
        "repeated": [mean()],
        "header_only": [mean()],
        "truncated": [mean()],
        VALID: [mean()],
    }
)
def leaderboards() -> Scorer:
    """Methods, scores and order of the answer's tables against the board, and what was wrong.

    An answer without a row in any table is malformed. The ceilings are those of the excerpts that
    the model's window left, whatever the answer is.
    """

    async def score(state: TaskState, target: Target) -> Score:
        notes: dict[str, Any] = {}

        async def values(answer: str, state: TaskState, target: Target) -> Values:
            return _against_gold(answer, state, notes)

        given = await guarded((*NAMES, *FAULTS), values, undefined=_UNDEFINED)(state, target)
        assert isinstance(given.value, Mapping)
        # Ceilings of the excerpts that were left after cutting to the window, if any was cut.
        ceilings = state.metadata["ceilings"]
        best = ceilings[len(ceilings) - 1 - state.metadata.get("fit", {}).get("dropped", 0)]
        found = {**given.value, **numbers(dict(zip(CEILINGS, best, strict=True)))}
        return given.model_copy(
            update={"value": found, "metadata": {**(given.metadata or {}), **notes}}
        )

    return score


def _against_gold(answer: str, state: TaskState, notes: dict[str, Any]) -> Values:
    gold = [Entry(method, score) for method, score in state.metadata["entries"]]
    produced = read_board(answer, state.metadata["board"]["metric"])
    scored = score_board(gold, produced)
    was_cut = bool(state.output.choices) and state.output.stop_reason == "max_tokens"
    faults = {
        "invented": float(scored.invented),
        "repeated": float(scored.repeated),
        "header_only": float(scored.header_only),
        "truncated": float(scored.truncated or was_cut),
    }
    if not produced.entries:
        nothing = {name: None if name in _UNDEFINED else 0.0 for name in NAMES}
        raise FaultyAnswer("malformed", {**nothing, **faults})
    known = {method_key(entry.method) for entry in gold}
    names = dict.fromkeys(entry.method[:_MAX_NAME] for entry in produced.entries)
    notes["generated"] = scored.generated
    notes["invented"] = [name for name in names if method_key(name) not in known][:_LISTED]
    return {**scored.values(), **faults}
