"""Exams of real papers whose tables are asked for."""

import shutil
from itertools import islice
from pathlib import Path

import pytest
from tests.servers.commands import only_json, viva_here

MODELS = ("extractive/lead", "extractive/centrality")
PAPERS = 5


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_model_has_a_place_in_the_table_of_a_task_with_switches(
    data_dir: Path, tmp_path: Path
) -> None:
    """The method of the task has switches that are off, and a contestant's name none."""
    folder = tmp_path / "papers"
    folder.mkdir()
    for path in islice(sorted((data_dir / "pdf").glob("*.pdf")), PAPERS):
        shutil.copy(path, folder)
    asked = [word for name in MODELS for word in ("--model", name)]
    done = viva_here(
        *("exam", folder, *asked, "--tasks", "table", "--yes", "--json"),
        *("--out", tmp_path / "exam"),
    )
    rows = {row["contestant"]: row for row in only_json(done.stdout)["table"]}
    assert set(MODELS) < set(rows)
    assert {row["task"] for row in rows.values()} == {"table"}
    # Copied sentences are no table: every answer of a model is there, and failed or is worth 0.
    assert all(rows[name]["value"] == 0 for name in MODELS)
