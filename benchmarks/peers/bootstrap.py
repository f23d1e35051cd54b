"""Intervals from resampled tables beside ten lines of NumPy, and scipy's bootstrap in batches."""

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

    for peer, work, target in (
        ("scipy", theirs, 3.0),
        ("ten lines of NumPy", lambda: _plainly(values, resamples), None),
    ):
        yield Comparison(
            job=f"bootstrap, {tables:,} tables x {METRICS} metrics x {resamples:,}",
            peer=peer,
            ours=ours,
            theirs=work,
            agree=lambda mine, other: bool(np.abs(mine - other).max() < CLOSE),
            target=target,
        )


def _plainly(values: np.ndarray, resamples: int, batch: int = 16) -> np.ndarray:
    """How often each table is drawn, times the values; OpenBLAS makes threads of larger batches."""
    count, generator, means = len(values), np.random.default_rng(SEED), []
    for _ in range(0, resamples, batch):
        drawn = generator.integers(0, count, (batch, count), dtype=np.int32)
        drawn += count * np.arange(batch, dtype=np.int32)[:, None]
        times = np.bincount(drawn.ravel(), minlength=batch * count).reshape(batch, count)
        means.append(times.astype(float) @ values / count)
    low, high = np.percentile(np.concatenate(means), [2.5, 97.5], axis=0)
    return np.column_stack([low, high])
