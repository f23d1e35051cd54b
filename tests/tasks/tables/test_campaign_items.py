"""Distractors, requests and gold tables of a round, as people check them in a campaign."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from vivavoce.errors import InputError
from vivavoce.store import hash_file, write_parquet, write_sealed
from vivavoce.tasks.tables.items.campaign_items import campaign_rows
from vivavoce.tasks.tables.items.item import ITEM
from vivavoce.web.annotation.items import check_rows
from vivavoce.web.annotation.kinds import KINDS


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """A round with one table: papers p1 and p2 are in it, d1 and d2 are not."""
    folder = tmp_path / "rounds" / "small"
    row = {
        "id": "s1/0",
        "cluster": "s1",
        "kind": "cited",
        "split": "test",
        "published": "2024-05-01",
        "caption": "Ways to plan.",
        "demand": "A table of planners, to choose one.",
        "demand_source": "template",
        "pool": ["d1", "p2", "p1", "d2"],
        "evidence": ["title", "abstract", "abstract", "title"],
        "gold_papers": ["p1", "p2"],
        "columns": ["Method", "Year"],
        "rows": [
            {"paper": "p1", "ordinal": 0, "cells": ["A*", None]},
            {"paper": "p2", "ordinal": 1, "cells": ["RRT", "1998"]},
        ],
        "hidden_papers": [],
        "settings": ["base"],
        "given_labels": False,
    }
    assert set(row) == set(ITEM.names)
    write_parquet(folder / "tables" / "table.parquet", [row], ITEM)
    schema = pa.schema(
        [("paper_id", pa.string()), ("title", pa.string()), ("abstract", pa.string())]
    )
    papers = [
        {"paper_id": "p1", "title": "Graphs", "abstract": "We search."},
        {"paper_id": "p2", "title": "Trees", "abstract": "We grow."},
        {"paper_id": "d1", "title": "Robots", "abstract": None},
    ]
    write_parquet(folder / "tables" / "papers.parquet", papers, schema)
    files = {
        f"tables/{name}": {"sha256": hash_file(folder / "tables" / name)}
        for name in ("table.parquet", "papers.parquet")
    }
    counts = {"tables": {"table": {"items": 1}}}
    write_sealed(folder / "manifest.json", {"id": "small", "counts": counts, "files": files})
    return folder


def test_a_round_gives_its_distractors_with_what_the_page_shows(tables: Path) -> None:
    items = check_rows(KINDS["distractors"], campaign_rows(tables, "distractors"))
    assert [item.key for item in items] == ["s1/0 d1", "s1/0 d2"]
    assert {item.cluster for item in items} == {"s1"}
    content = items[0].content
    assert content["candidate"] == {"title": "Robots", "abstract": None, "paper": "d1"}
    assert [paper["title"] for paper in content["references"]] == ["Graphs", "Trees"]
    assert content["rows"] == [["A*", None], ["RRT", "1998"]]
    assert items[1].content["candidate"]["title"] == "d2"  # the library lacks it


def test_a_round_gives_its_demands_and_its_tables(tables: Path) -> None:
    (item,) = check_rows(KINDS["demands"], campaign_rows(tables, "demands"))
    assert (item.key, item.content["caption"]) == ("s1/0", "Ways to plan.")
    assert item.content["titles"] == ["Graphs", "Trees"]
    assert "group" not in KINDS["demands"].present(item.content, swapped=False)
    (item,) = check_rows(KINDS["tables"], campaign_rows(tables, "tables"))
    assert item.content["columns"] == ["Paper", "Method", "Year"]
    assert item.content["rows"] == [["Graphs", "A*", None], ["Trees", "RRT", "1998"]]


def test_a_round_has_no_items_of_other_kinds_or_without_tables(
    tables: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="distractors, demands, tables"):
        campaign_rows(tables, "qa")
    folder = tmp_path / "r"
    write_sealed(folder / "manifest.json", {"id": "r", "counts": {}, "files": {}})
    with pytest.raises(InputError, match="no items for tables/table"):
        campaign_rows(folder, "demands")
