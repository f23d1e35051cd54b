"""Killed runs, live boards and exams: only requests in flight are paid twice."""

import random
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from tests.examining.papers import save_pages
from tests.servers.bill import IN, OUT, Bill, by_letters
from tests.servers.commands import only_json, viva_here
from tests.servers.scripted import answer, opening, scripted

from vivavoce.running.meter import SPENDING, spent_below
from vivavoce.store import read_jsonl

pytestmark = pytest.mark.slow

ITEMS, KILLS = 30, 2
MODELS = ("openai-api/scripted/first", "openai-api/scripted/second")
PRICED_MODELS = [w for m in MODELS for w in ("--model", m, "--price", f"{m}={IN:g},{OUT:g}")]
MAX_TOKENS = 16
MAX_COST = (200 * IN + MAX_TOKENS * OUT) / 1e6
"""Dollars; each request costs less."""
BOARD = """
[live]
id = "live"
[schedule]
start = 2024-01-01
[round]
families = ["own"]
[own]
exact_match = "{table}"
[site]
resamples = 100
"""


def questions(folder: Path) -> Path:
    rows = (f"q{n},How much is {n} and {n}?,{2 * n},2024-01-05\n" for n in range(ITEMS))
    path = folder / "sums.csv"
    path.write_text("id,input,gold,date\n" + "".join(rows), "utf-8")
    return path


def command_of(verb: str, folder: Path, connections: int) -> list[str | Path]:
    """A run that asks both models at once, or a live board that asks one after the other."""
    table = questions(folder)
    if verb == "run":
        rounds = folder / "rounds"
        viva_here("round", "from-csv", table, "--metric", "exact_match", "--out", rounds)
        folders = ("--round", rounds / "sums", "--logs", folder / "logs")
        limits = ("--max-connections", str(connections), "--max-tokens", str(MAX_TOKENS))
        return ["run", "own_match", *folders, *PRICED_MODELS, *limits]
    parts = [BOARD.format(table=table)]
    for name, model in zip(("first", "second"), MODELS, strict=True):
        parts += ["[[contestant]]", f'name = "{name}"', f'model = "{model}"']
        parts += [f'price = "{IN:g},{OUT:g}"', f"max_connections = {connections}"]
        parts += [f"max_tokens = {MAX_TOKENS}"]
    (folder / "board.toml").write_text("\n".join(parts) + "\n", "utf-8")
    return ["live", folder / "board.toml", "--until", "2024-02-01"]


@pytest.mark.parametrize(("verb", "connections"), [("run", 10), ("live", 20)])
def test_a_kill_costs_no_more_than_the_requests_in_flight(
    verb: str, connections: int, tmp_path: Path, kill_after: Callable[..., None]
) -> None:
    command, needed = command_of(verb, tmp_path, connections), len(MODELS) * ITEMS
    bill = Bill(lambda ask: answer("I do not know."), by_letters)
    in_flight = KILLS * connections * (len(MODELS) if verb == "run" else 1)
    with scripted(bill) as server:
        progress = sorted(random.Random(connections).sample(range(1, needed), KILLS))
        for before, after in pairwise((0, *progress)):
            kill_after(server, server.answered + after - before, command)
        viva_here(*command, env=server.environment)
        assert server.failures == []
        assert 0 <= len(server.asks) - needed <= in_flight
        assert len({(ask.model, ask.prompt) for ask in server.asks}) == needed
        requests = len(server.asks)
        viva_here(*command, env=server.environment)
        assert len(server.asks) == requests
    rows = [row for path in sorted(tmp_path.rglob(SPENDING)) for _, row in read_jsonl(path)]
    is_reserved = Counter("most" in row for row in rows if "request" in row)
    # A row is written before each request, and another after its reply unless a kill prevents it.
    assert is_reserved[True] >= len(server.asks)
    assert needed - KILLS <= is_reserved[False] <= len(server.asks)
    spent = spent_below(tmp_path)
    assert sum(bill.usd.values()) <= spent + 1e-12
    assert spent <= sum(bill.usd.values()) + in_flight * MAX_COST


def test_a_budget_holds_after_kills(tmp_path: Path, kill_after: Callable[..., None]) -> None:
    command = command_of("run", tmp_path, 2)
    bill = Bill(lambda ask: answer("I do not know."), by_letters)
    with scripted(bill) as server:
        viva_here(*command, "--budget", "1", "--logs", tmp_path / "calm", env=server.environment)
        budget = 0.6 * sum(bill.usd.values())
        bill.usd.clear()
        command += ["--budget", str(budget)]
        for replies in (5, 10):
            kill_after(server, server.answered + replies, command)
        viva_here(*command, env=server.environment, expect=1)
        assert 0 < sum(bill.usd.values()) <= budget


def test_an_exam_costs_no_more_than_planned_after_kills(
    tmp_path: Path, kill_after: Callable[..., None]
) -> None:
    papers = save_pages(tmp_path / "papers", 10)
    command = ["exam", papers, "--tasks", "abstract", *PRICED_MODELS, "--yes"]
    command += ["--out", tmp_path / "out"]
    bill = Bill(opening, by_letters)
    with scripted(bill) as server:
        for replies in (6, 4):
            kill_after(server, server.answered + replies, command)
        report = only_json(viva_here(*command, "--json", env=server.environment).stdout)
    needed = len({(ask.model, ask.prompt) for ask in server.asks})
    assert len(server.asks) > needed
    assert 0 < sum(bill.usd.values()) <= report["plan"]["at_most"]
