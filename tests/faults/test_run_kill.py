"""A run that is killed and asked for again: every answer once, hardly any paid twice."""

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log
from tests.servers.commands import small_round, viva_here
from tests.servers.scripted import TOKENS, Ask, Reply, opening, scripted

from vivavoce.errors import VivaError
from vivavoce.results.board.building import leaderboard
from vivavoce.rounds import Round
from vivavoce.tasks.family import open_prompts

pytestmark = pytest.mark.slow

Kill = Callable[..., None]
ITEMS = 8
CONNECTIONS = 2


def slowly(ask: Ask) -> Reply:
    return dataclasses.replace(opening(ask), delay=0.15)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return small_round(tmp_path_factory.mktemp("kill"), papers=ITEMS)


def command(opened: Path, logs: Path, *options: str | Path) -> list[str | Path]:
    model = f"openai-api/scripted/{logs.parent.name}"
    most = ("--max-connections", str(CONNECTIONS))
    return ["run", "title", "--round", opened, "--logs", logs, "--model", model, *most, *options]


def headline(logs: Path, **options: Any) -> list[dict[str, Any]]:
    rows = leaderboard(logs, resamples=0, **options).rows
    return [row for row in rows if row["metric"] == "rougeL"]


def check_each_answer_stands_once(logs: Path, epochs: int = 1) -> None:
    [row] = headline(logs)
    assert (row["n"], row["valid"], row["missing"], row["partial"]) == (ITEMS, 1.0, 0, False)
    assert row["tokens"] == ITEMS * epochs * TOKENS
    complete = [
        log
        for info in list_eval_logs(str(logs))
        if (log := read_eval_log(info)).status == "success"
    ]
    [log] = complete
    pairs = [(sample.id, sample.epoch) for sample in log.samples or []]
    assert len(pairs) == len(set(pairs)) == ITEMS * epochs


def test_a_run_killed_twice_with_two_answers_a_sample(
    small: Round, tmp_path: Path, kill_after: Kill
) -> None:
    arguments = command(small.folder, tmp_path / "logs", "--epochs", "2")
    with scripted(slowly) as server:
        kill_after(server, 4, arguments)
        kill_after(server, 11, arguments)
        viva_here(*arguments, env=server.environment)
        assert 2 * ITEMS <= len(server.asks) <= 2 * ITEMS + 4 * CONNECTIONS
        check_each_answer_stands_once(tmp_path / "logs", epochs=2)
        found = viva_here("board", "verify", tmp_path / "logs", "--round", small.folder)
        assert "; continued by " in found.stdout
        before = len(server.asks)
        viva_here(*arguments, env=server.environment)
        assert len(server.asks) == before  # a complete run asks nothing


def test_changed_prompts_are_not_mixed_with_the_old_ones(
    small: Round, tmp_path: Path, kill_after: Kill
) -> None:
    prompts, logs = tmp_path / "prompts", tmp_path / "logs"
    shutil.copytree(open_prompts("writing", None).folder, prompts)
    arguments = command(small.folder, logs, "--prompts", prompts)
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
    rows = headline(logs, partial=True)
    assert len({row["prompt_hash"] for row in rows}) == 2
    assert sorted((row["partial"], row["n"] == ITEMS) for row in rows) == [
        (False, True),
        (True, False),
    ]
