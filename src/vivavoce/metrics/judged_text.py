"""Facts that a text covers, claims that its sources carry and works that fit, by a judge's labels.

A judge labels numbered lines. Of several judges the label of most of them counts, else the one in
the middle. A line that nobody labelled is left out, and counted by `judge_malformed`.

Facts of the reference, each `supported`, `partial` or `absent` in the answer:

- `nugget_coverage` = (supported + partial/2) / facts; `nugget_coverage_strict` = supported / facts;
  `nugget_coverage_vital` and `nugget_coverage_vital_strict` are the same over vital facts.

Sentences of the answer, each once, against what the model was shown, each `supported`,
`contradicted`, `absent` or `no_claim`. In a related-work section a sentence is `own` that the
paper itself carries. Claims are all but `no_claim`:

- `support` = (supported + own) / claims; `contradicted` = contradicted / claims;
- `citation_precision` = citations whose work carries their sentence / citations in claims. One of
  nothing that is listed carries nothing;
- `claim_coverage` = claims that a work carries which they, or a sentence beside them, cite /
  claims but for `own` ones.

Works that the answer cites, each graded 0, 1 or 2 for the paper:

- `relevance` = sum of the grades / (2 * works). One that is not listed has 0.

A share of nothing is undefined.

Source: facts: Pradeep et al. 2024, "Initial Nugget Evaluation Results for the TREC 2024 RAG Track",
section 3 (A, A_strict, V, V_strict); citations, coverage and relevance: DeepScholar-Bench, section
4; support as a rate of claims: Liu et al. 2023, "Evaluating Verifiability in Generative Search
Engines".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.metrics import Ratio
from vivavoce.metrics.citation_list import body_of, find_citations
from vivavoce.text.normalise import normalise_title
from vivavoce.text.sentences import split_sentences

SUPPORTED, PARTIAL, ABSENT = "supported", "partial", "absent"
CONTRADICTED, NO_CLAIM, OWN = "contradicted", "no_claim", "own"
VITAL, OKAY = "vital", "okay"
NUGGET_LABELS = (ABSENT, PARTIAL, SUPPORTED)
CLAIM_LABELS = (CONTRADICTED, ABSENT, NO_CLAIM, OWN, SUPPORTED)
GRADES = ("0", "1", "2")
"""Labels from the worst to the best."""

NUGGETS = (
    "nugget_coverage",
    "nugget_coverage_strict",
    "nugget_coverage_vital",
    "nugget_coverage_vital_strict",
)
SUPPORT = ("support", "contradicted")
CITED = ("citation_precision", "claim_coverage")
RELEVANCE = ("relevance",)
JUDGED = (*NUGGETS, *SUPPORT, *CITED, *RELEVANCE)
"""Names of all metrics here."""

MAX_CLAIMS = 400
"""Sentences of an answer that a judge is asked about."""
_NUMBER = re.compile(r"\D{0,12}([0-9]{1,4})\W{0,3}")
_KEYS = ("label", "verdict", "grade")
_POINTS = {SUPPORTED: 2, PARTIAL: 1}

Values = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Ruling:
    """A judge's label of one line."""

    label: str
    works: frozenset[int] = frozenset()
    """Numbers of the works that carry it."""


def read_rulings(value: Any, count: int, labels: Sequence[str]) -> list[Ruling | None]:
    """Labels of so many lines out of decoded JSON; None for a line without one.

    An object names lines by their numbers. A line's value is a label, or an object with it as
    `label`, and perhaps `works`, a list of numbers.
    """
    found: list[Ruling | None] = [None] * count
    for key, given in value.items() if isinstance(value, dict) else ():
        number = _NUMBER.fullmatch(str(key))
        if number and 0 < int(number[1]) <= count:
            found[int(number[1]) - 1] = _ruling(given, labels)
    return found


