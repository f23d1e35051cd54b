"""A co-author network brought up to date against one built anew, each in processes of its own.

    python benchmarks/bench_network_updates.py [--acl PARQUET | --papers 800000] [--runs 3] [--json]
    python benchmarks/bench_network_updates.py --ingest [--acl PARQUET] [--runs 3] [--json]

The first form adds 5% to the papers of the Anthology, or with `--papers` to so many made up, and
compares two runs of the command `viva network build --only coauthor`: one that finds the network
of the other 95% and one that builds anew (`--fresh`). Start-up is the CPU of the same command on
a single paper. With `--ingest` the Anthology's papers come in two files, and what is compared is
all that a user does: `viva ingest metadata` and `viva network build --only coauthor` of the
second file, against both of both files into an empty folder.

The CPU is that of whole processes, and both ways have to leave the same bytes. The papers added
are the newest, whose ids come last, or scattered over all ids, so that every shard of the corpus
changes.

Ends with exit code 1 when bytes differ or a target is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from network_corpora import write_acl, write_acl_files, write_made_up

from vivavoce.corpus import ingest
from vivavoce.store import hash_tree

Row = dict[str, Any]
ACL_SHARE, MADE_UP_SHARE = 0.40, 0.12


def compare_updates(before: Path, after: Path, runs: int) -> Row:
    """A co-author network brought up to date against one built anew, in processes of their own."""
    work = before.with_name("work")
    seen: dict[str, list[tuple[float, float]]] = {"update": [], "fresh": []}
    for _ in range(runs):
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(before, work)
        run_command(work)
        for part in ("tables", "imports"):
            shutil.rmtree(work / part)
            shutil.copytree(after / part, work / part)
        seen["update"].append(run_command(work))
        updated = hash_tree(work / "networks")
        seen["fresh"].append(run_command(work, "--fresh"))
        if hash_tree(work / "networks") != updated:
            raise SystemExit("The network brought up to date differs from the one built anew.")
    shutil.rmtree(work)
    start = statistics.median(run_command(before.with_name("one"), "--fresh")[0] for _ in range(3))
    found = summary(seen)
    after_start = (found["update_s"] - start) / (found["fresh_s"] - start)
    return {**found, "start_s": start, "ratio_after_start": after_start}


def compare_ingests(folder: Path, runs: int) -> Row:
    """All that a user does when papers come, against all of it anew."""
    work, both = folder / "work", folder / "both"
    both.mkdir()
    for name in ("known", "added"):
        shutil.copy(folder / f"{name}.parquet", both)
    seen: dict[str, list[tuple[float, float]]] = {"update": [], "fresh": []}
    for _ in range(runs):
        ingest_and_build(folder / "known.parquet", work)
        seen["update"].append(ingest_and_build(folder / "added.parquet", work))
        updated = hash_shown(work)
        shutil.rmtree(work)
        seen["fresh"].append(ingest_and_build(both, work))
        if hash_shown(work) != updated:
            raise SystemExit("The network brought up to date differs from the one built anew.")
        shutil.rmtree(work)
    return summary(seen)


def summary(seen: dict[str, list[tuple[float, float]]]) -> Row:
    """Median CPU seconds and highest peak of updates and of fresh builds."""
    found = {side: statistics.median(cpu for cpu, _ in each) for side, each in seen.items()}
    peaks = {side: max(peak for _, peak in each) for side, each in seen.items()}
    return {
        "update_s": found["update"],
        "fresh_s": found["fresh"],
        "ratio": found["update"] / found["fresh"],
        "update_gb": peaks["update"],
        "fresh_gb": peaks["fresh"],
    }


def ingest_and_build(where: Path, corpus: Path) -> tuple[float, float]:
    """CPU seconds and peak memory of `viva ingest metadata` and `viva network build`."""
    ingested = run_viva("ingest", "metadata", str(where), "--corpus", str(corpus))
    built = run_command(corpus)
    return ingested[0] + built[0], max(ingested[1], built[1])


def hash_shown(corpus: Path) -> dict[str, str]:
    """The files that a co-author network shows, hashed."""
    files = hash_tree(corpus / "networks" / "coauthor")
    return {name: files[name] for name in ("nodes.parquet", "edges.parquet")}


def run_command(corpus: Path, *more: str) -> tuple[float, float]:
    """CPU seconds and peak memory of `viva network build --only coauthor`."""
    return run_viva("network", "build", "--only", "coauthor", "--corpus", str(corpus), *more)


def run_viva(*words: str) -> tuple[float, float]:
    """CPU seconds and peak memory of a command, all of whose code was compiled before."""
    return run_process(["-c", "from vivavoce.cli import app; app()", *words])


def run_process(words: list[str]) -> tuple[float, float]:
    """CPU seconds and peak memory in GB of one run of Python."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    started = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL, env=kept)
    _, status, usage = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode:
        raise SystemExit(f"A measured run ended with {started.returncode}.")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e9


def measure_updates(arguments: argparse.Namespace, scratch: Path) -> list[Row]:
    """Add the newest twentieth of the papers, and one that is scattered over them."""
    rows = []
    for added in ("newest", "scattered"):
        folder = scratch / added
        if arguments.ingest:
            papers, share = "with ingest, ACL", ACL_SHARE
            size = write_acl_files(arguments.acl, added, folder)
            found = compare_ingests(folder, arguments.runs)
        else:
            size, papers, share = write_corpora(arguments, added, folder)
            ingest("sample", Path("1"), folder / "one")
            found = compare_updates(folder / "before", folder / "after", arguments.runs)
        shutil.rmtree(folder)
        met = found["ratio"] <= share
        job = f"co-authors, {papers}: {size:,} papers {added} come to the rest"
        rows.append({"job": job, **found, "target": f"ratio <= {share:.0%}", "met": met})
    return rows


def write_corpora(
    arguments: argparse.Namespace, added: str, folder: Path
) -> tuple[int, str, float]:
    """Make the corpora before and after; how many papers came, to which, and the target."""
    if arguments.papers:
        size = write_made_up(arguments.papers, added, folder)
        return size, f"{arguments.papers:,} made up", MADE_UP_SHARE
    return write_acl(arguments.acl, added, folder), "ACL", ACL_SHARE


def show(rows: list[Row]) -> None:
    """One line a row."""
    for row in rows:
        cells = [f"{row['job']:<70}", f"update {row['update_s']:.2f} s"]
        cells += [f"anew {row['fresh_s']:.2f} s", f"ratio {row['ratio']:.1%}"]
        if "start_s" in row:
            share = f"{row['ratio_after_start']:.1%}"
            cells.append(f"({share} after {row['start_s']:.2f} s of start-up)")
        cells.append(f"peak {row['update_gb']:.2f} and {row['fresh_gb']:.2f} GB")
        cells.append(f"{row['target']}: {'met' if row['met'] else 'MISSED'}")
        print("  ".join(cells))


def main() -> int:
    """Print the table; 1 when a target is missed."""
    data = Path(os.environ.get("VIVAVOCE_DATA") or "../shared/data")
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--acl", type=Path, default=data / "acl" / "acl_upto2022.parquet")
    parser.add_argument("--papers", type=int, help="so many made-up papers instead")
    parser.add_argument("--ingest", action="store_true", help="measure viva ingest too")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print one JSON document instead")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        rows = measure_updates(arguments, Path(scratch))
    print(json.dumps(rows, indent=2)) if arguments.json else show(rows)
    return 0 if all(row["met"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
