"""Rankings of papers: CIS, BEM, concordant pairs, Kendall's tau and nDCG.

A row has the gold titles, best first, and a model's free answer, read by `titles_list`. Gold titles
equal after normalisation count as one, at the better rank. There are n gold titles. An answer is
**complete** when it lists all of them; further titles are ignored. There are P pairs of gold titles
whose scores differ (all n(n-1)/2 without scores; a tied pair is neither right nor wrong):

- `cis` is 1 for a complete answer, else 0; `bem` is 1 for a complete answer in the gold order.
- `cp` = C / P for a complete answer, else 0, where C counts the pairs of titles in the gold order.
  If there is no pair to get wrong, as for a single title, it is 1.
- `cp_partial` is the same without requiring completeness: a pair with a missing title is not
  concordant.
- `ktau` = (C - D) / P, with D the pairs against the gold order. Undefined for an incomplete answer
  and without any pair.
- `bem_complete` is `bem` over complete answers; undefined for others.
- `ndcg` = DCG / DCG of the gold order. The title of gold rank r = 1 ... n gains n + 1 - r, divided
  by log2(1 + its place among the titles found). Tied titles share the mean of their gains, and a
  missing one gains nothing.

Source: LEGOBench, section 4.1 and section A.4.2 for CIS, BEM, KTau and CP; Kendall 1945 for tau-b;
Järvelin and Kekäläinen 2002 for nDCG.

A ranking by a network is scored against a board of n papers, best first. An answer is a list of
paper ids, best first, of which only the board's papers are kept. C and D are the pairs of kept
papers in the board's order and against it. Papers of equal scores are tied: their pair is neither
right nor wrong, and is not counted.

- `ktau_all` = (C - D) / pairs of the board: a pair with a paper that was not found counts 0, so the
  value is always defined. If there is no pair to get wrong, it is the share of papers found.
- `ktau` = (C - D) / pairs of the k papers found; undefined if there is none.
- `bem` is 1 when all n are found, in the board's order.
- `candidate_recall` = k / n.
- `ndcg`: the paper of rank r = 1 ... n gains n + 1 - r, divided by log2(1 + its place among the
  papers found). Tied papers share the mean of their gains; a missing one gains none.

Source: LEGOBench, section 4.1 for BEM and KTau; the treatment of missing papers is ours.

`legacy` gives the published ranking-by-prompt numbers of LEGOBench, Table 9, by these rules:

1. Only the first 101 of the 402 queries are scored.
2. A title is found where it first occurs in the answer, as a case-insensitive substring.
3. The answer is searched as stored: nothing is unescaped, unquoted or normalised.
4. CIS = 100 (answers with every title found) / 402, though only 101 are looked at.
5. BEM = (answers in the gold order) / (answers with every title): a fraction, not percent.
6. KTau = mean Kendall tau-b of positions over answers with every title; single titles are left out.
7. CP = 100 times the mean over the 101 of (pairs found in the gold order) / (all gold pairs);
   a query with one title counts 0.
8. BEM and KTau are left blank if CIS is below 1%.

Table 9 prints these to two decimals. For numbers to rely on, use the metrics above.

Source: LEGOBench, Table 9 and section A.4.2; the rules were found by recomputing the table.
"""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from vivavoce.errors import InputError
from vivavoce.metrics.answer_lists import item_of
from vivavoce.metrics.titles_list import FoundTitles, distinct_titles
from vivavoce.statistics.intervals import Shares, means_of

NAMES = ("cis", "bem", "cp", "cp_partial", "bem_complete", "ktau", "ndcg")
"""Metrics of a free answer with titles."""


_AROUND = " \t`'\"*[](),"
"""Characters around an id in a list that are not part of it."""


def score_ranking_row(
    gold: Sequence[str], found: FoundTitles, scores: Sequence[float] | None = None
) -> dict[str, float | None]:
    """Score the titles found in one answer; equal `scores` of gold titles are tied."""
    grades = range(len(gold)) if scores is None else scores
    titles = distinct_titles(gold)
    levels = levels_of([grades[title] for title in titles])
    level_of = dict(zip(titles, levels, strict=True))
    order = [level_of[title] for title in found.order]
    is_complete = bool(order) and found.missing == 0
    is_exact = is_complete and order == sorted(order)
    counts = count_pairs(range(len(order)), order)
    gold_pairs = untied_pairs(levels)
    concordant = counts.concordant / gold_pairs if gold_pairs else float(is_complete)
    difference = counts.concordant - counts.discordant
    return {
        "cis": float(is_complete),
        "bem": float(is_exact),
        "cp": concordant if is_complete else 0.0,
        "cp_partial": concordant,
        "bem_complete": float(is_exact) if is_complete else None,
        "ktau": difference / gold_pairs if is_complete and gold_pairs else None,
        "ndcg": _gain(order, levels),
    }


def levels_of(scores: Sequence[float]) -> list[int]:
    """Level of each score in an ordered list; equal scores share a level."""
    levels: list[int] = []
    for number, score in enumerate(scores):
        tied = number > 0 and score == scores[number - 1]
        levels.append(levels[-1] if tied else number)
    return levels


def _gain(order: Sequence[int], levels: Sequence[int]) -> float:
    """NDCG of found levels: the best of n places gains n, the last 1, tied places the mean."""
    places: dict[int, list[int]] = {}
    for place, level in enumerate(levels):
        places.setdefault(level, []).append(len(levels) - place)
    gains = {level: sum(places) / len(places) for level, places in places.items()}
    return ndcg([gains[level] for level in order], [gains[level] for level in levels]) or 0.0


