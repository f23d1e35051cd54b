"""Columns of the corpus: one Parquet schema per table, and conversion between records and rows."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.columns import ORDER, columns_of, texts
from vivavoce.records import (
    Author,
    CellResult,
    CitedTable,
    Document,
    Fault,
    Paper,
    Reference,
    Result,
    Section,
)
from vivavoce.sources import document_adapter

FORMAT = 15
"""Version, increased when a table's columns change meaning."""

DOCUMENT = pa.schema(columns_of(Document))


_PAPER_KEY = texts("paper_id")
_RESOLVED = [*texts("cited_paper_id", "resolver"), pa.field("confidence", pa.float64())]
JUDGED = [
    *texts("board"),
    pa.field("direction_from", pa.list_(pa.string())),
    *texts("set_aside"),
]
"""Columns judged for all results of a board together; so is `higher_is_better`."""
TABLES: dict[str, pa.Schema] = {
    "papers": pa.schema(
        columns_of(
            Paper,
            *("paper_id", "source_file", "title", "abstract", "published", "date_precision"),
            *("date_source", "categories", "source", "licence", "arxiv_id", "acl_id", "doi"),
            *("source_url", "venue", "version", "gates"),
            *("first_public", "first_public_precision", "first_public_from", "work"),
            *("health", "health_reasons", "doubts"),
        )
    ),
    "authorships": pa.schema(
        [
            *_PAPER_KEY,
            pa.field("ordinal", pa.int32()),
            *columns_of(Author, "author_id", "name", "confidence"),
        ]
    ),
    "sections": pa.schema(texts("paper_id", "source_file") + columns_of(Section, *ORDER[Section])),
    "references": pa.schema(_PAPER_KEY + columns_of(Reference) + _RESOLVED),
    "tables": pa.schema(_PAPER_KEY + columns_of(CitedTable)),
    "tuples": pa.schema(_PAPER_KEY + columns_of(CellResult)),
    "results": pa.schema([*columns_of(Result), *_PAPER_KEY, *JUDGED]),
    "dates": pa.schema(
        texts("paper_id", "date", "precision", "evidence", "kind", "key", "verdict")
    ),
    "works": pa.schema(
        [
            *texts("paper_id", "work", "near_copy_of", "part"),
            pa.field("resemblance", pa.float64()),
            *texts("first_public"),
        ]
    ),
    "faults": pa.schema([*texts("source"), *columns_of(Fault)]),
}
"""Every table of a corpus, by name."""

KEYS: dict[str, tuple[str, ...]] = {
    "papers": ("paper_id",),
    "authorships": ("paper_id", "ordinal"),
    "sections": ("paper_id", "ordinal"),
    "references": ("paper_id", "ordinal"),
    "tables": ("paper_id", "ordinal"),
    "tuples": ("paper_id", "table", "row", "column"),
    "results": (
        *("dataset", "task", "metric", "method", "score_text", "paper_id"),
        *("paper_url", "date", "area", "modality", "higher_is_better", "listed_in", "position"),
    ),
    "dates": ("paper_id", "date", "evidence", "kind", "key"),
    "works": ("paper_id",),
    "faults": ("source", "where", "reason"),
}
"""Columns that each table is sorted by."""


def sort_rows(table: pa.Table, key: Sequence[str]) -> pa.Table:
    """Sort a table by some columns as Python would, nulls first; equal rows keep their order."""
    columns = {}
    for name in key:
        if table[name].null_count:
            columns[f"{name} is there"] = pc.cast(table[name].is_valid(), pa.int8())
        columns[name] = table[name]
    order = pc.sort_indices(pa.table(columns), sort_keys=[(n, "ascending") for n in columns])
    is_sorted = np.array_equal(order.to_numpy(), np.arange(len(order)))
    return table if is_sorted else table.take(order)


def row_of(record: Any) -> dict[str, Any]:
    """The fields of a record by name; nested records stay records."""
    return {name: getattr(record, name) for name in record.__slots__}


def document_row(document: Document) -> dict[str, Any]:
    """A document as a row of `DOCUMENT`."""
    inner = ("authors", "sections", "references", "tables", "results")
    rows = {name: [row_of(record) for record in getattr(document, name)] for name in inner}
    return {**row_of(document), **rows}


def document_from_row(row: Mapping[str, Any]) -> Document:
    """The document in a row of `DOCUMENT`; an absent column reads as the default."""
    tables = [{n: v for n, v in table.items() if v is not None} for table in row["tables"]]
    known = {name: value for name, value in row.items() if value is not None}
    return document_adapter().validate_python({**known, "tables": tables})


def paper_from_row(row: Mapping[str, Any]) -> Paper:
    """The paper in a row of `papers`."""
    lists = {
        n: tuple(row.get(n) or ()) for n in ("categories", "gates", "health_reasons", "doubts")
    }
    return Paper(**{**row, **lists})


def section_from_row(row: Mapping[str, Any]) -> Section:
    """The section in a row of `sections`."""
    return Section(**{name: row[name] for name in ORDER[Section]})
