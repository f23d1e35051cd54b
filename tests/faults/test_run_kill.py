"""A run that is killed and asked for again with other prompts."""

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.servers.commands import small_round, viva_here
from tests.servers.scripted import Ask, Reply, opening, scripted

from vivavoce.errors import VivaError
from vivavoce.results.board.building import leaderboard
from vivavoce.rounds import Round
from vivavoce.tasks.family import open_prompts

pytestmark = pytest.mark.slow

ITEMS = 8


def slowly(ask: Ask) -> Reply:
    return dataclasses.replace(opening(ask), delay=0.15)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return small_round(tmp_path_factory.mktemp("kill"), papers=ITEMS)


def test_changed_prompts_are_not_mixed_with_the_old_ones(
    small: Round, tmp_path: Path, kill_after: Callable[..., None]
) -> None:
    prompts, logs = tmp_path / "prompts", tmp_path / "logs"
    shutil.copytree(open_prompts("writing", None).folder, prompts)
    model = ("--model", "openai-api/scripted/killed", "--max-connections", "2")
    where = ("--round", small.folder, "--logs", logs, "--prompts", prompts)
    arguments = ["run", "title", *where, *model]
    with scripted(slowly) as server:
        kill_after(server, 3, arguments)
        before = len(server.asks)
        template = prompts / "title.md.j2"
        template.write_text(template.read_text() + "\nChanged.\n")
        viva_here(*arguments, env=server.environment)
        asked = server.asks[before:]
        assert len(asked) == ITEMS
        assert all(ask.prompt.endswith("Changed.") for ask in asked)
    # The killed run is a row of its own, so the board says that it is not complete.
    with pytest.raises(VivaError, match="status started"):
        leaderboard(logs)
    found = leaderboard(logs, partial=True, resamples=0).rows
    rows = [row for row in found if row["metric"] == "rougeL"]
    assert len({row["prompt_hash"] for row in rows}) == 2
    assert sorted((row["partial"], row["n"] == ITEMS) for row in rows) == [
        (False, True),
        (True, False),
    ]
