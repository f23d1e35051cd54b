"""What a sample shows: the pool under labels, its papers' texts, the question, the gold in labels.

Texts are long and shared by many items, so that a sample holds none: methods open those of its
pool in the round's library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from vivavoce.metrics.tables.literature_tables import LiteratureTable
from vivavoce.readers.documents import LibraryPaper
from vivavoce.rounds import load_round
from vivavoce.store import Row
from vivavoce.tasks.library import read_library
from vivavoce.tasks.prompting.fences import fence_mark
from vivavoce.tasks.prompting.prompts import PromptSet, Rendered
from vivavoce.tasks.tables.items.table_items import FAMILY, PAPERS, gold_of
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
            "title": _one_line(papers[paper_id].title),
            "abstract": None if setting == "titles" else papers[paper_id].abstract,
        }
        for label, paper_id in zip(labels_of(row), row["pool"], strict=True)
    ]


def labels_of(row: Row) -> list[str]:
    """What the papers of an item's pool are called, in their order: P1, P2, P3."""
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
    """What is asked of an item, without the papers' abstracts and texts."""
    listed = "\n".join(f"{one['label']} [{one['paper_id']}] {one['title']}" for one in pool)
    mark = fence_mark([demand, listed])
    return prompts.render("question", {"demand": demand, "papers": listed}, {"mark": mark})


def pool_with_texts(metadata: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The pool of a sample with `text`, which is empty where the setting shows none.

    Args:
        metadata: Of the sample. Where the pool has texts already, they are taken as they are.
    """
    pool = [dict(one) for one in metadata["pool"]]
    library = metadata.get("library")
    if library is None or metadata.get("setting") != "base":
        return pool
    papers = open_library(library["round"], load_round(library["round"]).sha256)
    return [{"text": full_text(papers[one["paper_id"]]), **one} for one in pool]


@lru_cache(maxsize=2)
def open_library(folder: str, sha256: str) -> Mapping[str, LibraryPaper]:
    """The papers of a round's library, read once; the hash is that of the round."""
    return read_library(load_round(folder).read_file(FAMILY, PAPERS))


def full_text(paper: LibraryPaper) -> str:
    """A paper's sections, then its tables; empty where the library has neither."""
    parts = [headed(one.heading, one.text) for one in paper.sections if one.text.strip()]
    parts += ["\n".join(table_lines(one.caption, one.cells)) for one in paper.tables]
    return "\n\n".join(part for part in parts if part.strip())


def _one_line(title: str) -> str:
    return " ".join(title[:_MAX_TITLE].split())
