"""Parts of a sample: the pool under labels, its papers' texts, the question, the gold in labels.

Texts are long and shared by many items, so that a sample holds none: methods open those of its
pool in the round's library.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vivavoce.errors import InputError
from vivavoce.metrics.tables.literature_tables import (
    FAULTS,
    LiteratureTable,
    count_faults,
    score_table,
)
from vivavoce.metrics.tables.table_schema import jaccard, schema_recall
from vivavoce.readers.paper_tables import LibraryPaper
from vivavoce.store import Row
from vivavoce.tasks.library import open_papers
from vivavoce.tasks.prompting.prompts import PromptSet, Rendered, fence_mark
from vivavoce.tasks.tables.item import FAMILY, PAPERS, gold_of
from vivavoce.tasks.tables.replies import UnusableReply, read_table
from vivavoce.text.chunk import headed, table_lines

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


NAMES = (
    *("avg", "unary_f1", "schema_f1", "pairwise_f1", "paper_f1"),
    *("unary_p", "unary_r", "schema_p", "schema_r", "pairwise_p", "pairwise_r"),
    *("paper_p", "paper_r"),
)
"""Metrics in the order of the card."""
LEXICAL, SCHEMA_RECALL = "avg_lexical", "schema_recall"
DIAGNOSTICS = ("success", LEXICAL, SCHEMA_RECALL, *FAULTS[1:])
NOTHING = LiteratureTable((), (), ())

_MAX_COLUMNS = 300
"""Columns of an answer that are compared by their stems."""


def read_answer(answer: str, titles: Mapping[str, str]) -> LiteratureTable | None:
    """The table of an answer, papers by label; None where there is none."""
    try:
        return read_table(answer, titles)
    except UnusableReply:
        return None


def read_gold(target: str, titles: Mapping[str, str]) -> LiteratureTable:
    """The gold of a sample, papers by label.

    Raises:
        InputError: It is not a table.
    """
    gold = read_answer(target, titles)
    if gold is None:
        raise InputError("The gold of a sample is not a table. Build the round again.")
    return gold


def diagnose(
    gold: LiteratureTable,
    answer: LiteratureTable | None,
    pairs: int | None = None,
    seed: int = 0,
) -> dict[str, float]:
    """The values of `DIAGNOSTICS`; NaN where undefined."""
    columns = (answer or NOTHING).columns[:_MAX_COLUMNS]
    recall = schema_recall(gold.columns, columns, jaccard)
    faults = count_faults(gold, answer)
    lexical = score_table(gold, answer or NOTHING, pairs=pairs, seed=seed).values()["avg"]
    values = {LEXICAL: lexical, SCHEMA_RECALL: recall, **faults}
    defined = {name: math.nan if value is None else value for name, value in values.items()}
    return {name: float(defined[name]) for name in DIAGNOSTICS}
