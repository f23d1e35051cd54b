"""The interval of one metric's mean, as tests of reports expect it beside a value."""

from collections.abc import Sequence

import numpy.typing as npt

from vivavoce.statistics.intervals import Interval, resample


def interval(
    values: npt.ArrayLike, clusters: Sequence[str], *, resamples: int = 10_000, seed: int = 0
) -> Interval | None:
    """The percentile interval, or None where there is nothing to resample."""
    return resample(clusters, resamples=resamples, seed=seed).intervals(values)[0]
