"""Rankings of papers by a network: what is found of a board's papers, and in which order.

A board has n papers, best first. An answer is a list of paper ids, best first, of which the board's
papers are kept. C and D are the pairs of kept papers in and against the board's order.

- `ktau_all` = (C - D) / (n(n-1)/2): a pair with a paper that was not found counts 0, so the value
  is always defined. One paper alone has no pair to get wrong: 1 if found, else 0.
- `ktau` = (C - D) / (k(k-1)/2) over the k papers found; undefined for fewer than two.
- `bem` is 1 when all n are found, in the board's order.
- `candidate_recall` = k / n.
- `ndcg`: the paper of rank r = 1 ... n gains n + 1 - r, divided by log2(1 + its place among the
  papers found); one that was not found gains nothing.

Source: LEGOBench, section 4.1 for BEM and KTau; what becomes of papers that are not found is ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.metrics import Metric
from vivavoce.metrics.ranking import count_pairs, kendall_tau, ndcg

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


def score_paper_ranking(gold: Sequence[str], answer: Sequence[str]) -> PaperRankingScore:
    """Score a list of paper ids against a board's, both best first and without repetitions.

    Raises ValueError for a board without papers.
    """
    if not gold:
        raise ValueError("a board without papers cannot be ranked")
    ranks = {paper: rank for rank, paper in enumerate(gold)}
    order = list(dict.fromkeys(ranks[paper] for paper in answer if paper in ranks))
    n, k = len(gold), len(order)
    counts = count_pairs(range(k), order)
    pairs = n * (n - 1) // 2
    return PaperRankingScore(
        ktau_all=(counts.concordant - counts.discordant) / pairs if pairs else k / n,
        bem=float(k == n and order == sorted(order)),
        candidate_recall=k / n,
        ndcg=ndcg([float(n - rank) for rank in order], [float(n - rank) for rank in range(n)])
        or 0.0,
        ktau=kendall_tau(range(k), order, "a"),
        found=k,
        listed=len(set(answer)),
    )
