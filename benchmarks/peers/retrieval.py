"""BM25 beside rank_bm25, and queries of all terms beside a scan that makes a set of each text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from benchmarks.bench_all_terms import make_documents, scan
from benchmarks.bench_all_terms import make_queries as make_names
from benchmarks.bench_retrieval import TOP, make_passages, make_queries
from benchmarks.peers.comparison import Comparison
from rank_bm25 import BM25Okapi

from vivavoce.retrieval.all_terms import PostingsIndex, TantivyIndex, TantivyWriter
from vivavoce.retrieval.sparse import Bm25Retriever

ASKED = 3
"""Queries of all terms; the scan takes seconds for each."""
CLOSE = 1e-9


def comparisons(scratch: Path, *, smoke: bool) -> Iterator[Comparison]:
    """Queries only: indexes are built before."""
    yield _bm25(2_000 if smoke else 50_000, smoke=smoke)
    yield from _all_terms(scratch, 1_000 if smoke else 50_000)


def _bm25(count: int, *, smoke: bool) -> Comparison:
    passages, queries = make_passages(count), make_queries()
    peer = BM25Okapi([passage.split() for passage in passages])
    own = Bm25Retriever(passages, str.split)
    if max(np.abs(peer.get_scores(q.split()) - own.scores(q)).max() for q in queries) > CLOSE:
        raise SystemExit("BM25 does not score as rank_bm25 does.")

    def theirs() -> list[list[int]]:
        scores = [peer.get_scores(query.split()) for query in queries]
        return [np.argsort(-each, kind="stable")[:TOP].tolist() for each in scores]

    return Comparison(
        job=f"BM25, {len(queries)} queries, {count:,} passages",
        peer="rank_bm25",
        ours=lambda: [[hit.index for hit in hits] for hits in own.search_many(queries, TOP)],
        theirs=theirs,
        agree=lambda mine, other: mine == other,
        target=50.0,
        smoke_target=5.0,
    )


def _all_terms(scratch: Path, count: int) -> Iterator[Comparison]:
    documents, names = make_documents(count, 11), make_names(11)[:ASKED]
    writer = TantivyWriter(scratch / "index")
    for number, document in enumerate(documents):
        writer.put(number, document)
    writer.commit("benchmark")
    ids = [document.id for document in documents]
    on_disk = TantivyIndex(scratch / "index", lambda found: [ids[number] for number in found])
    in_memory = PostingsIndex(documents)
    for place, index in (("on disk", on_disk), ("in memory", in_memory)):
        yield Comparison(
            job=f"all terms, {count:,} abstracts, {place}",
            peer="scan of sets",
            ours=lambda index=index: [index.all_terms(name) for name in names],
            theirs=lambda: [scan(documents, name) for name in names],
            agree=lambda mine, other: mine == other,
            target=1000.0,
            smoke_target=20.0,
        )
