"""Table items turned into Inspect samples: a demand, a pool under labels, and the gold in them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from inspect_ai.dataset import MemoryDataset, Sample

from vivavoce.errors import NoItemsError
from vivavoce.readers.paper_tables import LibraryPaper
from vivavoce.rounds import Round
from vivavoce.store import Row
from vivavoce.tasks.library import describe_library, open_papers
from vivavoce.tasks.prompting.prompts import PromptSet
from vivavoce.tasks.tables.items.composing import (
    abbreviations_for,
    gold_in_labels,
    pool_entries,
    question,
)
from vivavoce.tasks.tables.items.table_items import FAMILY, PAPERS, TASK, answer_text


def table_dataset(
    opened: Round, setting: str, prompts: PromptSet, *, max_tokens: int
) -> MemoryDataset:
    """The samples of a round: its tables that have the setting.

    Raises:
        InputError: No table has the setting.
    """
    items = opened.items(FAMILY, TASK)
    rows = [row for row in items if setting in row["settings"]]
    if not rows:
        raise NoItemsError(_why_empty(opened, setting, len(items)))
    papers = open_papers(str(opened.folder.resolve()), FAMILY, PAPERS)
    samples = [_sample(row, opened, setting, prompts, papers, max_tokens) for row in rows]
    return MemoryDataset(samples, name=f"{opened.id}/{FAMILY}/{TASK}/{setting}")


_ROOM, _STEP = 1.5, 1024
"""An answer may be so much longer than the longest gold table, in steps of so many tokens."""


def answer_room(opened: Round, setting: str) -> int:
    """Tokens of an answer that the gold tables of a round need; a token is three bytes here."""
    items = opened.items(FAMILY, TASK)
    golds = (answer_text(gold_in_labels(row)) for row in items if setting in row["settings"])
    longest = max((len(gold.encode()) / 3 for gold in golds), default=0)
    return _STEP * math.ceil(_ROOM * longest / _STEP)


def _sample(
    row: Row,
    opened: Round,
    setting: str,
    prompts: PromptSet,
    papers: Mapping[str, LibraryPaper],
    max_tokens: int,
) -> Sample:
    pool = pool_entries(row, papers, setting)
    asked = question(prompts, row["demand"], pool)
    metadata: dict[str, Any] = {
        **{name: row[name] for name in ("cluster", "published", "split")},
        # What a board shows its rows by.
        "category": row["kind"],
        "title": row["caption"] or row["demand"],
        "demand": row["demand"],
        "demand_source": row["demand_source"],
        "pool": pool,
        "evidence": list(row["evidence"]),
        "setting": setting,
        "question": asked.text,
        "prompts": prompts.place,
        "spans": asked.json_spans,
        # A pool is given: what its papers cite them for tells that they were there in time.
        "library": describe_library(
            opened,
            (FAMILY, PAPERS),
            papers=row["pool"] if setting == "base" else (),
            cutoff=None,
            hidden_papers=row["hidden_papers"],
        ),
        "max_tokens": max_tokens,
    }
    gold = gold_in_labels(row)
    metadata["abbreviations"] = abbreviations_for(gold, (papers[one] for one in row["pool"]))
    target = answer_text(gold)
    return Sample(id=row["id"], input=asked.text, target=target, metadata=metadata)


def _why_empty(opened: Round, setting: str, items: int) -> str:
    message = f"Round {opened.id} has no table with the setting {setting}"
    if items:
        return f"{message}: of no paper in a pool is more known than its title."
    counts = opened.manifest["counts"][FAMILY][TASK]["excluded"]
    reasons = ", ".join(f"{reason} {count}" for reason, count in counts.items())
    return f"{message}. Tables were left out for these reasons: {reasons}."
