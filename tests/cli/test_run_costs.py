"""What `viva run` costs: forecast, held to a budget, and not paid twice for the same request."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.servers.bill import IN, OUT, Bill, by_letters
from tests.servers.commands import only_json, small_round, viva_here
from tests.servers.golden import Golden
from tests.servers.scripted import Ask, Reply, ScriptedServer, answer, scripted

from vivavoce.metrics.judged_text import ASPECTS
from vivavoce.rounds import Round

MODEL = "openai-api/scripted/one"
JUDGE = "openai-api/scripted/judge"
UNPRICED = "openai-api/scripted/unpriced"
"""Inspect keeps prices as long as a process lasts."""
PRICE = f"{MODEL}={IN:g},{OUT:g}"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return small_round(tmp_path_factory.mktemp("costs"), papers=12)


@pytest.fixture(scope="module")
def golden(opened: Round) -> Golden:
    return Golden(opened, ("title", "abstract"))


def command(
    opened: Round, logs: Path, *options: str | Path, model: str = MODEL
) -> tuple[str | Path, ...]:
    tasks = [word for word in options if word in ("title", "abstract")] or ["title"]
    rest = [word for word in options if word not in tasks]
    where = ("--round", opened.folder, "--logs", logs, "--model", model, "--json")
    return ("run", *tasks, *where, *rest)


def run(server: ScriptedServer, *words: str | Path, expect: int = 0) -> Any:
    done = viva_here(*words, env=server.environment, expect=expect)
    assert server.failures == []
    return only_json(done.stdout)


def first_for(ask: Ask) -> Reply:
    """A judge's verdict, or a title."""
    if ask.model != "judge":
        return answer(f"A Title Out of {len(ask.prompt)} Characters")
    winners = {name: {"reason": "It says what was done.", "winner": 1} for name in ASPECTS}
    return answer(json.dumps(winners))


def test_the_bill_is_within_15_percent_of_the_estimate(
    opened: Round, golden: Golden, tmp_path: Path
) -> None:
    words = command(opened, tmp_path / "logs", "title", "abstract", "--price", PRICE)
    bill = Bill(golden, by_letters)
    with scripted(bill) as server:
        rows = run(server, *words, "--estimate")["estimate"]
        assert server.asks == []
        assert not (tmp_path / "logs").exists()
        assert [(row["task"], row["model"]) for row in rows] == [
            ("title", MODEL),
            ("abstract", MODEL),
        ]
        paid = run(server, *words)
        assert sum(row["requests"] for row in rows) == len(server.asks)
        expected = sum(row["usd"] for row in rows)
        assert expected == pytest.approx(bill.usd["one"], rel=0.15)
        assert sum(row["input_tokens"] for row in rows) == pytest.approx(
            bill.tokens["one"], rel=0.15
        )
        assert bill.usd["one"] < sum(row["max_usd"] for row in rows)
        assert paid["spent"] == {"usd": pytest.approx(bill.usd["one"]), "budget": None}
        assert run(server, *words, "--estimate")["estimate"] == rows  # whatever was answered


@pytest.mark.slow
def test_an_estimate_counts_attempts_and_judges(opened: Round, tmp_path: Path) -> None:
    options = ("--epochs", "2", "--judge", JUDGE, "-T", "questions=compare")
    words = command(opened, tmp_path / "logs", *options, "--price", PRICE)
    words = (*words, "--price", f"{JUDGE}={IN:g},{OUT:g}")
    bill = Bill(first_for, by_letters)
    with scripted(bill) as server:
        rows = run(server, *words, "--estimate")["estimate"]
        assert run(server, *words, "--estimate")["estimate"] == rows
        assert server.asks == []
        run(server, *words)
    asked = Counter(ask.model for ask in server.asks)
    requests, usd = Counter[str](), Counter[str]()
    for row in rows:
        name = row["model"].rpartition("/")[2]
        requests[name] += row["requests"]
        usd[name] += row["usd"]
    assert requests == asked == {"one": 24, "judge": 48}
    for name, sum_of_model in usd.items():
        assert sum_of_model == pytest.approx(bill.usd[name], rel=0.15)


def test_without_a_price_an_estimate_has_tokens(opened: Round, tmp_path: Path) -> None:
    with scripted() as server:
        words = command(opened, tmp_path / "logs", "--estimate", model=UNPRICED)
        [row] = run(server, *words)["estimate"]
        assert row["input_tokens"] > 0
        assert (row["usd"], row["max_usd"]) == (None, None)
        words = tuple(word for word in words if word != "--json")
        outcome = viva_here(*words, env=server.environment)
        assert "For costs in dollars" in outcome.stderr


