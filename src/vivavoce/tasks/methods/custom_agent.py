"""The method of an agent that its user wrote: any framework, with the round's papers as two tools.

`FILE.py@NAME` names an agent of Inspect, or an async function that takes the question and, where it
has a second parameter, the tools by name. In such a function every client of OpenAI or Anthropic
that asks for the model `inspect` reaches the contestant, so that frameworks work as they are.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from anyio import to_thread
from inspect_ai.agent import Agent, AgentState, agent_bridge, is_agent
from inspect_ai.agent import run as run_agent
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelOutput, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from vivavoce.errors import InputError
from vivavoce.store import hash_file
from vivavoce.tasks.library.desk import Desk, functions_of, in_words
from vivavoce.tasks.methods.agent import open_library
from vivavoce.tasks.methods.agent_tools import tools_of


@solver
def custom_agent(agent: str, sha256: str = "") -> Solver:
    """Let an agent of the user's own answer.

    Args:
        agent: `FILE.py@NAME`; the file is looked for from the working folder on.
        sha256: First digits of the file's hash, by which a log is known; a file that differs is
            refused.

    Raises:
        InputError: There is no such file or name, it cannot be imported, or is another one.
    """
    made = load_agent(agent, sha256)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        desk = await to_thread.run_sync(_desk, state)
        question = str(state.metadata.get("question") or state.input_text)
        if inspect.iscoroutinefunction(made) and not is_agent(made):
            await _call(made, state, question, desk)
        else:
            await _run(_agent_of(made, desk), state, question)
        state.metadata["agent"] = _note(state, desk)
        return state

    return solve


def load_agent(name: str, sha256: str = "") -> Any:
    """The object that `FILE.py@NAME` names; the file's own code is run.

    Raises:
        InputError: See `custom_agent`.
    """
    file, _, attribute = name.rpartition("@")
    path = Path(file)
    if not file or not path.is_file():
        raise InputError(f"{name!r} names no file. Write FILE.py@NAME.")
    if not hash_file(path).startswith(sha256):
        raise InputError(f"{file} has changed since the run began. Take another folder for logs.")
    found = getattr(_module_at(path), attribute, None)
    if not callable(found):
        raise InputError(f"{file} has no function {attribute!r}. Write FILE.py@NAME.")
    return found


def _module_at(path: Path) -> ModuleType:
    # Modules beside the file can be imported, as they can where it is run as a script.
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is no Python file. Write FILE.py@NAME.")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # a user's file raises what it likes while it is imported
        raise InputError(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    return module


def _desk(state: TaskState) -> Desk | None:
    """The papers that the item may be shown; None for a task without any."""
    if not state.metadata.get("library"):
        return None
    return Desk(open_library(state))


def _agent_of(made: Any, desk: Desk | None) -> Agent:
    """An agent of Inspect: as it is, or made with the tools where its maker takes them."""
    if inspect.iscoroutinefunction(made) or inspect.iscoroutinefunction(type(made).__call__):
        ready: Agent = made
        return ready
    given = inspect.signature(made).parameters
    found: Agent = made(tools=tools_of(desk) if desk else []) if "tools" in given else made()
    return found


async def _run(agent: Agent, state: TaskState, question: str) -> None:
    found = await run_agent(agent, question)
    assert isinstance(found, AgentState)  # of the type only: no limit is given
    state.messages, state.output = found.messages, found.output


async def _call(
    function: Callable[..., Awaitable[object]], state: TaskState, question: str, desk: Desk | None
) -> None:
    """Call a function while clients that ask for the model `inspect` reach the contestant."""
    given: list[object] = [question]
    if len(inspect.signature(function).parameters) > 1:
        tools = functions_of(desk) if desk else {}
        given.append({name: in_words(each) for name, each in tools.items()})
    start = AgentState(messages=[ChatMessageUser(content=question)])
    # What a provider searches or runs by itself is later than the item's cutoff.
    closed = {"web_search": False, "code_execution": False, "client_mcp_servers": False}
    async with agent_bridge(start, **closed) as bridge:  # type: ignore[arg-type]
        answer = await function(*given)
    state.messages = bridge.state.messages
    state.output = ModelOutput.from_content(str(get_model()), str(answer or ""))


def _note(state: TaskState, desk: Desk | None) -> dict[str, Any]:
    """Facts of a sample's work, as the method `agent` notes them."""
    turns = sum(isinstance(message, ChatMessageAssistant) for message in state.messages)
    counts = (desk.searches, desk.reads, list(desk.papers_read)) if desk else (0, 0, [])
    named = dict(zip(("searches", "reads", "papers_read"), counts, strict=True))
    return {"steps": turns, **named, "stopped": "answered"}
