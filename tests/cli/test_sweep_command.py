"""`viva run --sweep --subset`, `viva board show --by sweep` and the costs of `viva board show`."""

from pathlib import Path

import pytest
from tests.servers.commands import small_round, viva_here

from vivavoce.results.board.building import leaderboard

ITEMS = 5


@pytest.fixture(scope="module")
def round_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_round(tmp_path_factory.mktemp("round"), papers=ITEMS).folder


@pytest.fixture(scope="module")
def swept(round_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of six combinations over three of the five items."""
    logs = tmp_path_factory.mktemp("sweep") / "logs"
    viva_here(
        *("run", "title", "--round", round_folder, "--model", "extractive/lead", "--logs", logs),
        *("--method", "rag", "--sweep", "chunks=1,2", "size=130,200,300", "--epochs", "2"),
        *("--subset", "3", "--stratify"),
    )
    return logs


def test_a_sweep_is_printed_as_a_list_and_as_a_grid(swept: Path) -> None:
    lines = viva_here(
        "board", "show", "--by", "sweep", swept, "--over", "size,chunks"
    ).stdout.splitlines()
    assert lines[0].startswith("extractive/lead + rag · title · base (3 of 5, stratified)")
    assert lines[1].split()[:3] == ["size", "chunks", "rougeL"]
    assert [line.split()[:2] for line in lines[3:9]] == [
        [size, chunks] for size in ("130", "200", "300") for chunks in ("1", "2")
    ]
    # Two attempts of a method that does not draw: the runs do not deviate.
    assert "± 0.000" in lines[3]
    grid = lines[lines.index("rougeL by size and chunks") :]
    assert grid[1].split() == ["size", "chunks=1", "chunks=2", "±"]
    assert [line.split()[0] for line in grid[3:6]] == ["130", "200", "300"]
    assert all(line.split()[-1] == "0.000" for line in grid[3:6])


def test_the_board_shows_what_an_answer_costs(swept: Path) -> None:
    plain = viva_here("board", "show", swept, "--wide").stdout.splitlines()
    costs = viva_here("board", "show", swept, "--costs", "--wide").stdout.splitlines()
    assert plain[1].split()[-3:] == ["valid", "shown", "whole"]
    assert costs[1].split()[-5:-2] == ["tokens", "s", "$"]
    [row, *_] = [row for row in leaderboard(swept, resamples=0).rows if row["rank"] == 1]
    assert row["answers"] == 3 * 2
    tokens, _, dollars, _ = costs[3].split()[-4:]
    assert (float(tokens), dollars) == (round(row["tokens"] / 6), "–")


def test_logs_without_a_sweep_end_with_1(round_folder: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    viva_here("run", "title", "--round", round_folder, "--logs", logs, "--method", "null")
    assert "--sweep" in viva_here("board", "show", "--by", "sweep", logs, expect=1).stderr
