"""The method `custom_agent`: a user's agent, with the round's papers as two tools.

`FILE.py@NAME` names an Inspect agent, or an async function of the question and optionally the tools
by name. In such a function, OpenAI and Anthropic clients that ask for the model `inspect` reach the
contestant, so frameworks work unchanged.
"""

import inspect
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from anyio import to_thread
from inspect_ai.agent import Agent, AgentState, agent_bridge, is_agent
from inspect_ai.agent import run as run_agent
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelOutput, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from vivavoce.errors import InputError
from vivavoce.plugins import module_of_file
from vivavoce.store import hash_file
from vivavoce.tasks.library.desk import Desk, functions_of, in_words
from vivavoce.tasks.methods.agent import open_library, tools_of


@solver
def custom_agent(agent: str, sha256: str = "") -> Solver:
    """Let the user's agent answer.

    Args:
        agent: `FILE.py@NAME`, relative to the working folder.
        sha256: First digits of the file's hash; a different file is refused.

    Raises:
        InputError: The file or name does not exist, cannot be imported, or has changed.
    """
    file, _, attribute = agent.rpartition("@")
    path = Path(file)
    if not file or not path.is_file():
        raise InputError(f"{agent!r} names no file. Write FILE.py@NAME.")
    if not hash_file(path).startswith(sha256):
        raise InputError(f"{file} has changed since the run began. Choose another folder for logs.")
    made = _load(path, attribute)
    if not callable(made):
        raise InputError(f"{file} has no function {attribute!r}. Write FILE.py@NAME.")

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        has_papers = bool(state.metadata.get("library"))
        desk = Desk(await to_thread.run_sync(open_library, state)) if has_papers else None
        question = str(state.metadata.get("question") or state.input_text)
        if inspect.iscoroutinefunction(made) and not is_agent(made):
            await _call(made, state, question, desk)
        else:
            ready: Agent = made
            if not any(map(inspect.iscoroutinefunction, (made, type(made).__call__))):
                # A maker of agents gets the tools if it takes them.
                tools, takes = tools_of(desk) if desk else [], inspect.signature(made).parameters
                ready = made(**{"tools": tools} if "tools" in takes else {})
            ended = await run_agent(ready, question)
            assert isinstance(ended, AgentState)  # for the type checker: no limit is given
            state.messages, state.output = ended.messages, ended.output
        # Recorded as for the method `agent`.
        state.metadata["agent"] = {
            "steps": sum(isinstance(message, ChatMessageAssistant) for message in state.messages),
            **(desk.record() if desk else {"searches": 0, "reads": 0, "papers_read": []}),
            "stopped": "answered",
        }
        return state

    return solve


def identity_of(name: str) -> str:
    """Identity of an agent in logs: first digits of its file's hash; empty without a file."""
    path = Path(name.rpartition("@")[0])
    return hash_file(path)[:12] if path.is_file() else ""


def _load(path: Path, attribute: str) -> Any:
    """An object of a file, None if there is none; this runs the file's code."""
    # Modules beside the file can be imported, as in a script.
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)
    return getattr(module_of_file(path), attribute, None)


class _Tools(dict[str, Callable[..., str]]):
    """Tools by name; a missing one raises an error with an explanation."""

    def __missing__(self, name: str) -> Callable[..., str]:
        there = f"There are: {', '.join(self)}" if self else "It gives none"
        raise InputError(
            f"The task gives an agent no tool {name!r}. {there}; viva list tasks shows which task "
            "gives which."
        )


async def _call(
    function: Callable[..., Awaitable[object]], state: TaskState, question: str, desk: Desk | None
) -> None:
    """Call a function while requests to the model `inspect` go to the contestant."""
    given: list[object] = [question]
    if len(inspect.signature(function).parameters) > 1:
        tools = functions_of(desk) if desk else {}
        given.append(_Tools({name: in_words(each) for name, each in tools.items()}))
    start = AgentState(messages=[ChatMessageUser(content=question)])
    # A provider's own search would find papers from after the item's cutoff.
    closed = {"web_search": False, "code_execution": False, "client_mcp_servers": False}
    async with agent_bridge(start, **closed) as bridge:  # type: ignore[arg-type]
        answer = await function(*given)
    state.messages = bridge.state.messages
    state.output = ModelOutput.from_content(str(get_model()), str(answer or ""))
