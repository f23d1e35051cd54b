"""Replies that end at the limit of tokens, and what is cut off before a reply is scored."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.servers.commands import only_json, small_round, viva_here
from tests.servers.scripted import Ask, Reply, answer, scripted

from vivavoce.running import RunSpec, run

THOUGHT = "Perhaps the seals belong here."


def reply(ask: Ask) -> Reply:
    """Two models: one ends at its limit at every other item, one says what it thinks."""
    if ask.model == "thinking":
        return answer(f"<think>{THOUGHT}</think>A Title of Otters")
    return answer("A Title That Stops", finish="length" if ask.number % 2 else "stop")


def test_boards_and_pages_say_what_was_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = small_round(tmp_path, papers=4)
    with scripted(reply) as server:
        for name in ("SCRIPTED_BASE_URL", "SCRIPTED_API_KEY"):
            monkeypatch.setenv(name, server.environment[name])
        for name in ("short", "thinking"):
            spec = RunSpec(
                tasks=["title"],
                round=opened.folder,
                logs=tmp_path / "logs",
                models=[f"openai-api/scripted/{name}"],
                display="none",
            )
            assert run(spec).failed == ()
    shown = only_json(viva_here("board", "show", tmp_path / "logs", "--json").stdout)
    shares = {row["model"].rpartition("/")[2]: row["truncated"] for row in shown["rows"]}
    assert shares == {"short": 0.5, "thinking": None}
    viva_here("board", "build", tmp_path / "logs", "--out", tmp_path / "site", "--seed", "0")
    pages = [page.read_text("utf-8") for page in (tmp_path / "site").rglob("*.html")]
    assert any("It was cut off at its token limit." in page for page in pages)
    assert any("Cut off before it was scored" in page and THOUGHT in page for page in pages)
