"""Corpus tables out of imports: merge, roles, references, dates and gates, in one pass.

The tables depend only on the set of imported documents, so the order in which sources were
ingested does not matter. `tables/manifest.json` is written last and bound to the imports: a build
that was cut short is noticed and done again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vivavoce.corpus.batches import Batch, list_batches, read_batch, read_faults
from vivavoce.corpus.dating import PaperDate, date_paper
from vivavoce.corpus.gates import failed_gates
from vivavoce.corpus.merge import Merge, MergedPaper, merge_documents
from vivavoce.corpus.references import PaperIndex
from vivavoce.corpus.schema import FORMAT, TABLES, row_of
from vivavoce.corpus.sections import assign_roles
from vivavoce.records import Document, Fault, Section
from vivavoce.sources import kinds_without_papers, list_sources
from vivavoce.store import (
    Row,
    hash_file,
    hash_of,
    hash_rows,
    write_parquet,
    write_sealed,
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
    "merges": ("paper_id", "kind", "key", "joined_by", "detail"),
    "faults": ("source", "where", "reason"),
}
"""What each table is sorted by."""

Rows = dict[str, list[Row]]


@dataclass(frozen=True, slots=True)
class Built:
    """What the tables were made of."""

    papers: list[Row]
    """The rows of the table `papers`."""
    merges: list[Row]
    """The rows of the table `merges`."""
    unmatched: list[tuple[Batch, Fault]]
    """Rows that only name a file which no paper came from, and the batch that read them."""


def build_tables(corpus: Path) -> Built:
    """Write every table of a corpus from its complete imports."""
    batches = [batch for batch in list_batches(corpus) if batch.is_complete]
    newest = _newest_documents(batches)
    merge = _merge(newest)
    unmatched = [(newest[d.kind, d.key][1], _unmatched(d)) for d in merge.unmatched]
    tables: Rows = {name: [] for name in TABLES}
    _add_papers(tables, merge.papers)
    tables["merges"] += [row_of(join) for join in merge.joins]
    _add_faults(tables, batches, unmatched)
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
    write_sealed(corpus / "tables" / MANIFEST, manifest)
    return Built(tables["papers"], tables["merges"], unmatched)


def merge_imports(corpus: Path) -> Merge:
    """The papers that the complete imports of a corpus make."""
    return _merge(_newest_documents([b for b in list_batches(corpus) if b.is_complete]))


def index_papers(
    papers: Sequence[MergedPaper], years: Mapping[str, int | None] | None = None
) -> PaperIndex:
    """What references are resolved with; documents that are no papers cannot be meant."""
    no_papers = kinds_without_papers()
    citable = [p for p in papers if any(d.kind not in no_papers for d in p.documents)]
    metadata = {source.kind for source in list_sources().values() if source.is_metadata}
    return PaperIndex(citable, years or {}, metadata)


def text_document(paper: MergedPaper) -> Document:
    """The document whose text, references and tables stand for the paper."""
    with_text = (d for d in paper.documents if d.sections or d.references or d.tables)
    return next(with_text, paper.documents[0])


def imports_fingerprint(batches: Sequence[Batch]) -> str:
    """Hash of what the complete imports of a corpus are, and of the code that reads them."""
    return hash_of([batch.plan for batch in batches if batch.is_complete])


def _newest_documents(
    batches: Sequence[Batch],
) -> dict[tuple[str, str], tuple[Document, Batch]]:
    """One document for each (kind, key), the last one read, and the batch it came with."""
    newest: dict[tuple[str, str], tuple[Document, Batch]] = {}
    for batch in batches:
        for document in read_batch(batch):
            newest[document.kind, document.key] = document, batch
    return newest


def _merge(newest: Mapping[tuple[str, str], tuple[Document, Batch]]) -> Merge:
    return merge_documents(
        [document for document, _ in newest.values()],
        {source.kind: source.is_metadata for source in list_sources().values()},
        kinds_without_papers(),
    )


def _add_papers(tables: Rows, papers: Sequence[MergedPaper]) -> None:
    merged = [(paper, *_merge_fields(paper)) for paper in papers]
    years = {
        paper.paper_id: int(date.published[:4]) if date.published else None
        for paper, date, _, _ in merged
    }
    index = index_papers(papers, years)
    for paper, _, row, sections in merged:
        key = {"paper_id": paper.paper_id}
        text = text_document(paper)
        tables["papers"].append(row)
        authors = next((d.authors for d in paper.documents if d.authors), ())
        tables["authorships"] += [
            {**key, "ordinal": ordinal, "name": author.name, "author_id": author.author_id}
            for ordinal, author in enumerate(authors)
        ]
        file = {"source_file": row["source_file"]}
        tables["sections"] += [{**key, **file, **row_of(section)} for section in sections]
        tables["tables"] += [{**key, **row_of(table)} for table in text.tables]
        tables["results"] += [
            {**key, **row_of(result)} for document in paper.documents for result in document.results
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


def _merge_fields(paper: MergedPaper) -> tuple[PaperDate, Row, tuple[Section, ...]]:
    """A paper's date, its row, and its sections with their roles."""
    documents = paper.documents

    def first(name: str) -> Any:
        return next((value for d in documents if (value := getattr(d, name))), None)

    text = text_document(paper)
    sections = assign_roles(text.sections) if text.sections else ()
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
        "gates": list(
            failed_gates(
                title,
                abstract,
                date.published,
                sections,
                is_paper=any(d.kind not in kinds_without_papers() for d in documents),
            )
        ),
    }
    return date, row, sections


def _unmatched(document: Document) -> Fault:
    return Fault(
        f"file {document.source_file}",
        "the row only names a file, and no ingested paper came from that file",
    )


def _add_faults(
    tables: Rows, batches: Sequence[Batch], unmatched: Sequence[tuple[Batch, Fault]]
) -> None:
    faults = [(batch.kind, fault) for batch, fault in unmatched]
    read_later: dict[str, set[str]] = defaultdict(set)
    for batch in reversed(batches):
        later = read_later[batch.kind]
        faults += [
            (batch.kind, fault)
            for fault in read_faults(batch)
            if later.isdisjoint((fault.where, fault.where.rpartition(":")[0]))
        ]
        later.update(entry["name"] for entry in batch.plan["inputs"])
    tables["faults"] += [
        {"source": kind, "where": fault.where, "reason": fault.reason} for kind, fault in faults
    ]


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
