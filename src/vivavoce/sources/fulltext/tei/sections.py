"""Sections out of the divisions of a TEI text: the headings that open one, and their levels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from vivavoce.records import Section
from vivavoce.sources.fulltext.tei.blocks import Block
from vivavoce.sources.fulltext.tei.numbering import Accepted, accept_numbers
from vivavoce.text.headings import is_heading_text, is_measurement, role_of_heading
from vivavoce.text.normalise import normalise_title

_TOP_ROLES = frozenset(
    {"abstract", "introduction", "related_work", "conclusion"}
    | {"acknowledgements", "references", "appendix"}
)
_LAST_WORDS = frozenset({"discussion", "conclusion"})
_LONGEST_HEADING_WORDS = 25
_FRONT_MATTER = re.compile(
    r"(?:key ?words|index terms|ccs concepts|categories and subject descriptors|general terms)\b",
    re.IGNORECASE,
)
_RUNNING_HEAD = re.compile(
    r"(?:published|accepted|under review|submitted|presented|workshop track)\b.{0,80}?\b20\d\d$",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Draft:
    """A section in the making."""

    level: int
    heading: str | None
    number: str | None
    role: str | None
    place: str
    depth: int
    is_firm: bool
    """It stays even without text: a number or a usual name vouches for it."""
    paragraphs: list[str] = field(default_factory=list)


def build_sections(blocks: Sequence[Block], title: str | None) -> tuple[Section, ...]:
    """The sections in reading order; all paragraphs of the blocks are in one of them."""
    outline = _Outline(blocks, title)
    for place in range(len(blocks)):
        outline.take(place)
    return tuple(
        Section(
            ordinal=ordinal,
            level=draft.level,
            heading=draft.heading,
            role=draft.role,
            text="\n\n".join(draft.paragraphs),
            number=draft.number,
        )
        for ordinal, draft in enumerate(outline.finished())
    )


class _Outline:
    """The sections found so far, and where the numbering stands."""

    def __init__(self, blocks: Sequence[Block], title: str | None) -> None:
        self.blocks = blocks
        self.title = normalise_title(title or "")
        self.accepted = accept_numbers(blocks)
        self.is_numbered = bool(self.accepted)
        main = [place for place, number in self.accepted.items() if not number.is_appendix]
        self.last_main = max(main, default=-1)
        self.gaps = _find_gaps(blocks, self.accepted)
        self.drafts: list[_Draft] = []
        self.base = 0
        """Level of the last section that a number or a usual name placed."""
        self.top_role: str | None = None
        """Role of the last top-level section, by its heading or its markup."""
        self.numbered_place = "body"
        """Where the last numbered section stands."""
        self.in_appendix = False

    def take(self, place: int) -> None:
        """Open a section for a block, or let its text continue the one before."""
        block = self.blocks[place]
        number = self.accepted.get(place)
        if number is not None:
            self._open_numbered(block, number)
        elif block.heading and self._opens(block, block.heading):
            self._open_unnumbered(place, block, block.heading)
        else:
            self._continue(block)

    def finished(self) -> list[_Draft]:
        """The sections to keep: unfounded headings without text are dropped."""
        kept: list[_Draft] = []
        for place, draft in enumerate(self.drafts):
            following = self.drafts[place + 1] if place + 1 < len(self.drafts) else None
            is_parent = following is not None and following.depth > draft.depth
            if draft.paragraphs or draft.is_firm or is_parent:
                kept.append(draft)
        return kept

    def _opens(self, block: Block, heading: str) -> bool:
        if normalise_title(heading) == self.title or _FRONT_MATTER.match(heading):
            return False
        if _RUNNING_HEAD.match(heading) or (block.label and is_measurement(block.label)):
            return False
        if _is_sentence(heading):
            return False
        return is_heading_text(heading)

    def _open_numbered(self, block: Block, accepted: Accepted) -> None:
        number = accepted.number
        role = block.role
        own_role = role_of_heading(number.text)
        if number.is_appendix and role is None:
            role = "appendix"
        elif role == "appendix" and not accepted.is_appendix and own_role is not None:
            role = None  # a section of the body that was taken for an annex
        self._open(block, accepted.level, number.text, number.printed, role, is_firm=True)
        self.in_appendix = self.in_appendix or accepted.is_appendix
        self.numbered_place = block.place
        self.base = accepted.level
        if accepted.level == 1:
            self.top_role = role or own_role

    def _open_unnumbered(self, place: int, block: Block, heading: str) -> None:
        own_role = role_of_heading(heading)
        role = block.role
        if role == "appendix" and own_role in {"acknowledgements", "references"}:
            role = own_role
        elif role == "appendix" and own_role in _LAST_WORDS and not self.in_appendix:
            role = None  # the annex starts with what still belongs to the paper
        self.in_appendix = self.in_appendix or role == "appendix"
        level = self._level(place, block, own_role)
        is_firm = not self.is_numbered or place in self.gaps or own_role in _TOP_ROLES
        self._open(block, level, heading, None, role, is_firm=is_firm)
        if level == 1 and (own_role is not None or role is not None):
            self.base = 1
            self.top_role = role or own_role

    def _level(self, place: int, block: Block, own_role: str | None) -> int:
        if block.depth and self.drafts:
            around = (draft for draft in reversed(self.drafts) if draft.depth < block.depth)
            return next((draft.level + 1 for draft in around), 1)
        if place in self.gaps or not self.is_numbered:
            return 1
        if own_role in _TOP_ROLES and not self._is_inner(place, own_role):
            return 1
        if block.place not in ("body", self.numbered_place):
            return 1
        # Nothing stands below these but what belongs elsewhere: floats and appendices.
        if self.top_role in {"acknowledgements", "references", "conclusion"}:
            return 1
        return self.base + 1

    def _is_inner(self, place: int, role: str) -> bool:
        """Whether a usual name heads a part of a section: a summary, an introductory one."""
        if role == "introduction":
            return self.base > 0
        return role in {"conclusion", "appendix"} and place < self.last_main

    def _open(
        self,
        block: Block,
        level: int,
        heading: str | None,
        number: str | None,
        role: str | None,
        *,
        is_firm: bool,
    ) -> None:
        draft = _Draft(level, heading, number, role, block.place, block.depth, is_firm)
        if heading is not None:
            draft.paragraphs += block.paragraphs
        self.drafts.append(draft)

    def _continue(self, block: Block) -> None:
        if not self.drafts or self.drafts[-1].place != block.place:
            self._open(block, 1, None, None, block.role, is_firm=False)
        if block.heading and _is_sentence(block.heading):
            self.drafts[-1].paragraphs.append(block.heading)
        self.drafts[-1].paragraphs += block.paragraphs


def _is_sentence(heading: str) -> bool:
    """Whether a heading is running text: too long, or ending like the start of a list."""
    words = [word for word in heading.split() if any(map(str.isalpha, word))]
    return len(words) > _LONGEST_HEADING_WORDS or (len(words) > 3 and heading.endswith(":"))


def _find_gaps(blocks: Sequence[Block], accepted: dict[int, Accepted]) -> frozenset[int]:
    """Unnumbered headings that stand where a top-level number is missing."""
    found: set[int] = set()
    main = sorted(place for place, number in accepted.items() if not number.is_appendix)
    for before, after in pairwise(main):
        first, second = accepted[before].number, accepted[after].number
        step = second.parts[0] - first.parts[0]
        if first.style != second.style or step < 1 or (step == 1 and len(second.parts) == 1):
            continue
        for place in range(before + 1, after):
            heading = blocks[place].heading
            if heading and role_of_heading(heading) is not None:
                found.add(place)
                break
    return frozenset(found)
