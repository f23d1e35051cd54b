"""You have an idea for a metric, and ask whether it measures anything.

A metric is a pure function. Before it goes into `src/vivavoce/metrics/` (CONTRIBUTING says how),
this tries it on answers that lie in logs already: nobody is asked again. A metric that is worth its
place gives 1 to the gold itself, about 0 to a constant answer, and not 1 to a copy of the input.

    python examples/own_metric.py [FOLDER]
"""

import math
import re
import sys
from collections import Counter
from pathlib import Path

from inspect_ai.log import read_eval_log_samples

from vivavoce import build_round, run
from vivavoce.corpus import ingest
from vivavoce.results.logs.reading import read_logs
from vivavoce.running import RunSpec
from vivavoce.statistics import rank
from vivavoce.statistics.intervals import resample

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
SPEC = {
    "round": {
        "id": "metric",
        "window": {"start": "2023-07-01", "end": "2025-01-01"},
        "families": ["writing"],
    },
    "writing": {"settings": ["base"]},
}


def kept_numbers(gold: str, answer: str) -> float:
    """F1 of the numbers in an answer against those in the gold; NaN where the gold has none.

    >>> kept_numbers("from 3 to 4.5 points", "4.5 points, not 7")
    0.5
    """
    wanted, given = Counter(_NUMBER.findall(gold)), Counter(_NUMBER.findall(answer))
    if not wanted:
        return math.nan
    return 2 * (wanted & given).total() / (wanted.total() + given.total())


def answers_of(log: Path) -> dict[str, tuple[str, str]]:
    """The gold and the answer of every sample of a log, by id."""
    return {
        str(sample.id): (sample.target, sample.output.completion)
        for sample in read_eval_log_samples(str(log))
        if isinstance(sample.target, str)
    }


def main(out: Path) -> None:
    """Make some logs, then measure the answers in them anew."""
    ingest("sample", Path("40"), out / "corpus")
    opened = build_round(out / "corpus", SPEC, out / "rounds")
    run(
        RunSpec(
            tasks=["abstract"],
            round=opened.folder,
            logs=out / "logs",
            models=["extractive/lead", "extractive/centrality"],
            methods=["direct", "oracle", "null", "copycat"],
            display="none",
        )
    )

    logs, _ = read_logs(out / "logs")
    values = {}
    for log in logs:
        name = log.key.method if log.key.model == "none" else log.key.model
        answers = answers_of(out / "logs" / log.name)
        # In the order of the ids, so that all contestants are compared on the same papers.
        values[name] = [kept_numbers(*answers[item]) for item in sorted(answers)]

    items, names = sorted(answers), sorted(values)
    draws = resample(items)
    standings = rank(
        [[values[name][place] for name in names] for place in range(len(items))], items
    )
    places = dict(zip(names, standings, strict=True))
    undefined = sum(map(math.isnan, values["oracle"]))
    print(f"kept_numbers on {draws.items} abstracts, {undefined} without a number")
    for name in sorted(values, key=lambda name: (places[name].rank, name)):
        (mean,), (ends,) = draws.mean(values[name]), draws.intervals(values[name])
        shown = "no interval" if ends is None else f"[{ends[0]:.3f}, {ends[1]:.3f}]"
        print(f"  {places[name].rank}. {name:<22} {mean:.3f}  {shown}")
    apart = (draws.mean(values["oracle"])[0] or 0) - (draws.mean(values["null"])[0] or 0)
    print(f"oracle and null lie {apart:.3f} apart: {'good' if apart >= 0.5 else 'too little'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "example-metric"))
