"""BM25 beside rank_bm25, and queries of all terms beside SQLite's index and scans of sets."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

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
