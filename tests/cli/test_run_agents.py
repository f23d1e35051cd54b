"""`viva run --agent`: agents of a user's own and of four frameworks, from command to row."""

import re
from pathlib import Path

import pytest
from tests.conftest import ROOT
from tests.servers.commands import only_json, small_round, viva, viva_here
from tests.servers.scripted import Ask, Reply, answer, scripted
from tests.tasks.methods.agent_runs import calls

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
    viva_here(*ask)
    rows = only_json(viva("board", "show", "logs", "--json").stdout)["rows"]
    (method,) = {row["method"] for row in rows}
    assert re.fullmatch(r"custom_agent\(agent=mine\.py@alone, sha256=[0-9a-f]{12}\)", method)
    assert {row["n"] for row in rows} == {3}
    assert {row["valid"] for row in rows} == {1.0}
    verified = viva_here("board", "verify", "logs", "--round", ask[3], expect=1)
    # The file of another's agent is never run to verify a log.
    assert "its method custom_agent cannot be run again here" in verified.output


def test_a_changed_file_is_another_contestant(ask: tuple[str | Path, ...]) -> None:
    viva_here(*ask)
    Path("mine.py").write_text(ALONE.replace("about", "on"), "utf-8")
    viva_here(*ask)
    rows = only_json(viva("board", "show", "logs", "--json").stdout)["rows"]
    assert len({row["method"] for row in rows}) == 2


AGENTS = ROOT / "examples" / "agents" / "frameworks.py"
TABLE = "| Method | Score |\n|---|---|\n| Baseline | 1.0 |"
WORK = {
    "by_hand": (1, 1, 0),
    "openai_agents": (3, 1, 1),
    "langgraph": (3, 1, 1),
    "pydantic_ai": (3, 1, 1),
    "smolagents": (3, 1, 1),
}
"""Steps, searches and reads of each."""
TOKENS, IN, OUT = 100, 2.0, 10.0
"""Tokens of the prompt of every reply, which has 7 more; dollars for a million of each."""


def reader(ask: Ask) -> Reply:
    """Search for the question's words, read the outline of the best paper, and answer."""
    conversation = "\n".join(str(message["content"]) for message in ask.body["messages"])
    tools = [tool["function"]["name"] for tool in ask.body.get("tools") or ()]
    if "outline, page 1" in conversation or "search" not in tools:
        if "final_answer" in tools:
            return calls(("final_answer", {"answer": TABLE}), turn=2)
        return answer(TABLE)
    if found := re.search(r"paper_id: (\S+?)(?:\\n|\s)", conversation):
        return calls(("read", {"paper_id": found[1]}), turn=1)
    return calls(("search", {"query": "accuracy of linking entities"}))


@pytest.mark.slow
@pytest.mark.parametrize("framework", list(WORK))
def test_a_framework_runs_a_task(framework: str, tmp_path: Path) -> None:
    model = f"openai-api/scripted/agent-{framework}"
    where = ("--round", "sample", "--logs", tmp_path / "logs", "--subset", "1")
    agent = ("--agent", f"{AGENTS}@{framework}", "--price", f"{model}={IN:g},{OUT:g}")
    with scripted(reader) as server:
        words = ("run", "leaderboard", *where, "--model", model, *agent, "--method", "null")
        viva_here(*words, env=server.environment)
        assert server.failures == []
        asked = len(server.asks)
        viva_here(*words, env=server.environment)  # the same run: nothing is asked again
        assert len(server.asks) == asked
    found = only_json(viva_here("board", "show", tmp_path / "logs", "--json").stdout)["rows"]
    rows = [row for row in found if row["method"].startswith("custom_agent(")]
    (row,) = (row for row in rows if row["headline"])
    steps, searches, reads = WORK[framework]
    assert asked == steps
    assert row["agent"] == {"steps": steps, "searches": searches, "reads": reads}
    assert row["tokens"] == asked * (TOKENS + 7)
    assert row["cost"] == pytest.approx(asked * (TOKENS * IN + 7 * OUT) / 1e6)
    assert (row["n"], row["valid"], row["missing"]) == (1, 1.0, 0)
    assert {row["agent"] for row in found if row["method"] == "null"} == {None}
