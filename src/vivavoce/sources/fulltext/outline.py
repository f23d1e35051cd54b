"""Find the true headings and their levels among the divisions that a PDF converter found.

Such a converter mistakes list items, table cells and lines of algorithms for headings. The true
section numbers are those that continue each other: the heaviest chain of steps that a reader would
follow.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vivavoce.sources.fulltext.model import Block
from vivavoce.text.headings import (
    ARABIC,
    LETTER,
    ROMAN,
    SectionNumber,
    is_heading_text,
    read_numbers,
    role_of_heading,
    step_cost,
)
from vivavoce.text.normalise import normalise_title

_LOOK_BACK = 48
_KNOWN_ROLE = 0.3
_ENDS = frozenset({"conclusion", "acknowledgements", "references", "appendix"})
_TAKEN_APART = 3
_TOP_ROLES = frozenset(
    {"abstract", "introduction", "related_work", "conclusion"}
    | {"acknowledgements", "references", "appendix"}
)
_LAST_WORDS = frozenset({"discussion", "conclusion"})
_MAX_HEADING_WORDS = 25


@dataclass(frozen=True, slots=True)
class HeadingLevel:
    """A heading's section number and the level it gives."""

    number: SectionNumber
    level: int
    is_appendix: bool = False


def accept_numbers(blocks: Sequence[Block]) -> dict[int, HeadingLevel]:
    """The accepted number of each numbered block, by the block's place in the sequence."""
    readings = [read_numbers(b.heading, b.number) if b.heading else () for b in blocks]
    headed = sum(1 for block in blocks if block.heading)
    arabic = _chain(_of_style(readings, ARABIC))
    roman = _chain({p: n for p, n in _of_style(readings, ROMAN).items() if len(n.parts) == 1})
    if len(roman) > 1 and len(roman) >= sum(len(n.parts) == 1 for n in arabic.values()):
        main = {place: HeadingLevel(number, 1) for place, number in roman.items()}
    elif len(arabic) >= _TAKEN_APART or 2 * len(arabic) >= max(headed, 1):
        main = {place: HeadingLevel(number, len(number.parts)) for place, number in arabic.items()}
        main |= _between(main, _of_style(readings, ROMAN))
    else:
        main = {}
    main |= _letters_inside(readings, main)
    # Numbers of appendices: letters, or Arabic numbers that start over after the conclusion.
    annexes = (place for place, block in enumerate(blocks) if block.role == "appendix")
    start = max(main) + 1 if main else next(annexes, len(blocks))
    lettered = _of_style(readings, LETTER, start)
    letters = {place: number for place, number in lettered.items() if number.is_appendix}
    letters |= _chain(lettered)
    appendices = {p: HeadingLevel(n, len(n.parts), is_appendix=True) for p, n in letters.items()}
    roles = {role_of_heading(block.heading) for block in blocks[:start] if block.heading}
    if main and not appendices and roles & _ENDS:
        again = _chain(_of_style(readings, ARABIC, start), first=1)
        if len(again) > 1:
            appendices = {
                p: HeadingLevel(n, len(n.parts), is_appendix=True) for p, n in again.items()
            }
    return main | appendices


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
    """The heaviest chain of numbers that continue each other."""

    def weight(place: int) -> float:
        return 1.0 + _KNOWN_ROLE * (role_of_heading(numbers[place].text) is not None)

    def opening(number: SectionNumber) -> float | None:
        is_allowed = first is None or number.parts == (first,)
        return step_cost(None, number.parts) if is_allowed else None

    return heaviest_chain(numbers, weight, opening, look_back=_LOOK_BACK)[0]


def _between(
    main: Mapping[int, HeadingLevel], others: Mapping[int, SectionNumber]
) -> dict[int, HeadingLevel]:
    """Numbers of another style that fill gaps between the main ones: `2`, `III`, `4`."""
    tops = {place: one.number.parts[0] for place, one in main.items()}
    numbers: dict[int, HeadingLevel] = {}
    for place, number in others.items():
        before = [tops[p] for p in sorted(tops) if p < place]
        behind = [tops[p] for p in sorted(tops) if p > place]
        is_missing = before and behind and before[-1] < number.parts[0] < behind[0]
        if is_missing and place not in main and len(number.parts) == 1:
            numbers[place] = HeadingLevel(number, 1)
            tops[place] = number.parts[0]
    return numbers


def _letters_inside(
    readings: Sequence[tuple[SectionNumber, ...]], main: dict[int, HeadingLevel]
) -> dict[int, HeadingLevel]:
    """Marked letters between numbered sections: `A. First experiment` below 4."""
    letters: dict[int, HeadingLevel] = {}
    if not main:
        return letters
    level = letter = 0
    for place in range(min(main), max(main)):
        if place in main:
            level, letter = main[place].level, 0
            continue
        for number in readings[place]:
            is_plain = number.style == LETTER and len(number.parts) == 1 and number.marked
            if is_plain and not number.is_appendix and 1 <= number.parts[0] - letter <= 2:
                letters[place] = HeadingLevel(number, level + 1)
                letter = number.parts[0]
    return letters


