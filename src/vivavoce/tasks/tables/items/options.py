"""The `[tables]` table of a round spec: which tables become items, and what an item shows."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from vivavoce.rounds.spec import Options
from vivavoce.tasks.tables.items.table_items import Kind

DemandsFrom = Literal["template", "model"]
PoolRule = Literal["other_tables", "corpus"]
TOP = 10
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
    same_evidence: bool = True
    """Distractors are works of which as much is known as of a work of the table, while there are
    any: else a text, or its absence, tells which papers belong."""
    encoder: str = TFIDF
    """Retriever of distractors: tfidf, a preset of dense retrieval, a folder, a name on the hub."""
    candidates: str | None = None
    """The candidates file of an earlier round, to take the distractors from."""
    paper_labels: str | None = None
    """People's labels of distractors: the labels.jsonl of `viva annotate export`."""
    demand_labels: str | None = None
    """People's labels of demands, likewise; one that they refused makes no item."""
