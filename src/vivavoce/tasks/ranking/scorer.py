"""Ranking metrics as Inspect scorers."""

from __future__ import annotations

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from vivavoce.metrics.ranking import (
    read_paper_ids,
    score_paper_ranking,
    score_ranking_row,
    score_ranking_row_legacy,
)
from vivavoce.metrics.titles_list import FAULTS, count_faults, find_titles
from vivavoce.tasks.scoring.guard import FaultyAnswer, Values, defined_mean, guarded
from vivavoce.tasks.scoring.marks import VALID

TITLE_NAMES = ("cp", "cis", "bem", "ktau", "bem_complete", "cp_partial", "ndcg")
PAPER_NAMES = ("ktau_all", "candidate_recall", "bem", "ndcg", "ktau")
_UNDEFINED = ("ktau", "bem_complete", *FAULTS)


@scorer(metrics={name: [defined_mean()] for name in (*TITLE_NAMES, *FAULTS, VALID)})
def title_order(scoring: str = "default") -> Scorer:
    """Compare a list of titles with the board's order, and count the other lines of the answer.

    An answer that names no title of the board ranks nothing: it is malformed.

    Args:
        scoring: `default` reads the answer as a list; `legacy` takes each title where it first
            occurs in the raw answer.
    """

    async def values(answer: str, state: TaskState, target: Target) -> Values:
        gold = target.text.split("\n")
        found = find_titles(answer, gold)
        if scoring == "legacy":
            measured = _legacy(gold, answer)
        else:
            measured = score_ranking_row(gold, answer, state.metadata.get("scores")).values()
        measured = {**measured, **count_faults(answer, gold, found)}
        if not found.order and not any(measured[name] for name in ("cp", "cis", "ndcg")):
            raise FaultyAnswer("malformed", measured)
        return measured

    return guarded((*TITLE_NAMES, *FAULTS), values, undefined=_UNDEFINED)


def _legacy(gold: list[str], answer: str) -> Values:
    """The rules of the published table, a row at a time; it has no discounted gain."""
    row = score_ranking_row_legacy(gold, answer)
    exact = float(row.is_exact)
    return {
        "cis": float(row.is_complete),
        "bem": exact,
        "bem_complete": exact if row.is_complete else None,
        "cp": row.concordant,
        "cp_partial": row.concordant,
        "ktau": row.ktau,
        "ndcg": None,
    }


@scorer(metrics={name: [defined_mean()] for name in (*PAPER_NAMES, VALID)})
def paper_order() -> Scorer:
    """Compare a list of paper ids with the board's order.

    An answer without any paper of the board is as valid as any other: finding them is the task.
    One that is no list of ids is malformed.
    """
    guard = guarded(PAPER_NAMES, _paper_values, undefined=("ktau",))

    async def score(state: TaskState, target: Target) -> Score:
        found = await guard(state, target)
        ids = read_paper_ids(state.output.completion)
        found.metadata = {**(found.metadata or {}), "listed": len(ids)}
        return found

    return score


async def _paper_values(answer: str, state: TaskState, target: Target) -> Values:
    gold = target.text.split("\n")
    ids = read_paper_ids(answer)
    found = score_paper_ranking(gold, ids, state.metadata.get("scores"))
    values = {name: getattr(found, name) for name in PAPER_NAMES}
    known = {*gold, *state.metadata.get("candidates", ())}
    if not found.found and 2 * sum(one in known or _is_id(one) for one in ids) <= len(ids):
        raise FaultyAnswer("malformed", values)
    return values


def _is_id(line: str) -> bool:
    """Check whether a line may be the id of a paper that is no candidate."""
    return len(line.split()) == 1 and any(character.isalnum() for character in line)