def find_sections(blocks: Sequence[Block], title: str) -> list[Block]:
    """The sections in reading order, which together hold all paragraphs of the blocks."""
    outline = _Outline(blocks, title)
    for place in range(len(blocks)):
        outline.take(place)
    return outline.finished()


class _Outline:
    """The sections found so far, and the state of the numbering."""

    def __init__(self, blocks: Sequence[Block], title: str) -> None:
        self.blocks = blocks
        self.title = normalise_title(title)
        self.accepted = accept_numbers(blocks)
        self.is_numbered = bool(self.accepted)
        self.sections: list[Block] = []
        self.base = 0
        """Level of the last section placed by a number or a usual name."""
        self.top_role: str | None = None
        """Role of the last top-level section, by its heading or its markup."""
        self.numbered_place = "body"
        """Place of the last numbered section."""

    def take(self, place: int) -> None:
        """Open a section for a block, or add its text to the section before."""
        block = self.blocks[place]
        number, heading = self.accepted.get(place), block.heading or ""
        is_other = normalise_title(heading) == self.title or _is_sentence(heading)
        if number is not None:
            self._open_numbered(block, number)
        elif heading and not is_other and is_heading_text(heading):
            own_role = role_of_heading(heading)
            role = block.role
            if role == "appendix" and own_role in {"acknowledgements", "references"}:
                role = own_role
            elif role == "appendix" and own_role in _LAST_WORDS and self.top_role != "appendix":
                role = None  # the annex starts with a section that still belongs to the paper
            level = self._level(block, own_role)
            is_firm = not self.is_numbered or own_role in _TOP_ROLES
            self._open(block, number=None, level=level, role=role, is_firm=is_firm)
            if level == 1 and (own_role is not None or role is not None):
                self.base = 1
                self.top_role = role or own_role
        else:
            if not self.sections or self.sections[-1].place != block.place:
                self.sections.append(
                    replace(block, heading=None, number=None, level=1, paragraphs=[])
                )
            if heading and _is_sentence(heading):
                self.sections[-1].paragraphs.append(heading)
            self.sections[-1].paragraphs += block.paragraphs

    def finished(self) -> list[Block]:
        """The sections to keep; drop headings without text unless something supports them."""
        following = [*(section.depth for section in self.sections[1:]), 0]
        return [
            section
            for section, depth in zip(self.sections, following, strict=False)
            if section.paragraphs or section.is_firm or depth > section.depth
        ]

    def _open_numbered(self, block: Block, accepted: HeadingLevel) -> None:
        number = accepted.number
        role = block.role
        own_role = role_of_heading(number.text)
        if number.is_appendix and role is None:
            role = "appendix"
        elif role == "appendix" and not accepted.is_appendix and own_role is not None:
            role = None  # a section of the body that was taken for an annex
        level = accepted.level
        self._open(
            block, heading=number.text, number=number.printed, level=level, role=role, is_firm=True
        )
        self.numbered_place = block.place
        self.base = accepted.level
        if accepted.level == 1:
            self.top_role = role or own_role

    def _open(self, block: Block, **changes: Any) -> None:
        self.sections.append(replace(block, paragraphs=list(block.paragraphs), **changes))

    def _level(self, block: Block, own_role: str | None) -> int:
        if block.depth and self.sections:
            around = (s for s in reversed(self.sections) if s.depth < block.depth)
            return next((section.level + 1 for section in around), 1)
        if not self.is_numbered or own_role in _TOP_ROLES:
            return 1
        if block.place not in ("body", self.numbered_place):
            return 1
        # Only floats and appendices follow below these, and they belong elsewhere.
        if self.top_role in {"acknowledgements", "references", "conclusion"}:
            return 1
        return self.base + 1


def _is_sentence(heading: str) -> bool:
    """Check whether a heading is running text: too long, or ending like the lead-in of a list."""
    words = [word for word in heading.split() if any(map(str.isalpha, word))]
    return len(words) > _MAX_HEADING_WORDS or (len(words) > 3 and heading.endswith(":"))


def heaviest_chain(
    numbers: Mapping[int, SectionNumber],
    weight: Callable[[int], float],
    opening: Callable[[SectionNumber], float | None],
    *,
    look_back: int,
    penalty: float = 1.0,
) -> tuple[dict[int, SectionNumber], float]:
    """The best-scoring chain of numbers that continue each other, in linear time; empty if none.

    Args:
        numbers: Section numbers by place.
        weight: Score of a place in a chain.
        opening: Cost of starting with a number; None if no chain may start with it.
        look_back: Number of earlier places that a place may continue.
        penalty: Factor that multiplies the cost of each step.
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
    position: int | None = best.index(highest)
    chain: dict[int, SectionNumber] = {}
    while position is not None:
        chain[places[position]] = numbers[places[position]]
        position = came_from[position]
    return dict(sorted(chain.items())), highest
