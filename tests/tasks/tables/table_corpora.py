"""Corpora of papers with references and tables, written row by row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tests.tasks.ranking.paper_corpora import paper, write_papers

from vivavoce.corpus import Corpus
from vivavoce.corpus.schema import TABLES
from vivavoce.store import hash_file, hash_rows

Row = dict[str, Any]


def reference(paper_id: str, ordinal: int, author: str, year: int, **more: Any) -> Row:
    """A row of `references`; `cited` is the id of the paper it means."""
    row = dict.fromkeys(TABLES["references"].names)
    raw = more.pop("raw", f"{author} et al. {year}.")
    return {
        **row,
        "paper_id": paper_id,
        "ordinal": ordinal,
        "raw": raw,
        "first_author": author,
        "year": year,
        "title": more.get("title"),
        "cited_paper_id": more.get("cited"),
    }


def table(
    paper_id: str,
    cells: Sequence[Sequence[str]],
    *,
    caption: str = "Results.",
    cited: Sequence[int] = (),
    ordinal: int = 0,
) -> Row:
    """A row of `tables`."""
    return {
        "paper_id": paper_id,
        "ordinal": ordinal,
        "caption": caption,
        "cells": [list(row) for row in cells],
        "cited": list(cited),
    }


def write_tables(
    folder: Path,
    papers: Iterable[list[Row]],
    references: Sequence[Row] = (),
    tables: Sequence[Row] = (),
    texts: dict[str, str] | None = None,
) -> Corpus:
    """A corpus without its imports."""
    corpus = write_papers(folder, papers, texts=texts)
    files = dict(corpus.manifest["files"])
    for name, rows in (("references", list(references)), ("tables", list(tables))):
        path = folder / "tables" / name / "00000.parquet"
        pq.write_table(pa.Table.from_pylist(rows, schema=TABLES[name]), path)
        files[f"{name}/{path.name}"] = {
            "sha256": hash_file(path),
            "rows": len(rows),
            "row_hash": hash_rows(rows),
        }
    return Corpus(folder, {"files": files})


__all__ = ["paper", "reference", "table", "write_tables"]
