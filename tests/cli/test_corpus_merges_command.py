"""viva corpus stats --of merges and viva corpus stats --of resolution."""

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


def test_merges_are_counted_by_reason_with_examples(viva: Viva, merged: Path) -> None:
    printed = viva("corpus", "stats", "--of", "merges", "--corpus", merged)
    assert printed.exit_code == 0
    assert "    file: 2" in printed.stdout.splitlines()
    assert "file:one.tei.xml: tei one.tei.xml" in printed.stdout
    report = json.loads(
        viva("corpus", "stats", "--of", "merges", "--corpus", merged, "--json").stdout
    )
    assert (report["papers"], report["merged_papers"], report["near_misses"]) == (2, 1, 0)
    assert report["documents_joined_by"] == {"file": 2}
    assert [row["kind"] for row in report["examples"]["file"]] == ["metadata", "tei"]


def test_merges_can_be_exported_and_are_counted_in_stats(
    viva: Viva, merged: Path, tmp_path: Path
) -> None:
    out = tmp_path / "merges.jsonl"
    assert viva("corpus", "export", "merges", "--corpus", merged, "--out", out).exit_code == 0
    found = [json.loads(line) for line in out.read_text().splitlines()]
    assert [set(row) for row in found] == [{"paper_id", "kind", "key", "joined_by", "detail"}] * 2
    stats = json.loads(viva("corpus", "stats", "--corpus", merged, "--json").stdout)
    assert stats["merges"] == {"file": 2}


@pytest.mark.parametrize("part", ["merges", "resolution"])
def test_what_is_no_corpus_ends_with_2(viva: Viva, part: str, tmp_path: Path) -> None:
    refused = viva("corpus", "stats", "--of", part, "--corpus", tmp_path)
    assert refused.exit_code == 2
    assert "is not a corpus" in refused.stderr
