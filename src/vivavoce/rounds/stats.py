"""What a round holds, measured."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import Any

from vivavoce.rounds.reading import Round
from vivavoce.store import Row

_NOT_TEXTS = ("id", "paper_id", "cluster", "split", "published")


def round_stats(opened: Round) -> dict[str, Any]:
    """Items, clusters, splits, lengths in words and exclusions of every task of a round."""
    return {
        "round": opened.id,
        "manifest": opened.sha256,
        "window": opened.manifest["window"],
        "tasks": {
            f"{family}/{task}": {
                **opened.manifest["counts"][family][task],
                **_measure(opened.items(family, task)),
            }
            for family, task in opened.tasks()
        },
    }


def _measure(items: list[Row]) -> dict[str, Any]:
    """Splits, and the median number of words of every text column."""
    splits = Counter(row["split"] for row in items if row.get("split"))
    texts = [name for name in (items[0] if items else ()) if name not in _NOT_TEXTS]
    words = {
        name: [len(row[name].split()) for row in items if isinstance(row[name], str)]
        for name in texts
    }
    return {
        "splits": {name: splits[name] for name in ("train", "val", "test") if name in splits},
        "median_words": {name: median(counts) for name, counts in words.items() if counts},
    }
