"""Judgements of a text: verdicts against the reference, and labels of facts and claims.

A verdict names the better text, the first or the second shown, for five criteria and overall. The
verdicts for both orders make one outcome:

- win or loss: both verdicts name the same text;
- tie: the verdict changes with the order. So a judge who always names the first text gives only
  ties, a win rate of exactly 1/2 and a flip rate of 1.

`win rate` = (wins + ties/2) / outcomes · `flip rate` = ties / outcomes · `malformed share` =
unreadable verdicts / verdicts asked for. `refused share` = verdicts that a judge refused / verdicts
asked for. If either verdict is missing, the outcome is undefined, never a loss. With several
judges, the majority counts in each order.

A judge labels numbered lines. With several judges, the majority label counts, or, without a
majority, the middle one. A line that nobody labelled is left out, and `judge_malformed` counts it.
The metrics of each question in `QUESTIONS` depend only on the labels and on what its lines are
about, so people's labels give the same metrics.

Facts of the reference, each `supported`, `partial` or `absent` in the answer:

- `nugget_coverage` = (supported + partial/2) / facts; `nugget_coverage_strict` = supported / facts;
  `nugget_coverage_vital` and `nugget_coverage_vital_strict` are the same over vital facts.

Sentences of the answer, each once, compared with the texts that the model was shown: `supported`,
`contradicted`, `absent` or `no_claim`. In a related-work section, a sentence that the paper itself
supports is `own`. Claims are all but `no_claim`:

- `support` = (supported + own) / claims; `contradicted` = contradicted / claims;
- `citation_precision` = citations whose work supports their sentence / citations in claims. A
  citation of an unlisted work supports nothing;
- `claim_coverage` = claims supported by a work that they or an adjacent sentence cite / claims
  other than `own`.

Works that the answer cites, each graded 0, 1 or 2 for the paper:

- `relevance` = sum of the grades / (2 * works). An unlisted work has grade 0.

A share of nothing is undefined.

Source: five criteria and the win rate against the reference: AcademicEval, section 4.4.1; both
orders and what follows from them are ours. Facts: Pradeep et al. 2024, "Initial Nugget Evaluation
Results for the TREC 2024 RAG Track", section 3 (A, A_strict, V, V_strict). Organisation, citations,
coverage and relevance: DeepScholar-Bench, section 4. Support as a rate of claims: Liu et al. 2023,
"Evaluating Verifiability in Generative Search Engines".
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from vivavoce.metrics import Ratio
from vivavoce.metrics.citation_list import Citations, body_of, find_citations
from vivavoce.text.normalise import normalise_title
from vivavoce.text.sentences import split_sentences

CRITERIA = ("novelty", "feasibility", "consistency", "factuality", "style")
ORGANISATION = "organisation"
"""A criterion that a judge with AcademicEval's form does not decide."""
OVERALL = "overall"
WIN_RATE = "judge_win"
"""The metric of the overall verdict, which people's labels can correct."""
ASPECTS = (*CRITERIA, ORGANISATION, OVERALL)

Place: TypeAlias = Literal["first", "second"]
Verdict: TypeAlias = dict[str, Place]
"""The better text's place for each of `ASPECTS`; `ORGANISATION` may be missing."""
Outcome: TypeAlias = Literal["win", "tie", "loss"]

WINS = (WIN_RATE, *(f"judge_{name}" for name in CRITERIA), ORGANISATION)
"""Names of the win rates, the overall one first."""
CHECKS = ("judge_flip", "judge_malformed", "judge_refused")
"""Names of the metrics that show how far a judge can be trusted."""

_OUTCOME_POINTS: Mapping[Outcome, float] = {"win": 1.0, "tie": 0.5, "loss": 0.0}
_PLACES: tuple[Place, Place] = ("first", "second")
_WINNER_KEYS = {
    "academicstyle": "style",
    "overallwinner": OVERALL,
    "winner": OVERALL,
    "overallverdict": OVERALL,
}
_NAMES = ("winner", "verdict", "better", "overallwinner")
"""Keys of an object that names the better text."""
_PLACE_NUMBER = re.compile(r"(?<![0-9.])([12])(?![0-9.]*[0-9])")
_MAX_WORDS = 200
"""Number of characters of a value that are searched for the winner's number."""


