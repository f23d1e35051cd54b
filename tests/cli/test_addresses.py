"""An address in place of a path is refused by every option, before anything is made."""

from pathlib import Path

import pytest

from vivavoce import build_round
from vivavoce.errors import InputError
from vivavoce.live.config import read_config, write_start

ADDRESS = "s3://bucket/folder"


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
