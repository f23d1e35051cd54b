"""What was merged in a corpus and why, and what was nearly merged."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from vivavoce.corpus.merge import APART
from vivavoce.corpus.reading import Corpus

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