def read_verdict(value: Any) -> Verdict | None:
    """Read a verdict from decoded JSON; None unless it names one text for every required aspect.

    Required are AcademicEval's five criteria and the overall verdict. A criterion's value is
    `Answer 1`, `1`, or an object whose `winner` or `verdict` is one of these, as in
    `{"Novelty": {"Winner": "Answer 1"}, ..., "Overall Winner": "Answer 1"}`, in any case.
    """
    if not isinstance(value, dict):
        return None
    named = {_WINNER_KEYS.get(key, key): given for key, given in _plain(value).items()}
    places = {name: _place(named.get(name)) for name in ASPECTS}
    verdict: Verdict = {name: place for name, place in places.items() if place is not None}
    return verdict if verdict.keys() >= {*CRITERIA, OVERALL} else None


def _plain(value: Mapping[Any, Any]) -> dict[str, Any]:
    """The same mapping, with its keys reduced to their letters, in lower case."""
    return {re.sub(r"[^a-z]", "", str(key)[:40].lower()): given for key, given in value.items()}


def _place(value: Any) -> Place | None:
    if isinstance(value, dict):
        named = _plain(value)
        value = next((named[key] for key in _NAMES if key in named), None)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    numbers = set(_PLACE_NUMBER.findall(str(value)[:_MAX_WORDS]))
    return _PLACES[int(numbers.pop()) - 1] if len(numbers) == 1 else None


def combine(
    answer_first: Verdict | None, reference_first: Verdict | None
) -> dict[str, Outcome] | None:
    """The answer's outcome for every aspect; None when either verdict is missing."""
    if answer_first is None or reference_first is None:
        return None
    outcomes: dict[str, Outcome] = {}
    for name in ASPECTS:
        if name in answer_first and name in reference_first:
            won: Outcome = "win" if answer_first[name] == "first" else "loss"
            # In the other order, the same place holds the other text.
            outcomes[name] = "tie" if answer_first[name] == reference_first[name] else won
    return outcomes


def vote_verdicts(verdicts: Sequence[Verdict | None]) -> Verdict | None:
    """The majority verdict per aspect; None without a majority for `OVERALL`."""
    most: Verdict = {}
    for name in ASPECTS:
        places = [verdict[name] for verdict in verdicts if verdict and name in verdict]
        firsts = places.count("first")
        if 2 * firsts != len(places):
            most[name] = "first" if 2 * firsts > len(places) else "second"
    return most if OVERALL in most else None


def judgement_values(verdicts: Sequence[Verdict | None]) -> dict[str, float | None]:
    """Metrics of one answer, from the verdicts with the answer first and with the reference first.

    None if undefined.
    """
    answer_first, reference_first = verdicts
    outcomes = combine(answer_first, reference_first) or {}
    points = {name: _OUTCOME_POINTS[outcome] for name, outcome in outcomes.items()}
    values = dict(zip(WINS, map(points.get, (OVERALL, *CRITERIA, ORGANISATION)), strict=True))
    return values | {"judge_flip": float(outcomes[OVERALL] == "tie") if outcomes else None}


def check_values(asked: int, malformed: int, refused: int) -> dict[str, float | None]:
    """Shares of a judge's answers that show how far to trust it; None if none was asked for."""
    return {
        "judge_malformed": malformed / asked if asked else None,
        "judge_refused": refused / asked if asked else None,
    }


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
"""Maximum number of an answer's sentences that a judge is asked about."""
_NUMBER = re.compile(r"\D{0,12}([0-9]{1,4})\W{0,3}")
_KEYS = ("label", "verdict", "grade")
_POINTS = {SUPPORTED: 2, PARTIAL: 1}

Values = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Ruling:
    """A judge's label of one line."""

    label: str
    works: frozenset[int] | None = frozenset()
    """Numbers of the works that support the line; None if nobody was asked for them."""


def read_rulings(value: Any, count: int, labels: Sequence[str]) -> list[Ruling | None]:
    """Read the labels of `count` lines from decoded JSON; None for a line without one.

    An object names lines by their numbers. A line's value is a label, or an object with the key
    `label` and perhaps `works`, a list of numbers.
    """
    rulings: list[Ruling | None] = [None] * count
    for key, given in value.items() if isinstance(value, dict) else ():
        number = _NUMBER.fullmatch(str(key))
        if not (number and 0 < int(number[1]) <= count):
            continue
        works: Any = ()
        if isinstance(given, dict):
            works = given.get("works") or ()
            given = next((given[key] for key in _KEYS if key in given), None)
        label = str(given)[:40].strip().lower().replace(" ", "_").replace("-", "_")
        is_known = label in labels and not isinstance(given, bool)
        named = frozenset(n for n in works if type(n) is int) if isinstance(works, list) else ()
        rulings[int(number[1]) - 1] = Ruling(label, frozenset(named)) if is_known else None
    return rulings


