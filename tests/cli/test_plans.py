"""Plans from earlier logs: what a run until its question is answered costs, how many papers a
difference needs, and items chosen by the difficulty that others met."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.servers.commands import only_json, small_round, viva_here
from tests.servers.golden import Golden
from tests.servers.scripted import Ask, Reply, ScriptedServer, answer, scripted

from vivavoce.rounds import Round
from vivavoce.statistics.comparison import smallest_detectable_difference
from vivavoce.statistics.intervals import resample
from vivavoce.store import hash_of

ITEMS = 30
MODELS = ("best", "half", "bad", "new")


def is_hard(prompt: str) -> bool:
    return int(hash_of(prompt), 16) % 3 == 0


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return small_round(tmp_path_factory.mktemp("plans"), papers=ITEMS + 2)


def named(*models: str) -> list[str]:
    return [word for name in models for word in ("--model", f"openai-api/scripted/{name}")]


@pytest.fixture(scope="module")
def earlier(opened: Round, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A server, and logs of three contestants: always right, right where it is easy, never."""
    golden = Golden(opened, ("title",))

    def reply(ask: Ask) -> Reply:
        is_right = ask.model == "best" or (ask.model == "half" and not is_hard(ask.prompt))
        return golden(ask) if is_right else answer("zzz qqq xxx")

    logs = tmp_path_factory.mktemp("earlier") / "logs"
    with scripted(reply) as server:
        words = ("run", "title", "--round", opened.folder, "--logs", logs)
        viva_here(*words, *named("best", "half", "bad"), env=server.environment)
        server.asks.clear()
        yield server, logs


def run(server: ScriptedServer, opened: Round, logs: Path, *words: str | Path) -> Any:
    command = ("run", "title", "--round", opened.folder, "--logs", logs, "--json", *words)
    done = viva_here(*command, env=server.environment)
    assert server.failures == []
    return only_json(done.stdout)


def test_a_plan_says_what_a_run_then_costs(
    opened: Round, earlier: tuple[ScriptedServer, Path], tmp_path: Path
) -> None:
    server, logs = earlier
    asked = (*named("best", "half", "bad"), "--until", "top=1", "--looks", "5")
    learn = ("--learn-from", logs)
    [plan] = run(server, opened, tmp_path / "logs", *asked, *learn, "--plan")["plan"]
    assert server.asks == []
    items = len(opened.items("writing", "title"))
    assert (plan["contestants"], plan["known"], plan["of_answers"]) == (3, 3, 3 * items)
    low, high = plan["answers_range"]
    assert low <= plan["answers"] <= high
    assert 0 < plan["answers"] < plan["of_answers"]
    assert plan["input_tokens"] == pytest.approx(100 * plan["answers"])
    assert plan["output_tokens"] == pytest.approx(7 * plan["answers"])
    [ended] = run(server, opened, tmp_path / "logs", *asked)["stopped"]
    assert low - 3 <= ended["answers"] <= high + 3
    assert [plan] == run(server, opened, tmp_path / "logs", *asked, *learn, "--plan")["plan"]


def test_others_stand_for_contestants_without_logs(
    opened: Round, earlier: tuple[ScriptedServer, Path]
) -> None:
    server, logs = earlier
    words = (*named("best", "new"), "--until", "all", "--plan")
    [plan] = run(server, opened, logs, *words)["plan"]
    assert (plan["contestants"], plan["known"]) == (2, 1)
    too_many = ("run", "title", "--round", opened.folder, "--logs", logs, *named(*MODELS))
    done = viva_here(*too_many, "--until", "all", "--plan", env=server.environment, expect=2)
    assert "takes as many in earlier logs; there are 3" in " ".join(done.stderr.split())


def test_a_subset_has_items_of_every_difficulty(
    opened: Round, earlier: tuple[ScriptedServer, Path], tmp_path: Path
) -> None:
    server, logs = earlier
    server.asks.clear()
    options = ("--subset", "10", "--stratify", "difficulty", "--learn-from", logs)
    [path] = run(server, opened, tmp_path / "logs", *named("new"), *options)["logs"]
    prompts = [ask.prompt for ask in server.asks]
    hard = sum(is_hard(prompt) for prompt in Golden(opened, ("title",))._answers)
    items = len(opened.items("writing", "title"))
    assert len(prompts) == 10
    # One stratum of the hard items and one of the easy ones: each gives its share, rounded.
    assert abs(sum(map(is_hard, prompts)) - 10 * hard / items) < 1
    assert run(server, opened, tmp_path / "logs", *named("new"), *options)["logs"] == [path]
    assert len(server.asks) == 10
    [row] = [
        row
        for row in only_json(viva_here("board", "show", tmp_path / "logs", "--json").stdout)["rows"]
        if row["headline"]
    ]
    assert row["setting"].startswith(f"base (10 of {items}, by difficulty ")
    shown = viva_here("board", "verify", tmp_path / "logs", "--round", opened.folder).stdout
    assert "verified" in shown
    command = ("run", "title", "--round", opened.folder, "--logs", tmp_path / "none")
    asked = ("--subset", "9", "--stratify", "difficulty", "--learn-from", logs)
    done = viva_here(*command, *named("best", "half"), *asked, env=server.environment, expect=2)
    assert "difficulty takes two" in " ".join(done.stderr.split())


def test_how_many_papers_a_difference_needs(
    opened: Round, earlier: tuple[ScriptedServer, Path]
) -> None:
    _, logs = earlier
    command = ("round", "stats", opened.folder, "--logs", logs, "--json")
    [row] = only_json(viva_here(*command, "--power", "0.1").stdout)["power"]
    items = len(opened.items("writing", "title"))
    assert (row["task"], row["contestants"], row["clusters"]) == ("title", 3, items)
    assert (row["clusters_there"], row["difference"]) == (items, 0.1)
    assert row["clusters_needed"] == -(-items * (row["detectable"] / 0.1) ** 2 // 1)
    assert row["enough"] == (row["clusters_needed"] <= items)
    # Half the difference takes four times the papers, and what they show now takes those there are.
    [half] = only_json(viva_here(*command, "--power", "0.05").stdout)["power"]
    assert half["clusters_needed"] == pytest.approx(4 * row["clusters_needed"], abs=4)
    [shown] = only_json(viva_here(*command, "--power", repr(row["detectable"])).stdout)["power"]
    assert shown["clusters_needed"] == items
    board = only_json(viva_here("board", "show", logs, "--json").stdout)["rows"]
    [detectable] = {one["detectable"] for one in board if one["metric"] == row["metric"]}
    assert row["detectable"] == pytest.approx(detectable)
    for power in ("0", "nan", "-1"):
        assert viva_here(*command, "--power", power, expect=2)
    assert viva_here("round", "stats", opened.folder, "--power", "0.1", expect=2)


def test_a_difference_between_four_known_values() -> None:
    # Differences 1, -1, 1, 1: mean 1/2, deviations 1/2, -3/2, 1/2, 1/2, squares 3, error
    # sqrt(4/3 x 3)/4 = 1/2; 2.8016 errors for one pair.
    values = {"a": [1.0, 0.0, 1.0, 1.0], "b": [0.0, 1.0, 0.0, 0.0]}
    found = smallest_detectable_difference(values, resample(list("wxyz"), resamples=0))
    assert found == pytest.approx(2.8016 / 2, abs=1e-4)
