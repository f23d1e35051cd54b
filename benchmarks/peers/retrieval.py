"""BM25 beside rank_bm25 and bm25s, queries of all terms beside SQLite's index and scans of sets."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import bm25s
import numpy as np
from benchmarks.bench_all_terms import make_documents, scan
from benchmarks.bench_all_terms import make_queries as make_names
from benchmarks.bench_retrieval import TOP, make_passages, make_queries
from benchmarks.peers.comparison import Comparison
from rank_bm25 import BM25Okapi

from vivavoce.retrieval.sparse import Bm25Retriever, PostingsIndex
from vivavoce.text.terms import terms_of

ASKED = 3
"""Queries of all terms; the scan takes seconds for each."""
CLOSE = 1e-9


def comparisons(scratch: Path, *, smoke: bool) -> Iterator[Comparison]:
    """Queries only: indexes are built before."""
    yield from _bm25(2_000 if smoke else 50_000, smoke=smoke)
    yield from _all_terms(scratch, 1_000 if smoke else 50_000)


def _bm25(count: int, *, smoke: bool) -> Iterator[Comparison]:
    passages, queries = make_passages(count), [query.split() for query in make_queries()]
    cut = [passage.split() for passage in passages]
    plain = BM25Okapi(cut)
    # Its terms of most passages weigh nothing, where rank_bm25 and ours floor them.
    fast = bm25s.BM25(k1=1.5, b=0.75, method="atire", idf_method="robertson", dtype="float64")
    fast.index(cut, show_progress=False)
    own, floorless = (
        Bm25Retriever(passages, str.split),
        Bm25Retriever(passages, str.split, epsilon=0),
    )

    def with_plain() -> list[list[int]]:
        scores = [plain.get_scores(query) for query in queries]
        return [np.argsort(-each, kind="stable")[:TOP].tolist() for each in scores]

    def with_fast() -> list[list[float]]:
        return fast.retrieve(queries, k=TOP, show_progress=False).scores.tolist()

    for peer, theirs, ours, target in (
        ("rank_bm25", with_plain, lambda: _best(own, queries, "index"), 50.0),
        ("bm25s", with_fast, lambda: _best(floorless, queries, "score"), None),
    ):
        yield Comparison(
            job=f"BM25, {len(queries)} queries, {count:,} passages",
            peer=peer,
            ours=ours,
            theirs=theirs,
            agree=lambda mine, other: bool(np.abs(np.subtract(mine, other)).max() < CLOSE),
            target=target,
            smoke_target=5.0 if target else None,
        )


def _best(retriever: Bm25Retriever, queries: list[list[str]], name: str) -> list[list[float]]:
    """The numbers or scores of the best passages of each query."""
    found = retriever.search_many([" ".join(query) for query in queries], TOP)
    return [[getattr(hit, name) for hit in hits] for hits in found]


def _all_terms(scratch: Path, count: int) -> Iterator[Comparison]:
    documents, names = make_documents(count, 11), make_names(11)[:ASKED]
    index = PostingsIndex(documents)
    sets = [(document.id, set(terms_of(document.text))) for document in documents]
    stored = sqlite3.connect(scratch / "fts5.db")
    stored.execute("CREATE VIRTUAL TABLE papers USING fts5(id UNINDEXED, text)")
    stored.executemany("INSERT INTO papers VALUES (?, ?)", ((d.id, d.text) for d in documents))

    def ask_sqlite(name: str) -> list[str]:
        asked = " AND ".join(f'"{term}"' for term in terms_of(name))
        return sorted(id for (id,) in stored.execute("SELECT id FROM papers(?)", (asked,)))

    def scan_sets(name: str) -> list[str]:
        wanted = set(terms_of(name))
        return sorted(id for id, terms in sets if wanted <= terms)

    for peer, ask, target, smoke_target in (
        ("scan of sets", lambda name: scan(documents, name), 1000.0, 20.0),
        ("scan of sets made once", scan_sets, None, None),
        ("SQLite FTS5", ask_sqlite, None, None),
    ):
        yield Comparison(
            job=f"all terms, {count:,} abstracts",
            peer=peer,
            ours=lambda: [index.all_terms(name) for name in names],
            theirs=lambda ask=ask: [ask(name) for name in names],
            agree=lambda mine, other: mine == other,
            target=target,
            smoke_target=smoke_target,
        )
