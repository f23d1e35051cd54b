"""Small corpora written table by table."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from vivavoce.columns import hash_rows
from vivavoce.corpus import Corpus
from vivavoce.corpus.schema import TABLES
from vivavoce.store import hash_file, write_parquet

Rows = Sequence[Mapping[str, Any]]
CorpusWriter = Callable[..., Corpus]
_KEYS = {"papers": ("paper_id",), "results": ("dataset",), "faults": ("source",)}


@pytest.fixture
def write_corpus(tmp_path: Path) -> CorpusWriter:
    """Write tables, each given as rows of some of its columns; papers are added as needed.

    With `in_shards` about every third paper begins a new file, told by its id alone.
    """

    def write(
        folder: Path = tmp_path / "corpus", *, in_shards: bool = False, **tables: Rows
    ) -> Corpus:
        given = {row["paper_id"] for row in tables.get("papers", ())}
        met = {row["paper_id"] for rows in tables.values() for row in rows}
        papers = [*tables.get("papers", ()), *({"paper_id": p} for p in sorted(met - given))]
        files: dict[str, Any] = {}
        for name, schema in TABLES.items():
            rows = papers if name == "papers" else tables.get(name, ())
            whole = [_complete(row, schema.names) for row in rows]
            key = _KEYS.get(name, ("paper_id", "ordinal"))
            whole.sort(key=lambda row: tuple(row.get(k) or 0 for k in key))
            for number, shard in enumerate(_shards(whole) if in_shards else [whole]):
                path = folder / "tables" / name / f"{number:05d}.parquet"
                write_parquet(path, shard, schema)
                files[f"{name}/{path.name}"] = {
                    "sha256": hash_file(path),
                    "rows": len(shard),
                    "row_hash": hash_rows(shard),
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


def _shards(rows: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    shards: list[list[Mapping[str, Any]]] = [[]]
    for row, before in zip(rows, [None, *rows], strict=False):
        paper = row["paper_id"]
        if before and paper != before["paper_id"] and zlib.crc32(paper.encode()) % 3 == 0:
            shards.append([])
        shards[-1].append(row)
    return shards


def _complete(row: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    lists = {"categories", "gates", "cells", "cited"}
    return {name: row.get(name, [] if name in lists else None) for name in names}
