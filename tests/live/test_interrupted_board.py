"""Ctrl-C in the middle of `viva live`: it says the command that goes on, and that command does."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from threading import Event

import pytest
from tests.live.world import board
from tests.servers.commands import interrupt, viva_here
from tests.servers.living_arxiv import submissions
from tests.servers.scripted import Ask, Reply, opening

DAY = "2023-02-03"


@pytest.mark.slow
def test_ctrl_c_prints_the_command_that_goes_on(tmp_path: Path) -> None:
    was_asked = Event()

    def slowly(ask: Ask) -> Reply:
        was_asked.set()
        return replace(opening(ask), delay=2.0)

    with board(tmp_path / "board", submissions(4, 60), slowly) as one:
        one.write('[[contestant]]\nname = "calm"\nmodel = "openai-api/scripted/brisk"\n')
        one.archive.today = date.fromisoformat(DAY)
        words = one.words(DAY)
        rest = interrupt(words, was_asked, one.models.environment)
        assert rest == words
        one.models.script = opening
        viva_here(*rest, env=one.models.environment)
        [brisk] = [row for row in one.rows() if row["metric"] == "rougeL"]
        assert (brisk["model"], brisk["alias"]) == ("openai-api/scripted/brisk", "calm")
        assert not brisk["partial"]
        pages = [path.read_text("utf-8") for path in (one.folder / "site").rglob("*.html")]
        assert any("<bdi>calm</bdi>" in page for page in pages)
