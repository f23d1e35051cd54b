"""The method of an agent that its user wrote or installed, with the round's papers as two tools.

`FILE.py@NAME` names an agent of Inspect, or an async function that takes the question and, where it
has a second parameter, the tools by name. In such a function every client of OpenAI or Anthropic
that asks for the model `inspect` reaches the contestant, so that frameworks work as they are. A
name without a file is a command line agent of `inspect_swe`: it works in a container whose only way
out is the model, and the tools reach it there by MCP.
"""

from __future__ import annotations

import importlib
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

from vivavoce.errors import InputError, MissingExtra
from vivavoce.store import hash_file
from vivavoce.tasks.library.desk import Desk, functions_of, in_words
from vivavoce.tasks.methods.agent import open_library
from vivavoce.tasks.methods.agent_tools import tools_of

_BRIDGED = "bridged_tools"
"""Parameter of a command line agent's maker: tools of the host, reached from the container."""


@solver
def custom_agent(agent: str, sha256: str = "") -> Solver:
    """Let an agent of the user's own answer.

    Args:
        agent: `FILE.py@NAME`; the file is looked for from the working folder on. Or the name of
            an agent of `inspect_swe`, such as `claude_code`.
        sha256: First digits of the file's hash, by which a log is known, or the version of
            `inspect_swe`; one that differs is refused.

    Raises:
        InputError: There is no such file or name, it cannot be imported, or is another one.
        MissingExtra: The package `inspect_swe` is not installed.
    """
    made = load_agent(agent, sha256)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        desk = await to_thread.run_sync(_desk, state)
        question = str(state.metadata.get("question") or state.input_text)
        if inspect.iscoroutinefunction(made) and not is_agent(made):
            await _call(made, state, question, desk)
        else:
            found = await run_agent(_agent_of(made, desk), question)
            assert isinstance(found, AgentState)  # of the type only: no limit is given
            state.messages, state.output = found.messages, found.output
        # As the method `agent` notes them.
        state.metadata["agent"] = {
            "steps": sum(isinstance(message, ChatMessageAssistant) for message in state.messages),
            "searches": desk.searches if desk else 0,
            "reads": desk.reads if desk else 0,
            "papers_read": list(desk.papers_read) if desk else [],
            "stopped": "answered",
        }
        return state

    return solve


def load_agent(name: str, sha256: str = "") -> Any:
    """The object that `FILE.py@NAME` names; the file's own code is run.

    Raises:
        InputError: See `custom_agent`.
    """
    if is_command_line(name):
        return _command_line_agent(name, sha256)
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


def is_command_line(name: str) -> bool:
    """True for the name of a command line agent: it names no file."""
    return name.isidentifier()


def identity_of(name: str) -> str:
    """First digits of an agent's file, or its package's version, by which its logs are known."""
    if is_command_line(name):
        return str(_swe(name).__version__)
    path = Path(name.rpartition("@")[0])
    return hash_file(path)[:12] if path.is_file() else ""


def _swe(name: str) -> ModuleType:
    try:
        return importlib.import_module("inspect_swe")
    except ImportError as error:
        raise MissingExtra("inspect-swe", "swe", f"The agent {name}") from error


def _command_line_agent(name: str, version: str) -> Any:
    """The maker of an agent of `inspect_swe` that takes tools of the host."""
    swe = _swe(name)
    makers = {
        each: made
        for each in swe.__all__
        if inspect.isfunction(made := getattr(swe, each))
        and _BRIDGED in inspect.signature(made).parameters
    }
    if name not in makers:
        known = ", ".join(sorted(makers))
        raise InputError(f"No command line agent is called {name!r}. There are: {known}.")
    if version not in ("", swe.__version__):
        raise InputError(f"inspect_swe has changed since the run began: it was {version}.")
    return makers[name]


def _module_at(path: Path) -> ModuleType:
    # Modules beside the file can be imported, as they can where it is run as a script.
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is not a Python file. Write FILE.py@NAME.")
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


class _Tools(dict[str, Callable[..., str]]):
    """Tools by name; one that is missing is told in a sentence."""

    def __missing__(self, name: str) -> Callable[..., str]:
        there = f"There are: {', '.join(self)}" if self else "It gives none"
        raise InputError(
            f"The task gives an agent no tool {name!r}. {there}; viva list tasks shows which task "
            "gives which."
        )


def _agent_of(made: Any, desk: Desk | None) -> Agent:
    """An agent of Inspect: as it is, or made with the tools where its maker takes them."""
    if inspect.iscoroutinefunction(made) or inspect.iscoroutinefunction(type(made).__call__):
        ready: Agent = made
        return ready
    tools = tools_of(desk) if desk else []
    takes = inspect.signature(made).parameters
    found: Agent = made(**{name: tools for name in ("tools", _BRIDGED) if name in takes})
    return found


async def _call(
    function: Callable[..., Awaitable[object]], state: TaskState, question: str, desk: Desk | None
) -> None:
    """Call a function while clients that ask for the model `inspect` reach the contestant."""
    given: list[object] = [question]
    if len(inspect.signature(function).parameters) > 1:
        tools = functions_of(desk) if desk else {}
        given.append(_Tools({name: in_words(each) for name, each in tools.items()}))
    start = AgentState(messages=[ChatMessageUser(content=question)])
    # What a provider searches or runs by itself is later than the item's cutoff.
    closed = {"web_search": False, "code_execution": False, "client_mcp_servers": False}
    async with agent_bridge(start, **closed) as bridge:  # type: ignore[arg-type]
        answer = await function(*given)
    state.messages = bridge.state.messages
    state.output = ModelOutput.from_content(str(get_model()), str(answer or ""))
