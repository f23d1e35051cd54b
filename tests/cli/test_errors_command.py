"""What every command has in common: help, exit codes, and no traceback unless asked for."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup
from typer.testing import Result

from vivavoce import corpus
from vivavoce.cli import app

Viva = Callable[..., Result]
PROGRAM = [sys.executable, "-c", "import sys; from vivavoce.cli import app; app(sys.argv[1:])"]


def all_commands(command: Any, *words: str) -> Iterator[tuple[str, ...]]:
    """Every verb with its groups, such as ("round", "build")."""
    if isinstance(command, TyperGroup):
        for name, inner in command.commands.items():
            yield from all_commands(inner, *words, name)
    elif not command.hidden:  # a group's own verb is called by the group's name
        yield words


SPEAK_A_PROTOCOL = [("round", "serve")]
"""Commands whose output is a conversation with a client, so that no document could be in it."""
COMMANDS = sorted(all_commands(typer.main.get_command(app)))


def test_every_verb_has_help_with_an_example_and_takes_json_and_wide(viva: Viva) -> None:
    for words in COMMANDS:
        told = viva(*words, "--help")
        assert (told.exit_code, f"Example: viva {' '.join(words)}" in told.stdout) == (0, True)
        assert "--json" in told.stdout or words in SPEAK_A_PROTOCOL, words
        refused = viva(*words, "--wide", "--no-such-option")
        assert (refused.exit_code, "--no-such-option" in refused.stderr) == (2, True), words
        assert "--wide" not in refused.stderr, words


def test_an_option_that_means_nothing_beside_another_is_refused(viva: Viva, tmp_path: Path) -> None:
    for option, words in {
        "--costs": ("board", "show", tmp_path, "--by", "part"),
        "--over": ("board", "show", tmp_path),
        "--paper": ("corpus", "stats", "--corpus", tmp_path),
        "--epochs": ("run", "--smoke", "--round", "sample", "--logs", tmp_path),
    }.items():
        result = viva(*words, option, *([] if option == "--costs" else ["2"]))
        assert result.exit_code == 2, option
        assert option.strip("-") in result.stderr


def test_no_command_and_an_unknown_one_are_wrong_use(viva: Viva) -> None:
    assert viva().exit_code == 2
    result = viva("ingets")
    assert result.exit_code == 2
    assert "ingets" in result.stderr


def fail(_: object) -> None:
    raise RuntimeError("a wire came loose")


def test_a_fault_of_the_program_is_one_message(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_trouble_of_the_machine_is_told(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(_: object) -> None:
        raise PermissionError(13, "Permission denied", "secret.txt")

    monkeypatch.setattr(corpus, "load_corpus", unreadable)
    result = viva("corpus", "stats", "--corpus", "c")
    assert (result.exit_code, result.stderr) == (1, "Error: secret.txt: Permission denied\n")


def test_a_real_process_ends_with_2_and_one_line(tmp_path: Path) -> None:
    words = ["ingest", "tei", "missing", "--corpus", "c"]
    done = subprocess.run(
        [*PROGRAM, *words], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert "missing" in done.stderr


def test_a_reader_that_goes_away_is_no_fault_of_the_program() -> None:
    with subprocess.Popen(
        [*PROGRAM, "list", "metrics"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.close()
        assert "fault" not in process.stderr.read()