@pytest.mark.slow
def test_a_budget_holds_over_the_folder_and_a_larger_one_goes_on(
    opened: Round, golden: Golden, tmp_path: Path
) -> None:
    bill = Bill(golden, by_letters)
    options = ("--price", PRICE, "--max-tokens", "64", "--max-connections", "3")
    words = command(opened, tmp_path / "logs", "title", *options)
    more = command(opened, tmp_path / "logs", "title", "abstract", *options)
    with scripted(bill) as server:
        whole = run(server, *command(opened, tmp_path / "free", "title", "abstract", *options))
        cost, needed = bill.usd["one"], len(server.asks)
        assert whole["spent"]["usd"] == pytest.approx(cost)
        bill.usd.clear()
        server.asks.clear()
        budget = 0.4 * cost
        stopped = run(server, *words, "--budget", str(budget), expect=1)
        assert 0.1 * cost < bill.usd["one"] <= budget
        assert stopped["spent"] == {"usd": pytest.approx(bill.usd["one"]), "budget": budget}
        [line] = stopped["failed"]
        assert "is used up" in line
        # What is left may do for a shorter prompt, also of another task: never for more.
        run(server, *words, "--budget", str(budget), expect=1)
        run(server, *more, "--budget", str(budget), expect=1)
        assert bill.usd["one"] <= budget
        done = run(server, *more, "--budget", str(2 * cost))
        assert done["failed"] == []
        assert len(server.asks) == needed
        assert done["spent"]["usd"] == pytest.approx(bill.usd["one"]) == pytest.approx(cost)


@pytest.mark.slow
def test_logs_from_before_count_in_a_budget(opened: Round, golden: Golden, tmp_path: Path) -> None:
    words = command(opened, tmp_path / "logs", "title", "--price", PRICE)
    bill = Bill(golden, by_letters)
    with scripted(bill) as server:
        run(server, *words)
        (tmp_path / "logs" / "spending.jsonl").unlink()
        paid, asked = bill.usd["one"], len(server.asks)
        more = command(opened, tmp_path / "logs", "abstract", "--price", PRICE)
        found = run(server, *more, "--budget", str(paid), expect=1)
        assert found["spent"]["usd"] == pytest.approx(paid)
        assert len(server.asks) == asked


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--budget", "1"), "needs the price of"),
        (("--budget", "inf"), "budget is inf"),
        (("--batch",), "its provider has none"),
        (("--batch", "--attempt-timeout", "9"), "leave out --attempt-timeout"),
    ],
)
def test_limits_that_nobody_could_hold_are_refused(
    opened: Round, tmp_path: Path, options: tuple[str, ...], says: str
) -> None:
    with scripted() as server:
        words = command(opened, tmp_path / "logs", *options, model=UNPRICED)
        done = viva_here(*words, env=server.environment, expect=2)
        assert says in " ".join(done.stderr.split())
        assert server.asks == []


@pytest.mark.slow
def test_a_judge_is_paid_once_for_the_same_answers(opened: Round, tmp_path: Path) -> None:
    def judged(server: ScriptedServer, folder: str, *options: str) -> Any:
        return run(
            server,
            *command(
                opened, tmp_path / folder, "--judge", JUDGE, "-T", "questions=compare", *options
            ),
        )

    with scripted(first_for) as server:
        outcome = judged(server, "one")["cache"]
        counts = Counter(ask.model for ask in server.asks)
        assert counts == {"one": 12, "judge": 24}
        assert outcome["of"] == "judges and evaluators"
        assert outcome["expiry"] == "1W"
        assert "messages" in outcome["key"]
        judged(server, "two")
        assert Counter(ask.model for ask in server.asks) == {"one": 24, "judge": 24}
        assert judged(server, "three", "--no-cache")["cache"] is None
        assert Counter(ask.model for ask in server.asks) == {"one": 36, "judge": 48}
        assert judged(server, "four", "--cache")["cache"]["of"] == "all models"
        assert judged(server, "five", "--cache")["failed"] == []
        assert Counter(ask.model for ask in server.asks) == {"one": 48, "judge": 48}
    for folder in ("two", "five"):
        verified = viva_here("board", "verify", tmp_path / folder, "--round", opened.folder)
        assert "recomputed" in verified.stdout
    first, last = (
        only_json(viva_here("board", "show", tmp_path / name, "--json").stdout)["rows"]
        for name in ("one", "five")
    )
    assert [row["value"] for row in first] == [row["value"] for row in last]
