"""Sizes of tables, and words that captions and demands share with them."""

from __future__ import annotations

from typing import Any

import pytest

from vivavoce.tasks.tables.items.item import (
    GoldRow,
    GoldTable,
    overlap,
    overlap_statistics,
    table_statistics,
)


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


TABLE = GoldTable(
    "t",
    None,
    "cited",
    "",
    ("Training data", "Size of the model"),
    (GoldRow(0, "p0", "", ("web text", "3 GB")), GoldRow(1, "p1", "", ("books", None))),
    None,
)


def test_shared_words_are_told_apart_by_schema_and_values() -> None:
    found = overlap("The Data, the SIZE and 3 books of a library", TABLE)
    assert found == (["data", "size"], ["3", "books"])
    assert overlap("The of a", TABLE) == ([], [])


def test_statistics_of_three_captions_by_hand() -> None:
    prompts = [
        (TABLE, "Data size"),  # 2 tokens, schema: 2 words
        (TABLE, "Books on model data sold as text on the web, again."),  # 12: schema 2, values 3
        (TABLE, "Nothing here"),  # 2 tokens
    ]
    found = overlap_statistics(prompts)
    assert found["tables"] == 3
    assert found["schema"] == {"tables": 2, "share": 0.666667, "tokens": 2.0}  # (2 + 2) / 2
    assert found["value"] == {"tables": 1, "share": 0.333333, "tokens": 3.0}
    lengths = found["lengths"]
    # 11 words, a comma and a full stop
    assert (lengths["min"], lengths["mean"], lengths["max"]) == (2, 5.666667, 13)
    assert lengths["bars"] == [
        {"from": 0, "to": 9, "prompts": 2, "overlapping": 1},
        {"from": 10, "to": 19, "prompts": 1, "overlapping": 1},
    ]


def test_no_tables_have_no_means() -> None:
    empty = table_statistics([])
    assert empty["sizes"]["papers"] == {"min": None, "max": None, "mean": None, "total": 0}
    assert (empty["tables"], empty["empty_cells"]) == (0, None)
    found = overlap_statistics([])
    assert found["schema"] == {"tables": 0, "share": None, "tokens": None}
    assert (found["lengths"]["bars"], found["lengths"]["mean"]) == ([], None)
