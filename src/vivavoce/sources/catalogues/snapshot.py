"""Reader of arXiv's metadata snapshot, one paper per line or row."""

import re
from collections.abc import Iterator
from typing import Any

from vivavoce.errors import InputError
from vivavoce.records import Author, Document
from vivavoce.sources import Source, is_named
from vivavoce.sources.catalogues.arxiv import read_listing
from vivavoce.sources.catalogues.metadata.tabular import cut, read_rows
from vivavoce.sources.catalogues.oai import authors_of, read_versions, split_authors
from vivavoce.sources.json_records import Fields, list_at, read_documents

KIND = "snapshot"
COLUMNS = tuple(
    "id title abstract categories doi journal-ref license comments authors authors_parsed"
    " versions".split()
)
_FIELDS = COLUMNS[:8]
_NAME = re.compile(
    r"arxiv[-_]metadata.*\.(?:jsonl?|ndjson)(?:\.gz)?|arxiv[-_]metadata.*\.parquet"
    r"|.*\.snapshot\.jsonl(?:\.gz)?",
    re.DOTALL,
)


def _document(row: Fields, where: str) -> Document:
    fields = {name: _text(row.get(name), name) for name in _FIELDS}
    versions = [
        (_text(version.get("version"), "a version"), _text(version.get("created"), "a date"))
        for version in list_at(row, "versions")
        if isinstance(version, dict)
    ]
    published, latest = read_versions(versions)
    return read_listing(KIND, fields, authors=_authors(row), published=published, version=latest)


def _authors(row: Fields) -> Iterator[Author]:
    """Authors from their parts (family name, given names, suffix), or else from the line."""
    parsed = [
        [_text(part, "a name") for part in name[:3]] + [""] * 3
        for name in list_at(row, "authors_parsed")
        if isinstance(name, list)
    ]
    authors = [
        author for last, first, suffix, *_ in parsed for author in authors_of(first, last, suffix)
    ]
    return iter(authors or map(Author, split_authors(_text(row.get("authors"), "authors"))))


def _text(value: Any, what: str) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    raise InputError(f"{what} is of the type {type(value).__name__} instead of text")


SOURCE = Source(
    kind=KIND,
    summary="arXiv's metadata snapshot (arxiv-metadata*.json, .jsonl, .parquet), plain or gzip",
    is_metadata=True,
    dates="version",
    matches=is_named(_NAME),
    pieces=cut,
    read=lambda piece, options: read_documents(read_rows(piece, COLUMNS), _document),
    holds_many=True,
    reader_version="5",
)