def vote_labels(rulings: Sequence[Ruling | None], labels: Sequence[str]) -> Ruling | None:
    """The majority ruling on a line, else the middle one; None if no judge gives one.

    Of two different rulings, it is the worse. Its works are those that most of these judges name.
    """
    given = [ruling for ruling in rulings if ruling is not None]
    if not given:
        return None
    ordered = sorted((ruling.label for ruling in given), key=labels.index)
    label, count = Counter(ordered).most_common(1)[0]
    if 2 * count <= len(ordered):
        label = ordered[(len(ordered) - 1) // 2]
    named = Counter(work for ruling in given for work in ruling.works or ())
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


def read_claims(text: str, works: Sequence[str] = ()) -> list[tuple[str, Citations]]:
    """The sentences of a text without its list of references, each once, with their citations.

    `works` are the titles of the list whose numbers the text cites.
    """
    claims: dict[str, tuple[str, Citations]] = {}
    for sentence in split_sentences(body_of(text)):
        key = normalise_title(sentence)
        if key and key not in claims and len(claims) < MAX_CLAIMS:
            citations = find_citations(sentence, works) if works else Citations(frozenset(), 0)
            claims[key] = sentence, citations
    return list(claims.values())


def support_values(rulings: Sequence[Ruling | None]) -> Values:
    """Shares of an answer's claims that its sources support, and that they contradict."""
    labels = [ruling.label for ruling in rulings if ruling and ruling.label != NO_CLAIM]
    return {
        "support": Ratio(labels.count(SUPPORTED) + labels.count(OWN), len(labels)).value,
        "contradicted": Ratio(labels.count(CONTRADICTED), len(labels)).value,
    }


def citation_values(
    citations: Sequence[tuple[Collection[int], int]], rulings: Sequence[Ruling | None]
) -> Values:
    """Shares of citations that support their sentence, and of claims that a citation supports.

    `citations` holds those of each claim: the numbers of listed works, and how many others.
    """
    right = cited = covered = needing = 0
    for place, ((listed, unlisted), ruling) in enumerate(zip(citations, rulings, strict=True)):
        if ruling is None or ruling.label == NO_CLAIM:
            continue
        works = ruling.works or frozenset()
        right += len(works.intersection(listed))
        cited += len(listed) + unlisted
        if ruling.label != OWN:
            window = citations[max(0, place - 1) : place + 2]
            needing += 1
            covered += ruling.label == SUPPORTED and any(works & set(near) for near, _ in window)
    return {
        "citation_precision": Ratio(right, cited).value,
        "claim_coverage": Ratio(covered, needing).value,
    }


def claim_values(
    citations: Sequence[tuple[Collection[int], int]], rulings: Sequence[Ruling | None]
) -> Values:
    """Shares of support and of citations; only support if no works are listed or asked for."""
    has_works = citations and all(ruling is None or ruling.works is not None for ruling in rulings)
    cited = citation_values(citations, rulings) if has_works else {}
    return {**support_values(rulings), **cited}


def relevance_values(unlisted: int, rulings: Sequence[Ruling | None]) -> Values:
    """The mean grade of the works that an answer cites, as a share of the best."""
    grades = [int(ruling.label) for ruling in rulings if ruling is not None]
    return {"relevance": Ratio(sum(grades), 2 * (len(grades) + unlisted)).value}


@dataclass(frozen=True, slots=True)
class LineQuestion:
    """A question that asks for a label of each line."""

    labels: Sequence[str]
    """Labels from the worst to the best."""
    best: Collection[str]
    values: Callable[[Any, Sequence[Ruling | None]], Values]
    """Computes the metrics from the lines' subjects, as JSON values, and from their rulings."""


QUESTIONS: Mapping[str, LineQuestion] = {
    "nuggets": LineQuestion(NUGGET_LABELS, (SUPPORTED,), nugget_values),
    "claims": LineQuestion(CLAIM_LABELS, (SUPPORTED, OWN), claim_values),
    "relevance": LineQuestion(GRADES, GRADES[-1:], relevance_values),
}
