"""Counts of a corpus and of its merges."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from vivavoce.corpus.boards import most_first
from vivavoce.corpus.fields import GATES
from vivavoce.corpus.identity.merge import APART
from vivavoce.corpus.reading import Corpus
from vivavoce.corpus.schema import TABLES


def corpus_stats(corpus: Corpus) -> dict[str, Any]:
    """Count a corpus: rows a table, sources, dates, gates, section roles, resolved references."""
    papers = corpus.papers
    resolvers = Counter(row["resolver"] or "unresolved" for row in corpus.rows("references"))
    failed = Counter(gate for paper in papers for gate in paper.gates)
    files = corpus.manifest["files"]
    dates = [paper.published for paper in papers if paper.published]
    return {
        "tables": {
            name: sum(entry["rows"] for file, entry in files.items() if file.startswith(f"{name}/"))
            for name in TABLES
        },
        "sources": most_first(Counter(paper.source for paper in papers)),
        "merges": most_first(Counter(row["joined_by"] for row in corpus.rows("merges"))),
        "dates": most_first(Counter(paper.date_source or "undated" for paper in papers)),
        "date_precision": most_first(
            Counter(paper.date_precision or "undated" for paper in papers)
        ),
        "published": [min(dates), max(dates)] if dates else None,
        "gates": {gate: failed[gate] for gate in GATES},
        "fit": sum(1 for paper in papers if not paper.gates),
        "section_roles": most_first(Counter(row["role"] for row in corpus.rows("sections"))),
        "references": most_first(resolvers),
        "ambiguous_titles": corpus.manifest["ambiguous_titles"],
        "fingerprint": corpus.fingerprint,
    }


EXAMPLES = 5


def summarise_merges(corpus: Corpus, examples: int = EXAMPLES) -> dict[str, Any]:
    """Count the rows of `merges` by reason, and show the first of each.

    Args:
        corpus: An open corpus.
        examples: How many rows to show for each reason.
    """
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    shown: dict[str, list[dict[str, Any]]] = defaultdict(list)
    papers = set()
    for row in corpus.rows("merges"):
        joined_by = row["joined_by"]
        counts[joined_by] += 1
        if joined_by == APART:
            reasons[row["detail"].partition(":")[0]] += 1
        else:
            papers.add(row["paper_id"])
        if len(shown[joined_by]) < examples:
            shown[joined_by].append(row)
    near_misses = counts.pop(APART, 0)
    return {
        "papers": len(corpus.papers),
        "merged_papers": len(papers),
        "documents_joined_by": dict(sorted(counts.items())),
        "near_misses": near_misses,
        "apart_because": dict(sorted(reasons.items())),
        "examples": dict(sorted(shown.items())),
    }
