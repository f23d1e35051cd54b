"""Counts for a corpus and for its dates."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from vivavoce.corpus.boards import most_first
from vivavoce.corpus.dating import CONTRADICTIONS
from vivavoce.corpus.fields import GATES
from vivavoce.corpus.reading import Corpus
from vivavoce.corpus.schema import TABLES
from vivavoce.text.dates import earlier


def corpus_stats(corpus: Corpus) -> dict[str, Any]:
    """Count rows per table, sources, dates, gates, section roles and resolved references."""
    papers = corpus.papers
    resolvers = Counter(row["resolver"] or "unresolved" for row in corpus.rows("references"))
    failed = Counter(gate for paper in papers for gate in paper.gates)
    files = corpus.manifest["files"]
    dates = [paper.published for paper in papers if paper.published]
    contradicted = {(row["paper_id"], row["verdict"]) for row in contradictions(corpus)}
    return {
        "tables": {
            name: sum(entry["rows"] for file, entry in files.items() if file.startswith(f"{name}/"))
            for name in TABLES
        },
        "sources": most_first(Counter(paper.source for paper in papers)),
        "dates": most_first(Counter(paper.date_source or "undated" for paper in papers)),
        "date_precision": most_first(
            Counter(paper.date_precision or "undated" for paper in papers)
        ),
        "published": [min(dates), max(dates)] if dates else None,
        "first_public": date_sources(corpus),
        "contradictions": most_first(Counter(verdict for _, verdict in contradicted)),
        "gates": {gate: failed[gate] for gate in GATES},
        "fit": sum(1 for paper in papers if not paper.gates),
        "section_roles": most_first(Counter(row["role"] for row in corpus.rows("sections"))),
        "references": most_first(resolvers),
        "fingerprint": corpus.fingerprint,
    }


def date_sources(corpus: Corpus) -> dict[str, int]:
    """Number of papers by the evidence for their first public date."""
    return most_first(Counter(p.first_public_from or "undated" for p in corpus.papers))


def contradictions(corpus: Corpus) -> Iterator[dict[str, Any]]:
    """Dated statements with a contradiction, each with the date that counts."""
    used = {paper.paper_id: paper for paper in corpus.papers}
    for row in corpus.rows("dates"):
        if row["verdict"] in CONTRADICTIONS:
            paper = used[row["paper_id"]]
            yield {
                **row,
                "first_public": paper.first_public,
                "first_public_from": paper.first_public_from,
            }


def date_report(corpus: Corpus) -> dict[str, Any]:
    """Report the sources of first public dates, statements by verdict, and every contradiction."""
    verdicts = Counter((row["evidence"].split()[0], row["verdict"]) for row in corpus.rows("dates"))
    return {
        "sources": date_sources(corpus),
        "statements": [
            {"evidence": evidence, "verdict": verdict, "statements": number}
            for (evidence, verdict), number in sorted(verdicts.items())
        ],
        "changed": sum(
            earlier(paper.first_public, paper.published)
            for paper in corpus.papers
            if paper.first_public and paper.published
        ),
        "contradictions": list(contradictions(corpus)),
    }
