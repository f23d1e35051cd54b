"""Runs of section numbers that continue each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vivavoce.sources.fulltext.pdf.candidates import Style
from vivavoce.text.headings import ARABIC, SectionNumber, step_cost

_LOOK_BACK = 40
_KNOWN_ROLE = 0.6


@dataclass(slots=True)
class Chain:
    """Top-level numbers that continue each other, all set alike."""

    members: dict[int, SectionNumber]
    """By place among the candidates."""
    score: float
    style: Style | None = None
    number_style: str = ARABIC


def build_chain(
    numbers: Mapping[int, SectionNumber],
    roles: Sequence[str | None],
    start: tuple[int, ...] | None = None,
) -> Chain:
    """The best run of numbers that continue each other."""
    places = sorted(numbers)
    best: list[float] = []
    came_from: list[int | None] = []
    for here, place in enumerate(places):
        number = numbers[place]
        weight = 1.0 + _KNOWN_ROLE * (roles[place] is not None)
        cost = step_cost(start, number.parts)
        score, origin = (weight - cost if cost is not None else float("-inf")), None
        for before in range(max(0, here - _LOOK_BACK), here):
            cost = step_cost(numbers[places[before]].parts, number.parts)
            if cost is not None and best[before] + weight - 1.5 * cost > score:
                score, origin = best[before] + weight - 1.5 * cost, before
        best.append(score)
        came_from.append(origin)
    if not best or max(best) == float("-inf"):
        return Chain({}, 0.0)
    at: int | None = best.index(max(best))
    score = max(best)
    members: dict[int, SectionNumber] = {}
    while at is not None:
        members[places[at]] = numbers[places[at]]
        at = came_from[at]
    return Chain(dict(sorted(members.items())), score)
