"""Ctrl-C in the middle of `viva run`: it says the command that goes on, and that command does."""

from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
import typer
from tests.servers.commands import interrupt, small_round, viva_here
from tests.servers.scripted import Ask, Reply, opening, scripted

from vivavoce.cli import app
from vivavoce.results.board.building import leaderboard


@pytest.mark.slow
def test_ctrl_c_prints_the_run_that_goes_on(tmp_path: Path) -> None:
    opened, was_asked = small_round(tmp_path, papers=6), Event()

    def slowly(ask: Ask) -> Reply:
        was_asked.set()
        return replace(opening(ask), delay=2.0)

    command = [
        *("run", "title", "abstract", "--round", str(opened.folder)),
        *("--logs", str(tmp_path / "my logs"), "--model", "openai-api/scripted/one"),
    ]
    with scripted(slowly) as server:
        rest = interrupt(command, was_asked, server.environment)
        assert rest == command
        server.script = opening
        viva_here(*rest, env=server.environment)
        assert len(server.asks) >= 12
    rows = leaderboard(tmp_path / "my logs", resamples=0).rows
    assert {(row["task"], row["n"]) for row in rows} == {("title", 6), ("abstract", 6)}


GOES_ON = "Stopped. Completed work is kept. To continue:"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("exam papers", [GOES_ON, "  viva exam papers"]),
        ("live board.toml", [GOES_ON, "  viva live board.toml"]),
        ("demo", ["Stopped."]),
    ],
)
def test_verbs_that_go_on_say_how(
    command: str, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def press_ctrl_c(**_: object) -> None:
        raise KeyboardInterrupt

    words = command.split()
    verb = typer.main.get_command(app).commands[words[0]]  # type: ignore[attr-defined]
    if words[0] == "live":
        verb = verb.commands["config"]
    monkeypatch.setattr(verb, "callback", press_ctrl_c)
    monkeypatch.setattr("sys.argv", ["viva", *words])
    assert viva_here(*words, expect=130).stderr.strip().splitlines() == said
