"""Runs and live boards killed at any progress: what was in flight is paid twice, and no more."""

import random
from collections import Counter
from collections.abc import Callable
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
MODELS = ("first", "second")
MAX_TOKENS = 16
MOST = (200 * IN + MAX_TOKENS * OUT) / 1e6
"""Dollars that no request of these costs."""
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
    """A run of both models at once, or a board that asks one after the other."""
    table, names = questions(folder), [f"openai-api/scripted/{name}" for name in MODELS]
    if verb == "run":
        made = ("--metric", "exact_match", "--out", folder / "rounds")
        viva_here("round", "from-csv", table, *made)
        asked = [w for n in names for w in ("--model", n, "--price", f"{n}={IN:g},{OUT:g}")]
        limits = ("--max-connections", str(connections), "--max-tokens", str(MAX_TOKENS))
        where = ("--round", folder / "rounds" / "sums", "--logs", folder / "logs")
        return ["run", "own_match", *where, *asked, *limits]
    parts = [BOARD.format(table=table)]
    for name, model in zip(MODELS, names, strict=True):
        parts += ["[[contestant]]", f'name = "{name}"', f'model = "{model}"']
        parts += [f'price = "{IN:g},{OUT:g}"', f"max_connections = {connections}"]
        parts += [f"max_tokens = {MAX_TOKENS}"]
    (folder / "board.toml").write_text("\n".join(parts) + "\n", "utf-8")
    return ["live", folder / "board.toml", "--until", "2024-02-01"]


@pytest.mark.parametrize(("verb", "connections"), [("run", 1), ("run", 10), ("live", 20)])
def test_a_kill_costs_what_was_in_flight(
    verb: str, connections: int, tmp_path: Path, kill_after: Callable[..., None]
) -> None:
    command, needed = command_of(verb, tmp_path, connections), len(MODELS) * ITEMS
    bill = Bill(lambda ask: answer("I do not know."), by_letters)
    in_flight = KILLS * connections * (len(MODELS) if verb == "run" else 1)
    with scripted(bill) as server:
        places = sorted(random.Random(connections).sample(range(1, needed), KILLS))
        for done, place in zip((0, *places), places, strict=False):
            kill_after(server, server.answered + place - done, command)
        viva_here(*command, env=server.environment)
        assert server.failures == []
        twice = len(server.asks) - needed
        assert 0 <= twice <= in_flight
        assert len({(ask.model, ask.prompt) for ask in server.asks}) == needed
        again = len(server.asks)
        viva_here(*command, env=server.environment)
        assert len(server.asks) == again
    lines = [row for p in sorted(tmp_path.rglob(SPENDING)) for _, row in read_jsonl(p)]
    sent = Counter("most" in line for line in lines if "request" in line)
    # A line before each request; behind each reply another, but for one that a kill cut off.
    assert sent[True] >= len(server.asks)
    assert needed - KILLS <= sent[False] <= len(server.asks)
    spent = spent_below(tmp_path)
    assert sum(bill.usd.values()) <= spent + 1e-12
    assert spent <= sum(bill.usd.values()) + in_flight * MOST


def test_a_budget_holds_after_kills(tmp_path: Path, kill_after: Callable[..., None]) -> None:
    command = command_of("run", tmp_path, 2)
    bill = Bill(lambda ask: answer("I do not know."), by_letters)
    with scripted(bill) as server:
        viva_here(*command, "--budget", "1", "--logs", tmp_path / "calm", env=server.environment)
        budget = 0.6 * sum(bill.usd.values())
        bill.usd.clear()
        for number in (5, 10):
            limited = [*command, "--budget", str(budget)]
            kill_after(server, server.answered + number, limited)
        viva_here(*command, "--budget", str(budget), env=server.environment, expect=1)
        assert 0 < sum(bill.usd.values()) <= budget


def test_what_an_exam_may_cost_at_most_holds_after_kills(
    tmp_path: Path, kill_after: Callable[..., None]
) -> None:
    papers = save_pages(tmp_path / "papers", 10)
    names = [f"openai-api/scripted/{name}" for name in MODELS]
    asked = [w for n in names for w in ("--model", n, "--price", f"{n}={IN:g},{OUT:g}")]
    command = ["exam", papers, "--tasks", "abstract", *asked, "--yes", "--out", tmp_path / "out"]
    bill = Bill(opening, by_letters)
    with scripted(bill) as server:
        for replies in (6, 4):
            kill_after(server, server.answered + replies, command)
        report = only_json(viva_here(*command, "--json", env=server.environment).stdout)
    needed = len({(ask.model, ask.prompt) for ask in server.asks})
    assert len(server.asks) - needed > 0
    assert 0 < sum(bill.usd.values()) <= report["plan"]["at_most"]
