"""Sizes of the tables of a round."""

from __future__ import annotations

from typing import Any

import pytest

from vivavoce.tasks.tables.item import table_statistics


def item(papers: int, pool: int) -> dict[str, Any]:
    return {
        "kind": "cited",
        "gold_papers": [f"p{n}" for n in range(papers)],
        "pool": [f"p{n}" for n in range(pool)],
        "evidence": ["title"] * pool,
        "columns": ["Encoder size", "Data"],
        "rows": [{"paper": f"p{n}", "ordinal": n, "cells": ["LSTM", None]} for n in range(papers)],
    }


def test_sizes_are_counted_by_table() -> None:
    found = table_statistics([item(2, 6), item(3, 8), item(3, 13)])
    sizes = found["sizes"]
    assert sizes["papers"] == {"min": 2, "max": 3, "mean": pytest.approx(8 / 3), "total": 8}
    # 6 - 2, 8 - 3 and 13 - 3 papers of the pools do not belong.
    mean = pytest.approx(19 / 3)
    assert sizes["distractors"] == {"min": 4, "max": 10, "mean": mean, "total": 19}
    assert sizes["columns"]["total"] == 6
    assert found["tables_by_papers"] == {"2": 1, "3": 2}
    assert found["distinct_papers"] == 3
    assert found["empty_cells"] == 0.5
    assert found["evidence"] == {"title": 27}


def test_no_tables_have_no_means() -> None:
    empty = table_statistics([])
    assert empty["sizes"]["papers"] == {"min": None, "max": None, "mean": None, "total": 0}
    assert (empty["tables"], empty["empty_cells"]) == (0, None)
