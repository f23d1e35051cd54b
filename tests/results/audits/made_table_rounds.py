"""Rounds of literature tables written by hand: demands, works and which belong together."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.results.audits.made_rounds import write_manifest

from vivavoce.store import write_bytes, write_parquet
from vivavoce.tasks.library import library_as_bytes
from vivavoce.tasks.tables.item import ITEM

WORKS = {
    "p1": ("Whistling of dolphins", "Sounds under water."),
    "p2": ("Dolphins and their whistles", None),
    "p3": ("Grain prices", "Markets for wheat."),
    "p4": ("Wheat markets after drought", None),
    "work:1": ("Clicks of whales", None),
}


def item(name: str, demand: str, works: Sequence[str], cluster: str = "") -> dict[str, Any]:
    return {
        "id": name,
        "cluster": cluster or name,
        "kind": "cited",
        "split": "test",
        "published": "2024-05-01",
        "caption": "A table.",
        "demand": demand,
        "demand_source": "template",
        "pool": list(works),
        "evidence": ["title"] * len(works),
        "gold_papers": list(works),
        "columns": ["a"],
        "rows": [{"paper": work, "ordinal": n, "cells": ["1"]} for n, work in enumerate(works)],
        "hidden_papers": [cluster] if cluster else [],
        "settings": ["base"],
        "given_labels": False,
    }


def write_table_round(
    folder: Path,
    items: Sequence[Mapping[str, Any]],
    works: Mapping[str, tuple[str, str | None]] = WORKS,
) -> Path:
    rows = [
        {
            "paper_id": name,
            "title": title,
            "published": None,
            "abstract": abstract,
            "sections": [],
            "tables": [],
        }
        for name, (title, abstract) in sorted(works.items())
    ]
    (folder / "tables").mkdir(parents=True)
    write_parquet(folder / "tables" / "table.parquet", items, ITEM)
    write_bytes(folder / "tables" / "papers.parquet", library_as_bytes(rows))
    return write_manifest(folder, {"tables": {"table": {"items": len(items)}}})
