"""Corpora of a few papers, written table by table."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.columns import hash_rows
from vivavoce.corpus import Corpus
from vivavoce.corpus.schema import TABLES
from vivavoce.store import hash_file

Row = dict[str, Any]
Rows = list[Row]
_LISTS = ("categories", "gates", "cells", "cited")


def paper(paper_id: str, title: str, published: str | None = "2020-01-01", **more: Any) -> Rows:
    """One row of the table of papers."""
    dates = {"published": published, "first_public": published}
    return [{"paper_id": paper_id, "title": title, **dates, **more}]


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


def write_papers(
    folder: Path,
    papers: Iterable[Rows],
    *,
    texts: Mapping[str, str] | None = None,
    cited: Mapping[str, Sequence[str]] | None = None,
    compared: Mapping[str, Sequence[int]] | None = None,
    references: Sequence[Row] = (),
    tables: Sequence[Row] = (),
) -> Corpus:
    """A corpus without its imports.

    Args:
        folder: Where it is written.
        papers: Rows of papers.
        texts: The text of some papers, by id.
        cited: The ids that a paper's references resolve to, in order.
        compared: Which of its references a paper's only table cites.
        references: Further rows of references.
        tables: Further rows of tables.
    """
    made: dict[str, Rows] = {name: [] for name in TABLES}
    made |= {"references": list(references), "tables": list(tables)}
    made["papers"] = [row for rows in papers for row in rows]
    for paper_id, text in sorted((texts or {}).items()):
        section = {"ordinal": 0, "level": 1, "heading": "Introduction", "text": text}
        made["sections"].append({"paper_id": paper_id, **section})
    for paper_id, ids in sorted((cited or {}).items()):
        made["references"] += [
            {"paper_id": paper_id, "ordinal": ordinal, "raw": "", "cited_paper_id": target}
            for ordinal, target in enumerate(ids)
        ]
    for paper_id, ordinals in sorted((compared or {}).items()):
        cells = [["Method", "F1"], ["Theirs", "90.1"], ["Ours", "91.2"]]
        table = {"ordinal": 0, "caption": "Results.", "cells": cells, "cited": list(ordinals)}
        made["tables"].append({"paper_id": paper_id, **table})
    ids = [row["paper_id"] for row in made["papers"]]
    assert all(one < other for one, other in pairwise(ids)), "the tables of a corpus are sorted"
    return write_tables(folder, made)


def write_tables(
    folder: Path,
    tables: Mapping[str, Sequence[Mapping[str, Any]]],
    cut: Callable[[Rows], Sequence[Rows]] = lambda rows: [rows],
) -> Corpus:
    """A corpus without its imports, given as sorted rows of some columns; `cut` makes files."""
    files: dict[str, Any] = {}
    for name, schema in TABLES.items():
        whole = [
            {n: row.get(n, [] if n in _LISTS else None) for n in schema.names}
            for row in tables.get(name, ())
        ]
        for number, rows in enumerate(cut(whole)):
            path = folder / "tables" / name / f"{number:05d}.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.Table.from_pylist(rows, schema=schema), path)  # not flushed to disk
            entry = {"sha256": hash_file(path), "rows": len(rows), "row_hash": hash_rows(rows)}
            files[f"{name}/{path.name}"] = entry
    return Corpus(folder, {"files": files})
