"""Simulated worlds: how often ranks, decisions of a run and corrected judges say what is false.

    python -m benchmarks.coverage ranks --worlds 2000

Each line is one kind of world. Items of a cluster share an effect, and all contestants share the
items' difficulty. `clusters of 1` are items on their own. The figures stand in docs/statistics.md.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from scipy.stats import norm, t

from vivavoce.metrics.ranking import score_ranking_row
from vivavoce.statistics.corrected import corrected_mean
from vivavoce.statistics.ranks import Standing, rank
from vivavoce.statistics.sequential import Decision, Question, Sequential
from vivavoce.statistics.sign_flips import Contrasts

CONTESTANTS, ITEMS, RESAMPLES = 14, 200, 2_000
STOPPED_CONTESTANTS, STOPPED_ITEMS, STOPPED_RESAMPLES = 5, 100, 999
JUDGED, TRUTH = 1_000, 0.5
QUESTIONS: tuple[Question, ...] = ("all", "top")
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


def judge(worlds: int, seed: int) -> Iterator[str]:
    """Coverage of a lenient judge, of people alone, and of the judge corrected by people."""
    yield "| agreement | cluster of | labels | judge covers | people | corrected | narrower by |"
    yield "|---|---|---|---|---|---|---|"
    for agreement in (0.85, 0.95, 0.5):
        for size, labels in ((1, 100), (5, 100), (5, 250)):
            generator = np.random.default_rng([seed, size, labels, int(100 * agreement)])
            hits, widths = np.zeros(3), np.zeros(2)
            for _ in range(worlds):
                human, judged, clusters = judged_world(generator, agreement, size)
                drawn = generator.permutation(JUDGED // size)[: labels // size]
                labelled = np.flatnonzero(np.isin(clusters, drawn))
                found = corrected_mean(judged, clusters, labelled, human[labelled])
                alone = corrected_mean(np.zeros(JUDGED), clusters, labelled, human[labelled])
                raw = 1.96 * judged.std() / JUDGED**0.5
                ends = np.array([(of.low, of.high) for of in (alone, found)], dtype=float)
                hits[0] += abs(judged.mean() - TRUTH) <= raw
                hits[1:] += (ends[:, 0] <= TRUTH) & (ends[:, 1] >= TRUTH)
                widths += ends[:, 1] - ends[:, 0]
            shares = " | ".join(f"{hit / worlds:.1%}" for hit in hits)
            narrower = 1 - widths[1] / widths[0]
            yield f"| {agreement:.0%} | {size} | {labels} | {shares} | {narrower:.0%} |"


def judged_world(
    generator: np.random.Generator, agreement: float, size: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What people would say of every item, what a lenient judge says, and the clusters."""
    clusters = np.arange(JUDGED) // size
    shared, own = (
        (generator.normal(0, 0.5, JUDGED // size)[clusters], 0.75**0.5) if size > 1 else (0, 1)
    )
    human = (shared + generator.normal(0, own, JUDGED) < norm.ppf(TRUTH)).astype(float)
    # Nine errors in ten are that a bad answer passes.
    wrong = generator.random(JUDGED) < (1 - agreement) * np.where(human == 0, 0.9, 0.1) * 2
    return human, np.where(wrong, 1 - human, human), clusters


def stopping(worlds: int, seed: int) -> Iterator[str]:
    """False decisions of a run that is looked at while it goes on."""
    yield "| values | cluster of | looks | all equal: false | naive | abilities: false | asked |"
    yield "|---|---|---|---|---|---|---|"
    for shape, size in (("bounded", 1), ("skewed", 1), ("binary", 5)):
        for looks in (5, 20, 100):
            generator = np.random.default_rng([seed, size, looks, *shape.encode()])
            false, asked = np.zeros(3), 0.0
            for number in range(worlds):
                for kind, question in enumerate(QUESTIONS):
                    ability = ability_of(generator)[:STOPPED_CONTESTANTS] * kind
                    values, clusters = world(generator, shape, size, ability, STOPPED_ITEMS)
                    found, naive, cells = stopped_run(values, clusters, looks, question, number)
                    false[2 * kind] += any(ability[i] <= ability[j] for i, j in found)
                    false[1] += naive and not kind
                    asked += kind * cells
            shares = " | ".join(f"{each / worlds:.1%}" for each in false)
            yield f"| {shape} | {size} | {looks} | {shares} | {asked / worlds:.0%} |"


def stopped_run(
    values: np.ndarray, clusters: list[int], looks: int, question: Question, seed: int
) -> tuple[frozenset[tuple[int, int]], bool, float]:
    """Pairs decided, whether one look of its own would have decided any, the share asked."""
    test = Sequential(question, k=2, looks=looks, seed=seed, resamples=STOPPED_RESAMPLES)
    found, asked = run_until_done(test, values, clusters, looks)
    naive = any(
        (np.abs(Contrasts(values[:stop], clusters[:stop]).statistics) > 1.96).any()
        for stop in (len(values) * look // looks for look in range(1, found.look + 1))
    )
    return found.beats, naive, asked


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
        scores = [score_ranking_row(row["gold"], texts.get(row["id"])).values() for row in gold]
        for name, columns in found.items():
            columns.append([float(score[name] or 0.0) for score in scores])
    return {name: np.array(columns).T for name, columns in found.items()}


def legobench(worlds: int, seed: int) -> Iterator[str]:
    """Share of all answers that a run takes until the best of the published models are known."""
    yield "| metric | question | indifference | asked | answered |"
    yield "|---|---|---|---|---|"
    for metric, values in published_answers().items():
        for k, indifference in ((1, 0.0), (2, 0.0), (3, 0.0), (1, 0.05), (3, 0.05)):
            asked = done = 0.0
            for number in range(worlds):
                order = np.random.default_rng([seed, number]).permutation(len(values))
                test = Sequential("top", k, indifference, seed=number, resamples=STOPPED_RESAMPLES)
                last, cells = run_until_done(test, values[order], list(range(len(values))), 20)
                asked, done = asked + cells, done + last.done
            yield (
                f"| {metric} | top {k} | {indifference:g} | {asked / worlds:.0%} "
                f"| {done / worlds:.0%} |"
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


KINDS = {
    "judge": judge,
    "legobench": legobench,
    "ranks": ranks,
    "size": size,
    "stopping": stopping,
}


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
