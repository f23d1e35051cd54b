"""Hypotheses about the top-level headings of a paper, and the evidence for each.

A hypothesis is a set of candidates that look alike: a run of numbers, or one typographic style.
Evidence is counted over the whole document: usual section names in their usual places, numbers
that continue each other, a style unlike that of the text.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vivavoce.sources.fulltext.outline import heaviest_chain
from vivavoce.sources.fulltext.pdf.candidates import HeadingCandidate
from vivavoce.sources.fulltext.pdf.runs import PLAIN, Line, Style
from vivavoce.text.headings import ARABIC, ROMAN, SectionNumber, role_of_heading, step_cost

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
        lambda number: step_cost(start, number.parts),
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


def compact(text: str) -> str:
    """The letters and digits of a text, case-folded for comparison."""
    return "".join(filter(str.isalnum, text.casefold()))
