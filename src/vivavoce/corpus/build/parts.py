"""Building of a shard of papers: documents are read, merged field by field, and written as tables.

A shard is described by a plain row, so any worker that sees the folder can build it. The worker
writes the shard's files and then a completion marker with hashes of files, documents and config.
References are written unresolved, with a separate marker. `resolve` completes them once all papers
are known.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from vivavoce.columns import write_parquet_table
from vivavoce.corpus.build.citing import FACTS, REFERENCES, paper_facts
from vivavoce.corpus.build.partitioning import read_repartitioned
from vivavoce.corpus.dating import Statement, date_paper, judge, statements_of
from vivavoce.corpus.fields import assign_roles, failed_gates
from vivavoce.corpus.matching import SKETCH, sketch_row
from vivavoce.corpus.merge import MergedPaper
from vivavoce.corpus.references import KnownPaper, know_paper
from vivavoce.corpus.schema import KEYS, TABLES, document_from_row, row_of, sort_rows
from vivavoce.readers import LibraryPaper, LibrarySection
from vivavoce.readers.cell_results import own_method, read_results
from vivavoce.records import CitedTable, Document, Section
from vivavoce.sources import completing_kinds, list_sources
from vivavoce.store import Row, is_intact, mark_done, read_done
from vivavoce.text.normalise import normalise_title

RESULTS, SKETCHES = "results-by-paper", "sketches"
"""Intermediate tables of a shard: results by paper, and facts for finding works."""
_LABEL = re.compile(r"^\s*tab(?:le|\.)?\s*[\dA-Z]{0,4}(?:\.\d+)?\s*[.:|–-]?\s*", re.IGNORECASE)
_MIN_CAPTION = 8
_MIN_SHARED = 25
"""Minimum length of a caption that may match another as its beginning."""
_FINAL = ("papers", "dates", "authorships", "sections", "tables", "tuples")
_TOLD = ("title", "abstract", "licence", "arxiv_id", "acl_id", "doi", "source_url", "venue")
"""Fields that are each taken from the first document that has the field."""
_DOCUMENTS_AT_A_TIME = 256
_ROWS_AT_A_TIME = 4_000


def make_shard(task: Row) -> Row:
    """Make the tables of one shard of papers.

    Args:
        task: `folder` of the tables, and the shard's `name`, `config`, `inputs` and paper `ids`.
            `counts` is the number of documents of each paper. `documents` are the places of
            these documents, as (path, number of the batch).
    """
    folder, name = Path(task["folder"]), f"{task['name']}.parquet"
    bound = {"config": task["config"], "inputs": task["inputs"]}
    shard = _Shard()
    documents = _read_documents(task)  # read lazily: only some are in memory at a time
    for paper_id, count in zip(task["ids"], task["counts"], strict=True):
        shard.add(MergedPaper(paper_id, tuple(next(documents) for _ in range(count))))
    tables = {table: rows.table() for table, rows in shard.tables.items()}
    references = tables.pop(REFERENCES)
    facts = paper_facts(shard.citable)
    sketches = pa.Table.from_pylist(shard.sketches, schema=SKETCH)
    internal = ((RESULTS, tables.pop("results")), (FACTS, facts), (SKETCHES, sketches))
    files = {
        f"{table}/{name}": write_parquet_table(folder / table / name, rows)
        for table, rows in (*internal, *tables.items())
        if rows.num_rows or table in ("papers", FACTS, SKETCHES)
    }
    lists = folder / REFERENCES / name
    extra = write_parquet_table(lists, references)
    mark_done(lists, **bound, extra={**extra, "index": None})
    of_results = dict(shard.results)
    counts = {"dated": shard.dated, "sources": dict(shard.sources), "results": of_results}
    mark_done(folder / "papers" / name, **bound, extra={"files": files, **counts})
    return {}


def read_marker(folder: Path, name: str, config: str, inputs: str) -> Row | None:
    """Read the marker of a shard; None if one of the shard's files is missing or changed.

    The result holds the marker of the shard's references under `references`.
    """
    file = f"{name}.parquet"
    marker = read_done(folder / "papers" / file, config=config, inputs=inputs)
    lists = read_done(folder / REFERENCES / file, config=config, inputs=inputs)
    if marker is None or lists is None:
        return None
    parts = marker["files"].items()
    if not all(is_intact(folder / part, entry["sha256"]) for part, entry in parts):
        return None
    return {**marker, REFERENCES: lists}


def text_document(paper: MergedPaper) -> Document:
    """The document from which the paper's text, references and tables are taken."""
    with_text = (d for d in paper.documents if d.sections or d.references or d.tables)
    return next(with_text, paper.documents[0])


