"""Agents of users: by hand and of Inspect, on a server that sees no gold."""

from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import EvalSample
from inspect_ai.scorer import includes
from tests.servers.evaluations import evaluate, one
from tests.servers.scripted import Script, answer
from tests.tasks.methods.agent_runs import reader, round_at, sample

from vivavoce.errors import InputError
from vivavoce.tasks.methods.custom_agent import custom_agent

AGENTS = """
from inspect_ai.agent import Agent, agent, react

@agent
def with_tools(tools: list) -> Agent:
    return react(tools=tools, submit=False)

ready = react(submit=False)

async def alone(question: str) -> str:
    return "melon-one" if "melon" in question else "no"

async def with_functions(question, tools):
    return tools["search"](question)

async def wanting(question, tools):
    return tools["browse"]("melon")

not_callable = 3
"""


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., EvalSample]:
    """Runs one of the agents on one sample."""
    folder, file = round_at(tmp_path / "round"), tmp_path / "mine.py"
    file.write_text(AGENTS, "utf-8")

    def run(name: str, play: Script = reader) -> EvalSample:
        task = Task(
            dataset=MemoryDataset([sample(folder)]),
            solver=custom_agent(f"{file}@{name}"),
            scorer=includes(),
        )
        return one(evaluate(task, play, "custom", tmp_path / "logs", monkeypatch)[1])

    return run


@pytest.mark.parametrize(
    ("name", "steps", "searches", "is_right"),
    [
        ("with_tools", 4, 1, True),
        ("ready", 1, 0, False),
        ("alone", 0, 0, True),
        ("with_functions", 0, 1, True),
    ],
)
def test_kinds_of_agents(
    name: str, steps: int, searches: int, is_right: bool, work: Callable[..., EvalSample]
) -> None:
    found = work(name, reader if name == "with_tools" else lambda ask: answer("no idea"))
    note = found.metadata["agent"]
    assert (note["steps"], note["searches"], note["stopped"]) == (steps, searches, "answered")
    assert note["papers_read"] == (["melon"] if name == "with_tools" else [])
    assert ((found.scores or {})["includes"].value == "C") is is_right


def test_a_tool_that_a_task_does_not_give_is_reported_in_a_sentence(
    work: Callable[..., EvalSample],
) -> None:
    with pytest.raises(AssertionError, match=r"The task gives an agent no tool .*search, read;"):
        work("wanting")


@pytest.mark.parametrize(
    ("name", "sha256", "message"),
    [
        ("mine.py", "", "Write FILE.py@NAME"),
        ("other.py@alone", "", "names no file"),
        ("mine.py@nobody", "", "has no function 'nobody'"),
        ("mine.py@not_callable", "", "has no function 'not_callable'"),
        ("mine.py@alone", "0" * 64, "has changed since the run began"),
        ("wrong.py@alone", "", "cannot be run: SyntaxError"),
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
