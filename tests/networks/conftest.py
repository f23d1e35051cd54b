"""Small corpora written table by table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from vivavoce.corpus import Corpus
from vivavoce.corpus.schema import TABLES
from vivavoce.store import hash_file, hash_rows

Rows = Sequence[Mapping[str, Any]]
CorpusWriter = Callable[..., Corpus]
_KEYS = {"papers": ("paper_id",), "results": ("dataset",), "faults": ("source",)}


@pytest.fixture
def write_corpus(tmp_path: Path) -> CorpusWriter:
    """Write tables, each given as rows of some of its columns; papers are added as needed."""

    def write(folder: Path = tmp_path / "corpus", **tables: Rows) -> Corpus:
        given = {row["paper_id"] for row in tables.get("papers", ())}
        met = {row["paper_id"] for rows in tables.values() for row in rows}
        papers = [*tables.get("papers", ()), *({"paper_id": p} for p in sorted(met - given))]
        files: dict[str, Any] = {}
        for name, schema in TABLES.items():
            rows = papers if name == "papers" else tables.get(name, ())
            whole = [_complete(row, schema.names) for row in rows]
            key = _KEYS.get(name, ("paper_id", "ordinal"))
            whole.sort(key=lambda row: tuple(row.get(k) or 0 for k in key))
            path = folder / "tables" / name / "00000.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.Table.from_pylist(whole, schema=schema), path)
            files[f"{name}/00000.parquet"] = {
                "sha256": hash_file(path),
                "rows": len(whole),
                "row_hash": hash_rows(whole),
            }
        return Corpus(folder, {"files": files})

    return write


@pytest.fixture
def write_authors(write_corpus: CorpusWriter) -> CorpusWriter:
    """Write a corpus of papers given as lists of authors; an author is a name or (name, id)."""

    def write(written: Mapping[str, Sequence[str | tuple[str, str]]], **tables: Rows) -> Corpus:
        rows = []
        for paper, authors in written.items():
            for place, author in enumerate(authors):
                name, author_id = (author, None) if isinstance(author, str) else author
                key = {"paper_id": paper, "ordinal": place}
                rows.append({**key, "name": name, "author_id": author_id})
        return write_corpus(authorships=rows, **tables)

    return write


@pytest.fixture
def write_citations(write_corpus: CorpusWriter) -> CorpusWriter:
    """Write a corpus of lists of references; an entry is a paper id or the columns it has."""

    def write(cited: Mapping[str, Sequence[str | Mapping[str, Any]]], **tables: Rows) -> Corpus:
        rows = []
        for paper, entries in cited.items():
            for place, entry in enumerate(entries):
                shown = {"cited_paper_id": entry} if isinstance(entry, str) else entry
                rows.append({"paper_id": paper, "ordinal": place, "raw": "", **shown})
        listed = {row["paper_id"] for row in tables.get("papers", ())}
        more = [{"paper_id": paper} for paper in cited if paper not in listed]
        tables["papers"] = [*tables.get("papers", ()), *more]
        return write_corpus(references=rows, **tables)

    return write


def _complete(row: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    lists = {"categories", "gates", "cells", "cited"}
    return {name: row.get(name, [] if name in lists else None) for name in names}
