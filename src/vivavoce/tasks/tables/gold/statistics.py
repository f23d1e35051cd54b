"""What the tables of a round are like: their sizes, and what is known of their papers.

Source: arXiv2Table, Table 8 (papers, columns and distractors) and Figure 7 (tables by papers).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from vivavoce.store import Row


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
