"""Networks against networkx: equal numbers first, then the ratio of CPU times.

    python -m benchmarks.bench_networks [--corpus DIR | --acl PARQUET] [--json]
    python -m benchmarks.bench_networks --large [--dtype float32|float64] [--tolerance T]

The first form measures the co-author network of a corpus, from its tables on disk to the counts
that `viva network stats` prints, and PageRank with components on a random graph. Both sides work
in the same process, in turn; each number is a median of process CPU time. `--large` runs 18
million nodes and 59 million edges, ours only, and prints peak memory.

Ends with exit code 1 when a number differs or a target is missed.
"""

import argparse
import json
import os
import resource
import statistics
import sys
import tempfile
import time
import unicodedata
from collections.abc import Callable
from itertools import combinations, groupby
from pathlib import Path
from typing import Any

import networkx
import numpy as np
from benchmarks.peers.networks import graph_comparisons

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.networks.authors import coauthor_tables, first_author_core
from vivavoce.networks.graph import Graph, make_graph, pagerank, sizes, weak_components
from vivavoce.store import read_parquet

Row = dict[str, Any]
RANDOM = (100_000, 500_000)
LARGE = (18_000_000, 59_000_000)
COAUTHOR_SECONDS, LARGE_GB = 5.0, 4.0


def cpu_seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Process CPU seconds of one call, and what it gave."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def alternate(work: dict[str, Callable[[], Any]], runs: int) -> dict[str, tuple[float, Any]]:
    """The median CPU seconds of each side, run in turn, and what it gave last."""
    seconds: dict[str, list[float]] = {side: [] for side in work}
    last: dict[str, Any] = {}
    for _ in range(runs):
        for side, call in work.items():
            spent, last[side] = cpu_seconds(call)
            seconds[side].append(spent)
    return {side: (statistics.median(seconds[side]), last[side]) for side in work}


def count_ours(corpus: Corpus) -> Row:
    """The counts of the co-author network, by this package."""
    nodes, edges = coauthor_tables(corpus)
    ends = (edges[side].to_numpy() for side in ("source", "target"))
    graph = Graph(nodes.num_rows, *ends)
    components = sizes(weak_components(graph))
    core = first_author_core(graph, nodes["first_author_papers"].to_numpy())
    return {
        "authors": graph.n,
        "edges": graph.edges,
        "components": len(components),
        "largest_component": int(components.max(initial=0)),
        "pruned_authors": core.n,
        "pruned_edges": core.edges,
    }


def count_networkx(corpus: Corpus) -> Row:
    """The same counts in plain Python and networkx, from the same files."""
    rows = [
        row
        for name in corpus.files("authorships")
        for row in read_parquet(corpus.folder / "tables" / name)
    ]
    graph, first = networkx.Graph(), set()
    for _, authors in groupby(rows, key=lambda row: row["paper_id"]):
        keys = [key_of(row) for row in authors]
        first.add(keys[0])
        graph.add_nodes_from(keys)
        for one, other in combinations(sorted(set(keys)), 2):
            weight = graph[one][other]["papers"] + 1 if graph.has_edge(one, other) else 1
            graph.add_edge(one, other, papers=weight)
    kept = graph.subgraph(first)
    core = kept.subgraph(max(networkx.connected_components(kept), key=len)).copy()
    components = [len(part) for part in networkx.connected_components(graph)]
    return {
        "authors": graph.number_of_nodes(),
        "edges": graph.number_of_edges(),
        "components": len(components),
        "largest_component": max(components),
        "pruned_authors": core.number_of_nodes(),
        "pruned_edges": core.number_of_edges(),
    }


def key_of(row: Row) -> str:
    """Who an authorship is by: the id, else the name."""
    if row["author_id"]:
        return f"id:{row['author_id']}"
    name = unicodedata.normalize("NFKC", row["name"]).casefold()
    return f"name:{' '.join(name.split())}"


def compare_coauthors(corpus: Corpus, runs: int) -> Row:
    """Counts that have to be equal, and the CPU seconds of both sides."""
    sides = {"ours": lambda: count_ours(corpus), "networkx": lambda: count_networkx(corpus)}
    found = alternate(sides, runs)
    if found["ours"][1] != found["networkx"][1]:
        raise SystemExit(f"Counts differ: {found['ours'][1]} and {found['networkx'][1]}")
    ours, theirs = found["ours"][0], found["networkx"][0]
    return {
        "job": "co-authors, tables to counts",
        "ours_s": ours,
        "networkx_s": theirs,
        "ratio": theirs / ours,
        "target": f"ours <= {COAUTHOR_SECONDS} s",
        "met": ours <= COAUTHOR_SECONDS,
        "counts": found["ours"][1],
    }


