"""Counts for a corpus and for its dates."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from vivavoce.corpus.boards import most_first
from vivavoce.corpus.dating import CONTRADICTIONS
from vivavoce.corpus.fields import GATES
from vivavoce.corpus.reading import Corpus, load_corpus
from vivavoce.corpus.schema import TABLES
from vivavoce.errors import DamagedError, InputError, StaleError
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


def first_dates(folder: Path) -> pa.Table:
    """First public dates by paper; none of a corpus that is new, cut short or damaged."""
    names = ["paper_id", "first_public"]
    try:
        corpus = load_corpus(folder)
        paths = [corpus.sound_path(name) for name in corpus.files("papers")]
    except (InputError, StaleError, DamagedError):
        paths = []
    empty = pa.schema([(name, pa.string()) for name in names]).empty_table()
    tables = [pq.read_table(path, columns=names).cast(empty.schema) for path in paths]
    return pa.concat_tables([empty, *tables])


def count_moved(before: pa.Table, after: pa.Table) -> int:
    """Number of papers in both tables that had a date and have another one now, or none."""
    dated = before.filter(pc.is_valid(before["first_public"]))
    both = dated.join(after, "paper_id", join_type="inner", right_suffix="_now")
    dates = (pc.fill_null(both[name], "") for name in ("first_public", "first_public_now"))
    return pc.sum(pc.not_equal(*dates)).as_py() or 0
