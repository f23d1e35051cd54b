"""Answers of files to the first task of a family, measured as those of a run."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.requests import ScoreOptions
from vivavoce.statistics.ratios import Measured, means_of
from vivavoce.tasks import Family
from vivavoce.tasks.family import measure_answer, metrics_of_task
from vivavoce.tasks.scoring.files import Pair, ScoreFamily
from vivavoce.tasks.scoring.marks import FaultyAnswer, Values


def score_family_of(family: Family) -> ScoreFamily:
    """The score family of a family that has none of its own.

    A gold row has `gold`, a text or a number, and what the metrics need beside it; a prediction
    has `text`.
    """
    name, card = next(iter(family.card.tasks.items()))
    kind = family.part("family").TASKS[name]
    metrics = metrics_of_task(family.name, card)

    def score(pair: Pair) -> Values:
        target = pair.gold.require("gold", (str, int, float), "a text or a number")
        row = {**pair.gold.row, "target": str(target)}
        line = pair.answer("text")
        try:
            if line is None:
                raise FaultyAnswer("missing")
            answer = line.require("text", str, "a text")
            return measure_answer(kind, metrics, answer, row)
        except FaultyAnswer as error:
            return {**kind.failed(metrics, row), **(error.values or {})}

    def measure(pairs: Sequence[Pair], options: ScoreOptions) -> Measured:
        scores = [score(pair) for pair in pairs]
        return Measured({name: means_of([one[name] for one in scores]) for name in metrics})

    return ScoreFamily(name=family.name, summary=card.summary.rstrip("."), measure=measure)
