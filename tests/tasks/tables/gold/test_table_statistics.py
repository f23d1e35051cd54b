"""Sizes of tables, and what is known of their papers."""

from __future__ import annotations

from typing import Any

import pytest

from vivavoce.tasks.tables.items.table_items import table_statistics

Row = dict[str, Any]


def item(papers: int, pool: int) -> Row:
    return {
        "kind": "cited",
        "gold_papers": [f"p{n}" for n in range(papers)],
        "pool": [f"p{n}" for n in range(pool)],
        "evidence": ["title"] * pool,
        "columns": ["Encoder size", "Data"],
        "rows": [{"paper": f"p{n}", "ordinal": n, "cells": ["LSTM", None]} for n in range(papers)],
    }


def test_sizes_are_counted_by_table() -> None:
    told = table_statistics([item(2, 6), item(3, 8), item(3, 13)])
    assert told["sizes"]["papers"] == {"min": 2, "max": 3, "mean": pytest.approx(8 / 3), "total": 8}
    # 6 - 2, 8 - 3 and 13 - 3 papers of the pools do not belong.
    assert told["sizes"]["distractors"] == {
        "min": 4,
        "max": 10,
        "mean": pytest.approx(19 / 3),
        "total": 19,
    }
    assert told["sizes"]["columns"]["total"] == 6
    assert told["tables_by_papers"] == {"2": 1, "3": 2}
    assert told["distinct_papers"] == 3
    assert told["empty_cells"] == 0.5
    assert told["evidence"] == {"title": 27}


def test_no_tables_have_no_means() -> None:
    told = table_statistics([])
    assert told["tables"] == 0
    assert told["sizes"]["papers"] == {"min": None, "max": None, "mean": None, "total": 0}
    assert told["empty_cells"] is None
