"""Tools of the method `agent`, and fitting of its conversation to a window."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from typing import Any

from anyio import to_thread
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, ContentReasoning
from inspect_ai.tool import Tool, ToolDef, ToolError

from vivavoce.errors import InputError
from vivavoce.tasks.library.desk import Desk, functions_of
from vivavoce.tasks.prompting.windows import Measure


def tools_of(desk: Desk) -> list[Tool]:
    """Make the tools of a model; invalid calls get an error message."""
    # Calls of one turn run one after the other, in the order of the log.
    functions = functions_of(desk).values()
    return [ToolDef(_awaited(each), parallel=False).as_tool() for each in functions]


def _awaited(function: Callable[..., str]) -> Callable[..., Awaitable[str]]:
    @wraps(function)
    async def execute(*given: Any, **named: Any) -> str:
        try:
            return await to_thread.run_sync(partial(function, *given, **named))
        except InputError as error:
            raise ToolError(str(error)) from error

    return execute


LEFT_OUT = "[This result was taken out to make room. Ask again if it is needed.]"
CUT = "\n[The rest was cut off for want of room.]"
_AROUND = 8
"""Default tokens that a provider adds to a message."""


@dataclass(frozen=True, slots=True)
class ShownMessages:
    """The part of a conversation that is sent."""

    messages: list[ChatMessage]
    left_out: int
    """Number of results that were removed or cut."""


@dataclass(slots=True)
class Window:
    """Limits on a model's conversation."""

    measure: Measure
    reserved: int
    """Tokens reserved for the answer and the descriptions of tools."""
    _sizes: dict[str, int] = field(default_factory=dict)

    def fit(self, messages: Sequence[ChatMessage]) -> ShownMessages:
        """Shorten the conversation to fit.

        Results of tools are removed oldest first, then whole turns. The last turn stays, with its
        results cut, and so does the first message.

        Raises:
            InputError: The window cannot hold the first message, the last turn and an answer.
        """
        if self.measure.window is None:
            return ShownMessages(list(messages), 0)
        turns = list(_turns(messages[1:]))
        shown = [[messages[0]], *(list(turn) for turn in turns)]
        excess = self._size_of(shown) - (self.measure.window - self.reserved)
        left_out = 0
        for place, turn in enumerate(turns[:-1], 1):
            for index, message in enumerate(turn):
                if excess > 0 and isinstance(message, ChatMessageTool):
                    shown[place][index] = note = _with_text(message, LEFT_OUT)
                    excess += self._size(note) - self._size(message)
                    left_out += 1
        while len(shown) > 2 and excess > 0:
            excess -= self._size_of([shown.pop(1)])
        if excess > 0 and turns:
            excess += self._cut(shown[-1], excess)
            left_out += sum(a is not b for a, b in zip(shown[-1], turns[-1], strict=True))
        if excess > 0:
            raise InputError(
                f"A window of {self.measure.window} tokens, with {self.reserved} kept for the "
                f"answer and the tools, is {excess} tokens too small for the question and one "
                "turn. Give a larger window with viva run --context N."
            )
        return ShownMessages([message for turn in shown for message in turn], left_out)

    def narrow(self, shown: ShownMessages) -> None:
        """Set the window to three quarters of a conversation that was too long."""
        size = self._size_of([shown.messages]) * 3 // 4
        self.measure = replace(self.measure, window=size + self.reserved)

    def _cut(self, turn: list[ChatMessage], excess: int) -> int:
        """Shorten a turn's results to share the available room; return the changes."""
        before = self._size_of([turn])
        results = [one for one in turn if isinstance(one, ChatMessageTool)]
        room = sum(self._size(one) for one in results) - excess
        for index, message in enumerate(turn):
            if isinstance(message, ChatMessageTool):
                turn[index] = self._shorten(message, room // len(results) - self._overhead)
        return self._size_of([turn]) - before

    def _shorten(self, message: ChatMessageTool, tokens: int) -> ChatMessageTool:
        counter, text = self.measure.counter, text_of(message)
        if counter.count(text) <= tokens:
            return message
        end = counter.end_of(text, max(0, tokens - counter.count(CUT) - 1))
        return _with_text(message, text[:end] + CUT if end else LEFT_OUT)

    @property
    def _overhead(self) -> int:
        return max(self.measure.overhead, _AROUND)

    def _size_of(self, turns: Sequence[Sequence[ChatMessage]]) -> int:
        return sum(self._size(message) for turn in turns for message in turn)

    def _size(self, message: ChatMessage) -> int:
        text = text_of(message)
        if text not in self._sizes:
            self._sizes[text] = self.measure.counter.count(text)
        return self._sizes[text] + self._overhead


def _turns(messages: Sequence[ChatMessage]) -> Iterator[list[ChatMessage]]:
    """Split the conversation before each message of the model."""
    turn: list[ChatMessage] = []
    for message in messages:
        if isinstance(message, ChatMessageAssistant) and turn:
            yield turn
            turn = []
        turn.append(message)
    if turn:
        yield turn


def _with_text(message: ChatMessageTool, text: str) -> ChatMessageTool:
    return message.model_copy(update={"content": text, "error": None})


def text_of(message: ChatMessage) -> str:
    """All text of a message that a provider may receive."""
    parts = [message.text]
    if isinstance(message, ChatMessageAssistant):
        if not isinstance(message.content, str):
            parts += [one.reasoning for one in message.content if isinstance(one, ContentReasoning)]
        for call in message.tool_calls or ():
            parts += [call.function, json.dumps(call.arguments, default=str)]
    if isinstance(message, ChatMessageTool) and message.error is not None:
        parts.append(message.error.message)
    return "\n".join(parts)
