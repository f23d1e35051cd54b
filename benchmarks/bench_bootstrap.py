"""Cluster bootstrap beside scipy's: process CPU time, interleaved, median of five.

Run: python benchmarks/bench_bootstrap.py
"""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable

import numpy as np
import scipy.stats

from vivavoce.results.bootstrap import resample

TABLES, METRICS, RESAMPLES, ROUNDS, SEED = 2_000, 12, 10_000, 5, 0


def ours(values: np.ndarray) -> np.ndarray:
    """Intervals of every metric from one shared resample."""
    clusters = [f"{table:05d}" for table in range(len(values))]
    return np.array(resample(clusters, resamples=RESAMPLES, seed=SEED).intervals(values))


def theirs(values: np.ndarray) -> np.ndarray:
    """The same intervals from scipy, in the batches that suit it best."""
    found = scipy.stats.bootstrap(
        (values,),
        np.mean,
        axis=0,
        n_resamples=RESAMPLES,
        batch=100,
        method="percentile",
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return np.column_stack([found.low, found.high])


def cpu_seconds(run: Callable[[], object]) -> float:
    """Process CPU time of one call, all threads together."""
    start = time.process_time()
    run()
    return time.process_time() - start


def peak_mib() -> float:
    """Highest resident memory of this process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print both times, their ratio, the memory of ours and how far the intervals differ."""
    values = np.random.default_rng(7).random((TABLES, METRICS))
    before = peak_mib()
    our_intervals = ours(values)
    extra = peak_mib() - before
    apart = np.abs(our_intervals - theirs(values)).max()
    times: dict[str, list[float]] = {"ours": [], "scipy": []}
    for _ in range(ROUNDS):
        times["ours"].append(cpu_seconds(lambda: ours(values)))
        times["scipy"].append(cpu_seconds(lambda: theirs(values)))
    mine, peer = (statistics.median(times[name]) for name in ("ours", "scipy"))
    print(f"bootstrap, {TABLES:,} tables x {METRICS} metrics x {RESAMPLES:,} resamples")
    print(f"  ours  {mine:6.2f} s CPU   {extra:.0f} MiB extra memory")
    print(f"  scipy {peer:6.2f} s CPU")
    print(f"  ours / scipy = {mine / peer:.2f}; intervals differ by at most {apart:.1e}")


if __name__ == "__main__":
    main()
