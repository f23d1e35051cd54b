"""BM25 against rank_bm25 over chunks: equal scores first, then the ratio of CPU times.

    python benchmarks/bench_retrieval.py [--passages N] [--smoke] [--json]

Both sides index and answer the same queries in the same process, alternating; each ratio is that
of the medians of process CPU time. rank_bm25 only scores, ours also ranks the 12 best. TF-IDF and
cutting into chunks are timed alone. Ends with exit code 1 when a score differs or a target is
missed; `--smoke` is too small for the targets.
"""

import argparse
import itertools
import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
from rank_bm25 import BM25Okapi

from vivavoce.retrieval.sparse import Bm25Retriever, TfidfRetriever
from vivavoce.text.chunk import split_text

PASSAGES, SMOKE = 50_000, 2_000
WORDS, VOCABULARY = 80, 30_000
QUERIES, RUNS, INDEX_RUNS, TOP, SEED = 8, 3, 3, 12, 7
QUERY_TARGET, INDEX_TARGET, TOLERANCE = 50.0, 1.0, 1e-9


@dataclass(frozen=True)
class Figures:
    """What was measured; seconds and milliseconds are of process CPU time."""

    passages: int
    largest_difference: float
    index_peer_seconds: float
    index_seconds: float
    query_peer_ms: float
    query_ms: float
    tfidf_index_seconds: float
    tfidf_query_ms: float
    chunk_megabytes_a_second: float

    @property
    def index_ratio(self) -> float:
        """Our time to index as a share of the peer's."""
        return self.index_seconds / self.index_peer_seconds

    @property
    def query_ratio(self) -> float:
        """How many queries we answer while the peer answers one."""
        return self.query_peer_ms / self.query_ms


def make_passages(count: int) -> list[str]:
    """Passages over a skewed vocabulary, so that some words are in most of them."""
    chooser = random.Random(SEED)
    words = [f"w{number}" for number in range(VOCABULARY)]
    weights = list(itertools.accumulate(1 / (rank + 1) for rank in range(VOCABULARY)))
    return [
        " ".join(chooser.choices(words, cum_weights=weights, k=chooser.randint(60, 100)))
        for _ in range(count)
    ]


def make_queries() -> list[str]:
    """Eight words each: two very frequent ones, as a prompt has them, and six rarer ones."""
    chooser = random.Random(SEED + 1)
    picks = (
        [*chooser.sample(range(5), 2), *chooser.sample(range(50, 5_000), 6)] for _ in range(QUERIES)
    )
    return [" ".join(f"w{number}" for number in pick) for pick in picks]


def cpu_seconds(work: Callable[[], object]) -> float:
    """Process CPU seconds of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def measure(count: int) -> Figures:
    """Index and search one collection with both."""
    passages, queries = make_passages(count), make_queries()
    tokens = [passage.split() for passage in passages]
    index: dict[str, list[float]] = {"ours": [], "peer": []}
    for _ in range(INDEX_RUNS):
        index["peer"].append(cpu_seconds(lambda: BM25Okapi(tokens)))
        index["ours"].append(cpu_seconds(lambda: Bm25Retriever(passages, str.split)))
    peer, ours = BM25Okapi(tokens), Bm25Retriever(passages, str.split)
    difference = max(
        float(np.abs(peer.get_scores(query.split()) - ours.scores(query)).max())
        for query in queries
    )
    ask: dict[str, list[float]] = {"ours": [], "peer": []}
    for _ in range(RUNS):
        ask["peer"].append(cpu_seconds(lambda: [peer.get_scores(q.split()) for q in queries]))
        ask["ours"].append(cpu_seconds(lambda: ours.search_many(queries, TOP)))
    tfidf = TfidfRetriever(passages, str.split)
    text = ". ".join(passages)
    milliseconds = 1_000 / len(queries)
    return Figures(
        passages=count,
        largest_difference=difference,
        index_peer_seconds=statistics.median(index["peer"]),
        index_seconds=statistics.median(index["ours"]),
        query_peer_ms=statistics.median(ask["peer"]) * milliseconds,
        query_ms=statistics.median(ask["ours"]) * milliseconds,
        tfidf_index_seconds=cpu_seconds(lambda: TfidfRetriever(passages, str.split)),
        tfidf_query_ms=cpu_seconds(lambda: tfidf.search_many(queries, TOP)) * milliseconds,
        chunk_megabytes_a_second=len(text) / 1e6 / cpu_seconds(lambda: split_text(text)),
    )


def main() -> int:
    """Print the table; 1 when a score differs or a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--passages", type=int, default=PASSAGES, help="how many to make")
    parser.add_argument("--smoke", action="store_true", help=f"only {SMOKE:,} passages")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead")
    arguments = parser.parse_args()
    found = measure(SMOKE if arguments.smoke else arguments.passages)
    if arguments.json:
        ratios = {"index_ratio": found.index_ratio, "query_ratio": found.query_ratio}
        print(json.dumps({**asdict(found), **ratios}, indent=2))
    else:
        print_table(found)
    is_equal = found.largest_difference <= TOLERANCE
    is_fast = found.query_ratio >= QUERY_TARGET and found.index_ratio <= INDEX_TARGET
    return 0 if is_equal and (is_fast or found.passages < PASSAGES) else 1


def print_table(found: Figures) -> None:
    """One line a retriever."""
    print(f"{found.passages:,} passages of about {WORDS} words, {QUERIES} queries of 8 words")
    print(f"largest difference to rank_bm25: {found.largest_difference:.1e}")
    print("              index s   ms a query")
    print(f"rank_bm25    {found.index_peer_seconds:8.2f}   {found.query_peer_ms:10.2f}")
    print(f"bm25         {found.index_seconds:8.2f}   {found.query_ms:10.2f}")
    print(f"tfidf        {found.tfidf_index_seconds:8.2f}   {found.tfidf_query_ms:10.2f}")
    print(
        f"bm25: {found.query_ratio:.0f} x per query (target {QUERY_TARGET:.0f}), "
        f"{found.index_ratio:.2f} x the time to index (target at most {INDEX_TARGET:.0f})"
    )
    print(f"chunks: {found.chunk_megabytes_a_second:.1f} MB a second")


if __name__ == "__main__":
    sys.exit(main())
