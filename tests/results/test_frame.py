"""The tidy table of scores: every answer and metric, from which a board can be computed again."""

from io import BytesIO
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.results.audits.made_logs import write_log
from tests.servers.commands import viva_here

from vivavoce.results.board.building import leaderboard
from vivavoce.results.logs.selection import scores


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    write_log(tmp_path / "logs", {"a": 0.2, "b": 0.6}, clusters={"a": "x", "b": "x"})
    write_log(tmp_path / "logs", {"a": 0.4, "b": None}, model="lab/two")
    return tmp_path / "logs"


def test_the_means_of_the_table_are_the_values_of_the_board(logs: Path) -> None:
    frame = scores(logs).to_pandas()
    means = frame.groupby(["model", "metric"], observed=True)["value"].mean()
    rows = leaderboard(logs, resamples=0).rows
    assert {(row["model"], row["metric"]): row["value"] for row in rows} == pytest.approx(
        means.to_dict()
    )
    [first, *_] = frame[(frame["id"] == "a") & frame["headline"]].to_dict("records")
    assert (first["cluster"], first["epoch"], first["value"]) == ("x", 1, 0.2)


def test_the_command_writes_the_same_table_as_parquet(logs: Path, tmp_path: Path) -> None:
    viva_here("board", "export", logs, "--as", "scores", "--out", tmp_path / "out")
    written = (tmp_path / "out" / "scores.parquet").read_bytes()
    assert pq.read_table(BytesIO(written)).to_pylist() == scores(logs).to_pylist()
