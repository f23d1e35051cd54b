"""Rankings of papers by a network: what is found of a board's papers, and in which order.

A board has n papers, best first. An answer is a list of paper ids, best first, of which the board's
papers are kept. C and D are the pairs of kept papers in and against the board's order. Papers of
equal scores are tied: their pair is neither right nor wrong, and is not counted.

- `ktau_all` = (C - D) / pairs of the board: a pair with a paper that was not found counts 0, so the
  value is always defined. Where there is no pair to get wrong: the share of papers found.
- `ktau` = (C - D) / pairs of the k papers found; undefined where there is none.
- `bem` is 1 when all n are found, in the board's order.
- `candidate_recall` = k / n.
- `ndcg`: the paper of rank r = 1 ... n gains n + 1 - r, divided by log2(1 + its place among the
  papers found); tied papers gain the mean of theirs, and one that was not found nothing.

Source: LEGOBench, section 4.1 for BEM and KTau; what becomes of papers that are not found is ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.metrics import Metric
from vivavoce.metrics.ranking import count_pairs, gains_of, levels_of, ndcg, untied_pairs

METRICS = (
    Metric(
        "ktau_all",
        "Kendall's tau over all papers of a board; pairs with one not found count 0",
        "ranking",
        -1.0,
        1.0,
        "LEGOBench, section 4.1; unfound papers: ours",
    ),
    Metric(
        "candidate_recall",
        "share of a board's papers that were found",
        "ranking",
        0.0,
        1.0,
        "ours",
    ),
)

MAX_LINES = 100_000
"""Lines of an answer beyond this are not read."""


@dataclass(frozen=True, slots=True)
class PaperRankingScore:
    """The values of one answer; None is undefined."""

    ktau_all: float
    bem: float
    candidate_recall: float
    ndcg: float
    ktau: float | None
    found: int
    """Papers of the board in the answer."""
    listed: int
    """Different papers in the answer."""


def read_paper_ids(text: str | None) -> list[str]:
    """The ids of an answer, one a line, each where it stands first."""
    lines = (line.strip() for line in (text or "").splitlines()[:MAX_LINES])
    return list(dict.fromkeys(line for line in lines if line))


def score_paper_ranking(
    gold: Sequence[str], answer: Sequence[str], scores: Sequence[float] | None = None
) -> PaperRankingScore:
    """Score a list of paper ids against a board's, both best first and without repetitions.

    Equal `scores` of gold papers, in their order, are tied.

    Raises ValueError for a board without papers.
    """
    if not gold:
        raise ValueError("a board without papers cannot be ranked")
    told = list(range(len(gold)) if scores is None else scores)
    levels = dict(zip(gold, levels_of(told), strict=True))
    order = [levels[paper] for paper in dict.fromkeys(answer) if paper in levels]
    n, k = len(gold), len(order)
    counts = count_pairs(range(k), order)
    difference = counts.concordant - counts.discordant
    pairs, found_pairs = untied_pairs(list(levels.values())), untied_pairs(order)
    gains = gains_of(list(levels.values()))
    return PaperRankingScore(
        ktau_all=difference / pairs if pairs else k / n,
        bem=float(k == n and order == sorted(order)),
        candidate_recall=k / n,
        ndcg=ndcg([gains[level] for level in order], [gains[one] for one in levels.values()])
        or 0.0,
        ktau=difference / found_pairs if found_pairs else None,
        found=k,
        listed=len(set(answer)),
    )
