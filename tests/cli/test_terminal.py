"""What the terminal shows: the version, and names that cannot steer it."""

import json

import pytest
from typer.testing import CliRunner

from vivavoce import __version__
from vivavoce.cli import app
from vivavoce.cli.output import print_json, print_table, say
from vivavoce.reports import Sheet

HOSTILE = "\x1b[2Jlab/\u202eeno\x07"
SPELLED = "⟨U+001B⟩[2Jlab/⟨U+202E⟩eno⟨U+0007⟩"


def test_the_version_is_printed() -> None:
    assert CliRunner().invoke(app, ["--version"]).stdout == f"viva {__version__}\n"


def test_hostile_names_are_spelled_out(capsys: pytest.CaptureFixture[str]) -> None:
    say(f"first {HOSTILE}\nsecond")
    assert capsys.readouterr().out == f"first {SPELLED}\nsecond\n"
    print_table(Sheet(HOSTILE, ("model", "n"), ((HOSTILE, "1"),)))
    title, _, _, row = capsys.readouterr().out.splitlines()
    assert (title, row) == (SPELLED, f"{SPELLED}  1")


def test_json_keeps_hostile_names_and_shows_none(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"model": HOSTILE, "title": "Überblick", "line": "a\nb", "half": "\ud800"}
    print_json(value)
    printed = capsys.readouterr().out
    assert json.loads(printed) == value
    assert all(char.isprintable() or char == "\n" for char in printed)
    assert "Überblick" in printed
