"""The direct method: one message with the whole prompt, cut to the model's window.

The contestants oracle, null and copycat bound every metric; they run with `--model none`.

Inspect asks again after an error of the connection or of the server. A reply with status 200 that
is not of the API's form ends the sample instead, and the next try pays for all of its calls again.
Several pieces of work run at once: what is done is kept when one of them fails.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

import anyio
from inspect_ai.model import ChatMessage, ChatMessageUser, Model, ModelOutput, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from pydantic import ValidationError

from vivavoce.errors import InputError, VivaError
from vivavoce.tasks.prompting.fitting import Fitting, fit_to_model
from vivavoce.tasks.prompting.prompts import Rendered, Span

SOURCE_SLOT = "content"
"""The paper's text: the slot that is cut; the others are short and arrive whole."""
WORKS_SLOT = "works"
"""Papers that the answer is to speak of, listed one after the other; cut like the paper's text."""
TITLE_SLOT = "title"


@solver
def direct(context: int | None = None) -> Solver:
    """Send the whole prompt in one message, the paper's text cut to the model's window.

    Examples go before anything else is cut; the paper's text and the listed works are cut in
    proportion. A prompt without any of them is never cut.

    Args:
        context: Window in tokens; by default what the provider or the model table says.

    Raises:
        InputError: The window is not a positive number of tokens.
    """
    check_context(context)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.messages = [first_message(state, context, get_model())]
        return await generate(state)

    return solve


def check_context(context: object) -> None:
    """Raise `InputError` for a window that is not a positive number of tokens."""
    if context is not None and (type(context) is not int or context < 1):
        raise InputError(f"context={context!r} is not a number of tokens, such as 32768.")


def first_message(state: TaskState, context: int | None, model: Model) -> ChatMessageUser:
    """The prompt cut to the model's window, with the sample's address; what was cut is noted."""
    prompt = prompt_of(state)
    group = tuple(slot for slot in (SOURCE_SLOT, WORKS_SLOT) if slot in prompt.spans)
    order, answer = [group] if group else [], state.metadata["max_tokens"]
    fitted = fit_to_model(prompt, order, model, answer=answer, context=context)
    spans = fitted.prompt.spans
    source = next((spans[slot] for slot in (SOURCE_SLOT, TITLE_SLOT) if slot in spans), None)
    return message_of(state, fitted, list(source) if source else None)


def prompt_of(state: TaskState) -> Rendered:
    """The sample's prompt with every slot in full."""
    spans = {slot: (start, end) for slot, (start, end) in state.metadata["spans"].items()}
    blocks: list[Span] = [(start, end) for start, end in state.metadata.get("blocks", ())]
    parts = {name: (start, end) for name, (start, end) in state.metadata.get("parts", {}).items()}
    return Rendered(state.input_text, spans, tuple(blocks), parts)


def message_of(state: TaskState, fitted: Fitting, source: object) -> ChatMessageUser:
    """A fitted prompt as a message with the sample's address; what was cut is noted.

    Args:
        state: The sample.
        fitted: The prompt.
        source: Place of the paper's text in it, for models that only read that: a span, or a list
            of spans; None to leave it out.
    """
    state.metadata["fit"] = fitted.record()
    note: dict[str, Any] = {"sample_id": state.sample_id, "epoch": state.epoch}
    if source is not None:
        note["source"] = source
    if "words" in state.metadata:
        note["words"] = state.metadata["words"]
    return ChatMessageUser(content=fitted.prompt.text, metadata={"vivavoce": note})


NULL_ANSWER = "We study a problem and report what we find."


def answered(state: TaskState, name: str, text: str) -> TaskState:
    """End a sample with the answer of a contestant that asks no model."""
    state.output = ModelOutput.from_content(f"contestant/{name}", text)
    state.completed = True
    return state


def baseline(name: str, answer: Callable[[TaskState], str]) -> Solver:
    """Solver of a contestant whose answer is made from the sample alone."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return answered(state, name, answer(state))

    return solve


@solver
def oracle() -> Solver:
    """Answer with the gold itself: the highest value a metric can take."""
    return baseline("oracle", lambda state: state.target.text)


@solver
def null() -> Solver:
    """Answer every sample with the same sentence."""
    return baseline("null", lambda state: NULL_ANSWER)


@solver
def copycat() -> Solver:
    """Answer with the input."""
    return baseline("copycat", lambda state: state.input_text)


Result = TypeVar("Result")

TRIES = 4
UNREADABLE = (
    json.JSONDecodeError,
    ValidationError,
    AttributeError,
    IndexError,
    KeyError,
    TypeError,
)
"""Errors of a provider's client that looks for a part that a reply does not have."""


async def generate_with_retry(
    model: Model, messages: Sequence[ChatMessage], **more: Any
) -> ModelOutput:
    """A model's reply; a reply that cannot be read or says nothing at all is asked for again."""
    for attempt in range(1, TRIES):
        try:
            output = await model.generate(list(messages), **more)
        except UNREADABLE:
            pass
        else:
            if output.choices:
                return output
        await anyio.sleep(2 ** (attempt - 1))
    return await model.generate(list(messages), **more)


async def run_at_once(
    who: str, work: Sequence[Coroutine[Any, Any, Result]]
) -> tuple[list[Result | None], Exception | None]:
    """Result of each piece, None for one that failed; and the error of the first of these.

    Args:
        who: The model, for the message.
        work: What to do; all of it ends before this does.
    """
    # A provider fails in as many ways as there are providers; what fails is told, never passed by.
    found = await asyncio.gather(*work, return_exceptions=True)
    results: list[Result | None] = []
    failure: Exception | None = None
    for one in found:
        if isinstance(one, Exception):
            results.append(None)
            failure = failure or _as_viva_error(who, one)
        elif isinstance(one, BaseException):
            raise one
        else:
            results.append(one)
    return results, failure


def _as_viva_error(who: str, error: Exception) -> Exception:
    """An error of the provider's as one of ours; a retry that gave up names its last error."""
    if isinstance(error, VivaError):
        return error
    cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
    what = f"{type(cause).__name__}: {cause}".rstrip(".: \n")
    failure = VivaError(f"{who} failed: {what}. Run the same command again to go on.")
    failure.__cause__ = error
    return failure
