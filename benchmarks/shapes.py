"""Contestants of one mean whose values are of unlike shapes: how often somebody is called better.

    python -m benchmarks.shapes boards --worlds 2000

A line is a pair of shapes. Both contestants have the same mean, so every decision is false. Papers
are as hard for one as for the other, and items of one paper are alike. The figures stand in
docs/statistics.md.
"""

import argparse
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import beta

from vivavoce.statistics.ranks import MIN_CLUSTERS, SAME, Flips, allowed_draws, rank
from vivavoce.statistics.sequential import Sequential

DRAWS = 1_999
GRID = np.linspace(1e-6, 1 - 1e-6, 4_097)
ROUGE = beta(6, 20).ppf(GRID)
LOG_NORMAL = np.exp(0.9 * ndtri(GRID) - 0.9**2 / 2)
SHARES = (0.03, 0.1, 0.2, 0.5, 0.8, 0.9)
CLUSTERS, SIZES, LOOKS = (10, 20, 43, 100, 400), (1, 5), (5, 20, 100)
STOPPED = 100
"""Clusters of a run that may stop."""
AT_ONCE = 250
"""Worlds side by side."""
CHECKED = 2
"""Worlds of a line that the package's own tests are asked about too."""
ALIKE = 0.7
"""Share of the variance of paired values that the papers make."""
MEAN = float(ROUGE.mean())

Values = np.ndarray
Shape = Callable[[Values], Values]
"""Takes shares between 0 and 1, gives the values below which these shares lie."""


def hits(share: float) -> Shape:
    """All or nothing."""
    return lambda u: (u > 1 - share).astype(float)


def even(mean: float) -> Shape:
    """Values near one number."""
    return lambda u: mean * (0.9 + 0.2 * u)


def refusing(share: float) -> Shape:
    """Values of a ROUGE score, and 0 for the answers that are refusals."""
    return lambda u: np.where(u < share, 0.0, rouge(MEAN)(np.maximum(0, u - share) / (1 - share)))


def rouge(mean: float) -> Shape:
    """Values of a ROUGE score."""
    return lambda u: mean / MEAN * np.interp(u, GRID, ROUGE)


def zero_inflated(u: Values) -> Values:
    """Seven in ten are 0, the rest are anywhere."""
    return np.maximum(0.0, (u - 0.7) / 0.3)


def bimodal(u: Values) -> Values:
    """Low or high."""
    return np.where(u < 0.5, 0.4 * u, 0.6 + 0.4 * u)


def log_normal(u: Values) -> Values:
    """Values without an upper end, of spread 0.9 and mean 1."""
    return np.interp(u, GRID, LOG_NORMAL)


UNLIKE: dict[str, tuple[Shape, Shape]] = {
    **{f"hits of {share:g}, even": (hits(share), even(share)) for share in SHARES},
    "zero-inflated, even": (zero_inflated, even(0.15)),
    "zero-inflated, hits of 0.15": (zero_inflated, hits(0.15)),
    "bimodal, even": (bimodal, even(0.5)),
    "log-normal, even": (log_normal, even(1.0)),
    "ROUGE-like, even": (rouge(MEAN), even(MEAN)),
    "ROUGE-like, hits of 0.23": (rouge(MEAN), hits(MEAN)),
    "refusals of 3%, ROUGE-like": (refusing(0.03), rouge(0.97 * MEAN)),
    "refusals of 10%, ROUGE-like": (refusing(0.1), rouge(0.9 * MEAN)),
}
LIKE: dict[str, tuple[Shape, Shape]] = {
    f"{pair.partition(',')[0]}, the same": (shapes[0], shapes[0]) for pair, shapes in UNLIKE.items()
}
SAME_MEAN = UNLIKE | LIKE
UNBOUNDED = "log-normal"


def worlds_of(
    generator: np.random.Generator,
    pair: tuple[Shape, Shape],
    shape: tuple[int, int, int],
    alike: float = 0.36,
) -> Values:
    """Values of both contestants in worlds, clusters and items of a cluster; the last axis is two.

    Half of what is a contestant's own is the cluster's, half the item's.
    """
    worlds, clusters, size = shape
    shared = generator.normal(0, alike**0.5, (worlds, clusters, 1, 1))
    own = generator.normal(0, (1 - alike) ** 0.5, (worlds, clusters, size, 2))
    if size > 1:
        of_cluster = generator.normal(0, (1 - alike) ** 0.5, (worlds, clusters, 1, 2))
        own = (own + of_cluster) * 0.5**0.5
    shares = np.moveaxis(ndtr(shared + own), -1, 0)
    return np.stack([of(each) for of, each in zip(pair, shares, strict=True)], -1)


