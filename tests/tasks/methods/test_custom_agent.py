"""Agents of users: by hand, of Inspect and of four frameworks, on a server that sees no gold."""

import re
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.scorer import includes
from tests.conftest import ROOT
from tests.servers.evaluations import evaluate, one
from tests.servers.scripted import Ask, Reply, answer
from tests.tasks.methods.agent_runs import calls, round_at, sample

from vivavoce.errors import InputError
from vivavoce.tasks.methods.custom_agent import custom_agent

FRAMEWORKS = ["openai_agents", "langgraph", "pydantic_ai", "smolagents"]


def reader(ask: Ask) -> Reply:
    """Search, read the best paper's first table, and answer with its last line.

    Some frameworks hand the results of tools on as what a user says.
    """
    told = "\n".join(str(message["content"]) for message in ask.body["messages"])
    rows = re.findall(r"melon-one \| [\d.]+", told.partition("page 1 of 1.")[2])
    if rows:
        tools = [tool["function"]["name"] for tool in ask.body.get("tools") or ()]
        if "final_answer" in tools:
            return calls(("final_answer", {"answer": rows[-1]}), turn=2)
        return answer(rows[-1])
    if found := re.search(r"paper_id: (\S+?)(?:\\n|\s)", told):
        return calls(("read", {"paper_id": found[1], "part": "table 1", "page": 1}), turn=1)
    return calls(("search", {"query": "melon treebank F1"}))


def work(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, play: Any = reader) -> Any:
    """Run an agent on one sample; the server with what reached it, and the sample."""
    task = Task(
        dataset=MemoryDataset([sample(folder)]), solver=custom_agent(name), scorer=includes()
    )
    server, log = evaluate(task, play, "custom", folder.parent / "logs", monkeypatch)
    return server, one(log)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return round_at(tmp_path / "round")


@pytest.mark.slow
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_framework_searches_reads_and_answers(
    framework: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = ROOT / "examples" / "agents" / "frameworks.py"
    server, found = work(f"{example}@{framework}", folder, monkeypatch)
    assert found.scores["includes"].value == "C"
    assert found.metadata["agent"]["searches"] == 1
    assert found.metadata["agent"]["papers_read"] == ["melon"]
    # Every request is counted; nothing that is public after the cutoff reached the model.
    assert sum(use.total_tokens for use in found.model_usage.values()) == 107 * len(server.asks)
    assert not any("SECRET" in str(ask.body) for ask in server.asks)


def test_a_function_by_hand(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def play(ask: Ask) -> Reply:
        assert "Found in the papers" in ask.prompt
        return answer(re.findall(r"\S+-one", ask.prompt)[0])

    server, found = work(
        f"{ROOT / 'examples' / 'agents' / 'frameworks.py'}@by_hand", folder, monkeypatch, play
    )
    assert found.scores["includes"].value == "C"
    assert found.metadata["agent"] == {
        "steps": 1,
        "searches": 1,
        "reads": 0,
        "papers_read": [],
        "stopped": "answered",
    }
    assert len(server.asks) == 1


AGENTS = """
from inspect_ai.agent import Agent, agent, react

@agent
def with_tools(tools: list) -> Agent:
    return react(tools=tools, submit=False)

ready = react(submit=False)

async def alone(question: str) -> str:
    return "melon-one" if "melon" in question else "no"

async def broken(question: str) -> str:
    raise RuntimeError("a bug of mine")

not_callable = 3
"""


@pytest.mark.parametrize(
    ("name", "searches", "is_right"),
    [("with_tools", 1, True), ("ready", 0, False), ("alone", 0, True)],
)
def test_kinds_of_agents(
    name: str, searches: int, is_right: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder.parent / "mine.py"
    file.write_text(AGENTS, "utf-8")
    play = reader if name == "with_tools" else (lambda ask: answer("no idea"))
    _, found = work(f"{file}@{name}", folder, monkeypatch, play)
    assert found.metadata["agent"]["searches"] == searches
    assert (found.scores["includes"].value == "C") is is_right


@pytest.mark.parametrize(
    ("name", "sha256", "message"),
    [
        ("mine.py", "", "Write FILE.py@NAME"),
        ("other.py@alone", "", "names no file"),
        ("mine.py@nobody", "", "has no function 'nobody'"),
        ("mine.py@not_callable", "", "has no function 'not_callable'"),
        ("mine.py@alone", "0" * 64, "has changed since the run began"),
        ("wrong.py@alone", "", "cannot be imported: SyntaxError"),
        ("README.md@alone", "", "is not a Python file"),
    ],
)
def test_an_agent_that_is_not_there_is_named(
    name: str, sha256: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(AGENTS, "utf-8")
    Path("wrong.py").write_text("def (:", "utf-8")
    Path("README.md").write_text("# Read me", "utf-8")
    with pytest.raises(InputError, match=message):
        custom_agent(name, sha256)


def test_a_tool_that_a_task_does_not_give_is_reported_in_a_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = folder.parent / "wanting.py"
    agent.write_text('async def solve(question, tools):\n    return tools["browse"]("melon")\n')
    with pytest.raises(AssertionError, match=r"The task gives an agent no tool .*search, read;"):
        work(f"{agent}@solve", folder, monkeypatch)
