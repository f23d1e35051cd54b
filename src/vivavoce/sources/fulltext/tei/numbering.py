"""Section numbers among the numbers in front of a paper's headings.

GROBID takes list items, table cells and lines of algorithms for headings. The true numbers are
those that continue each other: the heaviest chain of steps that a reader would follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.sources.fulltext.tei.blocks import Block
from vivavoce.text.headings import (
    ARABIC,
    LETTER,
    ROMAN,
    SectionNumber,
    read_numbers,
    role_of_heading,
    step_cost,
)

_LOOK_BACK = 48
_KNOWN_ROLE = 0.3
_USUAL_MARK = 0.05
_ENDS = frozenset({"conclusion", "acknowledgements", "references", "appendix"})
_TAKEN_APART = 3


@dataclass(frozen=True, slots=True)
class Accepted:
    """A heading's section number and the level it gives."""

    number: SectionNumber
    level: int
    is_appendix: bool = False


def accept_numbers(blocks: Sequence[Block]) -> dict[int, Accepted]:
    """The accepted number of each numbered block, by the block's place in the sequence."""
    readings = [read_numbers(b.heading, b.label) if b.heading else () for b in blocks]
    headed = sum(1 for block in blocks if block.heading)
    arabic = _chain(_of_style(readings, ARABIC))
    roman = _chain({p: n for p, n in _of_style(readings, ROMAN).items() if len(n.parts) == 1})
    if len(roman) > 1 and len(roman) >= sum(len(n.parts) == 1 for n in arabic.values()):
        main = {place: Accepted(number, 1) for place, number in roman.items()}
        main |= _below_roman(readings, roman)
    elif len(arabic) >= _TAKEN_APART or 2 * len(arabic) >= max(headed, 1):
        main = {place: Accepted(number, len(number.parts)) for place, number in arabic.items()}
        main |= _displaced(readings, arabic)
    else:
        main = {}
    main |= _letters_inside(readings, main)
    return main | _end_matter(blocks, readings, main)


def _of_style(
    readings: Sequence[tuple[SectionNumber, ...]], style: str, start: int = 0
) -> dict[int, SectionNumber]:
    return {
        place: number
        for place in range(start, len(readings))
        for number in readings[place]
        if number.style == style
    }


def _chain(
    numbers: dict[int, SectionNumber], *, first: int | None = None
) -> dict[int, SectionNumber]:
    """The heaviest chain of numbers that continue each other, in linear time."""
    places = list(numbers)
    tops = [n.marked for n in numbers.values() if len(n.parts) == 1]
    usual = 2 * sum(tops) >= len(tops)
    best: list[float] = []
    came_from: list[int | None] = []
    for here, place in enumerate(places):
        number = numbers[place]
        weight = 1.0 + _USUAL_MARK * (number.marked == usual)
        weight += _KNOWN_ROLE * (role_of_heading(number.text) is not None)
        cost = step_cost(None, number.parts)
        if first is not None and number.parts != (first,):
            cost = None
        score, origin = (weight - cost if cost is not None else float("-inf")), None
        for before in range(max(0, here - _LOOK_BACK), here):
            cost = step_cost(numbers[places[before]].parts, number.parts)
            if cost is not None and best[before] + weight - cost > score:
                score, origin = best[before] + weight - cost, before
        best.append(score)
        came_from.append(origin)
    if not best or max(best) == float("-inf"):
        return {}
    at: int | None = max(range(len(best)), key=lambda place: best[place])
    chain: dict[int, SectionNumber] = {}
    while at is not None:
        chain[places[at]] = numbers[places[at]]
        at = came_from[at]
    return dict(sorted(chain.items()))


def _displaced(
    readings: Sequence[tuple[SectionNumber, ...]], chain: dict[int, SectionNumber]
) -> dict[int, Accepted]:
    """Subsections that a column break put out of order: new numbers below an accepted one."""
    taken = {number.parts for number in chain.values()}
    found: dict[int, Accepted] = {}
    for place, number in _of_style(readings, ARABIC).items():
        is_new = number.parts not in taken and number.parts[:-1] in taken
        if is_new and place not in chain and is_title(number.text):
            found[place] = Accepted(number, len(number.parts))
            taken.add(number.parts)
    return found


def is_title(text: str) -> bool:
    """Whether a text is worded as a title: it starts with a letter and holds a long word."""
    return text[:1].isalpha() and any(len(word) > 3 and word.isalpha() for word in text.split())


def _below_roman(
    readings: Sequence[tuple[SectionNumber, ...]], roman: dict[int, SectionNumber]
) -> dict[int, Accepted]:
    """Letters below Roman sections, and Arabic numbers below letters, each counted afresh."""
    found: dict[int, Accepted] = {}
    letter = arabic = 0
    for place in range(min(roman), max(roman)):
        if place in roman:
            letter = arabic = 0
            continue
        for number in readings[place]:
            deeper = len(number.parts) > 1
            if number.style == LETTER and 1 <= number.parts[0] - letter <= 2 and not deeper:
                found[place] = Accepted(number, 2)
                letter, arabic = number.parts[0], 0
            elif number.style == ARABIC and 1 <= number.parts[0] - arabic <= 2 and not deeper:
                found[place] = Accepted(number, 3)
                arabic = number.parts[0]
            elif number.style == ROMAN and deeper:
                found[place] = Accepted(number, 2)
    return found


def _letters_inside(
    readings: Sequence[tuple[SectionNumber, ...]], main: dict[int, Accepted]
) -> dict[int, Accepted]:
    """Marked letters between numbered sections: `A. First experiment` below 4."""
    found: dict[int, Accepted] = {}
    if not main:
        return found
    level = letter = 0
    for place in range(min(main), max(main)):
        if place in main:
            level, letter = main[place].level, 0
            continue
        for number in readings[place]:
            is_plain = number.style == LETTER and len(number.parts) == 1 and number.marked
            if is_plain and not number.is_appendix and 1 <= number.parts[0] - letter <= 2:
                found[place] = Accepted(number, level + 1)
                letter = number.parts[0]
    return found


def _end_matter(
    blocks: Sequence[Block],
    readings: Sequence[tuple[SectionNumber, ...]],
    main: dict[int, Accepted],
) -> dict[int, Accepted]:
    """Numbers of appendices: letters, or Arabic numbers that start over after the conclusion."""
    start = max(main) + 1 if main else _after_conclusion(blocks)
    lettered = _of_style(readings, LETTER, start)
    letters = {place: number for place, number in lettered.items() if number.is_appendix}
    letters |= _chain(lettered)
    found = {p: Accepted(n, len(n.parts), is_appendix=True) for p, n in letters.items()}
    roles = {role_of_heading(block.heading) for block in blocks[:start] if block.heading}
    if main and not found and roles & _ENDS:
        again = _chain(_of_style(readings, ARABIC, start), first=1)
        if len(again) > 1:
            found = {p: Accepted(n, len(n.parts), is_appendix=True) for p, n in again.items()}
    return found


def _after_conclusion(blocks: Sequence[Block]) -> int:
    """Where end matter may start in a paper without numbers; the end where nothing says so."""
    for place in range(len(blocks) - 1, -1, -1):
        heading = blocks[place].heading
        role = role_of_heading(heading) if heading else None
        if role in {"conclusion", "references"} and blocks[place].place == "body":
            return place + 1
    annexes = [place for place, block in enumerate(blocks) if block.role == "appendix"]
    return annexes[0] if annexes else len(blocks)
