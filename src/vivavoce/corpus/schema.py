"""Columns of the corpus: one Parquet schema a table, and records to rows and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from vivavoce.records import Author, CitedTable, Document, Paper, Reference, Result, Section

FORMAT = 2
"""Raised when a table's columns change meaning."""

_TEXT = pa.string()
_TEXTS = pa.list_(pa.string())
_INT = pa.int32()


def _fields(**types: pa.DataType) -> list[tuple[str, pa.DataType]]:
    return list(types.items())


_AUTHOR = _fields(name=_TEXT, author_id=_TEXT)
_SECTION = _fields(ordinal=_INT, level=_INT, number=_TEXT, heading=_TEXT, role=_TEXT, text=_TEXT)
_REFERENCE = _fields(
    ordinal=_INT,
    raw=_TEXT,
    title=_TEXT,
    year=_INT,
    first_author=_TEXT,
    arxiv_id=_TEXT,
    doi=_TEXT,
)
_TABLE = _fields(
    ordinal=_INT,
    caption=_TEXT,
    cells=pa.list_(_TEXTS),
    cited=pa.list_(_INT),
    row_cited=pa.list_(pa.list_(_INT)),
)
_RESULT = _fields(
    dataset=_TEXT,
    task=_TEXT,
    metric=_TEXT,
    method=_TEXT,
    score=pa.float64(),
    score_text=_TEXT,
    paper_url=_TEXT,
    date=_TEXT,
    area=_TEXT,
    modality=_TEXT,
    higher_is_better=pa.bool_(),
)
_PAPER_KEY = _fields(paper_id=_TEXT)
_FILE_KEY = _fields(paper_id=_TEXT, source_file=_TEXT)

DOCUMENT = pa.schema(
    _fields(
        kind=_TEXT,
        key=_TEXT,
        source_file=_TEXT,
        given_id=_TEXT,
        arxiv_id=_TEXT,
        acl_id=_TEXT,
        doi=_TEXT,
        source_url=_TEXT,
        version=_TEXT,
        title=_TEXT,
        abstract=_TEXT,
        published=_TEXT,
        categories=_TEXTS,
        venue=_TEXT,
        licence=_TEXT,
        authors=pa.list_(pa.struct(_AUTHOR)),
        sections=pa.list_(pa.struct(_SECTION)),
        references=pa.list_(pa.struct(_REFERENCE)),
        tables=pa.list_(pa.struct(_TABLE)),
        results=pa.list_(pa.struct(_RESULT)),
        raw=_TEXT,
    )
)

TABLES: dict[str, pa.Schema] = {
    "papers": pa.schema(
        _fields(
            paper_id=_TEXT,
            source_file=_TEXT,
            title=_TEXT,
            abstract=_TEXT,
            published=_TEXT,
            date_precision=_TEXT,
            date_source=_TEXT,
            categories=_TEXTS,
            source=_TEXT,
            licence=_TEXT,
            arxiv_id=_TEXT,
            acl_id=_TEXT,
            doi=_TEXT,
            source_url=_TEXT,
            venue=_TEXT,
            version=_TEXT,
            gates=_TEXTS,
        )
    ),
    "authorships": pa.schema(_PAPER_KEY + _fields(ordinal=_INT) + _AUTHOR[::-1]),
    "sections": pa.schema(_FILE_KEY + _SECTION),
    "references": pa.schema(
        _PAPER_KEY
        + _REFERENCE
        + _fields(cited_paper_id=_TEXT, resolver=_TEXT, confidence=pa.float64())
    ),
    "tables": pa.schema(_PAPER_KEY + _TABLE),
    "results": pa.schema(_RESULT + _PAPER_KEY),
    "merges": pa.schema(_PAPER_KEY + _fields(kind=_TEXT, key=_TEXT, joined_by=_TEXT, detail=_TEXT)),
    "faults": pa.schema(_fields(source=_TEXT, where=_TEXT, reason=_TEXT)),
}
"""Every table of a corpus, by name."""


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
    values: dict[str, Any] = {name: row.get(name) for name in DOCUMENT.names}
    plain = {name: value for name, value in values.items() if not isinstance(value, list)}
    return Document(
        **plain,
        categories=tuple(row["categories"]),
        authors=tuple(Author(**author) for author in row["authors"]),
        sections=tuple(Section(**section) for section in row["sections"]),
        references=tuple(Reference(**reference) for reference in row["references"]),
        tables=tuple(_table(table) for table in row["tables"]),
        results=tuple(Result(**result) for result in row["results"]),
    )


def paper_from_row(row: Mapping[str, Any]) -> Paper:
    """The paper that a row of `papers` holds."""
    lists = {"categories": tuple(row["categories"]), "gates": tuple(row["gates"])}
    return Paper(**{**row, **lists})


def section_from_row(row: Mapping[str, Any]) -> Section:
    """The section that a row of `sections` holds."""
    return Section(**{name: row[name] for name, _ in _SECTION})


def _table(row: Mapping[str, Any]) -> CitedTable:
    return CitedTable(
        ordinal=row["ordinal"],
        caption=row["caption"],
        cells=tuple(tuple(cells) for cells in row["cells"]),
        cited=tuple(row["cited"]),
        row_cited=tuple(tuple(cited) for cited in row.get("row_cited") or ()),
    )
