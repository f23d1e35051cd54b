"""Sections in the making, and the chain of section numbers that a reader would follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from vivavoce.records import Section
from vivavoce.text.headings import SectionNumber, step_cost


@dataclass(slots=True)
class Draft:
    """A section in the making."""

    level: int
    heading: str | None
    number: str | None
    role: str | None
    paragraphs: list[str] = field(default_factory=list)


def number_sections(drafts: Iterable[Draft]) -> tuple[Section, ...]:
    """The sections in reading order, counted from 0."""
    return tuple(
        Section(
            ordinal=ordinal,
            level=draft.level,
            heading=draft.heading,
            role=draft.role,
            text="\n\n".join(draft.paragraphs),
            number=draft.number,
        )
        for ordinal, draft in enumerate(drafts)
    )


def heaviest_chain(
    numbers: Mapping[int, SectionNumber],
    weight: Callable[[int], float],
    opening: Callable[[SectionNumber], float | None],
    *,
    look_back: int,
    penalty: float = 1.0,
) -> tuple[dict[int, SectionNumber], float]:
    """The numbers that continue each other with the highest score, in linear time; empty if none.

    Args:
        numbers: By place.
        weight: Score of a place in a chain.
        opening: Cost of starting with a number; None where no chain starts so.
        look_back: Number of places before one that it may continue.
        penalty: Factor of the costs of steps.
    """
    places = sorted(numbers)
    best: list[float] = []
    came_from: list[int | None] = []
    for here, place in enumerate(places):
        own = weight(place)
        cost = opening(numbers[place])
        score, origin = (own - cost if cost is not None else float("-inf")), None
        for before in range(max(0, here - look_back), here):
            cost = step_cost(numbers[places[before]].parts, numbers[place].parts)
            if cost is not None and best[before] + own - penalty * cost > score:
                score, origin = best[before] + own - penalty * cost, before
        best.append(score)
        came_from.append(origin)
    highest = max(best, default=float("-inf"))
    if highest == float("-inf"):
        return {}, 0.0
    at: int | None = best.index(highest)
    chain: dict[int, SectionNumber] = {}
    while at is not None:
        chain[places[at]] = numbers[places[at]]
        at = came_from[at]
    return dict(sorted(chain.items())), highest
