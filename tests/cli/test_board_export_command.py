"""`viva board export`: results as Every Eval Ever, the hub, CSV and Parquet have them."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from huggingface_hub import parse_eval_result_entries
from tests.servers.commands import only_json, title_logs, viva_here
from tests.web.board.board_rows import make_board, make_row

from vivavoce.results.board.exchange import eval_results, every_eval_ever, model_id
from vivavoce.store import hash_tree, read_json

viva = partial(viva_here, expect=None)

ITEMS = 4


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of two contestants on one task."""
    folder = tmp_path_factory.mktemp("export")
    title_logs(folder, ITEMS, methods=["direct", "null"])
    return folder / "logs"


@pytest.fixture(scope="module")
def rows(logs: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """Rows of the board by method and metric."""
    found = only_json(viva("board", "show", logs, "--json").stdout)["rows"]
    return {(row["method"], row["metric"]): row for row in found}


def test_a_record_of_every_eval_ever_has_all_that_the_row_has(
    logs: Path, rows: dict[tuple[str, str], dict[str, Any]], tmp_path: Path
) -> None:
    done = viva(
        "board", "export", logs, "--as", "eee", "--out", tmp_path / "a", "--date", "2026-01-02"
    )
    assert done.exit_code == 0, done.output
    (path,) = (tmp_path / "a").glob("data/viva-voce-*/extractive/lead/*.json")
    record = read_json(path)
    assert record["retrieved_timestamp"] == "1767312000"  # 2026-01-02T00:00:00Z
    assert record["source_metadata"]["additional_details"]["window"].startswith('["')
    found = {one["metric_config"]["metric_name"]: one for one in record["evaluation_results"]}
    row, result = rows["direct", "rougeL"], found["rougeL"]
    details = result["score_details"]
    assert details["score"] == row["value"]
    interval = details["uncertainty"]["confidence_interval"]
    assert [interval["lower"], interval["upper"]] == row["ci"]
    assert json.loads(details["details"]["rank_interval"]) == row["rank_interval"]
    assert (details["details"]["n"], details["details"]["clusters"]) == ("4", "4")
    config = result["generation_config"]
    assert config["additional_details"]["prompt_hash"] == row["prompt_hash"]
    assert config["generation_args"]["temperature"] == 0.0
    again = viva(
        "board", "export", logs, "--as", "eee", "--out", tmp_path / "b", "--date", "2026-01-02"
    )
    assert again.exit_code == 0
    assert hash_tree(tmp_path / "a") == hash_tree(tmp_path / "b")


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["eee", "data"])
def test_the_validator_of_every_eval_ever_agrees(logs: Path, tmp_path: Path, folder: str) -> None:
    """From inside the folder, or beside one that is called data."""
    out = tmp_path / folder
    assert viva("board", "export", logs, "--as", "eee", "--out", out).exit_code == 0
    command = [sys.executable, "-m", "every_eval_ever", "validate", "data/*/*/*/*.json"]
    where = out.parent if folder == "data" else out
    done = subprocess.run(command, cwd=where, capture_output=True, text=True)
    assert "2 passed, 0 warning-only, 0 failed" in done.stdout, done.stdout + done.stderr


def test_the_hub_gets_one_file_for_each_language_model() -> None:
    row = make_row(
        "lab/one",
        0.25,
        **{"round": "r", "judge": "lab/judge", "n": 12, "ci": [0.2, 0.3], "rank_interval": [1, 2]},
    )
    copier = {**row, "model": "extractive/lead", "exposure": {"cutoff": "never"}}
    board = make_board(row, copier, {**row, "method": "null", "model": "none"})
    ((path, content),) = eval_results(board, "2026-01-02", "lab/round")
    assert path == "lab/one/.eval_results/r-base-direct.yaml"
    import yaml

    (entry,) = parse_eval_result_entries(yaml.safe_load(content))
    assert (entry.dataset_id, entry.task_id, entry.value) == ("lab/round", "title", 0.25)
    assert entry.notes == (
        "rougeL; n 12; setting base; method direct; 95% interval 0.2000 to 0.3000; ranks 1 to 2; "
        "judge lab/judge"
    )


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/../b", "", "x" * 500, "a/b\u202ec", "."])
def test_a_hostile_name_stays_inside_the_folder(name: str) -> None:
    maker, _, short = model_id({"model": name, "method": "direct"}).partition("/")
    assert maker
    assert short
    assert "/" not in short
    assert not {maker, short} & {".", ".."}
    assert len(maker) < 120 > len(short)


def test_names_that_look_alike_as_paths_stay_apart() -> None:
    spelled = {model_id({"model": name, "method": ""}) for name in ("a/b c", "a/b_c", "a/b/c")}
    assert len(spelled) == 3


def test_a_row_without_a_value_makes_no_record() -> None:
    board = make_board(make_row("a/b", None))
    assert list(every_eval_ever(board, "2026-01-02", "lab")) == []


def test_tables_hold_every_row(logs: Path, tmp_path: Path) -> None:
    assert viva("board", "export", logs, "--as", "csv", "--out", tmp_path / "c").exit_code == 0
    done = viva("board", "export", logs, "--as", "parquet", "--out", tmp_path / "p", "--json")
    assert only_json(done.stdout)["files"] == ["board.parquet"]
    table = pq.ParquetFile(tmp_path / "p" / "board.parquet").read()
    lines = (tmp_path / "c" / "board.csv").read_text("utf-8").splitlines()
    assert table.num_rows == len(lines) - 1 == only_json(done.stdout)["rows"]
