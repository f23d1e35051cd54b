"""Gold tables, works and items of the family, what an item asks, and statistics of a round.

Texts are long and shared by many items, so that a sample holds none: methods open those of its pool
in the round's library.

Source of the statistics: arXiv2Table, Table 8 (papers, columns and distractors).
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import pyarrow as pa
from pydantic import Field

from vivavoce.columns import lists, texts
from vivavoce.metrics.tables.literature_answers import PaperNames, table_from_json
from vivavoce.metrics.tables.literature_tables import LiteratureTable, TableRow
from vivavoce.readers.paper_tables import LibraryPaper
from vivavoce.rounds.spec import Options
from vivavoce.store import Row
from vivavoce.tasks.library import open_papers
from vivavoce.tasks.prompting.prompts import PromptSet, Rendered, fence_mark
from vivavoce.text.chunk import headed, table_lines

FAMILY, TASK = "tables", "table"
PAPERS = "papers.parquet"
"""The library of the round, gold works and distractors alike: `tasks.library`."""
STATISTICS = "statistics.json"

Kind = Literal["cited", "digestables"]
"""Origin of a gold table: printed rows that cite works, or arxivDIGESTables files."""
Evidence = Literal["title", "abstract", "fulltext"]
"""The most that is known of a work."""


@dataclass(frozen=True, slots=True)
class GoldRow:
    """One row of a gold table."""

    ordinal: int
    """Number of the row in the printed table; separates rows of one paper."""
    paper: str
    """The work that the row is about: a paper id, or `work:` and a hash for works outside."""
    label: str
    """Name of the row in the table, without citation marks; empty where it only cites."""
    cells: tuple[str | None, ...]
    """One for each column; None is N/A."""


@dataclass(frozen=True, slots=True)
class GoldTable:
    """A literature table as an item asks for it."""

    id: str
    source_paper: str
    """The paper that prints the table."""
    kind: Kind
    caption: str
    columns: tuple[str, ...]
    """No two are equal."""
    rows: tuple[GoldRow, ...]
    published: str | None
    """Date of the source paper."""
    survey: str = ""
    """Title of the source paper."""

    @property
    def papers(self) -> tuple[str, ...]:
        """The works of the rows, each once, in the order of the rows."""
        return tuple(dict.fromkeys(row.paper for row in self.rows))


@dataclass(frozen=True, slots=True)
class Work:
    """A paper of the corpus, or a work outside of it that is known from a reference."""

    paper_id: str
    title: str
    """Title on one line; empty where nothing states it."""
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
    return work.has_text or least != "fulltext"


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


PoolRule = Literal["other_tables", "corpus"]
TOP = 40
"""Candidates of a table."""


class TablesOptions(Options):
    """The `[tables]` table of a round spec."""

    undated: bool = False
    """Tables of papers without a date are in every window."""
    min_rows: int = Field(default=2, ge=1)
    min_columns: int = Field(default=2, ge=1)
    min_papers: int = Field(default=2, ge=1)
    """Works that the rows of a table are about, at least."""
    demands: Literal["template", "model"] = "template"
    demands_file: str | None = None
    """File that `viva round demands` wrote, for demands by a model."""
    distractors: int = Field(default=TOP, ge=0, le=TOP)
    """Most distractors in a pool."""
    pool_rule: PoolRule = "other_tables"
    """Distractors are works of other tables, or any papers of the corpus."""
    evidence: Literal["auto", "any", "fulltext"] = "auto"
    """The least that is known of every work that an item shows; rows about others are left out.
    `auto` is fulltext where it leaves enough tables, else any."""
    encoder: str = "tfidf"
    """Retriever of distractors: tfidf, a preset of dense retrieval, a folder, a name on the hub."""


def table_statistics(items: Sequence[Row]) -> dict[str, Any]:
    """The statistics of some items as plain values; None where there is nothing to average."""
    papers = [len(item["gold_papers"]) for item in items]
    cells = [cell for item in items for row in item["rows"] for cell in row["cells"]]
    return {
        "tables": len(items),
        "kinds": _counts(item["kind"] for item in items),
        "sizes": {
            "papers": _spread(papers),
            "rows": _spread([len(item["rows"]) for item in items]),
            "columns": _spread([len(item["columns"]) for item in items]),
            "distractors": _spread(
                [len(item["pool"]) - len(item["gold_papers"]) for item in items]
            ),
        },
        "distinct_papers": len({paper for item in items for paper in item["gold_papers"]}),
        "tables_by_papers": {str(size): count for size, count in sorted(Counter(papers).items())},
        "empty_cells": cells.count(None) / len(cells) if cells else None,
        "evidence": _counts(one for item in items for one in item["evidence"]),
    }


def _spread(numbers: Sequence[int]) -> dict[str, float | None]:
    return {
        "min": min(numbers, default=None),
        "max": max(numbers, default=None),
        "mean": math.fsum(numbers) / len(numbers) if numbers else None,
        "total": sum(numbers),
    }


def _counts(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


_MAX_TITLE = 300


def pool_entries(
    row: Row, papers: Mapping[str, LibraryPaper], setting: str
) -> list[dict[str, Any]]:
    """The papers that an item shows: label, id, title, and the abstract where it is shown."""
    return [
        {
            "label": label,
            "paper_id": paper_id,
            "title": " ".join(papers[paper_id].title[:_MAX_TITLE].split()),
            "abstract": None if setting == "titles" else papers[paper_id].abstract,
        }
        for label, paper_id in zip(labels_of(row), row["pool"], strict=True)
    ]


def labels_of(row: Row) -> list[str]:
    """Labels of the papers of an item's pool, in their order: P1, P2, P3."""
    return [f"P{number}" for number in range(1, len(row["pool"]) + 1)]


