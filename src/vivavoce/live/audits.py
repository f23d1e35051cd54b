"""Audits of a round once its contestants have answered: what a person should look at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vivavoce.errors import VivaError
from vivavoce.live.calendar import Period
from vivavoce.live.config import BudgetOptions
from vivavoce.live.ledger import AUDIT, CELL, State
from vivavoce.results.audits.drift import drift_and_difficulty
from vivavoce.results.audits.judge import audit_judge
from vivavoce.results.audits.verdicts import OVERALL
from vivavoce.rounds import load_round
from vivavoce.rounds.anchors import anchors_of
from vivavoce.store import Row

MIN_ANCHORS = 5
"""Anchors below which a difference on them is not called drift."""


def audit_round(state: State, period: Period, name: str) -> None:
    """Audit a round and note what was found.

    Raises:
        VivaError: A round or a log cannot be read.
    """
    rounds = list(state.rounds().values())
    place = rounds.index(name)
    before = rounds[place - 1] if place else None
    asked, folder = state.config.audits, state.config.folder
    notices: list[Row] = []
    flips: dict[str, Row] = {}
    if before and asked.drift:
        notices += _drift(folder / "logs", folder / "rounds" / name)
    if state.config.judge and asked.judge:
        flips = _flips(folder / "logs" / name)
        known = state.ledger.last(AUDIT, round=before)
        notices += _risen(known["flips"] if known else {}, flips, name)
    if asked.renamed:
        notices += _renamed(state, rounds[: place + 1])
    key = state.cells_key(name, before)
    state.ledger.note(AUDIT, period, round=name, key=key, flips=flips, notices=notices)


def _drift(logs: Path, folder: Path) -> Iterator[Row]:
    """A notice for each contestant whose score on the anchors moved, by its interval."""
    opened = load_round(folder)
    if max(map(len, anchors_of(opened).values()), default=0) < MIN_ANCHORS:
        return
    try:
        found = drift_and_difficulty(logs, opened)
    except VivaError as error:
        if "holds no contestant" not in str(error):
            raise
        return
    for row in found.rows:
        low, high = row["drift_ci"] or (0.0, 0.0)
        if row["headline"] and row["anchors"] >= MIN_ANCHORS and (low > 0 or high < 0):
            text = (
                f"{row['contestant']} moved by {row['drift']:+.3f} [{low:.3f}, {high:.3f}] in "
                f"{row['metric']} on the {row['anchors']} anchors of {row['task']}"
            )
            yield {"kind": "drift", "text": f"{text}, {folder.name}"}


def _flips(logs: Path) -> dict[str, Row]:
    """By judge the share of answers whose winner changes with the order, with its interval."""
    try:
        found = audit_judge(logs)
    except VivaError as error:
        if "no verdicts" not in str(error):
            raise
        return {}
    rows = [row for row in found.measures if row["measure"] == "flip_rate"]
    wanted = (row for row in rows if row["criterion"] == OVERALL and row["ci"])
    return {row["judge"]: {"value": row["value"], "ci": row["ci"]} for row in wanted}


def _risen(before: dict[str, Row], now: dict[str, Row], name: str) -> Iterator[Row]:
    for judge, row in now.items():
        was = before.get(judge)
        if was and row["ci"][0] > was["ci"][1]:
            text = f"{judge} changes {row['value']:.0%} of its verdicts with the order in {name}"
            yield {"kind": "judge", "text": f"{text}, {was['value']:.0%} in the round before"}


def _renamed(state: State, rounds: list[str]) -> Iterator[Row]:
    """A notice for each contestant that another model answered for than in the round before."""
    for one in state.config.contestant:
        cells = [row for row in state.ledger.find(CELL, contestant=one.name) if row["logs"]]
        by_round = {name: _served(cells, name) for name in rounds}
        served = [names for name in rounds if (names := by_round[name])]
        if by_round[rounds[-1]] and len(served) > 1 and served[-1] != served[-2]:
            text = f"{one.name} was answered by {', '.join(served[-1])} in {rounds[-1]}"
            yield {"kind": "renamed", "text": f"{text}, before by {', '.join(served[-2])}"}


def _served(cells: list[Row], round_id: str) -> list[str]:
    return sorted({name for row in cells if row["round"] == round_id for name in row["served"]})


def budget_notices(state: State, period: Period) -> list[Row]:
    """A notice for each budget of which more was spent than the share that the file names."""
    budget: BudgetOptions = state.config.budget
    sums = {
        f"the budget of {period.name}": (budget.period, state.ledger.spent(period.name)),
        "the whole budget": (budget.total, state.ledger.spent()),
    }
    return [
        {"kind": "budget", "text": f"{spent:.2f} of the {limit:.2f} dollars of {name} are spent"}
        for name, (limit, spent) in sums.items()
        if limit is not None and spent >= budget.notice * limit
    ]
