"""An address in place of a path is refused by every option, before anything is made."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest
import typer.main
from typer.testing import CliRunner

from vivavoce import build_round
from vivavoce.cli import app
from vivavoce.errors import InputError
from vivavoce.live.config import read_config, write_start

ADDRESS = "s3://bucket/folder"


def verbs(command: Any, words: tuple[str, ...] = ()) -> Iterator[list[str]]:
    """A command line for each option and argument that takes a path."""
    if hasattr(command, "commands"):
        for name, member in command.commands.items():
            yield from verbs(member, (*words, name))
        return
    needed = [one for one in command.params if one.required]
    for place in (one for one in command.params if kind_of(one) is Path):
        line = list(words)
        for one in [*needed, *([] if place in needed else [place])]:
            value = ADDRESS if one is place else sample_of(one)
            line += [value] if one.param_type_name == "argument" else [one.opts[0], value]
        yield line


def kind_of(parameter: Any) -> Any:
    """The type that a parameter is declared with."""
    kind = parameter.type_descriptor.annotation
    parts = () if get_origin(kind) is Literal else get_args(kind)
    return next((one for one in parts if one is not type(None)), kind)


def takes_no_address(line: list[str]) -> bool:
    """All but `--corpus`, which may be at an address of an object store."""
    return line[line.index(ADDRESS) - 1] != "--corpus"


def sample_of(parameter: Any) -> str:
    """A value that a parameter takes."""
    kind = kind_of(parameter)
    if get_origin(kind) is Literal:
        return str(get_args(kind)[0])
    return "1" if kind in (int, float) else "2024-01-01" if parameter.metavar == "DATE" else "x"


LINES = [line for line in verbs(typer.main.get_command(app)) if takes_no_address(line)]


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_every_option_that_takes_a_path_refuses_an_address(
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