def tables_with_cells(paper: MergedPaper, text: Document) -> list[CitedTable]:
    """The tables of a paper's text; cells come from another source if a table lost some.

    Tables match by caption. One caption may begin with the other, as cells may have been read as
    part of a caption, but only for one candidate. Citations always come from the text's source.
    """
    others = [
        (_caption_key(table), table)
        for document in paper.documents
        if document is not text
        for table in document.tables
        if _has_columns(table)
    ]
    tables = []
    for table in text.tables:
        key = _caption_key(table)
        same = [other for name, other in others if key and name == key]
        longer = [other for name, other in others if _begins(key, name) or _begins(name, key)]
        whole = same or (longer if len(longer) == 1 else [])
        other = next((one for one in whole if _lacks_rows(table, one)), None)
        if other is not None:
            cited = dict(zip(map(_row_key, table.cells), table.row_cited, strict=False))
            table = replace(
                table,
                cells=other.cells,
                spans=other.spans,
                bold=other.bold,
                row_cited=tuple(cited.get(_row_key(row), ()) for row in other.cells)
                if any(cited.values())
                else (),
            )
        tables.append(table)
    return tables


def _begins(start: str, caption: str) -> bool:
    return len(start) >= _MIN_SHARED and caption.startswith(f"{start} ")


def _lacks_rows(table: CitedTable, other: CitedTable) -> bool:
    """True if a table lost its columns, or has only some of the other table's rows."""
    rows, others = ([_row_key(row) for row in one.cells] for one in (table, other))
    return not _has_columns(table) or (len(rows) < len(others) and set(rows) < set(others))


def _row_key(row: Sequence[str]) -> str:
    return " ".join(" ".join(row).split()).casefold()


def _has_columns(table: CitedTable) -> bool:
    return any(sum(map(bool, row)) > 1 for row in table.cells)


def _caption_key(table: CitedTable) -> str:
    """A table's caption without label and number; empty if very short."""
    key = normalise_title(_LABEL.sub("", table.caption))
    return key if len(key) >= _MIN_CAPTION else ""


class _Shard:
    """The rows of a shard, filled paper by paper."""

    def __init__(self) -> None:
        names = (*_FINAL, REFERENCES, "results")
        self.tables = {name: Rows(name) for name in names}
        self.sketches: list[Row] = []
        self.citable: list[KnownPaper] = []
        self.metadata_kinds = {s.kind for s in list_sources().values() if s.is_metadata}
        self.sources: Counter[str] = Counter()
        self.results: Counter[str] = Counter()
        self.dated = 0

    def add(self, paper: MergedPaper) -> None:
        """Add the rows of a paper from its documents."""
        text = text_document(paper)
        statements, row, sections = _merge_fields(paper, text)
        year = int(row["published"][:4]) if row["published"] else None
        self.citable.append(know_paper(paper, year, self.metadata_kinds))
        self.sources[row["source"]] += 1
        self.dated += row["first_public"] is not None
        key = {"paper_id": paper.paper_id}
        file = {"source_file": row["source_file"]}
        authors = next((d.authors for d in paper.documents if d.authors), ())
        self.sketches.append(sketch_row(row, authors, sections))
        add = {name: rows.add for name, rows in self.tables.items()}
        add["papers"]([row])
        add["dates"]([{**key, **statement._asdict()} for statement in statements])
        add["authorships"](
            [{**key, "ordinal": n, **row_of(author)} for n, author in enumerate(authors)]
        )
        add["sections"]([{**key, **file, **row_of(section)} for section in sections])
        tables = tables_with_cells(paper, text)
        add["tables"]([{**key, **row_of(table)} for table in tables])
        texts = tuple(LibrarySection(section.heading, section.text) for section in sections)
        title, abstract = row["title"] or "", row["abstract"]
        library = LibraryPaper(paper.paper_id, title, None, abstract, texts, ())
        own = own_method(library) if tables else ""
        add["tuples"]([{**key, **row_of(result_cell)} for result_cell in read_results(tables, own)])
        add[REFERENCES]([{**key, **row_of(reference)} for reference in text.references])
        unjudged: Row = {**key, "direction_from": [], "set_aside": None}
        for result in (each for document in paper.documents for each in document.results):
            date = row["first_public"] or result.date
            add["results"]([{**row_of(result), **unjudged, "date": date}])
        self.results.update({d.kind: len(d.results) for d in paper.documents if d.results})


