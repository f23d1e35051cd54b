"""Intervals from resampled tables beside scipy's bootstrap, in the batches that suit it best."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import scipy.stats
from benchmarks.peers.comparison import Comparison

from vivavoce.statistics.intervals import resample

METRICS, SEED = 12, 0
CLOSE = 0.01
"""Both draw their own resamples, so the ends differ by chance."""


def comparisons(scratch: Path, *, smoke: bool) -> Iterator[Comparison]:
    """One shared resample for all metrics."""
    tables, resamples = (500, 2_000) if smoke else (2_000, 10_000)
    values = np.random.default_rng(7).random((tables, METRICS))
    clusters = [f"{table:05d}" for table in range(tables)]

    def ours() -> np.ndarray:
        return np.array(resample(clusters, resamples=resamples, seed=SEED).intervals(values))

    def theirs() -> np.ndarray:
        found = scipy.stats.bootstrap(
            (values,),
            np.mean,
            axis=0,
            n_resamples=resamples,
            batch=100,
            method="percentile",
            rng=np.random.default_rng(SEED),
        ).confidence_interval
        return np.column_stack([found.low, found.high])

    yield Comparison(
        job=f"bootstrap, {tables:,} tables x {METRICS} metrics x {resamples:,}",
        peer="scipy",
        ours=ours,
        theirs=theirs,
        agree=lambda mine, other: bool(np.abs(mine - other).max() < CLOSE),
        target=3.0,
    )
