"""Requests of a run on their way to a provider: attempts, and functions that intercept them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from inspect_ai.model import (
        ChatMessage,
        GenerateConfig,
        Model,
        ModelCall,
        ModelOutput,
    )


_CURRENT: ContextVar[Attempt | None] = ContextVar("vivavoce_attempt", default=None)

Reply: TypeAlias = "ModelOutput | tuple[ModelOutput | Exception, ModelCall]"
Send = Callable[[], Awaitable[Reply]]
"""Sends a request on to the provider."""
SetAside: TypeAlias = "AbstractAsyncContextManager[Callable[[Reply], None]]"
"""Money that is reserved for a request until its reply shows the cost."""


class Request(NamedTuple):
    """A request to a model, as its provider gets it."""

    input: list[ChatMessage]
    tools: Any
    tool_choice: Any
    config: GenerateConfig


def intercept(model: Model, answer: Callable[[Request, Send], Awaitable[Reply]]) -> None:
    """Let a function answer all requests to a model; it may send them on."""
    generate = model.api.generate

    async def answered(
        input: list[ChatMessage], tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> Reply:
        request = Request(input, tools, tool_choice, config)

        async def send() -> Reply:
            return await generate(**request._asdict())

        return await answer(request, send)

    # Inspect looks the provider's method up on the object for every request.
    vars(model.api)["generate"] = answered


def output_of(reply: Reply) -> ModelOutput | None:
    """The output in a reply of a provider; None for an error."""
    from inspect_ai.model import ModelOutput

    output = reply[0] if isinstance(reply, tuple) else reply
    return output if isinstance(output, ModelOutput) else None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at one sample of one epoch."""

    log: str
    """Inspect's id of the evaluation."""
    sample: str
    epoch: int
    number: int
    """Number of the try, from 1."""


def current_attempt() -> Attempt | None:
    """Attempt in progress in this task of the event loop; None outside of one."""
    return _CURRENT.get()


def follow_attempts() -> None:
    """Keep `current_attempt` up to date from now on."""
    from inspect_ai.hooks import Hooks, SampleAttemptStart, hooks

    # Hooks cannot be removed, but a new one replaces the old one of the same name. Inspect awaits
    # it in the task that then starts the solver and scorers, which inherit the value set here.
    @hooks(name="vivavoce/attempts", description="Tells which sample is under way.")
    class AttemptHooks(Hooks):
        async def on_sample_attempt_start(self, data: SampleAttemptStart) -> None:
            summary = data.summary
            _CURRENT.set(Attempt(data.eval_id, str(summary.id), summary.epoch, data.attempt))
