"""The method `agent`: a model searches and reads the round's papers before it answers.

It finds only papers from before the item's cutoff: see `tasks.library`. A sample's metadata has the
library under `library`, and under `question` the prompt without the texts that other methods show.
"""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial, wraps
from pathlib import Path
from typing import Any, Literal

from anyio import to_thread
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    Model,
    ModelOutput,
    execute_tools,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolCallError, ToolDef, ToolError

from vivavoce.checking import check_numbers
from vivavoce.errors import InputError
from vivavoce.models.offline import ExtractiveAPI
from vivavoce.store import hash_of
from vivavoce.tasks.library import Library
from vivavoce.tasks.library.desk import PAGE, RESULTS, Desk, functions_of, open_entry
from vivavoce.tasks.methods.direct import check_context, generate_with_retry, say
from vivavoce.tasks.prompting import SUFFIX, PromptSet, folder_at, prompts_at
from vivavoce.tasks.prompting.fitting import Window
from vivavoce.tasks.prompting.windows import measure

START, LAST = "agent", "agent.answer"
"""Templates of the first message, and of the request for the final answer."""
CALLS = 8
"""Maximum calls in a turn; further ones are dropped."""
UNREADABLE = "Your last call could not be read: a number in it has thousands of digits."
_OURS = Path(__file__).with_name("agent_prompts")
_MAX_COMPLAINT = 500
_NARROWINGS = 4
"""Further tries with a shorter conversation after an overflow."""


@solver
def agent(
    steps: int = 20,
    search_results: int = RESULTS,
    page: int = PAGE,
    tokens: int = 400_000,
    context: int | None = None,
) -> Solver:
    """Let the model search and read the round's papers, then answer.

    Args:
        steps: Maximum turns with tools before it must answer.
        search_results: Maximum passages per search.
        page: Maximum characters of a page.
        tokens: Maximum tokens of input and output over all turns before it must answer.
        context: Window in tokens; by default that of the provider or the model table.
    """
    check_context(context)
    check_numbers(
        {
            "steps": (steps, 1, 200),
            "search_results": (search_results, 1, 20),
            "page": (page, 500, 20_000),
            "tokens": (tokens, 1_000, 100_000_000),
        }
    )

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model = get_model()
        if isinstance(model.api, ExtractiveAPI):
            raise InputError(f"{model} calls no tools. Use a method without them.")
        library = await to_thread.run_sync(open_library, state)
        await _Run(state, model, Desk(library, search_results, page), steps, tokens, context).run()
        return state

    return solve


def check_samples(samples: Iterable[Sample]) -> None:
    """Raise `InputError` for samples without a library."""
    if not all((sample.metadata or {}).get("library") for sample in samples):
        raise InputError("The method agent needs papers to search, and this setting has none.")


class _UnreadableCall(Exception):
    """A reply has a call that cannot be parsed."""