def _merge_fields(
    paper: MergedPaper, text: Document
) -> tuple[tuple[Statement, ...], Row, tuple[Section, ...]]:
    """Return the statements that date a paper, the paper's row, and its sections with roles."""
    documents = paper.documents

    def first(name: str) -> Any:
        return next((value for d in documents if (value := getattr(d, name))), None)

    sections = assign_roles(text.sections) if text.sections else ()
    own = [d for d in documents if d.kind not in completing_kinds()]
    published, listed = (
        next((d.published for d in some if d.published), None) for some in (own, documents)
    )
    stated = {name: first(name) for name in _TOLD}
    date = date_paper(published, stated["arxiv_id"], stated["acl_id"], listed)
    dates = (s for d in documents for s in statements_of(d, list_sources()[d.kind].dates))
    used, statements = judge(dates, completing_kinds())
    row = {
        **stated,
        "paper_id": paper.paper_id,
        "source_file": text.source_file or first("source_file"),
        "published": date.published,
        "date_precision": date.precision,
        "date_source": date.source,
        "categories": list(first("categories") or ()),
        "source": "+".join(sorted({document.kind for document in documents})),
        "version": text.version or first("version"),
        "gates": list(
            failed_gates(
                stated["title"],
                stated["abstract"],
                used and used.date,
                sections,
                health=text.health,
                is_withdrawn=first("withdrawn") is not None,
            )
        ),
        "first_public": used.date if used else None,
        "first_public_precision": used.precision if used else None,
        "first_public_from": used.evidence.partition(" ")[0] if used else None,
        "work": None,
        "health": text.health,
        "health_reasons": list(text.health_reasons),
        "doubts": [n for n in text.doubts if (getattr(text, n) or None) in (None, first(n))],
    }
    return statements, row, sections


def _read_documents(task: Row) -> Iterator[Document]:
    read = [read_repartitioned(Path(path), number) for path, number in task["documents"]]
    table = pa.Table.from_batches([batch for batch, _ in read]).combine_chunks()
    order = np.argsort(np.concatenate([slots for _, slots in read]), kind="stable")
    del read
    for start in range(0, len(order), _DOCUMENTS_AT_A_TIME):
        rows = table.take(pa.array(order[start : start + _DOCUMENTS_AT_A_TIME]))
        yield from map(document_from_row, rows.to_pylist())


class Rows:
    """Rows of one table, packed into columns as they are added."""

    def __init__(self, name: str) -> None:
        self._schema = TABLES[name]
        self._key = KEYS[name]
        self._rows: list[Row] = []
        self._packed: list[pa.Table] = []

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows, given as dictionaries of every column."""
        self._rows += rows
        if len(self._rows) >= _ROWS_AT_A_TIME:
            self._pack()

    def table(self) -> pa.Table:
        """All rows, sorted by the key of the table; equal keys keep the order of addition."""
        self._pack()
        return sort_rows(pa.concat_tables(self._packed), self._key)

    def _pack(self) -> None:
        self._packed.append(pa.Table.from_pylist(self._rows, schema=self._schema))
        self._rows = []