def _ruling(given: Any, labels: Sequence[str]) -> Ruling | None:
    works: Any = ()
    if isinstance(given, dict):
        works = given.get("works") or ()
        given = next((given[key] for key in _KEYS if key in given), None)
    label = str(given)[:40].strip().lower().replace(" ", "_").replace("-", "_")
    if label not in labels or isinstance(given, bool):
        return None
    numbers = works if isinstance(works, list) else ()
    return Ruling(label, frozenset(n for n in numbers if type(n) is int))


def vote(rulings: Sequence[Ruling | None], labels: Sequence[str]) -> Ruling | None:
    """The ruling of most judges on a line, else the one in the middle; None where all are silent.

    Of two that differ it is the worse. Works are those that most of these judges name.
    """
    given = [ruling for ruling in rulings if ruling is not None]
    if not given:
        return None
    ordered = sorted((ruling.label for ruling in given), key=labels.index)
    label, count = Counter(ordered).most_common(1)[0]
    if 2 * count <= len(ordered):
        label = ordered[(len(ordered) - 1) // 2]
    named = Counter(work for ruling in given for work in ruling.works)
    return Ruling(label, frozenset(work for work, n in named.items() if 2 * n > len(given)))


def nugget_values(importance: Sequence[str], rulings: Sequence[Ruling | None]) -> Values:
    """Coverage of facts that are `vital` or `okay`, in the order of their rulings."""
    known = [(i, r.label) for i, r in zip(importance, rulings, strict=True) if r is not None]
    values: Values = {}
    for name, labels in (
        ("nugget_coverage", [label for _, label in known]),
        ("nugget_coverage_vital", [label for i, label in known if i == VITAL]),
    ):
        points = sum(_POINTS.get(label, 0) for label in labels)
        values[name] = Ratio(points, 2 * len(labels)).value
        values[f"{name}_strict"] = Ratio(labels.count(SUPPORTED), len(labels)).value
    return values


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer, and what it cites."""

    text: str
    cited: frozenset[int] = frozenset()
    """Numbers of listed works, from 1."""
    unlisted: int = 0
    """Citations of anything else."""


def read_claims(text: str, works: Sequence[str] = ()) -> list[Claim]:
    """The sentences of a text without its list of references, each once.

    Works are the titles of the list by whose numbers it cites.
    """
    claims: dict[str, Claim] = {}
    for sentence in split_sentences(body_of(text)):
        key = normalise_title(sentence)
        if key and key not in claims and len(claims) < MAX_CLAIMS:
            found = find_citations(sentence, works) if works else None
            claims[key] = (
                Claim(sentence, found.listed, found.unlisted) if found else Claim(sentence)
            )
    return list(claims.values())


def support_values(rulings: Sequence[Ruling | None]) -> Values:
    """Shares of an answer's claims that its sources carry, and that they contradict."""
    labels = [ruling.label for ruling in rulings if ruling and ruling.label != NO_CLAIM]
    return {
        "support": Ratio(labels.count(SUPPORTED) + labels.count(OWN), len(labels)).value,
        "contradicted": Ratio(labels.count(CONTRADICTED), len(labels)).value,
    }


def citation_values(claims: Sequence[Claim], rulings: Sequence[Ruling | None]) -> Values:
    """Shares of citations that carry their sentence, and of claims that a citation carries."""
    right = cited = covered = needing = 0
    for place, (claim, ruling) in enumerate(zip(claims, rulings, strict=True)):
        if ruling is None or ruling.label == NO_CLAIM:
            continue
        right += len(claim.cited & ruling.works)
        cited += len(claim.cited) + claim.unlisted
        if ruling.label != OWN:
            window = claims[max(0, place - 1) : place + 2]
            needing += 1
            covered += ruling.label == SUPPORTED and any(one.cited & ruling.works for one in window)
    return {
        "citation_precision": Ratio(right, cited).value,
        "claim_coverage": Ratio(covered, needing).value,
    }


def relevance_values(rulings: Sequence[Ruling | None], unlisted: int) -> Values:
    """The mean grade of the works that an answer cites, as a share of the best."""
    grades = [int(ruling.label) for ruling in rulings if ruling is not None]
    return {"relevance": Ratio(sum(grades), 2 * (len(grades) + unlisted)).value}
