"""ROUGE against the rouge-score package: equal numbers first, then the ratio of CPU times.

    python benchmarks/bench_rouge.py [--json]

Both sides run on the same pairs in the same process, alternating; each ratio is that of the
medians of process CPU time. Ends with exit code 1 when a number differs or a target is missed.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from rouge_score.rouge_scorer import RougeScorer

from vivavoce.metrics.rouge import rouge_l, rouge_n, rouge_tokens

Pair = tuple[str, str]
METRICS: dict[str, Callable[[Sequence[str], Sequence[str]], float]] = {
    "rouge1": lambda prediction, reference: rouge_n(prediction, reference, 1).f,
    "rouge2": lambda prediction, reference: rouge_n(prediction, reference, 2).f,
    "rougeL": lambda prediction, reference: rouge_l(prediction, reference).f,
}
ENDINGS = ("", "s", "ing", "ed", "ation", "ational", "ly", "ness", "ies", "ical")


@dataclass(frozen=True)
class Line:
    """One line of the table."""

    metric: str
    words: int
    stem: bool
    pairs: int
    peer_ms: float
    ours_ms: float
    ratio: float
    target: float | None

    @property
    def is_met(self) -> bool:
        """Whether the ratio reaches its target, where there is one."""
        return self.target is None or self.ratio >= self.target


def make_pairs(count: int, words: int, seed: int) -> list[Pair]:
    """Texts over a skewed vocabulary; the second of each pair is an edited copy of the first."""
    chooser = random.Random(seed)
    letters = "abcdefghiklmnoprstuvy"
    stems = ["".join(chooser.choices(letters, k=chooser.randint(3, 8))) for _ in range(600)]
    vocabulary = [stem + chooser.choice(ENDINGS) for stem in stems]
    weights = [1 / rank for rank in range(1, len(vocabulary) + 1)]

    def draw(number: int) -> list[str]:
        return chooser.choices(vocabulary, weights, k=number)

    def edit(text: list[str]) -> list[str]:
        return [word if chooser.random() < 0.6 else draw(1)[0] for word in text]

    references = [draw(words) for _ in range(count)]
    return [(" ".join(edit(text)), " ".join(text)) for text in references]


def compare(
    metric: str, words: int, stem: bool, pairs: list[Pair], runs: int, target: float | None
) -> Line:
    """Check that the numbers are equal, then time both sides in turn."""
    scorer = RougeScorer([metric], use_stemmer=stem)
    score = METRICS[metric]

    def ours() -> list[float]:
        return [score(rouge_tokens(p, stem), rouge_tokens(r, stem)) for p, r in pairs]

    def peer() -> list[float]:
        return [scorer.score(r, p)[metric].fmeasure for p, r in pairs]

    if ours() != peer():
        raise SystemExit(f"{metric} differs from rouge-score at {words} words, stem={stem}.")
    seconds: dict[str, list[float]] = {"ours": [], "peer": []}
    for _ in range(runs):
        seconds["ours"].append(cpu_seconds(ours))
        seconds["peer"].append(cpu_seconds(peer))
    mine, theirs = (statistics.median(seconds[side]) for side in ("ours", "peer"))
    milliseconds = 1000 / len(pairs)
    return Line(
        metric=metric,
        words=words,
        stem=stem,
        pairs=len(pairs),
        peer_ms=theirs * milliseconds,
        ours_ms=mine * milliseconds,
        ratio=theirs / mine,
        target=target,
    )


def cpu_seconds(work: Callable[[], object]) -> float:
    """Process CPU seconds of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def run_all() -> list[Line]:
    """Every line: short texts unstemmed, long texts stemmed with a warm stem cache."""
    short, long = make_pairs(30, 200, seed=1), make_pairs(3, 1500, seed=2)
    return [
        compare("rougeL", 200, False, short, 5, target=50.0),
        compare("rougeL", 1500, True, long, 5, target=100.0),
        compare("rouge1", 200, False, short, 5, target=None),
        compare("rouge2", 200, False, short, 5, target=None),
        compare("rouge1", 1500, True, long, 5, target=None),
        compare("rouge2", 1500, True, long, 5, target=None),
    ]


def main() -> int:
    """Print the table; 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print one JSON document instead")
    arguments = parser.parse_args()
    lines = run_all()
    if arguments.json:
        print(json.dumps([asdict(line) for line in lines], indent=2))
    else:
        print_table(lines)
    return 0 if all(line.is_met for line in lines) else 1


def print_table(lines: list[Line]) -> None:
    """One line a comparison."""
    print("metric  words stem  pairs  rouge-score ms   ours ms   ratio  target")
    for line in lines:
        target = "-" if line.target is None else f">= {line.target:.0f}"
        print(
            f"{line.metric:7} {line.words:5} {line.stem!s:5} {line.pairs:5} "
            f"{line.peer_ms:15.3f} {line.ours_ms:9.4f} {line.ratio:7.1f}  {target}"
        )


if __name__ == "__main__":
    sys.exit(main())
