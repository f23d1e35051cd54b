"""`viva run --agent`: an agent of a user's own from the command line to the board."""

import re
from functools import partial
from pathlib import Path

import pytest
from tests.servers.commands import only_json, small_round, viva_here

viva = partial(viva_here, expect=None)

ALONE = """
async def alone(question):
    return "A title about " + question.split()[-1]
"""


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str | Path, ...]:
    """A run of the title task by the agent in `mine.py`."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(ALONE, "utf-8")
    made = small_round(tmp_path / "made", papers=3)
    agent = ("--agent", "mine.py@alone", "--model", "extractive/lead")
    return ("run", "title", "--round", made.folder, "--logs", "logs", *agent)


def test_its_row_is_on_the_board_and_nobody_can_verify_it(ask: tuple[str | Path, ...]) -> None:
    done = viva(*ask)
    assert done.exit_code == 0, done.output
    rows = only_json(viva("board", "show", "logs", "--json").stdout)["rows"]
    (method,) = {row["method"] for row in rows}
    assert re.fullmatch(r"custom_agent\(agent=mine\.py@alone, sha256=[0-9a-f]{12}\)", method)
    assert {row["n"] for row in rows} == {3}
    assert {row["valid"] for row in rows} == {1.0}
    verified = viva("board", "verify", "logs", "--round", ask[3])
    assert verified.exit_code == 1
    # The file of another's agent is never run to verify a log.
    assert "its method custom_agent cannot be run again here" in verified.output


def test_a_changed_file_is_another_contestant(ask: tuple[str | Path, ...]) -> None:
    assert viva(*ask).exit_code == 0
    Path("mine.py").write_text(ALONE.replace("about", "on"), "utf-8")
    assert viva(*ask).exit_code == 0
    rows = only_json(viva("board", "show", "logs", "--json").stdout)["rows"]
    assert len({row["method"] for row in rows}) == 2
