"""Behaviour of all commands: help, exit codes, and tracebacks only with --debug."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.servers.commands import VIVA, run
from typer.core import TyperGroup
from typer.testing import Result

from vivavoce import corpus
from vivavoce.cli import app

Viva = Callable[..., Result]


def all_commands(command: Any, *words: str) -> Iterator[tuple[str, ...]]:
    """The words of every command, such as ("round", "build")."""
    if isinstance(command, TyperGroup):
        for name, inner in command.commands.items():
            yield from all_commands(inner, *words, name)
    elif not command.hidden:  # a group's default command has the name of its group
        yield words


WITHOUT_JSON = [("round", "serve")]
"""Commands that speak a protocol on their standard output."""
COMMANDS = sorted(all_commands(typer.main.get_command(app)))


def test_every_command_has_an_example_and_takes_json_and_wide(viva: Viva) -> None:
    for words in COMMANDS:
        help_page = viva(*words, "--help")
        assert help_page.exit_code == 0, words
        assert f"Example: viva {' '.join(words)}" in help_page.stdout
        assert "--json" in help_page.stdout or words in WITHOUT_JSON, words
        refused = viva(*words, "--wide", "--no-such-option")
        assert refused.exit_code == 2, words
        assert "--no-such-option" in refused.stderr, words
        assert "--wide" not in refused.stderr, words


def test_a_missing_or_unknown_command_exits_with_2(viva: Viva) -> None:
    assert viva().exit_code == 2
    result = viva("ingets")
    assert result.exit_code == 2
    assert "ingets" in result.stderr


def fail(_: object) -> None:
    raise RuntimeError("a wire came loose")


def test_a_bug_is_reported_without_a_traceback(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "load_corpus", fail)
    result = viva("corpus", "stats", "--corpus", "c")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "a wire came loose" in result.stderr
    assert "viva --debug" in result.stderr
    assert "Traceback" not in result.stderr


def test_debug_shows_the_traceback(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "load_corpus", fail)
    result = viva("--debug", "corpus", "stats", "--corpus", "c")
    assert result.exit_code == 1
    assert isinstance(result.exception, RuntimeError)


def test_an_operating_system_error_is_reported(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(_: object) -> None:
        raise PermissionError(13, "Permission denied", "secret.txt")

    monkeypatch.setattr(corpus, "load_corpus", unreadable)
    result = viva("corpus", "stats", "--corpus", "c")
    assert (result.exit_code, result.stderr) == (1, "Error: secret.txt: Permission denied\n")


def test_a_wrong_argument_exits_with_2_and_one_line(tmp_path: Path) -> None:
    done = run(VIVA, "ingest", "tei", "missing", "--corpus", "c", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert "missing" in done.stderr


def test_a_closed_pipe_is_not_reported() -> None:
    with subprocess.Popen(
        [VIVA, "list", "metrics"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == ("", 1)
