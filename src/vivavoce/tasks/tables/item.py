"""Gold tables, works, items and questions of the family, and statistics of a round.

Texts are long and shared by many items, so samples do not have them: methods open them in the
round's library.

Source of the statistics: arXiv2Table, Table 8 (papers, columns and distractors).
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import pyarrow as pa
from pydantic import Field

from vivavoce.columns import lists, texts
from vivavoce.metrics.tables.literature_answers import PaperNames, table_from_json
from vivavoce.metrics.tables.literature_tables import LiteratureTable, TableRow
from vivavoce.readers import LibraryPaper
from vivavoce.rounds.spec import Options
from vivavoce.statistics.intervals import mean_of
from vivavoce.store import Row
from vivavoce.tasks.library import open_papers
from vivavoce.tasks.prompting import PromptSet, Rendered, fence_mark
from vivavoce.text.chunk import headed, table_lines

FAMILY, TASK = "tables", "table"
PAPERS = "papers.parquet"
"""File of the round's library, with gold works and distractors: `tasks.library`."""
STATISTICS = "statistics.json"

Kind = Literal["cited", "digestables"]
"""Origin of a gold table: printed rows that cite works, or arxivDIGESTables files."""
Evidence = Literal["title", "abstract", "fulltext"]
"""Best evidence for a work."""


@dataclass(frozen=True, slots=True)
class GoldRow:
    """One row of a gold table."""

    ordinal: int
    """Number of the row in the printed table, which distinguishes rows of one paper."""
    paper: str
    """The row's work: a paper id, or `work:` and a hash for a work outside of the corpus."""
    label: str
    """Name of the row in the table, without citations; empty if it only cites."""
    cells: tuple[str | None, ...]
    """Cells by column; None is N/A."""


@dataclass(frozen=True, slots=True)
class GoldTable:
    """A literature table in the form of an item."""

    id: str
    source_paper: str
    kind: Kind
    caption: str
    columns: tuple[str, ...]
    """Unique names."""
    rows: tuple[GoldRow, ...]
    published: str | None
    survey: str = ""
    """Title of the source paper."""

    @property
    def papers(self) -> tuple[str, ...]:
        """Distinct works of the rows, in order."""
        return tuple(dict.fromkeys(row.paper for row in self.rows))


@dataclass(frozen=True, slots=True)
class Work:
    """A paper of the corpus, or a work outside of it known from a reference."""

    paper_id: str
    title: str
    """Title on one line; empty if unknown."""
    abstract: str | None
    published: str | None
    has_text: bool

    @property
    def evidence(self) -> Evidence:
        """Best evidence for the work."""
        if self.has_text:
            return "fulltext"
        return "abstract" if self.abstract else "title"


def is_known(work: Work, least: str) -> bool:
    """True if a work satisfies the option `evidence`; `auto` accepts all."""
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
"""Columns of an item; `evidence` is parallel to `pool`, cells to `columns`."""


def gold_of(row: Row) -> LiteratureTable:
    """The gold of an item."""
    return LiteratureTable(
        papers=tuple(row["gold_papers"]),
        columns=tuple(row["columns"]),
        rows=tuple(TableRow(one["paper"], tuple(one["cells"])) for one in row["rows"]),
    )


def answer_text(table: LiteratureTable) -> str:
    """A table as the requested JSON object, without N/A cells."""
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
    """Read the table of an object in the form of `answer_text`."""
    return table_from_json({"papers": value.get("papers"), "table": value}, names)


PoolRule = Literal["other_tables", "corpus"]
TOP = 40


class TablesOptions(Options):
    """The `[tables]` table of a round spec."""

    undated: bool = False
    """True to use tables of undated papers in every window."""
    min_rows: int = Field(default=2, ge=1)
    min_columns: int = Field(default=2, ge=1)
    min_papers: int = Field(default=2, ge=1)
    """Minimum works of a table's rows."""
    demands: Literal["template", "model"] = "template"
    demands_file: str | None = None
    """File by `viva round demands`, for demands by a model."""
    distractors: int = Field(default=TOP, ge=0, le=TOP)
    """Maximum distractors in a pool."""
    pool_rule: PoolRule = "other_tables"
    """Source of distractors: works of other tables, or all papers of the corpus."""
    evidence: Literal["auto", "any", "fulltext"] = "auto"
    """Minimum evidence for works; `auto` is fulltext if that leaves enough tables."""
    encoder: str = "tfidf"
    """Retriever of distractors: tfidf, a preset of dense retrieval, a folder or a hub name."""


def table_statistics(items: Sequence[Row]) -> dict[str, Any]:
    """Statistics of items as JSON values; None if there is nothing to average."""
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
        "mean": mean_of(numbers),
        "total": sum(numbers),
    }


def _counts(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


_MAX_TITLE = 300


def pool_entries(
    row: Row, papers: Mapping[str, LibraryPaper], setting: str
) -> list[dict[str, Any]]:
    """The papers of an item: label, id, title, and abstract if the setting shows it."""
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
    """Labels of the papers in an item's pool, in pool order: P1, P2, P3."""
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
    """A paper of a pool for methods; hidden or unknown texts are empty."""

    label: str
    title: str
    abstract: str = ""
    text: str = ""


def read_pool(metadata: Mapping[str, Any]) -> list[PoolText]:
    """Read a sample's pool, with texts from its metadata or, in the setting `base`, the library."""
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
    """A paper's sections, then its tables; empty without either."""
    parts = [headed(one.heading, one.text) for one in paper.sections if one.text.strip()]
    parts += ["\n".join(table_lines(one.caption, one.cells)) for one in paper.tables]
    return "\n\n".join(part for part in parts if part.strip())
