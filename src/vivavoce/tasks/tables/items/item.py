"""Gold tables, works and items of the family, the form of an answer, and statistics of a round.

Statistics are sizes, and words that demands share with their tables. Source: arXiv2Table, Table 8
(papers, columns and distractors) and Figures 2 and 7.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa
from pydantic import Field

from vivavoce.columns import lists, texts
from vivavoce.metrics.tables.literature_answers import PaperNames, table_from_json
from vivavoce.metrics.tables.literature_tables import LiteratureTable, TableRow
from vivavoce.rounds.spec import Options
from vivavoce.store import Row
from vivavoce.text.terms import STOP_WORDS, terms_of
from vivavoce.text.tokens import WordCounter

FAMILY, TASK = "tables", "table"
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
    survey: str = ""
    """Title of the source paper."""

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


PoolRule = Literal["other_tables", "corpus"]
TOP = 40
"""Candidates of a table."""


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
    demands: Literal["template", "model"] = "template"
    demands_file: str | None = None
    """File that `viva round demands` wrote, for demands by a model."""
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
    encoder: str = "tfidf"
    """Retriever of distractors: tfidf, a preset of dense retrieval, a folder, a name on the hub."""
    candidates: str | None = None
    """The candidates file of an earlier round, to take the distractors from."""
    paper_labels: str | None = None
    """People's labels of distractors: the labels.jsonl of `viva annotate export`."""
    table_labels: str | None = None
    """People's labels of gold tables, likewise; one that they refused makes no item."""
    demand_labels: str | None = None
    """People's labels of demands, likewise; one that they refused makes no item."""


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


_BIN = 10
"""Tokens to one bar of the distribution of lengths."""


def overlap(prompt: str, table: GoldTable) -> tuple[list[str], list[str]]:
    """The distinct words that a prompt shares with a table's column names, and with its values."""
    words = _words([prompt])
    columns = set(_words(table.columns))
    values = set(_words(cell for row in table.rows for cell in row.cells if cell is not None))
    return [word for word in words if word in columns], [word for word in words if word in values]


def _words(texts: Iterable[str]) -> list[str]:
    """Distinct words of some texts, in their order, without stop words and single letters."""
    words = dict.fromkeys(word for text in texts for word in terms_of(text))
    return [
        word for word in words if word not in STOP_WORDS and (len(word) > 1 or not word.isalpha())
    ]


def overlap_statistics(prompts: Sequence[tuple[GoldTable, str]]) -> Row:
    """Overlap and lengths of one kind of prompts: `tables`, `schema`, `value`, `lengths`.

    `schema` and `value` hold the number and the share of tables with at least one shared word, and
    the mean number of shared words among these. `lengths` holds min, mean and max tokens, and for
    every bar of ten tokens how many prompts it has and how many of them share a word.
    """
    counter = WordCounter()
    found = [overlap(prompt, table) for table, prompt in prompts]
    lengths = counter.count([prompt for _, prompt in prompts])
    bars = Counter(length // _BIN for length in lengths)
    shared = Counter(
        length // _BIN for length, words in zip(lengths, found, strict=True) if any(words)
    )
    return {
        "tables": len(prompts),
        "schema": _summary([len(schema) for schema, _ in found]),
        "value": _summary([len(value) for _, value in found]),
        "lengths": {
            "unit": counter.name,
            "min": min(lengths, default=None),
            "mean": _rounded_mean(lengths),
            "max": max(lengths, default=None),
            "bars": [
                {"from": at * _BIN, "to": at * _BIN + _BIN - 1}
                | {"prompts": bars[at], "overlapping": shared[at]}
                for at in sorted(bars)
            ],
        },
    }


def _summary(counts: Sequence[int]) -> Row:
    shared = [count for count in counts if count]
    share = round(len(shared) / len(counts), 6) if counts else None
    return {"tables": len(shared), "share": share, "tokens": _rounded_mean(shared)}


def _rounded_mean(values: Sequence[int]) -> float | None:
    return round(sum(values) / len(values), 6) if values else None
