"""`viva demo`: the whole way, twice into the same folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.servers.commands import only_json, viva

from vivavoce.rounds import verify_round


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "out"


@pytest.fixture(scope="module")
def board(folder: Path) -> dict[str, Any]:
    done = viva("demo", "--out", folder, "--json")
    return dict(only_json(done.stdout))


def test_everything_is_where_it_is_promised(folder: Path, board: dict[str, Any]) -> None:
    assert (folder / "corpus").is_dir()
    assert [path.name for path in (folder / "round").glob("[!.]*")] == ["sample-2024"]
    assert verify_round(folder / "round" / "sample-2024") == []
    assert len(list((folder / "logs").glob("*.eval"))) == 4 * 4 + 3 * 3
    assert Path(board["page"]) == folder / "site" / "index.html"
    assert (folder / "site" / "index.html").is_file()


def test_the_board_tells_contestants_apart(board: dict[str, Any]) -> None:
    rows = [row for row in board["rows"] if row["metric"] == board["headlines"][row["task"]]]
    programs = {"extract_method", "formula", "reproduce"}
    parts = {"title", "abstract", "introduction", "related_work"}
    assert {row["task"] for row in rows} == parts | programs
    for task in ("title", "abstract"):
        found = {
            row["model"] if row["method"] == "direct" else row["method"]: row
            for row in rows
            if row["task"] == task
        }
        assert found.keys() == {"extractive/lead", "extractive/centrality", "null", "oracle"}
        assert found["oracle"]["value"] == 1.0
        assert found["oracle"]["rank"] is None
        assert found["null"]["value"] < 0.5
        assert sorted(row["rank"] for row in found.values() if row["rank"]) == [1, 2, 3]


def test_the_board_tells_a_program_that_forgets_the_instrument(board: dict[str, Any]) -> None:
    found = {
        row["method"]: row
        for row in board["rows"]
        if (row["task"], row["metric"]) == ("formula", "acc")
    }
    assert found["oracle"]["value"] == 1.0
    assert found["null"]["value"] == 0.0
    assert 0.0 < found["naive"]["value"] < 1.0


def test_the_demo_again_gives_the_same_board(folder: Path, board: dict[str, Any]) -> None:
    logs = sorted((folder / "logs").glob("*.eval"))
    again = viva("demo", "--out", folder, "--json")
    assert only_json(again.stdout) == board
    assert sorted((folder / "logs").glob("*.eval")) == logs
