"""Tables on a terminal: never wider than its window, and nothing is lost."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.servers.commands import title_logs, viva_here
from tests.servers.terminals import on_terminal
from typer.testing import CliRunner

from vivavoce import __version__
from vivavoce.cli import app
from vivavoce.cli.output import print_json, print_table, say, set_output, table_lines
from vivavoce.reports import Sheet

HEADS = ("rank", "contestant", "rougeL", "rouge1", "n")
TABLE = Sheet("", HEADS, (("1", "maker/brisk", "0.5 [0.4, 0.6]", "0.6 [0.5, 0.7]", "12"),))


def test_columns_that_do_not_fit_go_on_below_beside_the_names() -> None:
    assert list(table_lines(TABLE, 40)) == [
        "rank  contestant           rougeL",
        "----  -----------  --------------",
        "   1  maker/brisk  0.5 [0.4, 0.6]",
        "",
        "rank  contestant           rouge1   n",
        "----  -----------  --------------  --",
        "   1  maker/brisk  0.6 [0.5, 0.7]  12",
    ]
    assert len(list(table_lines(TABLE, None))) == 3


def test_rows_of_one_name_go_on_below_beside_what_tells_them_apart() -> None:
    heads = ("contestant", "difficulty", "item", "skill", "accuracy")
    rows = (("naive", "easy", "PEG", "1.0", "1.0"), ("naive", "easy", "alpha053", "0.0", "0.3"))
    assert list(table_lines(Sheet("", heads, rows), 45)) == [
        "contestant  difficulty  item      skill",
        "----------  ----------  --------  -----",
        "naive       easy        PEG         1.0",
        "naive       easy        alpha053    0.0",
        "",
        "contestant  item      accuracy",
        "----------  --------  --------",
        "naive       PEG            1.0",
        "naive       alpha053       0.3",
    ]


def test_sentences_are_broken_and_rows_without_a_cell_do_not_go_on_below() -> None:
    heads = ("task", "version", "tools", "summary")
    rows = (
        ("title", "1-A", "", "A title of about ten words from the main text and the abstract."),
        ("table", "3-A", "search, read", ""),
    )
    assert list(table_lines(Sheet("", heads, rows), 40)) == [
        "task   version  tools",
        "-----  -------  ------------",
        "title      1-A",
        "table      3-A  search, read",
        "",
        "task   summary",
        "-----  ---------------------------------",
        "title  A title of about ten words from",
        "       the main text and the abstract.",
    ]


def test_a_long_name_is_cut_with_a_mark() -> None:
    long = Sheet("", HEADS, (("1", "maker/" + "long" * 20, "0.5", "0.6", "12"),))
    *_, last = table_lines(long, 60)
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
def test_no_line_exceeds_the_window(table: tuple[list[str], list[list[str]]], window: int) -> None:
    heads, rows = table
    shown = Sheet("", tuple(heads), tuple(map(tuple, rows)))
    assert all(len(line) <= window for line in table_lines(shown, window))


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("terminal")
    title_logs(folder, 3, methods=["direct", "null"])
    return folder / "logs"


@pytest.mark.parametrize("columns", [80, 120])
def test_a_board_fits_the_terminal(logs: Path, columns: int) -> None:
    command = ("board", "show", logs, "--all", "--costs", "--resamples", "100")
    tables = [line for line in on_terminal(columns, *command) if "  " in line]
    assert max(map(len, tables)) <= columns
    assert any("length_ratio" in line for line in tables)
    for words in (("--wide", *command), (*command, "--wide")):
        wide = [line for line in on_terminal(columns, *words) if "  " in line]
        assert max(map(len, wide)) > columns


def test_bars_with_colour_are_for_terminals_alone(tmp_path: Path) -> None:
    words = ["ingest", "sample", "5", "--corpus"]
    drawn = on_terminal(80, *words, tmp_path / "one", stream="stderr")
    assert any("\x1b[" in line for line in drawn)
    assert "\x1b" not in viva_here(*words, tmp_path / "two").output
    assert not any("\x1b" in line for line in on_terminal(80, *words, tmp_path / "three"))


@pytest.mark.parametrize("words", [["--help"], ["board", "build", "--help"]])
def test_help_fits_a_narrow_terminal(words: list[str]) -> None:
    assert max(map(len, on_terminal(80, *words))) <= 80


def test_a_sentence_is_broken_between_words_and_a_command_is_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "20")
    set_output(debug=False, wide=False)  # whatever a command before this said
    say("  These two contestants are tied here.\nviva board show logs --all --costs")
    assert capsys.readouterr().out.splitlines() == [
        "  These two",
        "  contestants are",
        "  tied here.",
        "viva board show logs --all --costs",
    ]


def test_an_error_is_broken_between_words(tmp_path: Path) -> None:
    nowhere = tmp_path / ("deep" * 20)
    printed = on_terminal(80, "board", "show", nowhere, stream="stderr", expect=2)
    assert max(len(line) for line in printed if "deep" not in line) <= 80


# Names that cannot steer the terminal


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