def untied_pairs(levels: Sequence[int]) -> int:
    """Number of pairs of different levels."""
    return _pairs(len(levels)) - sum(map(_pairs, Counter(levels).values()))


class PairCounts(NamedTuple):
    """Counts of pairs of items by their order in two rankings."""

    pairs: int
    concordant: int
    discordant: int
    tied_first: int
    """Pairs tied in the first ranking, whether or not in the second."""
    tied_second: int


def count_pairs(first: Sequence[float], second: Sequence[float]) -> PairCounts:
    """Count concordant, discordant and tied pairs (Knight 1966).

    Raises ValueError when the lengths differ.
    """
    both = sorted(zip(first, second, strict=True))
    pairs = _pairs(len(both))
    tied_first = sum(map(_pairs, Counter(one for one, _ in both).values()))
    tied_second = sum(map(_pairs, Counter(other for _, other in both).values()))
    tied_both = sum(map(_pairs, Counter(both).values()))
    discordant = 0
    seen: list[float] = []
    for value in [other for _, other in both]:
        place = bisect_right(seen, value)
        discordant += len(seen) - place
        seen.insert(place, value)
    concordant = pairs - tied_first - tied_second + tied_both - discordant
    return PairCounts(pairs, concordant, discordant, tied_first, tied_second)


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Kendall's tau-b of two lists of scores for the same items.

    None if undefined: fewer than two items, a NaN, or a side that is all ties.
    """
    if any(map(math.isnan, (*first, *second))):
        return None
    counts = count_pairs(first, second)
    untied = (counts.pairs - counts.tied_first) * (counts.pairs - counts.tied_second)
    if untied == 0:
        return None
    # The root of a product of equal integers can miss 1 by a rounding error.
    return max(-1.0, min(1.0, (counts.concordant - counts.discordant) / math.sqrt(untied)))


def ndcg(gains: Sequence[float], ideal: Sequence[float]) -> float | None:
    """Discounted cumulative gain, divided by the gain of the best order of `ideal`.

    Gains are in the predicted order; None if the ideal order gains nothing.
    """
    best = _dcg(sorted(ideal, reverse=True))
    return _dcg(gains) / best if best > 0 else None


def _dcg(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(place) for place, gain in enumerate(gains, start=2))


def _pairs(count: int) -> int:
    return count * (count - 1) // 2


MAX_LINES = 100_000
"""Maximum number of lines read from an answer."""


def read_paper_ids(text: str | None) -> list[str]:
    """Read the ids of an answer, one per line, each at its first place.

    List numbers, bullets and quotation marks around an id are removed.
    """
    lines = (item_of(line).strip(_AROUND) for line in (text or "").splitlines()[:MAX_LINES])
    return list(dict.fromkeys(line for line in lines if line))


def score_paper_ranking(
    gold: Sequence[str], answer: Sequence[str], scores: Sequence[float] | None = None
) -> dict[str, float | None]:
    """Score a list of paper ids against a board's, both best first and without repetitions.

    `scores` are those of the gold papers, in their order; equal ones are tied.
    """
    levels = levels_of(range(len(gold)) if scores is None else scores)
    level_of = dict(zip(gold, levels, strict=True))
    order = [level_of[paper] for paper in dict.fromkeys(answer) if paper in level_of]
    n, k = len(gold), len(order)
    counts = count_pairs(range(k), order)
    difference = counts.concordant - counts.discordant
    pairs, found_pairs = untied_pairs(levels), untied_pairs(order)
    return {
        "ktau_all": difference / pairs if pairs else k / n,
        "candidate_recall": k / n,
        "bem": float(k == n and order == sorted(order)),
        "ndcg": _gain(order, levels),
        "ktau": difference / found_pairs if found_pairs else None,
    }


QUERIES = 402
SCORED = 101
_BLANK_BELOW_CIS = 0.01


def score_ranking_legacy(rows: Sequence[tuple[Sequence[str], str | None]]) -> dict[str, Shares]:
    """Score the 402 answers, in the order of the queries, as Table 9 does.

    `rows` have the gold titles, best first, and an answer or None. CIS and CP are in percent; BEM
    and KTau are undefined where the table is blank. `InputError` when there are not 402 rows.
    """
    if len(rows) != QUERIES:
        raise InputError(
            f"The published ranking numbers are over {QUERIES} queries, and there are {len(rows)}. "
            "Score these without --legacy."
        )
    scores = [score_ranking_row_legacy(*row) for row in rows[:SCORED]]
    complete = [score["cis"] or 0.0 for score in scores]
    is_blank = sum(complete) / QUERIES < _BLANK_BELOW_CIS
    exact = [score["bem"] or 0.0 for score in scores]
    return {
        "cis": Shares([100 * value for value in complete], [QUERIES / SCORED] * SCORED),
        "bem": Shares(exact, [0.0] * SCORED if is_blank else complete),
        "ktau": means_of([None if is_blank else score["ktau"] for score in scores]),
        "cp": means_of([100 * (score["cp"] or 0.0) for score in scores]),
    }


def score_ranking_row_legacy(gold: Sequence[str], text: str | None) -> dict[str, float | None]:
    """Score one answer by the position where each title first occurs in it."""
    searched = (text or "").lower()
    positions = [searched.find(title.lower()) for title in gold]
    present = [position for position in positions if position >= 0]
    is_complete = len(present) == len(gold)
    gold_pairs = _pairs(len(gold))
    concordant = count_pairs(range(len(present)), present).concordant
    return {
        "cis": float(is_complete),
        "bem": float(is_complete and positions == sorted(positions)),
        "ktau": kendall_tau(range(len(gold)), positions) if is_complete else None,
        "cp": concordant / gold_pairs if gold_pairs else 0.0,
    }
