"""The table `merges`, and its counts in viva corpus stats."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Viva = Callable[..., Result]


@pytest.fixture
def merged(viva: Viva, tei: Path, rows: Path, tmp_path: Path) -> Path:
    """A corpus of two papers, one of which a row of metadata completes."""
    corpus = tmp_path / "corpus"
    assert viva("ingest", "tei", tei, "--corpus", corpus).exit_code == 0
    assert viva("ingest", "metadata", rows, "--corpus", corpus).exit_code == 0
    return corpus


def test_merges_can_be_exported_and_are_counted_in_stats(
    viva: Viva, merged: Path, tmp_path: Path
) -> None:
    out = tmp_path / "merges.jsonl"
    assert viva("corpus", "export", "merges", "--corpus", merged, "--out", out).exit_code == 0
    found = [json.loads(line) for line in out.read_text().splitlines()]
    assert [set(row) for row in found] == [{"paper_id", "kind", "key", "joined_by", "detail"}] * 2
    stats = json.loads(viva("corpus", "stats", "--corpus", merged, "--json").stdout)
    assert stats["merges"] == {"file": 2}
