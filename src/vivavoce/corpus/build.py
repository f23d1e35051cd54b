"""Corpus tables out of imports: merge, roles, references, dates and gates, in one pass.

The tables depend only on the set of imported documents, so the order in which sources were
ingested does not matter. `tables/manifest.json` is written last and bound to the imports: a build
that was cut short is noticed and done again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from vivavoce.corpus.dating import PaperDate, date_paper
from vivavoce.corpus.gates import failed_gates
from vivavoce.corpus.imports import Batch, list_batches, read_batch, read_faults
from vivavoce.corpus.merge import Merge, MergedPaper, merge_documents
from vivavoce.corpus.references import PaperIndex
from vivavoce.corpus.schema import FORMAT, TABLES
from vivavoce.corpus.sections import assign_roles
from vivavoce.records import Document, Section
from vivavoce.sources import list_sources
from vivavoce.store import (
    Row,
    hash_file,
    hash_of,
    hash_rows,
    write_json,
    write_parquet,
)

ROWS_PER_SHARD = 50_000
MANIFEST = "manifest.json"
_KEYS = {
    "papers": ("paper_id",),
    "authorships": ("paper_id", "ordinal"),
    "sections": ("paper_id", "ordinal"),
    "references": ("paper_id", "ordinal"),
    "tables": ("paper_id", "ordinal"),
    "results": ("dataset", "task", "metric", "method", "score_text", "paper_id"),
    "faults": ("source", "where", "reason"),
}
"""What each table is sorted by."""

Rows = dict[str, list[Row]]


def build_tables(corpus: Path) -> Row:
    """Write every table of a corpus from its complete imports; return the manifest."""
    batches = [batch for batch in list_batches(corpus) if batch.is_complete]
    merge = merge_documents(
        _newest_documents(batches),
        {source.kind: source.is_metadata for source in list_sources().values()},
    )
    tables: Rows = {name: [] for name in TABLES}
    _add_papers(tables, merge.papers)
    _add_faults(tables, batches, merge)
    files: Row = {}
    for name, rows in tables.items():
        rows.sort(key=lambda row: tuple(_sortable(row[key]) for key in _KEYS[name]))
        files.update(_write_table(corpus / "tables", name, rows))
    manifest = {
        "format": FORMAT,
        "imports": imports_fingerprint(batches),
        "files": files,
        "ambiguous_titles": merge.ambiguous_titles,
    }
    write_json(corpus / "tables" / MANIFEST, manifest)
    return manifest


def imports_fingerprint(batches: Sequence[Batch]) -> str:
    """Hash of what the complete imports of a corpus are, and of the code that reads them."""
    return hash_of([batch.plan for batch in batches if batch.is_complete])


def _newest_documents(batches: Sequence[Batch]) -> list[Document]:
    """One document for each (kind, key): the last one read."""
    newest: dict[tuple[str, str], Document] = {}
    for batch in batches:
        for document in read_batch(batch):
            newest[document.kind, document.key] = document
    return list(newest.values())


def _add_papers(tables: Rows, papers: Sequence[MergedPaper]) -> None:
    merged = [(paper, *_merge_fields(paper)) for paper in papers]
    years = {
        paper.paper_id: int(date.published[:4]) if date.published else None
        for paper, date, _, _ in merged
    }
    index = PaperIndex(papers, years)
    for paper, _, row, sections in merged:
        key = {"paper_id": paper.paper_id}
        text = _text_document(paper)
        tables["papers"].append(row)
        authors = next((d.authors for d in paper.documents if d.authors), ())
        tables["authorships"] += [
            {**key, "ordinal": ordinal, "name": author.name, "author_id": author.author_id}
            for ordinal, author in enumerate(authors)
        ]
        file = {"source_file": row["source_file"]}
        tables["sections"] += [{**key, **file, **_fields(section)} for section in sections]
        tables["tables"] += [{**key, **_fields(table)} for table in text.tables]
        tables["results"] += [
            {**key, **_fields(result)}
            for document in paper.documents
            for result in document.results
        ]
        for reference in text.references:
            found = index.resolve(reference)
            tables["references"].append(
                {
                    **key,
                    **_fields(reference),
                    "cited_paper_id": found.paper_id if found else None,
                    "resolver": found.resolver if found else None,
                    "confidence": found.confidence if found else None,
                }
            )


def _merge_fields(paper: MergedPaper) -> tuple[PaperDate, Row, tuple[Section, ...]]:
    """A paper's date, its row, and its sections with their roles."""
    documents = paper.documents

    def first(name: str) -> Any:
        return next((value for d in documents if (value := getattr(d, name))), None)

    text = _text_document(paper)
    sections = assign_roles(text.sections)
    date = date_paper(first("published"), first("arxiv_id"), first("acl_id"))
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
        "gates": list(failed_gates(title, abstract, date.published, sections)),
    }
    return date, row, sections


def _text_document(paper: MergedPaper) -> Document:
    """The document whose text, references and tables stand for the paper."""
    with_text = (d for d in paper.documents if d.sections or d.references or d.tables)
    return next(with_text, paper.documents[0])


def _fields(record: Any) -> Row:
    return {name: getattr(record, name) for name in record.__slots__}


def _add_faults(tables: Rows, batches: Sequence[Batch], merge: Merge) -> None:
    rows = []
    read_later: dict[str, set[str]] = defaultdict(set)
    for batch in reversed(batches):
        rows += [
            {"source": batch.kind, "where": fault.where, "reason": fault.reason}
            for fault in read_faults(batch)
            if fault.where.partition(":")[0] not in read_later[batch.kind]
        ]
        files = (PurePosixPath(entry["file"]).name for entry in batch.plan["inputs"])
        read_later[batch.kind].update(files)
    rows += [
        {
            "source": document.kind,
            "where": f"file {document.source_file}",
            "reason": "the row only names a file, and no ingested paper came from that file",
        }
        for document in merge.unmatched
    ]
    tables["faults"] += rows


def _sortable(value: Any) -> tuple[bool, Any]:
    return (value is not None, value)


def _write_table(folder: Path, name: str, rows: list[Row]) -> Row:
    """Write one table's shards; return their manifest entries by relative path."""
    entries: Row = {}
    starts = range(0, max(len(rows), 1), ROWS_PER_SHARD)
    for index, start in enumerate(starts):
        shard = rows[start : start + ROWS_PER_SHARD]
        path = folder / name / f"{index:05d}.parquet"
        write_parquet(path, shard, TABLES[name])
        entries[f"{name}/{path.name}"] = {
            "sha256": hash_file(path),
            "rows": len(shard),
            "row_hash": hash_rows(shard),
        }
    for stale in sorted((folder / name).glob("*.parquet"))[len(starts) :]:
        stale.unlink()
    return entries
