"""Steps that spread over a Ray cluster, with one and more workers of one core.

    python -m benchmarks.scale --engine ray --workers 1 2 --papers 50000 --bodies 0 [--rounds 3]

The papers are written and parsed once. Then their tables are made with each number of workers in
turn, every time by a process of its own, which starts Ray on this machine and lets each worker load
the package before the first step. Only time that passes is measured: nothing else should run.
"""

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from benchmarks.scale.measure import measure
from benchmarks.scale.stages import STAGES, PaperSet, arguments_of, prepare

from vivavoce.corpus.build.engine import RAY, Engine, Reads, Step
from vivavoce.store import Row

Seconds = dict[str, float]

TARGET = 1.6
WHOLE, REST = "the tables in all", "in the driver alone"
_NICENESS = {"RAY_worker_niceness": "0"}
"""Workers as nice as the driver: by default Ray makes them 15 nicer."""


@dataclass(frozen=True, slots=True)
class Timed(Engine):
    """An engine that notes how long each step takes, and how many tasks it has."""

    seconds: Seconds = field(default_factory=dict)
    tasks: dict[str, int] = field(default_factory=dict)

    def run(self, step: Step, tasks: Sequence[Row], documents: int, reads: Reads) -> None:
        """Do every task."""
        begun = time.perf_counter()
        Engine(self.name).run(step, tasks, documents, reads)
        self.seconds[step.__name__] = time.perf_counter() - begun
        self.tasks[step.__name__] = len(tasks)


def make_tables(corpus: Path, workers: int) -> Row:
    """Make the tables of a corpus with so many workers; returns the seconds of each step."""
    import ray

    from vivavoce.corpus.build.tables import build_tables

    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    waiting = [ray.remote(_wake).remote() for _ in range(workers)]
    ray.get(waiting)
    engine, begun = Timed(RAY), time.perf_counter()
    build_tables(corpus, engine)
    whole = time.perf_counter() - begun
    rest = whole - sum(engine.seconds.values())
    return {"seconds": {**engine.seconds, REST: rest, WHOLE: whole}, "tasks": engine.tasks}


def _wake() -> None:
    """Load the package, and stay until the other workers are at work too."""
    from vivavoce.corpus.build import tables  # noqa: F401

    time.sleep(5)


def compare(of: PaperSet, workers: Sequence[int], rounds: int) -> int:
    """Print a table of each step's seconds; 1 where more workers are not so much faster."""
    for name in ("papers", "ingest"):
        if not (of.folder / (STAGES[name].clears or "")).exists():
            prepare(of, STAGES[name])
            measure(arguments_of(of, STAGES[name]), of.folder / "logs" / f"{name}.log")
    found: dict[int, list[Row]] = {count: [] for count in workers}
    for _ in range(rounds):
        for count in workers:
            shutil.rmtree(of.corpus / "tables", ignore_errors=True)
            program = [sys.executable, "-m", "benchmarks.scale.workers", str(of.corpus)]
            log = of.folder / "logs" / f"workers-{count}.log"
            used = measure([*program, str(count)], log, {**os.environ, **_NICENESS})
            found[count].append(json.loads(used.output.splitlines()[-1]))
            print(f"{count} workers: {used.output.splitlines()[-1]}", file=sys.stderr, flush=True)
    print(_table(of, found))
    few, many = (found[count] for count in (min(workers), max(workers)))
    spread = [step for step in few[0]["tasks"] if _times(step, few, many)[0] < TARGET]
    return 1 if spread else 0


def _times(step: str, few: Sequence[Row], many: Sequence[Row]) -> tuple[float, float, float]:
    """Speed-ups of a step by more workers: the median of the rounds, the least and the greatest."""
    times = [a["seconds"][step] / b["seconds"][step] for a, b in zip(few, many, strict=True)]
    return median(times), min(times), max(times)


def _table(of: PaperSet, found: dict[int, list[Row]]) -> str:
    few, many = found[min(found)], found[max(found)]
    heads = ["step", "tasks", *(f"{count} workers, s" for count in found), "times", "rounds"]
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)]]
    for step in few[0]["seconds"]:
        times, least, most = _times(step, few, many)
        seconds = [median(run["seconds"][step] for run in runs) for runs in found.values()]
        lines.append(
            [
                step,
                str(few[0]["tasks"].get(step, "")),
                *(f"{each:.1f}" for each in seconds),
                f"{times:.2f}",
                f"{least:.2f} to {most:.2f}",
            ]
        )
    rows = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{of.plan.papers:,} papers, medians of {len(few)} rounds:\n\n{rows}"


def main() -> int:
    """Make the tables once and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("workers", type=int)
    arguments = parser.parse_args()
    print(json.dumps(make_tables(arguments.corpus, arguments.workers)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
