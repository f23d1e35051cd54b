"""`viva board`: one JSON document, tables for people, and refusals with an exit code."""

import shutil
from functools import partial
from pathlib import Path

import pytest
from tests.servers.commands import only_json, small_round, title_logs, viva_here

from vivavoce.running import RunSpec, run

viva = partial(viva_here, expect=None)

ITEMS = 4
KEYS = [
    *("round", "task", "task_version", "setting", "method", "model", "decoding", "prompt_hash"),
    *("judge", "metric", "value", "value_valid", "ci", "n", "missing", "undefined", "valid"),
    *("rank", "rank_interval", "tied_with", "undecided_with", "more_papers_needed"),
    *("contamination", "tokens", "cost", "seconds"),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of three contestants on two tasks."""
    folder = tmp_path_factory.mktemp("board")
    title_logs(folder, ITEMS, tasks=["title", "abstract"], methods=["direct", "null", "oracle"])
    return folder / "logs"


@pytest.fixture
def logs(made: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return Path(shutil.copytree(made, tmp_path / "logs"))


def test_json_is_one_document_with_the_promised_keys(made: Path) -> None:
    done = viva("board", "show", made, "--json")
    assert done.exit_code == 0
    board = only_json(done.stdout)
    assert len(board["rows"]) == 2 * 3 * 4  # tasks, contestants, three metrics and a diagnostic
    for row in board["rows"]:
        assert [key for key in KEYS if key not in row] == []
        assert 0 <= row["value"] <= (1 if row["metric"] != "length_ratio" else 100)
        assert row["ci"][0] <= row["value"] + 1e-12
        assert row["value"] <= row["ci"][1] + 1e-12
        assert row["n"] == ITEMS


def test_the_table_ranks_and_shows_the_ceiling_unranked(made: Path) -> None:
    text = viva("board", "show", made).stdout
    lines = text[text.index("title · base") :].splitlines()[3:6]
    assert [line.split()[0] for line in lines[:2]] == ["–", "1"]
    names = ["oracle", "extractive/lead", "null"]
    assert [name in line.split() for name, line in zip(names, lines, strict=True)] == [True] * 3
    assert "round small" in text
    assert "the ceiling and is not ranked" in text


def test_a_partial_log_is_refused_unless_asked_for(logs: Path) -> None:
    folder = logs.parent
    spec = RunSpec(
        tasks=["title"],
        round=small_round(folder, papers=ITEMS).folder,
        logs=logs,
        models=["extractive/centrality"],
        limit=1,
        display="none",
    )
    [name] = [Path(path).name for path in run(spec).logs]
    for verb in (("show",), ("build", "--out", folder / "site")):
        done = viva("board", verb[0], logs, *verb[1:])
        assert done.exit_code == 1
        assert f"{name}: 1 of 4 answers" in done.stderr
        assert done.stdout == ""
    assert not (folder / "site").exists()
    done = viva("board", "show", logs, "--partial")
    assert done.exit_code == 0
    assert "extractive/centrality (partial)" in done.stdout
    assert f"Note: {name} is partial" in done.stdout
    rows = only_json(viva("board", "show", logs, "--partial", "--json").stdout)["rows"]
    assert {row["rank"] for row in rows if row["partial"]} == {None}


def test_a_damaged_log_is_refused_and_named(logs: Path) -> None:
    path = sorted(logs.glob("*.eval"))[0]
    path.write_bytes(path.read_bytes()[:2_000])
    done = viva("board", "show", logs)
    assert (done.exit_code, path.name in done.stderr) == (1, True)
    assert "fault of the program" not in done.stderr
    done = viva("board", "show", logs, "--partial", "--json")
    assert done.exit_code == 0
    assert any(path.name in note for note in only_json(done.stdout)["notes"])
