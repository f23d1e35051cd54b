"""Verdicts of a judge who compared an answer with the reference in both orders.

A verdict names the better text, the first or the second shown, in five criteria and overall. The
two orders make one outcome:

- win or loss: both verdicts name the same text;
- tie: the verdict changes with the order. So a judge who always names the first text gives ties
  alone, a win rate of exactly 1/2 and a flip rate of 1.

`win rate` = (wins + ties/2) / outcomes · `flip rate` = ties / outcomes · `malformed share` =
verdicts that nobody could read / verdicts asked for. `refused share` = verdicts that a judge
refused / verdicts asked for. Where one of the two verdicts is missing there is no outcome: it is
undefined, never a loss. Of several judges the majority counts, order by order.

Source: five criteria and the win rate against the reference: AcademicEval, section 4.4.1;
organisation, compared with the reference: DeepScholar-Bench, section 4; both orders and what
follows from them are ours.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

CRITERIA = ("novelty", "feasibility", "consistency", "factuality", "style")
ORGANISATION = "organisation"
"""A criterion that a judge of AcademicEval's form does not decide."""
OVERALL = "overall"
WIN_RATE = "judge_win"
"""The metric of the overall verdict, which people's labels can correct."""
ASPECTS = (*CRITERIA, ORGANISATION, OVERALL)

Place: TypeAlias = Literal["first", "second"]
Verdict: TypeAlias = dict[str, Place]
"""The place of the better text in every one of `ASPECTS`, perhaps without `ORGANISATION`."""
Outcome: TypeAlias = Literal["win", "tie", "loss"]

WINS = (WIN_RATE, *(f"judge_{name}" for name in CRITERIA), ORGANISATION)
"""Names of the win rates, the overall one first."""
CHECKS = ("judge_flip", "judge_malformed", "judge_refused")
"""Names of what tells how far a judge can be trusted."""

_POINTS: Mapping[Outcome, float] = {"win": 1.0, "tie": 0.5, "loss": 0.0}
_PLACES: tuple[Place, Place] = ("first", "second")
_KEYS = {
    "academicstyle": "style",
    "overallwinner": OVERALL,
    "winner": OVERALL,
    "overallverdict": OVERALL,
}
_NAMES = ("winner", "verdict", "better", "overallwinner")
"""Keys of an object that names the better text."""
_NUMBER = re.compile(r"(?<![0-9.])([12])(?![0-9.]*[0-9])")
_MAX_WORDS = 200
"""Characters of a value in which the winner's number is looked for."""


def read_verdict(value: Any) -> Verdict | None:
    """A verdict out of decoded JSON; None unless it names one text by every needed aspect.

    Needed are AcademicEval's five criteria and the verdict overall. A criterion's value is
    `Answer 1`, `1` or an object whose `winner` or `verdict` is that, as in
    `{"Novelty": {"Winner": "Answer 1"}, ..., "Overall Winner": "Answer 1"}`, in any capitals.
    """
    if not isinstance(value, dict):
        return None
    found = {_KEYS.get(key, key): given for key, given in _plain(value).items()}
    places = {name: _place(found.get(name)) for name in ASPECTS}
    verdict: Verdict = {name: place for name, place in places.items() if place is not None}
    return verdict if verdict.keys() >= {*CRITERIA, OVERALL} else None


def _plain(value: Mapping[Any, Any]) -> dict[str, Any]:
    """The same with the letters of its keys alone, in lower case."""
    return {re.sub(r"[^a-z]", "", str(key)[:40].lower()): given for key, given in value.items()}


def _place(value: Any) -> Place | None:
    if isinstance(value, dict):
        named = _plain(value)
        value = next((named[key] for key in _NAMES if key in named), None)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    numbers = set(_NUMBER.findall(str(value)[:_MAX_WORDS]))
    return _PLACES[int(numbers.pop()) - 1] if len(numbers) == 1 else None


def combine(
    answer_first: Verdict | None, reference_first: Verdict | None
) -> dict[str, Outcome] | None:
    """The answer's outcome in every aspect; None when either verdict is missing."""
    if answer_first is None or reference_first is None:
        return None
    shared = [name for name in ASPECTS if name in answer_first and name in reference_first]
    return {name: _outcome(answer_first[name], reference_first[name]) for name in shared}


def vote(verdicts: Sequence[Verdict | None]) -> Verdict | None:
    """The verdict of most judges, by aspect; None without a majority overall."""
    most: Verdict = {}
    for name in ASPECTS:
        places = [verdict[name] for verdict in verdicts if verdict and name in verdict]
        firsts = places.count("first")
        if 2 * firsts != len(places):
            most[name] = "first" if 2 * firsts > len(places) else "second"
    return most if OVERALL in most else None


def _outcome(answer_first: Place, reference_first: Place) -> Outcome:
    if answer_first == reference_first:
        return "tie"  # the same place, so another text
    return "win" if answer_first == "first" else "loss"


def win_rate(outcomes: Iterable[Outcome | None]) -> float | None:
    """(Wins + ties/2) / outcomes that are defined; None when none is."""
    points = [_POINTS[outcome] for outcome in outcomes if outcome is not None]
    return math.fsum(points) / len(points) if points else None


def flip_rate(outcomes: Iterable[Outcome | None]) -> float | None:
    """Ties / outcomes that are defined; None when none is."""
    flips = [outcome == "tie" for outcome in outcomes if outcome is not None]
    return sum(flips) / len(flips) if flips else None


def judgement_values(verdicts: Sequence[Verdict | None]) -> dict[str, float | None]:
    """The metrics of one answer: the verdict with the answer first, and with the reference first.

    None where it is undefined.
    """
    answer_first, reference_first = verdicts
    outcomes = combine(answer_first, reference_first) or {}
    wins = (win_rate([outcomes.get(name)]) for name in (OVERALL, *CRITERIA, ORGANISATION))
    return {
        **dict(zip(WINS, wins, strict=True)),
        "judge_flip": flip_rate([outcomes.get(OVERALL)]),
    }


def check_values(asked: int, malformed: int, refused: int) -> dict[str, float | None]:
    """Shares of a judge's answers that say how far it can be trusted; None where none was asked."""
    return {
        "judge_malformed": malformed / asked if asked else None,
        "judge_refused": refused / asked if asked else None,
    }
