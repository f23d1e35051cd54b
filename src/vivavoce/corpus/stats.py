"""What a corpus holds, counted."""

from __future__ import annotations

from collections import Counter
from typing import Any

from vivavoce.corpus.gates import GATES
from vivavoce.corpus.reading import Corpus
from vivavoce.corpus.schema import TABLES


def corpus_stats(corpus: Corpus) -> dict[str, Any]:
    """Count a corpus: rows a table, sources, dates, gates, section roles, resolved references."""
    papers = corpus.papers
    resolvers = Counter(row["resolver"] or "unresolved" for row in corpus.rows("references"))
    failed = Counter(gate for paper in papers for gate in paper.gates)
    files = corpus.manifest["files"]
    return {
        "tables": {
            name: sum(entry["rows"] for file, entry in files.items() if file.startswith(f"{name}/"))
            for name in TABLES
        },
        "sources": _sorted(Counter(paper.source for paper in papers)),
        "merges": _sorted(Counter(row["joined_by"] for row in corpus.rows("merges"))),
        "dates": _sorted(Counter(paper.date_source or "undated" for paper in papers)),
        "date_precision": _sorted(Counter(paper.date_precision or "undated" for paper in papers)),
        "published": _span([paper.published for paper in papers if paper.published]),
        "gates": {gate: failed[gate] for gate in GATES},
        "fit": sum(1 for paper in papers if not paper.gates),
        "section_roles": _sorted(Counter(row["role"] for row in corpus.rows("sections"))),
        "references": _sorted(resolvers),
        "ambiguous_titles": corpus.manifest["ambiguous_titles"],
        "fingerprint": corpus.fingerprint,
    }


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _span(dates: list[str]) -> list[str] | None:
    return [min(dates), max(dates)] if dates else None
