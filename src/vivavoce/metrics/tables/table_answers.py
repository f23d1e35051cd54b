"""What is wrong with an answer that should be a literature table, beside its values.

Source: arXiv2Table, tables 2 and 9.
"""

from __future__ import annotations

from vivavoce.metrics import Metric
from vivavoce.metrics.tables.literature_tables import LiteratureTable

_FAMILY = "tables"
_SOURCE = "arXiv2Table, Tables 2 and 9"
METRICS = (
    Metric("avg_lexical", "avg by equal forms alone, a lower bound", _FAMILY, 0.0, 1.0, _SOURCE),
    Metric("success", "answers that are a table", _FAMILY, 0.0, 1.0, _SOURCE),
    Metric("invented", "papers selected that are not gold", _FAMILY, 0.0, None, _SOURCE, False),
    Metric("empty_cells", "share of N/A among the cells of the answer", _FAMILY, 0.0, 1.0, _SOURCE),
)
FAULTS = tuple(metric.name for metric in METRICS[1:])


def count_faults(gold: LiteratureTable, answer: LiteratureTable | None) -> dict[str, float | None]:
    """The values of `FAULTS` for one answer; None stands for an answer that is no table.

    The share of empty cells is undefined for a table without a cell.
    """
    if answer is None:
        return {"success": 0.0, "invented": 0.0, "empty_cells": None}
    cells = [cell for row in answer.rows for cell in row.cells]
    return {
        "success": 1.0,
        "invented": float(len(set(answer.papers) - set(gold.papers))),
        "empty_cells": cells.count(None) / len(cells) if cells else None,
    }