class _Run:
    """Work on one sample, recorded in its metadata."""

    def __init__(
        self,
        state: TaskState,
        model: Model,
        desk: Desk,
        steps: int,
        tokens: int,
        context: int | None,
    ) -> None:
        self._state, self._model, self._desk = state, model, desk
        self._steps, self._tokens = steps, tokens
        self._tools = tools_of(desk)
        measured = measure(str(model), model.api, context)
        tools = ((one.name, one.description, one.parameters) for one in map(ToolDef, self._tools))
        described = sum(
            measured.counter.count(f"{name} {text} {given.model_dump_json()}")
            for name, text, given in tools
        )
        self._window = Window(measured, int(state.metadata["max_tokens"]) + described)
        paths = (self._prompts(name).folder / f"{name}{SUFFIX}" for name in (START, LAST))
        self._note: dict[str, Any] = {
            "steps": 0,
            **desk.record(),
            "refused": 0,
            "dropped": 0,
            "left_out": 0,
            "tokens": 0,
            "prompts": hash_of([path.read_text("utf-8") for path in paths])[:12],
            # Remains if a limit of the run ends the sample.
            "stopped": "interrupted",
        }
        state.metadata["agent"] = self._note

    async def run(self) -> None:
        """Work until there is an answer, and set it as the sample's output."""
        self._last("steps")  # report an unusable template before anything is paid
        slots = {"question": str(self._state.metadata.get("question") or self._state.input_text)}
        values = {
            "steps": self._steps,
            "papers": self._desk.papers,
            "cutoff": self._state.metadata["library"]["cutoff"],
        }
        self._state.messages = [self._say(START, slots, values)]
        output, reason = await self._work()
        silenced = output is not None and output.stop_reason in ("content_filter", "model_length")
        if output is None or (not output.completion.strip() and not silenced):
            self._state.messages.append(self._last(reason))
            output = await self._ask("none")
        self._note["stopped"] = reason
        self._state.output = output

    async def _work(self) -> tuple[ModelOutput | None, str]:
        """The first reply without a call, if any, and the reason for the end."""
        while self._note["steps"] < self._steps:
            self._note["steps"] += 1
            try:
                output = await self._ask("auto")
            except _UnreadableCall:
                self._note["refused"] += 1
                self._state.messages.append(ChatMessageUser(content=UNREADABLE))
                continue
            message = self._state.messages[-1]
            if not isinstance(message, ChatMessageAssistant) or not message.tool_calls:
                return output, "answered"
            done = await execute_tools(self._state.messages, self._tools, max_output=0)
            self._state.messages.extend(_bounded(one) for one in done.messages)
            self._note["refused"] += sum(
                isinstance(one, ChatMessageTool) and one.error is not None for one in done.messages
            )
            self._note |= self._desk.record()
            if self._note["tokens"] >= self._tokens:
                return None, "tokens"
        return None, "steps"

    async def _ask(self, choice: Literal["auto", "none"]) -> ModelOutput:
        """Ask with as much of the conversation as fits, and append the reply."""
        shown = self._shown()
        output = await self._generate(shown, choice)
        for _ in range(_NARROWINGS):
            if not output.choices or output.message.tool_calls or len(shown) == 1:
                break
            if output.stop_reason != "model_length":  # otherwise it is an error message
                break
            # The window is unknown, or the text has more tokens than were counted.
            self._window.narrow(shown)
            try:
                shown = self._shown()
            except InputError:  # nothing is left to remove, so it counts as an overflow
                break
            output = await self._generate(shown, choice)
        message = output.message
        calls = message.tool_calls or []
        most = 0 if choice == "none" else CALLS
        if len(calls) > most:
            self._note["dropped"] += len(calls) - most
            message = message.model_copy(update={"tool_calls": calls[:most] or None})
        self._state.messages.append(message)
        return output

    def _shown(self) -> list[ChatMessage]:
        """As much of the conversation as fits."""
        shown, left_out = self._window.fit(self._state.messages)
        self._note["left_out"] = max(self._note["left_out"], left_out)
        return shown

    async def _generate(
        self, shown: list[ChatMessage], choice: Literal["auto", "none"]
    ) -> ModelOutput:
        try:
            output = await generate_with_retry(
                self._model, shown, tools=self._tools, tool_choice=choice
            )
        except Exception as error:  # providers raise various errors if a model takes no tools
            # Python cannot read a reply with a number of thousands of digits.
            if isinstance(error, ValueError) and "integer string conversion" in str(error):
                raise _UnreadableCall from error
            if self._note["steps"] <= 1 and "tool" in str(error).lower():
                raise InputError(
                    f"{self._model} may call no tools: {str(error)[:_MAX_COMPLAINT]} Use a "
                    "method without them."
                ) from error
            raise
        count = self._window.measure.counter.count
        if output.usage is not None:
            self._note["tokens"] += output.usage.total_tokens
        else:  # the provider does not report them
            self._note["tokens"] += sum(count(message.text) for message in shown)
            self._note["tokens"] += count(output.completion)
        for call in (output.choices and output.message.tool_calls) or ():
            call.arguments = _storable(call.arguments)
        return output

    def _last(self, reason: str) -> ChatMessageUser:
        return self._say(LAST, {}, {"reason": reason})

    def _say(
        self, template: str, slots: dict[str, str], values: dict[str, object]
    ) -> ChatMessageUser:
        return say(self._state, self._prompts(template).render(template, slots, values).text)

    def _prompts(self, template: str) -> PromptSet:
        """The template of the user or the family, or else the shared one."""
        place = self._state.metadata["prompts"]
        has_own = (folder_at(place) / f"{template}{SUFFIX}").is_file()
        return prompts_at(place if has_own else str(_OURS))


def open_library(state: TaskState) -> Library:
    """Open a sample's library; `InputError` if its task has none."""
    entry = state.metadata.get("library")
    if not entry:
        raise InputError(f"Sample {state.sample_id} has no library. Use another method.")
    return open_entry(entry)


def _storable(value: Any) -> Any:
    """A call's arguments without lone surrogates, which logs cannot store."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_storable(key): _storable(one) for key, one in value.items()}
    return [_storable(one) for one in value] if isinstance(value, list) else value


def _bounded(message: ChatMessage) -> ChatMessage:
    """A tool's message without the middle of a long error, which may repeat the input."""
    if not isinstance(message, ChatMessageTool) or message.error is None:
        return message
    if len(complaint := message.error.message) <= _MAX_COMPLAINT:
        return message
    half = _MAX_COMPLAINT // 2
    error = ToolCallError(message.error.type, f"{complaint[:half]} … {complaint[-half:]}")
    return message.model_copy(update={"error": error})


def tools_of(desk: Desk) -> list[Tool]:
    """Make the tools of a model; invalid calls get an error message."""

    def awaited(function: Callable[..., str]) -> Callable[..., Awaitable[str]]:
        @wraps(function)
        async def execute(*given: Any, **named: Any) -> str:
            try:
                return await to_thread.run_sync(partial(function, *given, **named))
            except InputError as error:
                raise ToolError(str(error)) from error

        return execute

    # Calls of one turn run one after the other, in the order of the log.
    functions = functions_of(desk).values()
    return [ToolDef(awaited(each), parallel=False).as_tool() for each in functions]
