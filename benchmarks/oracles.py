"""A corrected judge and tests of pairs, held against the libraries that compute the same.

    pip install ppi-python truescore
    python -m benchmarks.oracles --worlds 200

The value of a corrected judge has to be the same once the weight is. Intervals differ on purpose:
ours count that the weight is an estimate, and take Student's quantiles.
"""

import argparse
from collections.abc import Iterator

import numpy as np
import ppi_py
import truescore
from benchmarks.coverage import JUDGED, judged_world
from truescore.compare import paired_permutation

from vivavoce.statistics import corrected_mean, rank


def judges(worlds: int, seed: int) -> Iterator[str]:
    """Greatest difference of values under the same weight, and widths beside ours."""
    yield "| library | clusters of | value, same weight | value, own weight | its width by ours |"
    yield "|---|---|---|---|---|"
    for size in (1, 5):
        generator = np.random.default_rng([seed, size])
        apart: dict[str, list[tuple[float, float, float]]] = {"truescore": []}
        if size == 1:  # ppi-python knows no clusters
            apart["ppi-python"] = []
        for _ in range(worlds):
            human, judged, clusters = judged_world(generator, 0.85, size)
            drawn = generator.permutation(JUDGED // size)[: 250 // size]
            is_labelled = np.isin(clusters, drawn)
            labelled = np.flatnonzero(is_labelled)
            ours = corrected_mean(judged, clusters, labelled, human[labelled])
            near, far, people = judged[labelled], judged[~is_labelled], human[labelled]
            assert ours.value is not None
            assert ours.low is not None
            assert ours.high is not None
            groups = None if size == 1 else clusters
            told, own = (
                truescore.ppi_estimate(judged, people, labelled, clusters=groups, lambda_=weight)
                for weight in (ours.weight, None)
            )
            width = ours.high - ours.low
            apart["truescore"].append(
                (told.point - ours.value, own.point - ours.value, (told.high - told.low) / width)
            )
            if size == 1:
                said = (people, near, far)
                value = ppi_py.ppi_mean_pointestimate(*said, lam=ours.weight)
                free = ppi_py.ppi_mean_pointestimate(*said)
                low, high = ppi_py.ppi_mean_ci(*said, alpha=0.05, lam=ours.weight)
                apart["ppi-python"].append(
                    tuple(
                        float(np.squeeze(each))
                        for each in (value - ours.value, free - ours.value, (high - low) / width)
                    )
                )
        for library, found in sorted(apart.items()):
            same, free, wide = np.array(found).T
            yield (
                f"| {library} | {size} | {np.abs(same).max():.0e} | {np.abs(free).max():.4f} "
                f"| {wide.mean():.3f} |"
            )


def pairs(worlds: int, seed: int) -> Iterator[str]:
    """Count the pairs on which our sign-flip test decides as truescore's does."""
    generator, alike, decided = np.random.default_rng(seed), 0, 0
    for number in range(worlds):
        values = generator.normal([0.0, 0.25], 1.0, (60, 2))
        ours = any(each.beats for each in rank(values, range(60), seed=number))
        theirs = paired_permutation(values[:, 0], values[:, 1], n_resamples=9_999, seed=number)
        alike += ours == (theirs.p_value <= 0.05)
        decided += ours
    yield f"pairs: {decided} of {worlds} decided; {alike} alike in both"


def main() -> None:
    """Print both comparisons."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.oracles", description=__doc__)
    parser.add_argument("--worlds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for comparison in (judges, pairs):
        for line in comparison(options.worlds, options.seed):
            print(line, flush=True)


if __name__ == "__main__":
    main()
