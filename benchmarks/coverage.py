"""Simulated worlds: how often ranks, decisions of a run and corrected judges say what is false.

    python -m benchmarks.coverage ranks --worlds 2000

Each line is one kind of world. Items of a cluster share an effect, and all contestants share the
items' difficulty. `clusters of 1` are items on their own. The figures stand in docs/statistics.md.
"""

import argparse
import gzip
import json
import math
import os
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from pathlib import Path

import numpy as np
from scipy.stats import norm, t

from vivavoce.metrics.ranking import score_ranking_row
from vivavoce.metrics.titles_list import find_titles
from vivavoce.statistics.corrected import LEAST, corrected_mean
from vivavoce.statistics.ranks import (
    MIN_CLUSTERS,
    SAME,
    Contrasts,
    Flips,
    Standing,
    allowed_draws,
    rank,
)
from vivavoce.statistics.sequential import Decision, Question, Sequential

CONTESTANTS, ITEMS, RESAMPLES = 14, 200, 2_000
STOPPED_CONTESTANTS, STOPPED_CLUSTERS, STOPPED_RESAMPLES = 5, 100, 999
AT_ONCE, CHECKED = 50, 10
"""Worlds looked at side by side, and how many of these by `Sequential` itself too."""
JUDGED = 1_000
SHAPES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "bounded": norm.cdf,
    "binary": lambda latent: (latent > 0.3).astype(float),
    "skewed": np.exp,
}


SPANS = {"bounded": 1.0, "binary": 1.0, "skewed": 0.0}
"""The range of values; 0 where there is no upper end."""


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


def ranks(worlds: int, seed: int, shapes: Sequence[str]) -> Iterator[str]:
    """False boards of equal contestants, coverage of ranks, and pairs decided."""
    yield "| values | clusters of | items | false boards | all ranges true | pairs decided | Holm |"
    yield "|---|---|---|---|---|---|---|"
    for shape in shapes or SHAPES:
        for size, items in ((1, ITEMS), (5, ITEMS), (1, 30)):
            generator = np.random.default_rng([seed, size, items, *shape.encode()])
            false = true = decided = holm = 0
            equal = np.zeros(CONTESTANTS)
            for number in range(worlds):
                null, clusters = world(generator, shape, size, equal, items)
                found = rank(null, clusters, span=SPANS[shape], resamples=RESAMPLES, seed=number)
                false += any(each.beats for each in found)
                ability = ability_of(generator)
                values, clusters = world(generator, shape, size, ability, items)
                found = rank(values, clusters, span=SPANS[shape], resamples=RESAMPLES, seed=number)
                true += holds(found, ability)
                decided += sum(len(each.beats) for each in found)
                holm += by_holm(values, clusters)
            yield (
                f"| {shape} | {size} | {items} | {false / worlds:.1%} | {true / worlds:.1%} "
                f"| {decided / worlds:.1f} | {holm / worlds:.1f} |"
            )


def judge(worlds: int, seed: int) -> Iterator[str]:
    """Coverage of a lenient judge, of people alone, always corrected, and as it is corrected."""
    yield "| good | agreement | cluster | labels | judge | people | always | corrected | narrower |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for truth, agreement, size in product((0.5, 0.1), (0.85, 0.95, 0.5), (1, 5)):
        for labels in (5, 10, 20, 50, 100, 200):
            if labels > size:
                shares, narrower = judged_worlds(worlds, seed, truth, agreement, size, labels)
                told = " | ".join(f"{share:.1%}" for share in shares)
                about = f"| {truth:.0%} | {agreement:.0%} | {size} | {labels} "
                yield f"{about}| {told} | {narrower:.0%} |"