def stated_span(name: str) -> float:
    """The range that a metric states: 0 where there is no upper end."""
    return 0.0 if name.startswith(UNBOUNDED) else 1.0


@dataclass
class Worlds:
    """The same pair in many worlds, measured side by side at some number of clusters."""

    values: Values
    stated: float

    def __post_init__(self) -> None:
        self.size = self.values.shape[2]
        self.sums = (self.values[..., 0] - self.values[..., 1]).sum(axis=2)
        self.total = np.abs(self.sums.sum(axis=1))
        self.scale = np.maximum(np.sqrt((self.sums**2).sum(axis=1)), 1e-9)
        self.seen = np.ptp(self.values, axis=(1, 2, 3))
        self.span = np.maximum(self.seen, self.stated)
        self.clusters = self.sums.shape[1]

    def guarded(self, share: float, span: Values) -> Values:
        """Size of the difference after one more cluster against it."""
        one = share * self.size * span
        return (self.total - one) / np.hypot(self.scale, one)

    def drawn(self, signs: Values) -> Values:
        """Sizes under random signs, shape (worlds, draws)."""
        return np.abs(self.sums.astype(np.float32) @ signs) / self.scale[:, None].astype(np.float32)


def signs_of(clusters: int) -> Values:
    """Signs of clusters as the package draws them, shape (clusters, draws)."""
    return Flips(DRAWS, 0).sums(np.eye(clusters))


def bound_by_world(drawn: Values, alpha: float) -> Values:
    """Size above which a difference is decided, as `bound_of` gives it for one world."""
    allowed = allowed_draws(DRAWS, alpha)
    return np.partition(drawn, -1 - allowed, axis=1)[:, -1 - allowed] / SAME


def by_bootstrap(sums: Values) -> Values:
    """Which worlds a studentised bootstrap decides: its symmetric interval leaves out 0."""
    clusters = sums.shape[1]
    counts = np.random.default_rng(0).multinomial(clusters, [1 / clusters] * clusters, DRAWS)
    shares = counts.T / clusters
    drawn, squares = sums @ shares, sums**2 @ shares
    error = np.sqrt(np.maximum(squares - drawn**2, 1e-12))
    mean = sums.mean(axis=1)
    ratio = np.abs(drawn - mean[:, None]) / error
    size = np.abs(mean) / np.maximum(sums.std(axis=1), 1e-6)
    return size > np.quantile(ratio, 0.95, axis=1)


def by_rule(worlds: Worlds) -> dict[str, Values]:
    """Which worlds each rule decides; `guard` is that of the package."""
    bound = bound_by_world(worlds.drawn(signs_of(worlds.clusters)), 0.05)
    plain = worlds.total / worlds.scale > bound
    sides = (worlds.sums > 0).sum(axis=1), (worlds.sums < 0).sum(axis=1)
    return {
        "plain": plain,
        "guard": (worlds.guarded(1 / 2, worlds.span) > bound) & (worlds.clusters >= MIN_CLUSTERS),
        "third": worlds.guarded(1 / 3, worlds.span) > bound,
        "quarter": worlds.guarded(1 / 4, worlds.span) > bound,
        "range seen": worlds.guarded(1 / 2, worlds.seen) > bound,
        "5 against": plain & (np.minimum(*sides) >= 5),
        "bootstrap": by_bootstrap(worlds.sums),
    }


