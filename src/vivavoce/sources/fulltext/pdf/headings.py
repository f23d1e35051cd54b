"""Headings with levels: the top level by evidence over the whole document, and those below it.

A hypothesis about the top level is a set of candidates that look alike: a run of numbers, or one
typographic style. Evidence is counted over the whole document: usual section names in their usual
places, numbers that continue each other, a style unlike that of the text. The rest follows from the
best hypothesis: numbers with several parts, appendices, and headings without numbers.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vivavoce.sources.fulltext.outline import heaviest_chain
from vivavoce.sources.fulltext.pdf.candidates import HeadingCandidate
from vivavoce.sources.fulltext.pdf.runs import PLAIN, Line, Style
from vivavoce.text.headings import (
    ARABIC,
    LETTER,
    ROMAN,
    SectionNumber,
    role_of_heading,
)

ANCHORS = frozenset(
    "introduction related_work background method experiments results discussion conclusion".split()
)
_MAIN = frozenset({ARABIC, ROMAN})
_LOOK_BACK = 40
_KNOWN_ROLE = 0.6
_FEW = 3
_EARLY = 0.3
"""Share of the text within which an introduction begins."""
_MAX_HYPOTHESES = 100
_LEAST = -1.0
"""Score up to which a hypothesis is worse than none."""
_WEIGHTS = {
    "named": 3.0,
    "introduction": 3.0,
    "few": -4.0,
    "behind": -4.0,
    "strong": 1.0,
    "chain": 3.0,
}
"""Weights of the evidence for a hypothesis."""


def build_chain(
    numbers: Mapping[int, SectionNumber],
    roles: Sequence[str | None],
    start: tuple[int, ...] | None = None,
) -> tuple[dict[int, SectionNumber], float]:
    """The best run of numbers that continue each other, by place, and its score."""
    return heaviest_chain(
        numbers,
        lambda place: 1.0 + _KNOWN_ROLE * (roles[place] is not None),
        start=start,
        look_back=_LOOK_BACK,
        penalty=1.5,
    )


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Candidates that may be the top-level headings."""

    members: dict[int, SectionNumber | None]
    """Members by place among the candidates."""
    style: Style | None = None
    number_style: str = ""
    """Style of the numbers; empty for headings without them."""
    features: dict[str, float] = field(default_factory=dict)
    score: float = 0.0


class Evidence:
    """Evidence in a document for or against a hypothesis."""

    def __init__(self, candidates: Sequence[HeadingCandidate], lines: Sequence[Line]) -> None:
        self.candidates = candidates
        self.roles = [role_of_heading(plain_heading(c.text)) for c in candidates]
        letters = [0]
        for line in lines:
            letters.append(letters[-1] + (0 if line.kind else len(line.text)))
        self.offsets = [letters[c.start] for c in candidates]
        self.total = max(letters[-1], 1)
        references = [
            place
            for place, role in enumerate(self.roles)
            if role == "references" and self.offsets[place] > _EARLY * self.total
        ]
        self.end = references[0] if references else len(candidates)
        self.stop = self.offsets[self.end] if self.end < len(candidates) else self.total

    def best(self) -> Hypothesis:
        """The hypothesis with the most evidence; an empty one if none scores enough."""
        judged = [self.judge(hypothesis) for hypothesis in self.hypotheses()]
        judged = [one for one in judged if one.score > _LEAST]
        return max(judged, key=lambda one: one.score, default=Hypothesis({}))

    def hypotheses(self) -> list[Hypothesis]:
        """Runs of numbers within a style or across styles, and single styles."""
        groups: dict[tuple[Style | None, str], dict[int, SectionNumber]] = defaultdict(dict)
        styles: dict[Style, dict[int, SectionNumber | None]] = defaultdict(dict)
        for place, candidate in enumerate(self.candidates):
            if candidate.runs_in and not (candidate.is_strong and _is_numbered(candidate)):
                continue
            if candidate.is_strong and not _is_numbered(candidate):
                styles[candidate.style][place] = None
            for number in candidate.numbers:
                is_main = number.style in _MAIN and len(number.parts) == 1
                if is_main and not number.is_appendix:
                    groups[candidate.style, number.style][place] = number
                    if candidate.is_strong and not candidate.runs_in:
                        groups[None, number.style][place] = number
        hypotheses = [
            Hypothesis(dict(build_chain(numbers, self.roles)[0]), style, number_style)
            for (style, number_style), numbers in groups.items()
        ]
        hypotheses += [Hypothesis(members, style) for style, members in styles.items()]
        # A drawing may hold thousands of styles, but those of a paper's headings recur.
        hypotheses.sort(key=lambda one: -len(one.members))
        return [self._from_start(one) for one in hypotheses[:_MAX_HYPOTHESES] if one.members]

    def _from_start(self, one: Hypothesis) -> Hypothesis:
        """The hypothesis without the candidates before the introduction, such as the title."""
        if one.number_style:
            return one
        places = sorted(one.members)
        last = max((p for p, role in enumerate(self.roles) if role == "abstract"), default=-1)
        first = next(
            (p for p in places if self.roles[p] == "introduction" and self._share(p) < _EARLY),
            next((p for p in places if p > last and self.offsets[p] > 0), places[0]),
        )
        return Hypothesis({p: n for p, n in one.members.items() if p >= first}, one.style)

    def _share(self, place: int) -> float:
        return self.offsets[place] / max(self.stop, 1)

    def judge(self, one: Hypothesis) -> Hypothesis:
        """The hypothesis with its features and its score."""
        places = sorted(one.members)
        body = [p for p in places if p < self.end]
        roles = {self.roles[p] for p in body} & ANCHORS
        numbers = [n.parts[0] for n in one.members.values() if n is not None]
        style = one.style
        features = {
            "named": min(len(roles), 4) / 4,
            "introduction": float(
                any(self.roles[p] == "introduction" and self._share(p) < _EARLY for p in body)
            ),
            "few": max(_FEW - len(body), 0) / _FEW,
            "behind": sum(p >= self.end for p in places) / len(places),
            "strong": float(style is None or style.kind != PLAIN),
            "chain": min(len(numbers), 8) / 8 if one.number_style else 0.0,
        }
        score = sum(_WEIGHTS[name] * value for name, value in features.items())
        return Hypothesis(one.members, one.style, one.number_style, features, score)


def plain_heading(text: str) -> str:
    """A heading without its closing mark."""
    return text.strip().rstrip(".:—–-").strip()


def _is_numbered(candidate: HeadingCandidate) -> bool:
    """Check whether a heading starts with an unmistakable number, unlike the article `A`."""
    return any(n.style == ARABIC or n.marked for n in candidate.numbers)


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
                is_own = candidate.is_strong and not candidate.runs_in
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
                is_own = candidate.is_strong and not is_part
                if (
                    is_own
                    and len(number.parts) == 1
                    and (number.style == LETTER or number.is_appendix)
                ):
                    groups[candidate.style][place] = number
        chains = [(*build_chain(numbers, self.roles), style) for style, numbers in groups.items()]
        chains = [
            (members, score, style)
            for members, score, style in chains
            if members and (style == top or len(members) > 1)
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
            return 0 if candidate.numbers else max(level, 1) + 1
        if role in _END:
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