def compare_graphs(runs: int) -> list[Row]:
    """PageRank with building, and components, on one random graph."""
    rows = []
    for each in graph_comparisons(*RANDOM):
        found = alternate({"ours": each.ours, "networkx": each.theirs}, runs)
        (ours, mine), (theirs, other) = found["ours"], found["networkx"]
        if not each.agree(mine, other):
            raise SystemExit(f"{each.job}: the two differ.")
        ratio = theirs / ours
        rows.append(
            {
                "job": each.job,
                "ours_s": ours,
                "networkx_s": theirs,
                "ratio": ratio,
                "target": f"ratio >= {each.target:.0f}" if each.target else "",
                "met": each.target is None or ratio >= each.target,
            }
        )
    return rows


def run_large(dtype: str, tolerance: float) -> list[Row]:
    """18 million nodes and 59 million edges: seconds and peak memory so far of each step."""
    n, m = LARGE
    generator = np.random.default_rng(0)
    source = np.sort(generator.integers(0, n, m, dtype=np.int32))
    target = generator.integers(0, n, m, dtype=np.int32)
    graph = make_graph(n, source, target)
    kind = np.float32 if dtype == "float32" else np.float64
    rows = [{"job": f"{n:,} nodes, {m:,} edges drawn", "ours_s": 0.0, "peak_gb": peak_gb()}]
    spent, scores = cpu_seconds(lambda: pagerank(graph, tolerance=tolerance, dtype=kind))
    job = f"PageRank, {dtype}, to {tolerance}"
    rows.append({"job": job, "ours_s": spent, "peak_gb": peak_gb()})
    del scores
    spent, labels = cpu_seconds(lambda: weak_components(graph))
    job = f"weak components ({len(sizes(labels)):,})"
    rows.append({"job": job, "ours_s": spent, "peak_gb": peak_gb()})
    rows[-1] |= {"target": f"peak <= {LARGE_GB:.0f} GB", "met": peak_gb() <= LARGE_GB}
    return rows


def peak_gb() -> float:
    """The most memory this process has held, in GB of 10^9 bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def open_corpus(arguments: argparse.Namespace, scratch: Path) -> Corpus | None:
    """The corpus to measure: one that is there, or one made of the Anthology's papers."""
    if arguments.corpus:
        return load_corpus(arguments.corpus)
    if not arguments.acl.exists():
        return None
    ingest("metadata", arguments.acl, scratch / "corpus")
    return load_corpus(scratch / "corpus")


def show(rows: list[Row]) -> None:
    """One line a row."""
    for row in rows:
        cells = [f"{row['job']:<70}", f"ours {row['ours_s']:8.2f} s"]
        if "networkx_s" in row:
            cells += [f"networkx {row['networkx_s']:7.2f} s", f"ratio {row['ratio']:6.1f}"]
        if "peak_gb" in row:
            cells.append(f"peak {row['peak_gb']:.2f} GB")
        if row.get("target"):
            cells.append(f"{row['target']}: {'met' if row['met'] else 'MISSED'}")
        print("  ".join(cells))


def main() -> int:
    """Print the table; 1 when a target is missed."""
    data = Path(os.environ.get("VIVAVOCE_DATA") or "../shared/data")
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpus", type=Path, help="a corpus that is there already")
    parser.add_argument("--acl", type=Path, default=data / "acl" / "acl_upto2022.parquet")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--large", action="store_true", help="18 million nodes, ours only")
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float32")
    parser.add_argument("--tolerance", type=float, default=1e-6, help="of --large")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead")
    arguments = parser.parse_args()
    if arguments.large:
        rows = run_large(arguments.dtype, arguments.tolerance)
    else:
        with tempfile.TemporaryDirectory() as scratch:
            corpus = open_corpus(arguments, Path(scratch))
            rows = [compare_coauthors(corpus, arguments.runs)] if corpus else []
            rows += compare_graphs(arguments.runs)
    print(json.dumps(rows, indent=2)) if arguments.json else show(rows)
    return 0 if all(row.get("met", True) for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