def by_looks(values: Values, stated: float, looks: int) -> dict[str, Values]:
    """Which worlds a run of so many looks decides, with the guard and without.

    It is what `Sequential` does until the first decision, for many worlds side by side.
    """
    worlds, clusters = values.shape[:2]
    signs = signs_of(clusters)
    sums = (values[..., 0] - values[..., 1]).sum(axis=2).astype(np.float32)
    drawn = np.zeros((worlds, DRAWS), dtype=np.float32)
    crossed = {name: np.zeros((worlds, DRAWS), dtype=bool) for name in ("plain", "guard")}
    found = {name: np.zeros(worlds, dtype=bool) for name in crossed}
    for look in range(1, looks + 1):
        start, stop = (clusters * at // looks for at in (look - 1, look))
        drawn += sums[:, start:stop] @ signs[start:stop]
        seen = Worlds(values[:, :stop], stated)
        spent = 0.05 * np.log1p((np.e - 1) * look / looks)
        allowed = allowed_draws(DRAWS, spent)
        if allowed < 0:
            continue
        scaled = np.abs(drawn) / seen.scale[:, None].astype(np.float32)
        sizes = {"plain": seen.total / seen.scale, "guard": seen.guarded(1 / 2, seen.span)}
        for name, size in sizes.items():
            if name == "guard" and stop < MIN_CLUSTERS:
                continue
            sized = np.where(crossed[name], np.inf, scaled)
            bound = bound_by_world(sized, spent)
            found[name] |= size > bound
            reaching = sized >= bound[:, None] * SAME**2
            is_few = reaching.sum(axis=1) <= allowed + 1
            crossed[name] |= np.where(is_few[:, None], reaching, sized > bound[:, None])
    return found


def check(values: Values, stated: float, found: Values, looks: int = 1) -> None:
    """Hold some worlds against `rank` and `Sequential` themselves."""
    clusters, size = values.shape[1:3]
    labels = np.repeat(np.arange(clusters), size).tolist()
    for world, is_decided in zip(values[:CHECKED], found, strict=False):
        table = world.reshape(-1, 2)
        if looks == 1:
            ours = any(each.beats for each in rank(table, labels, span=stated, resamples=DRAWS))
        else:
            test = Sequential("all", looks=looks, span=stated, resamples=DRAWS)
            ours = False
            for look in range(1, looks + 1):
                stop = clusters * look // looks * size
                if ours := bool(test.look(table[:stop], labels[:stop]).beats):
                    break
        if ours != is_decided:
            raise AssertionError(f"The package says {ours}, the simulation {is_decided}.")


def shares_of(
    name: str, seed: int, worlds: int, clusters: int, size: int, looks: int = 1, gap: float = 0
) -> dict[str, float]:
    """Share of worlds that each rule decides; by `gap` two ROUGE-like contestants differ."""
    generator = np.random.default_rng([seed, size, clusters, looks, *name.encode()])
    pair, alike = (SAME_MEAN[name], 0.36) if not gap else ((rouge(MEAN), rouge(MEAN)), ALIKE)
    totals: dict[str, float] = {}
    for start in range(0, worlds, AT_ONCE):
        count = min(AT_ONCE, worlds - start)
        values = worlds_of(generator, pair, (count, clusters, size), alike)
        values[..., 0] += gap
        stated = stated_span(name)
        found = by_rule(Worlds(values, stated)) if looks == 1 else by_looks(values, stated, looks)
        if not start:
            check(values, stated, found["guard"], looks)
        for rule, decided in found.items():
            totals[rule] = totals.get(rule, 0.0) + float(decided.sum()) / worlds
    return totals


def lines_of(shares: Iterator[tuple[str, dict[str, float]]]) -> Iterator[str]:
    """Lines of a table, below its head."""
    for number, (line, found) in enumerate(shares):
        if not number:
            yield f"| values | {' | '.join(found)} |"
            yield "|---" * (1 + len(found)) + "|"
        yield f"| {line} | {' | '.join(f'{share:.1%}' for share in found.values())} |"


def boards(worlds: int, seed: int, names: Sequence[str]) -> Iterator[str]:
    """Share of boards that falsely call somebody better, by rule."""
    yield from lines_of(
        (f"{name}; {clusters} papers of {size}", shares_of(name, seed, worlds, clusters, size))
        for name, size, clusters in product(names, SIZES, CLUSTERS)
    )


def stopping(worlds: int, seed: int, names: Sequence[str]) -> Iterator[str]:
    """Share of runs that falsely decide at any of their looks."""
    yield from lines_of(
        (f"{name}; papers of {size}; {n} looks", shares_of(name, seed, worlds, STOPPED, size, n))
        for name, size, n in product(names, SIZES, LOOKS)
    )


def power(worlds: int, seed: int, names: Sequence[str]) -> Iterator[str]:
    """Share of boards on which two ROUGE-like contestants that differ are told apart."""
    del names
    yield from lines_of(
        (f"{gap:g}; {n} papers of {size}", shares_of("power", seed, worlds, n, size, gap=gap))
        for gap, size, n in product((0.03, 0.06, 0.1), SIZES, (*CLUSTERS[1:],))
    )


KINDS: dict[str, Callable[[int, int, Sequence[str]], Iterator[str]]] = {
    "boards": boards,
    "stopping": stopping,
    "power": power,
}


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shapes", description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--worlds", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--half", type=int, choices=(0, 1), help="half of the pairs, by their hash")
    options = parser.parse_args()
    halves = {name: hashlib.sha256(name.encode()).digest()[0] % 2 for name in SAME_MEAN}
    names = [name for name, half in halves.items() if options.half in (None, half)]
    for line in KINDS[options.kind](options.worlds, options.seed, names):
        print(line, flush=True)


if __name__ == "__main__":
    main()
