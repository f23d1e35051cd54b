"""The page on published tables: its commands parse, and every table has its line."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from vivavoce.cli import app

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "reproductions.md").read_text("utf-8")
CARDS = sorted((ROOT / "src" / "vivavoce" / "tasks").glob("*/card.yaml"))
COMMANDS = sorted(set(re.findall(r"`viva ([^`]+)`", TEXT)))


def parse(words: list[str]) -> str:
    """Parse a command line as the program would; returns the verb.

    ValueError names what the program does not take.
    """
    command: Any = typer.main.get_command(app)
    verb = "viva"
    while commands := getattr(command, "commands", None):
        name, *words = words
        if name not in commands:
            raise ValueError(f"no verb is called {verb} {name}")
        command, verb = commands[name], f"{verb} {name}"
    try:
        command.make_context(verb, words)
    except Exception as error:  # Typer brings its own class of usage errors along
        raise ValueError(f"{verb}: {error}") from error
    return verb


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_is_one_that_the_program_takes(command: str) -> None:
    assert parse(shlex.split(command)).startswith("viva ")


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.startswith("run ")])
def test_a_run_of_the_page_names_tasks_methods_and_settings_that_there_are(command: str) -> None:
    cards = [yaml.safe_load(path.read_bytes()) for path in CARDS]
    tasks = {name: (card, task) for card in cards for name, task in card["tasks"].items()}
    _, *words = shlex.split(command)
    named = list(takewhile(lambda word: not word.startswith("-"), words))
    assert named
    for name in named:
        card, task = tasks[name]
        given = dict(pairwise(words))
        assert given.get("--method", "direct") in {"direct", *card["methods"]}
        assert given.get("--setting", "base") in {*task["settings"]}


@pytest.mark.parametrize("command", ["corpus leaderboards", "corpus boards --colour red"])
def test_a_command_that_there_is_not_is_noticed(command: str) -> None:
    with pytest.raises(ValueError, match=r"leaderboards|colour"):
        parse(shlex.split(command))


def test_every_table_of_the_papers_has_its_line() -> None:
    assert len(COMMANDS) >= 15
    sections = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S))
    tables = {"LEGOBench": 10, "AcademicEval": 6, "RD2Bench": 5, "arXiv2Table": 18}
    for paper, count in tables.items():
        first_cells = re.findall(r"^\| ([\d, ]+) \|", sections[paper], re.M)
        numbers = [int(number) for cell in first_cells for number in cell.split(",")]
        assert numbers == list(range(1, count + 1)), paper
