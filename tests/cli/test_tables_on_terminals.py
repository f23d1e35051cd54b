"""Tables on a terminal: never wider than its window, and nothing is lost."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.servers.commands import small_round

from vivavoce.cli.output import say, table_lines
from vivavoce.running import RunSpec, run

HEADERS = ["rank", "contestant", "rougeL", "rouge1", "n"]
ROWS = [["1", "maker/brisk", "0.5 [0.4, 0.6]", "0.6 [0.5, 0.7]", "12"]]


def test_columns_that_do_not_fit_go_on_below_beside_the_names() -> None:
    assert list(table_lines(HEADERS, ROWS, 40)) == [
        "rank  contestant           rougeL",
        "----  -----------  --------------",
        "   1  maker/brisk  0.5 [0.4, 0.6]",
        "",
        "rank  contestant           rouge1   n",
        "----  -----------  --------------  --",
        "   1  maker/brisk  0.6 [0.5, 0.7]  12",
    ]
    assert len(list(table_lines(HEADERS, ROWS, None))) == 3


def test_a_long_name_is_cut_with_a_mark() -> None:
    *_, last = table_lines(HEADERS, [["1", "maker/" + "long" * 20, "0.5", "0.6", "12"]], 60)
    assert last.split()[:2] == ["1", "maker/longlonglonglonglon…"]


cell = st.text("ab0.[]–", max_size=30)


@given(
    st.integers(1, 6).flatmap(
        lambda n: st.tuples(
            st.lists(cell, min_size=n, max_size=n),
            st.lists(st.lists(cell, min_size=n, max_size=n), max_size=4),
        )
    ),
    st.integers(40, 140),
)
def test_no_line_is_wider_than_the_window(
    table: tuple[list[str], list[list[str]]], window: int
) -> None:
    headers, rows = table
    assert all(len(line) <= window for line in table_lines(headers, rows, window))


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("terminal")
    spec = RunSpec(
        tasks=["title"],
        round=small_round(folder, papers=3).folder,
        logs=folder / "logs",
        models=["extractive/lead"],
        methods=["direct", "null"],
        display="none",
    )
    assert run(spec).failed == ()
    return folder / "logs"


def on_terminal(columns: int, *words: str | Path) -> list[str]:
    """Lines that a command prints on a terminal of so many columns."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", "from vivavoce.cli import app; app()", *map(str, words)],
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": str(columns)},
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        said += piece
    os.close(ours)
    assert process.wait() == 0
    return said.decode().splitlines()


@pytest.mark.parametrize("columns", [80, 120])
def test_a_board_fits_the_terminal(logs: Path, columns: int) -> None:
    command = ("board", "show", logs, "--all", "--costs", "--resamples", "100")
    tables = [line for line in on_terminal(columns, *command) if "  " in line]
    assert max(map(len, tables)) <= columns
    assert any("length_ratio" in line for line in tables)
    wide = [line for line in on_terminal(columns, "--wide", *command) if "  " in line]
    assert max(map(len, wide)) > columns


VERBS = [
    "list tasks",
    "list methods",
    "list metrics",
    "list sources",
    "list rounds --in ROUNDS",
    "doctor",
    "board show LOGS --resamples 100",
    "board compare extractive/lead null --logs LOGS --resamples 100",
    "round stats ROUND",
    "audit leakage ROUND",
]


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("verb", VERBS)
def test_every_line_of_a_verb_fits_the_terminal(logs: Path, verb: str, columns: int) -> None:
    rounds = logs.parent / "round-0"
    places = {"LOGS": logs, "ROUNDS": rounds, "ROUND": rounds / "small"}
    printed = on_terminal(columns, *(places.get(word, word) for word in verb.split()))
    assert len(printed) > 1
    # A command stays in one piece, to be copied.
    whole = [line for line in printed if "viva " not in line and "pip install" not in line]
    assert max(map(len, whole)) <= columns


def test_a_sentence_is_broken_between_words_and_a_command_is_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "20")
    say("  These two contestants are tied here.\nviva board show logs --all --costs")
    assert capsys.readouterr().out.splitlines() == [
        "  These two",
        "  contestants are",
        "  tied here.",
        "viva board show logs --all --costs",
    ]
