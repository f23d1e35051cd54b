"""Columns of the corpus: one Parquet schema a table, and records to rows and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.records import Author, CitedTable, Document, Fault, Paper, Reference, Result, Section

FORMAT = 6
"""Raised when a table's columns change meaning."""

_PLAIN = {str: pa.string(), int: pa.int32(), float: pa.float64(), bool: pa.bool_()}


def _columns(record: Any, *order: str) -> list[pa.Field]:
    """The fields of a record as columns, in the order given or in their own."""
    types = get_type_hints(record)
    return [pa.field(name, _type_of(types[name])) for name in order or types]


def _type_of(hint: Any) -> pa.DataType:
    """The type of a column that holds what a field is annotated with."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    if is_dataclass(hint):
        return pa.struct(_columns(hint, *_ORDER.get(hint, ())))
    inner = _type_of(get_args(hint)[0])  # of `X | None` and of `tuple[X, ...]`
    return pa.list_(inner) if get_origin(hint) is tuple else inner


_ORDER: dict[Any, tuple[str, ...]] = {
    Section: ("ordinal", "level", "number", "heading", "role", "text")
}
"""The order of columns where it is not that of the fields."""

DOCUMENT = pa.schema(_columns(Document))


def _texts(*names: str) -> list[pa.Field]:
    return [pa.field(name, pa.string()) for name in names]


_PAPER_KEY = _texts("paper_id")
_RESOLVED = [*_texts("cited_paper_id", "resolver"), pa.field("confidence", pa.float64())]
JUDGED = [pa.field("direction_from", pa.list_(pa.string())), *_texts("set_aside")]
"""Columns that the results of a board are told together; `higher_is_better` is one more."""
TABLES: dict[str, pa.Schema] = {
    "papers": pa.schema(
        _columns(
            Paper,
            *("paper_id", "source_file", "title", "abstract", "published", "date_precision"),
            *("date_source", "categories", "source", "licence", "arxiv_id", "acl_id", "doi"),
            *("source_url", "venue", "version", "gates"),
            *("first_public", "first_public_precision", "first_public_from", "work"),
            *("health", "health_reasons"),
        )
    ),
    "authorships": pa.schema(
        [
            *_PAPER_KEY,
            pa.field("ordinal", pa.int32()),
            *_columns(Author, "author_id", "name", "confidence"),
        ]
    ),
    "sections": pa.schema(_texts("paper_id", "source_file") + _columns(Section, *_ORDER[Section])),
    "references": pa.schema(_PAPER_KEY + _columns(Reference) + _RESOLVED),
    "tables": pa.schema(_PAPER_KEY + _columns(CitedTable)),
    "results": pa.schema([*_columns(Result), *_PAPER_KEY, *JUDGED]),
    "dates": pa.schema(
        _texts("paper_id", "date", "precision", "evidence", "kind", "key", "verdict")
    ),
    "works": pa.schema(
        [
            *_texts("paper_id", "work", "near_copy_of", "part"),
            pa.field("resemblance", pa.float64()),
            *_texts("first_public"),
        ]
    ),
    "merges": pa.schema([*_PAPER_KEY, *_texts("kind", "key", "joined_by", "detail")]),
    "faults": pa.schema([*_texts("source"), *_columns(Fault)]),
}
"""Every table of a corpus, by name."""

KEYS: dict[str, tuple[str, ...]] = {
    "papers": ("paper_id",),
    "authorships": ("paper_id", "ordinal"),
    "sections": ("paper_id", "ordinal"),
    "references": ("paper_id", "ordinal"),
    "tables": ("paper_id", "ordinal"),
    "results": (
        *("dataset", "task", "metric", "method", "score_text", "paper_id"),
        *("paper_url", "date", "area", "modality", "higher_is_better", "listed_in", "position"),
    ),
    "dates": ("paper_id", "date", "evidence", "kind", "key"),
    "works": ("paper_id",),
    "merges": ("paper_id", "kind", "key", "joined_by", "detail"),
    "faults": ("source", "where", "reason"),
}
"""Columns that each table is sorted by."""


def sort_rows(table: pa.Table, key: Sequence[str]) -> pa.Table:
    """Sort a table by some columns as Python would, null first; equal rows keep their order."""
    columns = {}
    for name in key:
        if table[name].null_count:
            columns[f"{name} is there"] = pc.cast(table[name].is_valid(), pa.int8())
        columns[name] = table[name]
    order = pc.sort_indices(pa.table(columns), sort_keys=[(n, "ascending") for n in columns])
    is_sorted = np.array_equal(order.to_numpy(), np.arange(len(order)))
    return table if is_sorted else table.take(order)


def row_of(record: Any) -> dict[str, Any]:
    """The fields of a record by name; a record inside it stays one."""
    return {name: getattr(record, name) for name in record.__slots__}


def document_row(document: Document) -> dict[str, Any]:
    """A document as a row of `DOCUMENT`."""
    inner = ("authors", "sections", "references", "tables", "results")
    rows = {name: [row_of(record) for record in getattr(document, name)] for name in inner}
    return {**row_of(document), **rows}


def document_from_row(row: Mapping[str, Any]) -> Document:
    """The document that a row of `DOCUMENT` holds; a column that is absent reads as None."""
    lists = {"health_reasons"}
    plain = {n: v for n, v in row.items() if n not in lists and not isinstance(v, list)}
    return Document(
        **plain,
        categories=tuple(row["categories"]),
        authors=tuple(Author(**author) for author in row["authors"]),
        sections=tuple(Section(**section) for section in row["sections"]),
        references=tuple(Reference(**reference) for reference in row["references"]),
        tables=tuple(_table(table) for table in row["tables"]),
        results=tuple(Result(**result) for result in row["results"]),
        health_reasons=tuple(row.get("health_reasons") or ()),
    )


def paper_from_row(row: Mapping[str, Any]) -> Paper:
    """The paper that a row of `papers` holds."""
    lists = {n: tuple(row.get(n) or ()) for n in ("categories", "gates", "health_reasons")}
    return Paper(**{**row, **lists})


def section_from_row(row: Mapping[str, Any]) -> Section:
    """The section that a row of `sections` holds."""
    return Section(**{name: row[name] for name in _ORDER[Section]})


def _table(row: Mapping[str, Any]) -> CitedTable:
    return CitedTable(
        ordinal=row["ordinal"],
        caption=row["caption"],
        cells=tuple(tuple(cells) for cells in row["cells"]),
        cited=tuple(row["cited"]),
        row_cited=tuple(tuple(cited) for cited in row.get("row_cited") or ()),
    )