def gold_in_labels(row: Row) -> LiteratureTable:
    """The gold of an item, with labels for papers."""
    labels = dict(zip(row["pool"], labels_of(row), strict=True))
    gold = gold_of(row)
    return LiteratureTable(
        papers=tuple(labels[paper] for paper in gold.papers),
        columns=gold.columns,
        rows=tuple(replace(one, paper=labels[one.paper]) for one in gold.rows),
    )


def question(prompts: PromptSet, demand: str, pool: Sequence[Mapping[str, Any]]) -> Rendered:
    """The question of an item, without the papers' abstracts and texts."""
    listed = "\n".join(f"{one['label']} [{one['paper_id']}] {one['title']}" for one in pool)
    mark = fence_mark([demand, listed])
    return prompts.render("question", {"demand": demand, "papers": listed}, {"mark": mark})


@dataclass(frozen=True, slots=True)
class PoolText:
    """A paper of a pool as a method reads it; what is not shown or not known is empty."""

    label: str
    title: str
    abstract: str = ""
    text: str = ""


def read_pool(metadata: Mapping[str, Any]) -> list[PoolText]:
    """The papers of a sample's pool, with their texts where the setting shows these.

    Args:
        metadata: Of the sample. Where the pool has texts already, they are taken as they are.
    """
    library = metadata.get("library")
    papers: Mapping[str, LibraryPaper] = {}
    if library is not None and metadata.get("setting") == "base":
        papers = open_papers(library["round"], FAMILY, PAPERS)
    pool = []
    for one in metadata["pool"]:
        known = papers.get(one.get("paper_id"))
        text = one.get("text") or (full_text(known) if known else "")
        title, abstract = " ".join((one["title"] or "").split()), one.get("abstract") or ""
        pool.append(PoolText(one["label"], title, abstract.strip(), text.strip()))
    return pool


def full_text(paper: LibraryPaper) -> str:
    """A paper's sections, then its tables; empty where the library has neither."""
    parts = [headed(one.heading, one.text) for one in paper.sections if one.text.strip()]
    parts += ["\n".join(table_lines(one.caption, one.cells)) for one in paper.tables]
    return "\n\n".join(part for part in parts if part.strip())
