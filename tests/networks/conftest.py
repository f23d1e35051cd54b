"""Small corpora written table by table."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.corpora import write_tables

from vivavoce.corpus import Corpus

Rows = Sequence[Mapping[str, Any]]
CorpusWriter = Callable[..., Corpus]


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
        ordered = {
            name: sorted(rows, key=lambda row: (row["paper_id"], row.get("ordinal", 0)))
            for name, rows in (tables | {"papers": papers}).items()
        }
        return write_tables(folder, ordered, _shards if in_shards else lambda rows: [rows])

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
