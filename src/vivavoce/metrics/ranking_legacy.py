"""The published ranking-by-prompt numbers: LEGOBench, Table 9, by the rules that give them.

1. Only the first 101 of the 402 queries are scored.
2. A title is found where it first occurs in the answer, as a case-insensitive substring.
3. The answer is searched as stored: nothing is unescaped, unquoted or normalised.
4. CIS = 100 (answers with every title found) / 402, though only 101 are looked at.
5. BEM = (answers in the gold order) / (answers with every title): a fraction, not percent.
6. KTau = mean Kendall tau-b of the positions over answers with every title; one title is left out.
7. CP = 100 times the mean over the 101 of (pairs found in the gold order) / (all gold pairs);
   a query with one title counts 0.
8. BEM and KTau are left blank where CIS is below 1%.

Table 9 prints these to two decimals. For numbers to rely on, use `ranking`.

Source: LEGOBench, Table 9 and section A.4.2; the rules were found by recomputing the table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.errors import InputError
from vivavoce.metrics.ranking import RankingRow, count_pairs, kendall_tau

QUERIES = 402
SCORED = 101
_BLANK_BELOW_CIS = 1.0


@dataclass(frozen=True, slots=True)
class LegacyRowScore:
    """One of the scored rows."""

    is_complete: bool
    is_exact: bool
    concordant: float
    """Share of the gold pairs found in the gold order."""
    ktau: float | None


@dataclass(frozen=True, slots=True)
class LegacyRankingScores:
    """One line of Table 9; None is a blank cell."""

    rows: tuple[LegacyRowScore, ...]
    cis: float
    """Percent."""
    bem: float | None
    """A fraction of the complete answers."""
    ktau: float | None
    cp: float
    """Percent."""

    def cells(self) -> dict[str, float | None]:
        """The four cells by name."""
        return {"cis": self.cis, "bem": self.bem, "ktau": self.ktau, "cp": self.cp}


def score_ranking_legacy(rows: Sequence[RankingRow]) -> LegacyRankingScores:
    """Score the 402 answers, in the order of the queries, as Table 9 does.

    `InputError` when there are not 402.
    """
    if len(rows) != QUERIES:
        raise InputError(
            f"The published ranking numbers are over {QUERIES} queries, and there are {len(rows)}. "
            "Score these without --legacy."
        )
    scores = tuple(score_ranking_row_legacy(row.gold, row.text) for row in rows[:SCORED])
    complete = [score for score in scores if score.is_complete]
    taus = [score.ktau for score in complete if score.ktau is not None]
    cis = 100 * len(complete) / QUERIES
    is_blank = cis < _BLANK_BELOW_CIS
    return LegacyRankingScores(
        rows=scores,
        cis=cis,
        bem=None if is_blank else sum(score.is_exact for score in complete) / len(complete),
        ktau=None if is_blank or not taus else math.fsum(taus) / len(taus),
        cp=100 * math.fsum(score.concordant for score in scores) / SCORED,
    )


def score_ranking_row_legacy(gold: Sequence[str], text: str | None) -> LegacyRowScore:
    """Score one answer by where each title first occurs in it."""
    searched = (text or "").lower()
    positions = [searched.find(title.lower()) for title in gold]
    found = [position for position in positions if position >= 0]
    is_complete = len(found) == len(gold)
    gold_pairs = len(gold) * (len(gold) - 1) // 2
    concordant = count_pairs(range(len(found)), found).concordant
    return LegacyRowScore(
        is_complete=is_complete,
        is_exact=is_complete and positions == sorted(positions),
        concordant=concordant / gold_pairs if gold_pairs else 0.0,
        ktau=kendall_tau(range(len(gold)), positions) if is_complete else None,
    )