def judged_worlds(
    worlds: int, seed: int, truth: float, agreement: float, size: int, labels: int
) -> tuple[list[float], float]:
    """Shares of worlds that each interval holds the truth in, and how much narrower the last is."""
    generator = np.random.default_rng([seed, size, labels, int(100 * agreement), int(100 * truth)])
    hits, widths = np.zeros(4), np.zeros(4)
    for _ in range(worlds):
        human, judged, clusters = judged_world(generator, truth, agreement, size)
        drawn = generator.permutation(JUDGED // size)[: labels // size]
        labelled = np.flatnonzero(np.isin(clusters, drawn))
        raw = 1.96 * judged.std() / JUDGED**0.5
        ends = [(judged.mean() - raw, judged.mean() + raw)]
        for of, least in ((np.zeros(JUDGED), 0), (judged, 0), (judged, LEAST)):
            found = corrected_mean(
                of, clusters, labelled, human[labelled], bounds=(0.0, 1.0), least=least
            )
            ends.append((found.low or 0.0, found.high or 0.0))
        low, high = np.array(ends).T
        hits += (low <= truth) & (high >= truth)
        widths += high - low
    return (hits / worlds).tolist(), float(1 - widths[3] / widths[1])


def judged_world(
    generator: np.random.Generator, truth: float, agreement: float, size: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What people would say of every item, what a lenient judge says, and the clusters."""
    clusters = np.arange(JUDGED) // size
    shared, own = (
        (generator.normal(0, 0.5, JUDGED // size)[clusters], 0.75**0.5) if size > 1 else (0, 1)
    )
    human = (shared + generator.normal(0, own, JUDGED) < norm.ppf(truth)).astype(float)
    # Nine errors in ten are that a bad answer passes.
    wrong = generator.random(JUDGED) < (1 - agreement) * np.where(human == 0, 0.9, 0.1) * 2
    return human, np.where(wrong, 1 - human, human), clusters


def stopping(worlds: int, seed: int, shapes: Sequence[str]) -> Iterator[str]:
    """False decisions of a run that is looked at while it goes on."""
    yield "| values | cluster of | looks | equal: false | naive | others: false | asked | decided |"
    yield "|---|---|---|---|---|---|---|---|"
    for shape, size, looks in product(shapes or ("bounded", "skewed"), (1, 5), (5, 20, 100)):
        yield stopped_worlds(shape, size, looks, worlds, seed)


def stopped_worlds(shape: str, size: int, looks: int, worlds: int, seed: int) -> str:
    """The line of one kind of world; of unequal contestants there are a quarter as many."""
    generator = np.random.default_rng([seed, size, looks, *shape.encode()])
    items = size * STOPPED_CLUSTERS
    equal = np.zeros(2)
    for start in range(0, worlds, AT_ONCE):
        seeds = range(start, min(start + AT_ONCE, worlds))
        level = np.zeros(STOPPED_CONTESTANTS)
        tables = np.stack([world(generator, shape, size, level, items)[0] for _ in seeds])
        found = looks_at_equals(tables, size, looks, seeds, SPANS[shape])
        if not start:
            check_looks(tables, size, looks, found[0], SPANS[shape])
        equal += found.sum(axis=1)
    shares = [f"{each / worlds:.1%}" for each in equal]
    false = decided = 0
    asked = 0.0
    unequal = -(-worlds // 4)
    for number in range(unequal):
        ability = ability_of(generator)[:STOPPED_CONTESTANTS]
        values, clusters = world(generator, shape, size, ability, items)
        found_pairs, cells = stopped_run(values, clusters, looks, "top", number, SPANS[shape])
        false += any(ability[i] <= ability[j] for i, j in found_pairs)
        asked, decided = asked + cells, decided + len(found_pairs)
    shares += [f"{false / unequal:.1%}", f"{asked / unequal:.0%}", f"{decided / unequal:.1f}"]
    return f"| {shape} | {size} | {looks} | {' | '.join(shares)} |"


def looks_at_equals(
    tables: np.ndarray, size: int, looks: int, seeds: Sequence[int], span: float
) -> np.ndarray:
    """By world: whether `Sequential` decides any pair, and whether plain tests do; shape (2, n).

    It is what `Sequential("all")` does until the first decision, for many worlds side by side:
    `tables` has the shape (worlds, items, contestants), all clusters are of one size.
    """
    worlds, items, contestants = tables.shape
    sums = tables.reshape(worlds, items // size, size, contestants).sum(axis=2)
    own = (sums - sums.mean(axis=2, keepdims=True)).astype(np.float32)
    signs = np.stack([signs_of(seed, items // size) for seed in seeds])
    drawn = np.zeros((worlds, contestants, STOPPED_RESAMPLES), dtype=np.float32)
    crossed = np.zeros((worlds, STOPPED_RESAMPLES), dtype=bool)
    found = np.zeros((2, worlds), dtype=bool)
    for look in range(1, looks + 1):
        start, stop = (items // size * at // looks for at in (look - 1, look))
        drawn += own[:, start:stop].transpose(0, 2, 1) @ signs[:, start:stop]
        one = size / 2 * np.maximum(span, np.ptp(tables[:, : stop * size], axis=(1, 2)))
        greatest, lead, plain = np.zeros_like(crossed, dtype=np.float32), 0.0, 0.0
        for i, j in combinations(range(contestants), 2):
            apart = sums[:, :stop, i] - sums[:, :stop, j]
            total, scale = np.abs(apart.sum(axis=1)), np.sqrt((apart**2).sum(axis=1))
            lead = np.maximum(lead, (total - one) / np.hypot(scale, one))
            plain = np.maximum(plain, total / scale)
            flipped = np.abs(drawn[:, i] - drawn[:, j]) / scale[:, None].astype(np.float32)
            np.maximum(greatest, flipped, out=greatest)
        greatest[crossed] = np.inf
        allowed = allowed_draws(STOPPED_RESAMPLES, 0.05 * np.log1p((np.e - 1) * look / looks))
        if allowed >= 0 and stop >= MIN_CLUSTERS:
            bound = np.sort(greatest, axis=1)[:, -1 - allowed] / SAME
            found[0] |= lead > bound
            reaching = greatest >= bound[:, None] * SAME**2
            is_few = reaching.sum(axis=1) <= allowed + 1
            crossed |= np.where(is_few[:, None], reaching, greatest > bound[:, None])
        found[1] |= plain > 1.96
    return found


def signs_of(seed: int, clusters: int) -> np.ndarray:
    """Signs of clusters as `Flips` draws them, shape (clusters, draws)."""
    return Flips(STOPPED_RESAMPLES, seed).sums(np.eye(clusters))


def check_looks(tables: np.ndarray, size: int, looks: int, found: np.ndarray, span: float) -> None:
    """Hold some worlds against `Sequential` itself, seeds from 0 on."""
    clusters = [item // size for item in range(tables.shape[1])]
    for seed, table in enumerate(tables[:CHECKED]):
        is_decided = bool(stopped_run(table, clusters, looks, "all", seed, span)[0])
        if is_decided != found[seed]:
            raise AssertionError(f"Sequential says {is_decided} of world {seed}.")


def stopped_run(
    values: np.ndarray,
    clusters: list[int],
    looks: int,
    question: Question,
    seed: int,
    span: float,
) -> tuple[frozenset[tuple[int, int]], float]:
    """Pairs decided, and the share of all values that were asked for."""
    test = Sequential(question, k=2, looks=looks, seed=seed, span=span, resamples=STOPPED_RESAMPLES)
    found, asked = run_until_done(test, values, clusters, looks)
    return found.beats, asked


def run_until_done(
    test: Sequential, values: np.ndarray, clusters: list[int], looks: int
) -> tuple[Decision, float]:
    """The last decision of a run, and the share of all values that it asked for."""
    seen, asked = np.full_like(values, np.nan), 0
    active: tuple[int, ...] = tuple(range(values.shape[1]))
    for look in range(1, looks + 1):
        start, stop = (len(values) * at // looks for at in (look - 1, look))
        asked += len(active) * (stop - start)
        seen[start:stop, active] = values[start:stop, active]
        found = test.look(seen[:stop], clusters[:stop])
        active = found.active
        if found.done:
            break
    return found, asked / values.size


def published_answers() -> dict[str, np.ndarray]:
    """What the published models reached on LEGOBench's ranking queries, by metric."""
    folder = Path(os.environ.get("VIVAVOCE_DATA", "../shared/data")) / "rplm"
    gold = [json.loads(line) for line in (folder / "gold.jsonl").read_text("utf-8").splitlines()]
    found: dict[str, list[list[float]]] = {"cp": [], "ndcg": []}
    for path in sorted((folder / "responses").glob("*.gz")):
        rows = map(json.loads, gzip.decompress(path.read_bytes()).decode().splitlines())
        texts = {row["id"]: row["text"] for row in rows}
        found = [find_titles(texts.get(row["id"]), row["gold"]) for row in gold]
        scores = [
            score_ranking_row(row["gold"], titles) for row, titles in zip(gold, found, strict=True)
        ]
        for name, columns in found.items():
            columns.append([score[name] or 0.0 for score in scores])
    return {name: np.array(columns).T for name, columns in found.items()}


def legobench(worlds: int, seed: int) -> Iterator[str]:
    """Share of all answers that a run takes until the best of the published models are known.

    Beside it the gap between the last of the best and the next, and the gap of these two that all
    queries would show four times out of five, one look at all pairs.
    """
    yield "| metric | question | gap | shown | indifference | asked | answered |"
    yield "|---|---|---|---|---|---|---|"
    for metric, values in published_answers().items():
        items, contestants = values.shape
        best = np.argsort(-values.mean(axis=0))
        for k in (1, 2, 3):
            apart = values[:, [best[k - 1], best[k]]]
            gap = float(np.subtract(*apart.mean(axis=0)))
            level = 0.05 / math.comb(contestants, 2)
            shown = (norm.isf(level / 2) + norm.isf(0.2)) * Contrasts(apart, range(items)).errors()
            for indifference in (0.0, 0.02, 0.05, 0.1):
                asked = done = 0.0
                for number in range(worlds):
                    order = np.random.default_rng([seed, number]).permutation(items)
                    test = Sequential(
                        *("top", k, indifference),
                        seed=number,
                        span=1.0,
                        resamples=STOPPED_RESAMPLES,
                    )
                    last, cells = run_until_done(test, values[order], list(range(items)), 20)
                    asked, done = asked + cells, done + last.done
                yield (
                    f"| {metric} | top {k} | {gap:.3f} | {shown[0]:.3f} | {indifference:g} "
                    f"| {asked / worlds:.0%} | {done / worlds:.0%} |"
                )


def size(worlds: int, seed: int) -> Iterator[str]:
    """CPU and memory of the ranks of 500 contestants on 2,000 items; worlds have no say."""
    del worlds
    values = np.random.default_rng(seed).random((2_000, 500)) + np.linspace(0, 0.3, 500)
    start = time.process_time()
    found = rank(values, range(2_000), seed=seed)
    taken = time.process_time() - start
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    beaten = sum(len(each.beats) for each in found)
    yield f"500 contestants, 2,000 items: {taken:.0f} s of CPU, {most:.2f} GB, {beaten:,} decided"


KINDS: dict[str, Callable[[int, int], Iterator[str]]] = {
    "judge": judge,
    "legobench": legobench,
    "size": size,
}
SHAPED: dict[str, Callable[[int, int, Sequence[str]], Iterator[str]]] = {
    "ranks": ranks,
    "stopping": stopping,
}


def main() -> None:
    """Print the table of one kind of simulation."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("kind", choices=[*KINDS, *SHAPED])
    parser.add_argument("--worlds", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shape", action="append", default=[], help="only worlds of such values")
    options = parser.parse_args()
    if options.kind in SHAPED:
        lines = SHAPED[options.kind](options.worlds, options.seed, options.shape)
    else:
        lines = KINDS[options.kind](options.worlds, options.seed)
    for line in lines:
        print(line, flush=True)


if __name__ == "__main__":
    main()
