"""Answers of files that `viva score ranking` reads: answers that list papers in order."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.errors import InputError
from vivavoce.metrics.ranking import (
    NAMES,
    SCORED,
    RankingRow,
    score_ranking_legacy,
    score_ranking_row,
)
from vivavoce.requests import ScoreOptions
from vivavoce.statistics.ratios import Measured, Shares, means_of
from vivavoce.tasks.scoring.files import Pair, ScoreFamily


def _measure(pairs: Sequence[Pair], options: ScoreOptions) -> Measured:
    rows = [
        RankingRow(_titles(pair), _answer(pair, legacy=options.legacy), _scores(pair))
        for pair in pairs
    ]
    if options.legacy:
        return _legacy(rows)
    scores = [score_ranking_row(*row) for row in rows]
    shares = {name: means_of([score.values()[name] for score in scores]) for name in NAMES}
    counts = {
        "invented_titles": sum(score.found.invented for score in scores),
        "repeated_titles": sum(score.found.repeated for score in scores),
        "missing_titles": sum(score.found.missing for score in scores),
        "truncated": sum(score.found.truncated for score in scores),
    }
    return Measured(shares, settings={"legacy": False, **counts})


def _legacy(rows: Sequence[RankingRow]) -> Measured:
    """Table 9 as published: percent for cis and cp, and blanks where it has them."""
    scores = score_ranking_legacy(rows)
    complete = [float(row.is_complete) for row in scores.rows]
    exact = [float(row.is_exact) for row in scores.rows]
    is_blank = scores.bem is None
    shares = {
        "cis": Shares([100 * value for value in complete], [len(rows) / SCORED] * SCORED),
        "bem": Shares(exact, [0.0] * SCORED if is_blank else complete),
        "ktau": means_of([None if scores.ktau is None else row.ktau for row in scores.rows]),
        "cp": means_of([100 * row.concordant for row in scores.rows]),
    }
    return Measured(shares, items=SCORED, settings={"legacy": True})


def _titles(pair: Pair) -> list[str]:
    titles = pair.gold.texts("gold")
    if not titles:
        raise InputError(f"{pair.gold.where}: gold lists no title.")
    return titles


def _scores(pair: Pair) -> list[float] | None:
    """The scores of the gold titles, where the row has them: equal ones are tied."""
    if "scores" not in pair.gold.row:
        return None
    scores: list[float] = pair.gold.require("scores", list, "a list of numbers")
    if not all(isinstance(one, int | float) for one in scores):
        raise InputError(f"{pair.gold.where}: scores must be a list of numbers.")
    if len(scores) != len(_titles(pair)):
        raise InputError(f"{pair.gold.where}: gold and scores differ in length.")
    return scores


def _answer(pair: Pair, *, legacy: bool) -> str | None:
    if not legacy:
        return pair.text()
    line = pair.answer("text")  # the published rules read the whole message
    text: str | None = None if line is None else line.require("text", str, "a text or null")
    return text


SCORE_FAMILIES = (
    ScoreFamily(
        name="ranking",
        summary="lists of papers, best first: complete, in order, concordant pairs, Kendall's tau",
        gold='{"id": 1, "gold": ["best title", "next"]}',
        prediction='{"id": 1, "text": "1. best title\\n2. next"}',
        uses=("legacy",),
        measure=_measure,
    ),
)
