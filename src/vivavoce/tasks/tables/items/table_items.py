"""Common parts of the family: gold tables, works, items, and the form of an answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa
from pydantic import Field

from vivavoce.columns import lists, texts
from vivavoce.metrics.tables.literature_answers import PaperNames, table_from_json
from vivavoce.metrics.tables.literature_tables import LiteratureTable, TableRow
from vivavoce.rounds.spec import Options
from vivavoce.store import Row

FAMILY, TASK = "tables", "table"
SETTINGS = ("base", "abstracts", "titles")
"""What is shown of each paper: the most that is known of it, its abstract, its title alone."""
PAPERS = "papers.parquet"
"""The library of the round, gold works and distractors alike: `tasks.library`."""
STATISTICS = "statistics.json"

Kind = Literal["cited", "results", "digestables"]
"""Where a gold table is from: rows that cite works, lists of results, or arxivDIGESTables files."""
Evidence = Literal["title", "abstract", "fulltext"]
"""The most that is known of a work."""


@dataclass(frozen=True, slots=True)
class GoldRow:
    """One row of a gold table."""

    ordinal: int
    """Of the row in the printed table; tells rows of one paper apart."""
    paper: str
    """The work that the row is about: a paper id, or `work:` and a hash for works outside."""
    label: str
    """What the table calls it, without citation marks; empty where it only cites."""
    cells: tuple[str | None, ...]
    """One for each column; None is N/A."""


@dataclass(frozen=True, slots=True)
class GoldTable:
    """A literature table as an item asks for it."""

    id: str
    source_paper: str | None
    """The paper that prints the table; None where nobody does, as for results."""
    kind: Kind
    caption: str
    columns: tuple[str, ...]
    """No two are equal."""
    rows: tuple[GoldRow, ...]
    published: str | None
    """Of the source paper; for results, of the newest paper."""

    @property
    def papers(self) -> tuple[str, ...]:
        """The works of the rows, each once, in the order of the rows."""
        return tuple(dict.fromkeys(row.paper for row in self.rows))

    @property
    def cluster(self) -> str:
        """Tables of one source paper belong together."""
        return self.source_paper or self.id


@dataclass(frozen=True, slots=True)
class Work:
    """A paper of the corpus, or a work outside of it that is known from a reference."""

    paper_id: str
    title: str
    """On one line; empty where nothing tells it."""
    abstract: str | None
    published: str | None
    has_text: bool

    @property
    def evidence(self) -> Evidence:
        """The most that is known of it."""
        if self.has_text:
            return "fulltext"
        return "abstract" if self.abstract else "title"


def is_known(work: Work, least: str) -> bool:
    """True if as much is known of a work as the option `evidence` asks for; `auto` asks nothing."""
    known = {"abstract": work.has_text or work.abstract, "fulltext": work.has_text}
    return bool(known.get(least, True))


_ROW = pa.struct([*texts("paper"), ("ordinal", pa.int32()), *lists("cells")])
ITEM = pa.schema(
    [
        *texts("id", "cluster", "kind", "split", "published", "caption", "demand", "demand_source"),
        *lists("pool", "evidence", "gold_papers", "columns"),
        ("rows", pa.list_(_ROW)),
        *lists("hidden_papers", "settings"),
        ("given_labels", pa.bool_()),
    ]
)
"""Columns of an item; `evidence` goes with `pool`, the cells of a row with `columns`."""


def gold_rows(table: GoldTable) -> list[Row]:
    """The rows of a gold table as an item holds them."""
    return [
        {"paper": row.paper, "ordinal": row.ordinal, "cells": list(row.cells)} for row in table.rows
    ]


def gold_of(row: Row) -> LiteratureTable:
    """The gold of an item."""
    return LiteratureTable(
        papers=tuple(row["gold_papers"]),
        columns=tuple(row["columns"]),
        rows=tuple(TableRow(one["paper"], tuple(one["cells"])) for one in row["rows"]),
    )


def answer_text(table: LiteratureTable) -> str:
    """A table as the JSON object that a model is asked for; a cell that is N/A is left out."""
    value = {
        "papers": list(table.papers),
        "columns": list(table.columns),
        "rows": [
            {
                "paper": row.paper,
                "cells": {
                    column: cell
                    for column, cell in zip(table.columns, row.cells, strict=True)
                    if cell is not None
                },
            }
            for row in table.rows
        ],
    }
    return json.dumps(value, ensure_ascii=False)


def answer_table(value: Mapping[str, Any], names: PaperNames | None = None) -> LiteratureTable:
    """The table of such an object.

    Raises:
        InputError: A part of it has the wrong type; the message says which.
    """
    table = {"columns": value.get("columns"), "rows": value.get("rows")}
    return table_from_json({"papers": value.get("papers"), "table": table}, names)


DemandsFrom = Literal["template", "model"]
PoolRule = Literal["other_tables", "corpus"]
TOP = 40
"""Candidates of a table."""
TFIDF = "tfidf"


class TablesOptions(Options):
    """The `[tables]` table of a round spec."""

    kinds: tuple[Kind, ...] = Field(default=("cited", "results", "digestables"), min_length=1)
    """Choice of the tables that become items."""
    undated: bool = False
    """Tables of papers without a date are in every window."""
    own_row: bool = False
    """The last line of a table, where it cites nothing, is about the paper that prints it."""
    numeric: bool = True
    """Tables of nothing but numbers are items."""
    min_rows: int = Field(default=2, ge=1)
    min_columns: int = Field(default=2, ge=1)
    min_papers: int = Field(default=2, ge=1)
    """Works that the rows of a table are about, at least; of a table of results, 3 at least."""
    demands: DemandsFrom = "template"
    demands_file: str | None = None
    """File that `viva demand write` wrote, for demands by a model."""
    distractors: int = Field(default=TOP, ge=0, le=TOP)
    """Of a pool, at most."""
    pool_rule: PoolRule = "other_tables"
    """Distractors are works of other tables, or any papers of the corpus."""
    evidence: Literal["auto", "any", "abstract", "fulltext"] = "auto"
    """The least that is known of every work that an item shows; rows about others are left out.
    `auto` is fulltext where it leaves enough tables, else any."""
    same_evidence: bool = True
    """Distractors are works of which as much is known as of a work of the table, while there are
    any: else a text, or its absence, tells which papers belong."""
    encoder: str = TFIDF
    """Retriever of distractors: tfidf, a preset of dense retrieval, a folder, a name on the hub."""
    candidates: str | None = None
    """The candidates file of an earlier round, to take the distractors from."""
    paper_labels: str | None = None
    """People's labels of distractors: the labels.jsonl of `viva annotate export`."""
    table_labels: str | None = None
    """People's labels of gold tables, likewise; one that they refused makes no item."""
    demand_labels: str | None = None
    """People's labels of demands, likewise; one that they refused makes no item."""
