"""The tables of a corpus made in memory, row by row: what the sharded build has to equal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from vivavoce.corpus.build.identity import index_papers
from vivavoce.corpus.build.parts import own_method_of, tables_with_cells, text_document
from vivavoce.corpus.build.results import judge_results
from vivavoce.corpus.dating import Statement, date_entry, date_paper, judge, statements_of
from vivavoce.corpus.fields import assign_roles, failed_gates
from vivavoce.corpus.identity.merge import MergedPaper, merge_documents
from vivavoce.corpus.reading import Batch, list_batches, read_batch, read_faults
from vivavoce.corpus.schema import KEYS, TABLES, row_of
from vivavoce.readers.cell_results import read_results
from vivavoce.records import Section
from vivavoce.sources import completing_kinds, list_sources
from vivavoce.store import Row

Rows = dict[str, list[Row]]


def tables_in_memory(corpus: Path) -> Rows:
    """Every table of a corpus, from its complete imports."""
    batches = [batch for batch in list_batches(corpus) if batch.is_complete]
    newest = {(d.kind, d.key): (d, batch) for batch in batches for d in read_batch(batch)}
    merge = merge_documents(
        [document for document, _ in newest.values()],
        {source.kind: source.is_metadata for source in list_sources().values()},
        completing_kinds(),
    )
    tables: Rows = {name: [] for name in TABLES}
    _add_papers(tables, merge.papers)
    tables["results"] += [
        {
            "paper_id": None,
            **row_of(result),
            "date": date_entry(result.paper_url, result.method, result.date),
        }
        for d in merge.outside
        for result in d.results
    ]
    tables["merges"] += [row_of(join) for join in merge.joins]
    lonely = [(newest[d.kind, d.key][1].kind, d) for d in merge.unmatched]
    tables["faults"] += [
        {
            "source": kind,
            "where": f"file {d.source_file}",
            "reason": "the row names a file, and no paper came from a file of exactly that name",
            "kind": "",
        }
        for kind, d in lonely
    ]
    _add_faults(tables, batches)
    for name, rows in tables.items():
        rows.sort(key=lambda row: tuple((row[k] is not None, row[k]) for k in KEYS[name]))
    tables["results"] = judged(tables["results"])
    return {name: [_plain(row, name) for row in rows] for name, rows in tables.items()}


def _plain(row: Row, table: str) -> Row:
    """A row as it comes back from a file."""
    return {name: _listed(row[name]) for name in TABLES[table].names}


def _listed(value: Any) -> Any:
    return [_listed(v) for v in value] if isinstance(value, (tuple, list)) else value


def _add_papers(tables: Rows, papers: Sequence[MergedPaper]) -> None:
    merged = [(paper, *_merge_fields(paper)) for paper in papers]
    years = {
        paper.paper_id: int(row["published"][:4]) if row["published"] else None
        for paper, _, row, _ in merged
    }
    index = index_papers(papers, years)
    for paper, statements, row, sections in merged:
        key = {"paper_id": paper.paper_id}
        tables["dates"] += [{**key, **statement._asdict()} for statement in statements]
        text = text_document(paper)
        tables["papers"].append(row)
        authors = next((d.authors for d in paper.documents if d.authors), ())
        tables["authorships"] += [
            {**key, "ordinal": ordinal, **row_of(author)} for ordinal, author in enumerate(authors)
        ]
        file = {"source_file": row["source_file"]}
        tables["sections"] += [{**key, **file, **row_of(section)} for section in sections]
        found_tables = tables_with_cells(paper, text)
        tables["tables"] += [{**key, **row_of(table)} for table in found_tables]
        own = own_method_of(row, sections)
        tables["tuples"] += [{**key, **row_of(one)} for one in read_results(found_tables, own)]
        tables["results"] += [
            {**key, **row_of(result), "date": row["first_public"] or result.date}
            for document in paper.documents
            for result in document.results
        ]
        for reference in text.references:
            found = index.resolve(reference)
            tables["references"].append(
                {
                    **key,
                    **row_of(reference),
                    "cited_paper_id": found.paper_id if found else None,
                    "resolver": found.resolver if found else None,
                    "confidence": found.confidence if found else None,
                }
            )


def _merge_fields(paper: MergedPaper) -> tuple[tuple[Statement, ...], Row, tuple[Section, ...]]:
    """What dates a paper, its row, and its sections with their roles."""
    documents = paper.documents

    def first(name: str) -> Any:
        return next((value for d in documents if (value := getattr(d, name))), None)

    text = text_document(paper)
    sections = assign_roles(text.sections) if text.sections else ()
    own = [d.published for d in documents if d.kind not in completing_kinds() and d.published]
    listed = first("published")
    date = date_paper(next(iter(own), None), first("arxiv_id"), first("acl_id"), listed)
    said = (s for d in documents for s in statements_of(d, list_sources()[d.kind].dates))
    used, statements = judge(said, completing_kinds())
    title, abstract = first("title"), first("abstract")
    row = {
        "paper_id": paper.paper_id,
        "source_file": text.source_file or first("source_file"),
        "title": title,
        "abstract": abstract,
        "published": date.published,
        "date_precision": date.precision,
        "date_source": date.source,
        "categories": list(first("categories") or ()),
        "source": "+".join(sorted({document.kind for document in documents})),
        "licence": first("licence"),
        "arxiv_id": first("arxiv_id"),
        "acl_id": first("acl_id"),
        "doi": first("doi"),
        "source_url": first("source_url"),
        "venue": first("venue"),
        "version": text.version or first("version"),
        "gates": list(failed_gates(title, abstract, used and used.date, sections)),
        "first_public": used.date if used else None,
        "first_public_precision": used.precision if used else None,
        "first_public_from": used.evidence.partition(" ")[0] if used else None,
        "work": None,
        "health": None,
        "health_reasons": [],
        "doubts": [],
    }
    return statements, row, sections


def _add_faults(tables: Rows, batches: Sequence[Batch]) -> None:
    read_later: dict[str, set[str]] = defaultdict(set)
    for batch in reversed(batches):
        later = read_later[batch.kind]
        tables["faults"] += [
            {"source": batch.kind, **asdict(fault)}
            for fault in read_faults(batch)
            if later.isdisjoint((fault.where, fault.where.rpartition(":")[0]))
        ]
        later.update(entry["name"] for entry in batch.plan["inputs"])


def judged(rows: Sequence[Row]) -> list[Row]:
    """Rows of results with what their boards say of them."""
    return [{**row, **told} for row, told in zip(rows, judge_results(rows), strict=True)]
