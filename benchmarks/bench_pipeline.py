"""Daft against Polars on one job of the pipeline's kind: the same rows first, then CPU times.

    python benchmarks/bench_pipeline.py [--papers N] [--runs N] [--smoke] [--json]

The job reads Parquet, runs a function in Python over texts of 20 KB, explodes the references,
joins them with the papers on the lower-case title, and counts how often each paper is cited. Both
run in this process, alternating; each figure is a median of process CPU time over all threads.
Ends with exit code 1 when the rows differ or the target is missed; `--smoke` is too small for it.
Polars is needed: pip install polars.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

os.environ.update(DAFT_PROGRESS_BAR="0", DAFT_ANALYTICS_ENABLED="0", DO_NOT_TRACK="true")

import daft

PAPERS, SMOKE, RUNS, SEED = 8_000, 400, 5, 11
TEXT_BYTES, REFERENCES, FILES = 20_000, 20, 8
TARGET = 1.6
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?%?")

Counts = dict[str, int]


@dataclass(frozen=True)
class Figures:
    """What was measured, in seconds of process CPU time."""

    papers: int
    runs: int
    cited: int
    daft_seconds: float
    polars_seconds: float
    daft_join_seconds: float
    polars_join_seconds: float

    @property
    def ratio(self) -> float:
        """Daft's time as a multiple of that of Polars, the whole job."""
        return self.daft_seconds / self.polars_seconds


def main() -> int:
    """Measure, print, and say whether the target is met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=int, default=PAPERS)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    papers = SMOKE if options.smoke else options.papers
    daft.set_runner_native()
    with tempfile.TemporaryDirectory() as folder:
        write_papers(Path(folder), papers)
        figures = measure(Path(folder), papers, options.runs)
    if options.json:
        print(json.dumps({**asdict(figures), "ratio": figures.ratio}))
    else:
        print(f"{papers:,} papers of {TEXT_BYTES:,} bytes, {papers * REFERENCES:,} references")
        _show("whole job", figures.daft_seconds, figures.polars_seconds)
        _show("join only", figures.daft_join_seconds, figures.polars_join_seconds)
        print(f"target for the whole job: {TARGET}")
    return 0 if options.smoke or figures.ratio <= TARGET else 1


def _show(what: str, ours: float, peer: float) -> None:
    print(f"{what}: daft {ours:.2f} s, polars {peer:.2f} s, ratio {ours / peer:.2f}")


def write_papers(folder: Path, count: int) -> None:
    """Papers with a text, and references that cite them in another spelling or mean nothing."""
    draw = random.Random(SEED)
    words = ["".join(draw.choices("abcdefghij", k=draw.randint(2, 9))) for _ in range(5_000)]
    words += [f"{n / 10}%" for n in range(500)]
    titles = [" ".join(draw.choices(words[:5_000], k=7)).capitalize() for _ in range(count)]
    for number in range(FILES):
        own = titles[number::FILES]
        texts = [" ".join(draw.choices(words, k=TEXT_BYTES // 6)) for _ in own]
        cited = [
            [
                draw.choice(titles).upper() if draw.random() < 0.4 else f"elsewhere {draw.random()}"
                for _ in range(REFERENCES)
            ]
            for _ in own
        ]
        table = pa.table({"title": own, "text": texts, "references": cited})
        pq.write_table(table, folder / f"{number}.parquet", compression="zstd")


def measure(folder: Path, papers: int, runs: int) -> Figures:
    """Median CPU times of both sides, which alternate."""
    sides: dict[str, Callable[[Path], Counts]] = {
        "daft": run_daft,
        "polars": run_polars,
        "daft_join": lambda folder: run_daft(folder, texts=False),
        "polars_join": lambda folder: run_polars(folder, texts=False),
    }
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    counts: dict[str, Counts] = {}
    for turn in range(runs + 1):
        for name, run in sides.items():
            start = time.process_time()
            counts[name] = run(folder)
            if turn:  # the first warms up
                seconds[name].append(time.process_time() - start)
    if counts["daft"] != counts["polars"] or counts["daft_join"] != counts["polars_join"]:
        sys.exit("The two sides count differently.")
    medians = {f"{name}_seconds": statistics.median(times) for name, times in seconds.items()}
    return Figures(papers=papers, runs=runs, cited=len(counts["daft"]), **medians)


def run_daft(folder: Path, *, texts: bool = True) -> Counts:
    """The job in Daft."""
    column = daft.col
    frame = daft.read_parquet(f"{folder}/*.parquet")
    numbers = _daft_numbers(column("text")) if texts else daft.lit(1)
    papers = frame.select(column("title").lower().alias("key"), numbers.alias("numbers"))
    cited = frame.select(column("references").alias("key")).explode("key")
    joined = cited.select(column("key").lower()).join(papers, on="key")
    counted = joined.groupby("key").agg(
        column("numbers").count().alias("citations"), column("numbers").max().alias("most")
    )
    found = counted.to_pydict()
    return _as_counts(found["key"], found["citations"], found["most"])


def run_polars(folder: Path, *, texts: bool = True) -> Counts:
    """The job in Polars, streaming."""
    column = pl.col
    frame = pl.scan_parquet(f"{folder}/*.parquet")
    numbers = (
        column("text").map_batches(_polars_numbers, return_dtype=pl.Int64) if texts else pl.lit(1)
    )
    papers = frame.select(column("title").str.to_lowercase().alias("key"), numbers.alias("numbers"))
    cited = frame.select(column("references").alias("key")).explode("key")
    joined = cited.select(column("key").str.to_lowercase()).join(papers, on="key")
    found = (
        joined.group_by("key")
        .agg(column("numbers").count().alias("citations"), column("numbers").max().alias("most"))
        .collect(engine="streaming")
    )
    return _as_counts(found["key"].to_list(), found["citations"].to_list(), found["most"].to_list())


def count_numbers(texts: list[str]) -> list[int]:
    """How many different numbers stand in each text."""
    return [len(set(_NUMBER.findall(text))) for text in texts]


@daft.func.batch(return_dtype=daft.DataType.int64(), use_process=False)
def _daft_numbers(texts: daft.Series) -> list[int]:
    return count_numbers(texts.to_pylist())


def _polars_numbers(texts: pl.Series) -> pl.Series:
    return pl.Series(count_numbers(texts.to_list()), dtype=pl.Int64)


def _as_counts(keys: list[str], citations: list[int], most: list[int]) -> Counts:
    """Citations of each paper, and the most numbers of a text under its title."""
    return {
        f"{key}\0{numbers}": count
        for key, count, numbers in zip(keys, citations, most, strict=True)
    }


if __name__ == "__main__":
    sys.exit(main())
