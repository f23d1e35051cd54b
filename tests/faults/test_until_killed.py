"""A run that ends when its question is answered, killed between and within its looks."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.servers.commands import only_json, small_round, viva_here
from tests.servers.golden import Golden
from tests.servers.scripted import Ask, Reply, answer, scripted

pytestmark = pytest.mark.slow

CONNECTIONS = 3
KILLED_AFTER = (5, 17, 30)
"""Answers of both contestants: within the first look, which takes 24, and within the second."""


def test_a_killed_run_takes_the_same_looks_and_pays_for_nothing_twice(
    kill_after: Callable[..., None], tmp_path: Path
) -> None:
    opened = small_round(tmp_path, papers=40)
    golden = Golden(opened, ("title",))

    def reply(ask: Ask) -> Reply:
        # The one is ahead on a paper in three: that takes two looks to decide.
        is_right = ask.model == "one" and len(ask.prompt) % 3 == 0
        said = golden(ask) if is_right else answer("zzz qqq xxx")
        return dataclasses.replace(said, delay=0.05)

    def command(logs: str) -> list[str | Path]:
        models = ("--model", "openai-api/scripted/one", "--model", "openai-api/scripted/other")
        asked = ("--decide", "all", "--looks", "3", "--max-connections", str(CONNECTIONS), "--json")
        return [
            "run",
            "title",
            "--round",
            opened.folder,
            "--logs",
            tmp_path / logs,
            *models,
            *asked,
        ]

    with scripted(reply) as server:
        calm = only_json(viva_here(*command("calm"), env=server.environment).stdout)
        needed = len(server.asks)
        assert needed == calm["stopped"][0]["answers"]
        start = server.answered
        for count in KILLED_AFTER:
            kill_after(server, start + count, command("killed"))
        killed = only_json(viva_here(*command("killed"), env=server.environment).stdout)
        assert server.failures == []
        paid_twice = len(server.asks) - 2 * needed
    assert killed["stopped"] == calm["stopped"]
    logs = tmp_path / "killed"
    checked = only_json(
        viva_here("board", "verify", logs, "--round", opened.folder, "--json").stdout
    )
    assert {log["trust"] for log in checked["logs"]} == {"recomputed"}
    assert (
        sum(log["continued_by"] is not None for log in checked["logs"]) == len(checked["logs"]) - 2
    )
    assert 0 <= paid_twice <= len(KILLED_AFTER) * 2 * CONNECTIONS  # what was under way
