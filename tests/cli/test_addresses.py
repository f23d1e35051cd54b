"""An address in place of a path is refused by every option, before anything is made."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from vivavoce import build_round
from vivavoce.cli import app
from vivavoce.errors import InputError
from vivavoce.live.config import read_config, write_start

ADDRESS = "s3://bucket/folder"
LINES = [
    ["board", "show", ADDRESS],
    ["board", "build", "logs", "--out", ADDRESS],
    ["round", "verify", ADDRESS],
    ["run", "title", "--round", "sample", "--logs", ADDRESS],
    ["ingest", "tei", ADDRESS, "--corpus", "corpus"],
]
"""Arguments and options that take a path; of all of them only `--corpus` takes an address."""


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_an_option_that_takes_a_path_refuses_an_address(
    line: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, line)
    assert done.exit_code == 2, done.output
    assert "is an address" in done.output
    assert not list(tmp_path.iterdir())


def test_half_an_address_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["ingest", "sample", "3", "--corpus", "s3:/bucket/corpus"])
    assert done.exit_code == 2
    assert "is an address" in done.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("here", "there"),
    [("[live]", f'[live]\nfolder = "{ADDRESS}"'), ("[site]", f'[site]\ncutoffs = "{ADDRESS}"')],
)
def test_a_live_board_takes_no_address(tmp_path: Path, here: str, there: str) -> None:
    config, *_ = write_start(tmp_path)
    config.write_text(config.read_text("utf-8").replace(here, there, 1), "utf-8")
    with pytest.raises(InputError, match="is an address"):
        read_config(config)


def test_calls_from_python_take_no_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="is an address"):
        build_round("corpus", {}, ADDRESS)
    assert not list(tmp_path.iterdir())
