"""Simulated worlds: how often ranks, decisions of a run and corrected judges say what is false.

    python -m benchmarks.coverage ranks --worlds 2000

Each line is one kind of world. Items of a cluster share an effect, and all contestants share the
items' difficulty. `clusters of 1` are items on their own. The figures stand in docs/statistics.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

import numpy as np
from scipy.stats import norm, t

from vivavoce.statistics.ranks import Standing, rank
from vivavoce.statistics.sign_flips import Contrasts

CONTESTANTS, ITEMS, RESAMPLES = 14, 200, 2_000
SHAPES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "bounded": norm.cdf,
    "binary": lambda latent: (latent > 0.3).astype(float),
    "skewed": np.exp,
}


def world(
    generator: np.random.Generator, shape: str, size: int, ability: np.ndarray, items: int
) -> tuple[np.ndarray, list[int]]:
    """Values of contestants on items whose clusters hold `size` of them, and the clusters."""
    clusters = [item // size for item in range(items)]
    shared = generator.normal(0, 0.5, (items // size, 1 + len(ability)))[clusters]
    difficulty = shared[:, :1] + generator.normal(0, 0.5, (items, 1))
    own = 0.6 * shared[:, 1:] + generator.normal(0, 0.7, (items, len(ability)))
    return SHAPES[shape](difficulty + own + ability), clusters


def ability_of(generator: np.random.Generator) -> np.ndarray:
    """True abilities, two contestants of each."""
    return np.repeat(generator.normal(0, 0.25, CONTESTANTS // 2), 2)


def holds(standings: list[Standing], ability: np.ndarray) -> bool:
    """Whether every range of ranks holds all places that its contestant truly shares."""
    return all(
        found.low <= 1 + (ability > own).sum() and found.high >= (ability >= own).sum()
        for found, own in zip(standings, ability, strict=True)
    )


def by_holm(values: np.ndarray, clusters: list[int]) -> int:
    """Pairs that Holm's method decides on clustered t-tests, one for each pair."""
    contrasts = Contrasts(values, clusters)
    degrees = contrasts.clusters - 1
    size = np.abs(contrasts.statistics)
    ratio = degrees / np.maximum(contrasts.clusters - size**2, 1e-12)
    p = np.sort(2 * t.sf(size * np.sqrt(ratio), degrees))
    failed = np.flatnonzero(p > 0.05 / (len(p) - np.arange(len(p))))
    return int(failed[0]) if len(failed) else len(p)


def ranks(worlds: int, seed: int) -> Iterator[str]:
    """False boards of equal contestants, coverage of ranks, and pairs decided."""
    yield "| values | clusters of | items | false boards | all ranges true | pairs decided | Holm |"
    yield "|---|---|---|---|---|---|---|"
    for shape in SHAPES:
        for size, items in ((1, ITEMS), (5, ITEMS), (1, 30)):
            generator = np.random.default_rng([seed, size, items, *shape.encode()])
            false = true = decided = holm = 0
            equal = np.zeros(CONTESTANTS)
            for number in range(worlds):
                null, clusters = world(generator, shape, size, equal, items)
                found = rank(null, clusters, resamples=RESAMPLES, seed=number)
                false += any(each.beats for each in found)
                ability = ability_of(generator)
                values, clusters = world(generator, shape, size, ability, items)
                found = rank(values, clusters, resamples=RESAMPLES, seed=number)
                true += holds(found, ability)
                decided += sum(len(each.beats) for each in found)
                holm += by_holm(values, clusters)
            yield (
                f"| {shape} | {size} | {items} | {false / worlds:.1%} | {true / worlds:.1%} "
                f"| {decided / worlds:.1f} | {holm / worlds:.1f} |"
            )


KINDS = {"ranks": ranks}


def main() -> None:
    """Print the table of one kind of simulation."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--worlds", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for line in KINDS[options.kind](options.worlds, options.seed):
        print(line, flush=True)


if __name__ == "__main__":
    main()
