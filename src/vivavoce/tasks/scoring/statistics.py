"""Inspect metrics and reducers for scores that may be undefined."""

from __future__ import annotations

import math
import statistics

from inspect_ai.scorer import Metric, SampleScore, Score, ScoreReducer, metric, score_reducer


@metric
def defined_mean() -> Metric:
    """Mean over the samples whose value is defined; NaN when there is none."""

    def compute(scores: list[SampleScore]) -> float:
        values = [score.score.as_float() for score in scores]
        defined = [value for value in values if not math.isnan(value)]
        return math.fsum(defined) / len(defined) if defined else math.nan

    return compute


REDUCERS = ("mean", "max", "std")
"""What a sample's attempts are reduced to, each over those where a value is defined."""


@score_reducer(name="std")
def standard_deviation() -> ScoreReducer:
    """Standard deviation (n - 1) of each value over the attempts; NaN with fewer than two."""

    def reduce(scores: list[Score]) -> Score:
        given = [score.value for score in scores if isinstance(score.value, dict)]
        names = dict.fromkeys(name for value in given for name in value)
        return Score(value={name: _deviation([value[name] for value in given]) for name in names})

    return reduce


def _deviation(values: list[object]) -> float:
    numbers = [float(v) for v in values if isinstance(v, int | float) and not math.isnan(v)]
    return statistics.stdev(numbers) if len(numbers) > 1 else math.nan
