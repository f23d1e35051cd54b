"""Statistics of the tables of a round: sizes, and words that demands share with their tables.

Source: arXiv2Table, Table 8 (papers, columns and distractors) and Figures 2 and 7.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.store import Row
from vivavoce.tasks.tables.items.table_items import GoldTable
from vivavoce.text.terms import STOP_WORDS, terms_of
from vivavoce.text.tokens import WordCounter


def table_statistics(items: Sequence[Row]) -> dict[str, Any]:
    """The statistics of some items as plain values; None where there is nothing to average."""
    papers = [len(item["gold_papers"]) for item in items]
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
        "empty_cells": _empty_cells(items),
        "evidence": _counts(one for item in items for one in item["evidence"]),
    }


def _spread(numbers: Sequence[int]) -> dict[str, float | None]:
    return {
        "min": min(numbers, default=None),
        "max": max(numbers, default=None),
        "mean": _mean(numbers),
        "total": sum(numbers),
    }


def _mean(numbers: Sequence[int]) -> float | None:
    return math.fsum(numbers) / len(numbers) if numbers else None


def _counts(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def _empty_cells(items: Sequence[Row]) -> float | None:
    cells = [cell for item in items for row in item["rows"] for cell in row["cells"]]
    return cells.count(None) / len(cells) if cells else None


BIN = 10
"""Tokens to one bar of the distribution of lengths."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """Words that a prompt shares with its table."""

    schema: tuple[str, ...]
    value: tuple[str, ...]


def overlap(prompt: str, table: GoldTable) -> Overlap:
    """The distinct words that a prompt shares with a table's schema and with its values."""
    words = _words([prompt])
    schema = set(_words(table.columns))
    cells = (cell for row in table.rows for cell in row.cells if cell is not None)
    values = set(_words(cells))
    return Overlap(
        tuple(word for word in words if word in schema),
        tuple(word for word in words if word in values),
    )


def overlap_statistics(prompts: Sequence[tuple[GoldTable, str]]) -> Row:
    """Overlap and lengths of one kind of prompts: `tables`, `schema`, `value`, `lengths`.

    `schema` and `value` hold the number and the share of tables with at least one shared word, and
    the mean number of shared words among these. `lengths` holds min, mean and max tokens, and for
    every bar of ten tokens how many prompts it has and how many of them share a word.
    """
    counter = WordCounter()
    found = [overlap(prompt, table) for table, prompt in prompts]
    lengths = counter.count([prompt for _, prompt in prompts])
    shares = [bool(one.schema or one.value) for one in found]
    return {
        "tables": len(prompts),
        "schema": _summary([len(one.schema) for one in found]),
        "value": _summary([len(one.value) for one in found]),
        "lengths": {
            "unit": counter.name,
            "min": min(lengths, default=None),
            "mean": _rounded_mean(lengths),
            "max": max(lengths, default=None),
            "bars": _bars(lengths, shares),
        },
    }


def _summary(counts: Sequence[int]) -> Row:
    shared = [count for count in counts if count]
    share = round(len(shared) / len(counts), 6) if counts else None
    return {"tables": len(shared), "share": share, "tokens": _rounded_mean(shared)}


def _bars(lengths: Sequence[int], shares: Sequence[bool]) -> list[Row]:
    bars = Counter(length // BIN for length in lengths)
    shared = Counter(length // BIN for length, one in zip(lengths, shares, strict=True) if one)
    return [
        {
            "from": place * BIN,
            "to": place * BIN + BIN - 1,
            "prompts": bars[place],
            "overlapping": shared[place],
        }
        for place in sorted(bars)
    ]


def _rounded_mean(values: Sequence[int]) -> float | None:
    return round(sum(values) / len(values), 6) if values else None


def _words(texts: Iterable[str]) -> list[str]:
    """Distinct words of some texts, in their order, without stop words and single letters."""
    words = dict.fromkeys(word for text in texts for word in terms_of(text))
    return [
        word for word in words if word not in STOP_WORDS and (len(word) > 1 or not word.isalpha())
    ]
