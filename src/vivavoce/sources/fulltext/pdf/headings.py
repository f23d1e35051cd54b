"""Headings with levels: those of the best hypothesis, and the headings below and after them.

The top level is chosen over the whole document (evidence.py). The rest follows from it: numbers
with several parts, appendices, and headings without numbers.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vivavoce.sources.fulltext.pdf.candidates import HeadingCandidate
from vivavoce.sources.fulltext.pdf.evidence import Evidence, Hypothesis, build_chain, plain_heading
from vivavoce.sources.fulltext.pdf.runs import Line, Style
from vivavoce.text.headings import ARABIC, LETTER, SectionNumber

_END = frozenset({"references", "acknowledgements", "appendix"})
_SENTENCE = 5
"""Fewest words of a line of text."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A candidate that was accepted."""

    candidate: HeadingCandidate
    level: int
    text: str
    """Text without its number and its closing mark."""
    number: str | None
    role: str | None


def find_headings(
    candidates: Sequence[HeadingCandidate], lines: Sequence[Line]
) -> tuple[list[Heading], Hypothesis]:
    """The headings from the first section onwards, and the hypothesis behind them."""
    evidence = Evidence(candidates, lines)
    judge = _Judge(evidence, lines)
    return judge.headings(), judge.main


class _Judge:
    def __init__(self, evidence: Evidence, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.candidates = evidence.candidates
        self.roles = evidence.roles
        self.end = evidence.end
        self.main = evidence.best()
        self.accepted: dict[int, tuple[int, SectionNumber | None]] = {}

    def headings(self) -> list[Heading]:
        """Accept headings from the surest to the least sure."""
        for place, number in self.main.members.items():
            self.accepted[place] = (1, number)
        if any(number is not None for _, number in self.accepted.values()):
            self._accept_below()
        top = self.main.style
        start = min(self.main.members, default=0)
        self._accept_appendix(top)
        self._accept_unnumbered(top, start)
        headings = []
        for place, (level, number) in sorted(self.accepted.items()):
            candidate = self.candidates[place]
            if number is None and self.roles[place] is None and self._is_label(place, level):
                continue
            text = plain_heading(number.text if number else candidate.text)
            role = "appendix" if number is not None and number.is_appendix else None
            printed = number.printed if number else None
            headings.append(Heading(candidate, level, text, printed, role))
        return headings

    def _is_label(self, place: int, level: int) -> bool:
        """Check whether no line of text follows, nor a heading below it, as in a figure."""
        candidate = self.candidates[place]
        behind = (other for other in sorted(self.accepted) if other > place)
        following = next(behind, None)
        if candidate.runs_in or (following is not None and self.accepted[following][0] > level):
            return False
        stop = len(self.lines) if following is None else self.candidates[following].start
        lines = (line for line in self.lines[candidate.stop : stop] if not line.kind)
        return not any(line.runs == 1 and len(line.words) >= _SENTENCE for line in lines)

    def _accept_below(self) -> None:
        """Accept numbers with several parts that continue the section around them."""
        tops = sorted(self.accepted)
        for place_in_list, top in enumerate(tops):
            number = self.accepted[top][1]
            stop = (
                tops[place_in_list + 1] if place_in_list + 1 < len(tops) else len(self.candidates)
            )
            if number is None:
                continue
            self._accept_parts(top + 1, stop, ARABIC, number.parts)
            if number.style != ARABIC or top != tops[-1]:
                self._accept_restarted(top, stop, is_roman=number.style != ARABIC)

    def _accept_parts(self, start: int, stop: int, style: str, prefix: tuple[int, ...]) -> None:
        numbers: dict[int, SectionNumber] = {}
        for place in range(start, stop):
            for number in self.candidates[place].numbers:
                deeper = number.style == style and len(number.parts) > len(prefix)
                if deeper and number.parts[: len(prefix)] == prefix:
                    numbers[place] = number
        for place, number in build_chain(numbers, self.roles, start=prefix)[0].items():
            self.accepted[place] = (len(number.parts), number)

    def _accept_restarted(self, top: int, stop: int, *, is_roman: bool) -> None:
        """Accept letters or Arabic numbers that start again below a number set otherwise."""
        numbers: dict[str, dict[int, SectionNumber]] = defaultdict(dict)
        for place in range(top + 1, stop):
            candidate = self.candidates[place]
            for number in candidate.numbers:
                is_list = candidate.runs_in or not candidate.is_strong
                is_own = not is_list or (is_roman and number.style == LETTER)
                is_alike = candidate.style == self.candidates[top].style and not is_roman
                is_single = number.style in {ARABIC, LETTER} and len(number.parts) == 1
                if is_single and is_own and not is_alike:
                    numbers[number.style][place] = number
        for own in numbers.values():
            for place, number in build_chain(own, self.roles)[0].items():
                self.accepted.setdefault(place, (2, number))

    def _accept_appendix(self, top: Style | None) -> None:
        """Accept letters after the last section of the body, and the numbers below them."""
        numbered = [p for p, (level, n) in self.accepted.items() if level == 1 and n is not None]
        last = max(numbered, default=-1)
        groups: dict[Style, dict[int, SectionNumber]] = defaultdict(dict)
        deeper = {
            self.candidates[p].style for p, (n, _) in self.accepted.items() if n > 1 and p < last
        }
        for place in range(last + 1, len(self.candidates)):
            candidate = self.candidates[place]
            is_part = self.accepted.get(place, (1,))[0] > 1 and candidate.style in deeper
            for number in candidate.numbers:
                if not ((candidate.is_strong and not is_part) or number.is_appendix):
                    continue
                if len(number.parts) == 1 and (number.style == LETTER or number.is_appendix):
                    groups[candidate.style][place] = number
        chains = [(*build_chain(numbers, self.roles), style) for style, numbers in groups.items()]
        chains = [
            (members, score, style)
            for members, score, style in chains
            if members
            and (
                style == top
                or len(members) > 1
                or any(number.is_appendix for number in members.values())
            )
        ]
        if not chains:
            return
        members, *_ = max(chains, key=lambda chain: (chain[2] == top, chain[1]))
        places = sorted(members)
        for position, place in enumerate(places):
            number = members[place]
            self.accepted[place] = (1, number)
            stop = places[position + 1] if position + 1 < len(places) else len(self.candidates)
            self._accept_parts(place + 1, stop, number.style, number.parts)

    def _accept_unnumbered(self, top: Style | None, start: int) -> None:
        ranks = self._ranks(top, start)
        level = 0
        top_role: str | None = None
        for place, candidate in enumerate(self.candidates):
            if place in self.accepted:
                level = self.accepted[place][0]
                top_role = self.roles[place] if level == 1 else top_role
                continue
            if place < start:
                continue
            own = self._unnumbered_level(place, candidate, top, ranks, level, top_role)
            if own:
                self.accepted[place] = (own, None)
                if not candidate.runs_in and own <= 2:
                    level = own
                if own == 1:
                    top_role = self.roles[place]

    def _unnumbered_level(
        self,
        place: int,
        candidate: HeadingCandidate,
        top: Style | None,
        ranks: Mapping[Style, int],
        level: int,
        top_role: str | None,
    ) -> int:
        role = self.roles[place]
        if candidate.runs_in:
            if role in _END and candidate.is_strong and place > 0:
                return 1
            is_inside = top_role in {"references"} or not candidate.is_strong
            return 0 if is_inside or candidate.numbers else max(level, 1) + 1
        if role in _END and (candidate.is_apart or candidate.is_strong):
            return 1
        if candidate.numbers and any(n.style != LETTER or n.marked for n in candidate.numbers):
            return 0
        if not candidate.is_strong or not candidate.is_apart:
            return 0
        if candidate.style == top:
            is_between = self.main.number_style and place < max(self.main.members)
            return 1 if role is not None or not is_between else max(level, 1) + 1
        if top_role == "references":
            return 0
        return ranks.get(candidate.style, max(level, 1) + 1)

    def _ranks(self, top: Style | None, start: int) -> dict[Style, int]:
        """The level of each style, by its numbered headings; by size in a paper without numbers."""
        ranks: dict[Style, int] = {}
        for place, (level, _) in sorted(self.accepted.items()):
            style = self.candidates[place].style
            ranks[style] = min(level, ranks.get(style, level))
        if self.main.number_style or top is None:
            return {style: max(level, 2) for style, level in ranks.items() if style != top}
        below = Counter(
            c.style
            for c in self.candidates[start:]
            if c.is_strong and not c.runs_in and c.style.size <= top.size + 0.3
        )
        others = {style for style, count in below.items() if count > 1} - {top}
        ordered = sorted(others, key=lambda s: (-s.size, s.kind, s.name))
        return {style: min(2 + rank, 4) for rank, style in enumerate(ordered)}
