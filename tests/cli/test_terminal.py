"""What the terminal shows: version, completion, and names that cannot steer it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.servers.commands import VIVA
from typer.testing import CliRunner

from vivavoce import __version__
from vivavoce.cli import app
from vivavoce.cli.output import print_json, print_table, say
from vivavoce.models.offline import PICKS
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


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("viva run ti", {"title"}),
        ("viva run title --method orac", {"oracle"}),
        ("viva ingest p", {"pdf", "pwc"}),
        ("viva score w", {"writing"}),
        ("viva run title --model extr", {f"extractive/{name}" for name in PICKS}),
        ("viva run title --model openai/gpt-4o", {"openai/gpt-4o", "openai/gpt-4o-mini"}),
        ("viva run title --round s", {"sample"}),
        ("viva run title --round r", {"rounds/try", "rounds/other"}),
        ("viva round serve rounds/t", {"rounds/try"}),
    ],
)
def test_a_shell_completes_names(words: str, expected: set[str], tmp_path: Path) -> None:
    for name in ("rounds/try", "rounds/other", "rounds"):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
        (tmp_path / name / ("manifest.json" if "/" in name else "notes.txt")).touch()
    env = os.environ | {
        "_VIVA_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    done = subprocess.run(
        [VIVA], env=env, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    assert set(done.stdout.split()) == expected
