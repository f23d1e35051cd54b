"""Inspect metrics for scores that may be undefined."""

from __future__ import annotations

import math

from inspect_ai.scorer import Metric, SampleScore, metric


@metric
def defined_mean() -> Metric:
    """Mean over the samples whose value is defined; NaN when there is none."""

    def compute(scores: list[SampleScore]) -> float:
        values = [score.score.as_float() for score in scores]
        defined = [value for value in values if not math.isnan(value)]
        return math.fsum(defined) / len(defined) if defined else math.nan

    return compute
