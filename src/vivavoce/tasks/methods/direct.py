"""The method `direct`: one message with the whole prompt, cut to the model's window.

The contestants oracle, null and copycat bound every metric; they run with `--model none`.

Inspect retries errors of the connection or the server. A malformed reply with status 200 would end
the sample, and the next try would pay for all its calls again; so it is retried here. If one of
several concurrent tasks fails, the results of the others are kept.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from typing import Any, TypeVar

import anyio
from inspect_ai.model import ChatMessage, ChatMessageUser, Model, ModelOutput, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from pydantic import ValidationError

from vivavoce.errors import InputError, VivaError
from vivavoce.tasks.prompting import Rendered, Span
from vivavoce.tasks.prompting.fitting import Fitting, fit_to_model

SOURCE_SLOT = "content"
"""Slot of the paper's text, which may be cut; other slots are short."""
WORKS_SLOT = "works"
"""Slot of the papers listed for the answer, which may be cut too."""
TITLE_SLOT = "title"


@solver
def direct(context: int | None = None) -> Solver:
    """Send the whole prompt in one message, with the paper's text cut to the model's window.

    Examples are removed first; then the paper's text and the listed works are cut in proportion. A
    prompt without any of these is never cut.

    Args:
        context: Window in tokens; by default that of the provider or the model table.
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
    """Make the first message from the prompt, cut to the model's window; record the cuts."""
    spans = {slot: (start, end) for slot, (start, end) in state.metadata["spans"].items()}
    blocks: list[Span] = [(start, end) for start, end in state.metadata.get("blocks", ())]
    parts = {name: (start, end) for name, (start, end) in state.metadata.get("parts", {}).items()}
    prompt = Rendered(state.input_text, spans, tuple(blocks), parts)
    group = tuple(slot for slot in (SOURCE_SLOT, WORKS_SLOT) if slot in prompt.spans)
    order, answer = [group] if group else [], state.metadata["max_tokens"]
    fitted = fit_to_model(prompt, order, model, answer=answer, context=context)
    spans = fitted.prompt.spans
    source = next((spans[slot] for slot in (SOURCE_SLOT, TITLE_SLOT) if slot in spans), None)
    return message_of(state, fitted, list(source) if source else None)


def message_of(state: TaskState, fitted: Fitting, source: object) -> ChatMessageUser:
    """Make a message of a fitted prompt, with the sample's address; record the cuts.

    `source` has the span or spans of the paper's text, for models that read only that.
    """
    state.metadata["fit"] = fitted.record()
    more = {} if source is None else {"source": source}
    if "words" in state.metadata:
        more["words"] = state.metadata["words"]
    return say(state, fitted.prompt.text, **more)


def say(state: TaskState, text: str, **more: Any) -> ChatMessageUser:
    """Make a message with the sample's address, for models that answer from a file."""
    note = {"sample_id": state.sample_id, "epoch": state.epoch, **more}
    return ChatMessageUser(content=text, metadata={"vivavoce": note})


NULL_ANSWER = "We study a problem and report what we find."


def answered(state: TaskState, name: str, text: str) -> TaskState:
    """End a sample with an answer that needs no model."""
    state.output = ModelOutput.from_content(f"contestant/{name}", text)
    state.completed = True
    return state


def baseline(name: str, answer: Callable[[TaskState], str]) -> Solver:
    """Make a solver that answers from the sample alone."""

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


Given = TypeVar("Given")
Result = TypeVar("Result")

TRIES = 4
_AT_ONCE = 8
"""Pieces of work at a time."""
UNREADABLE = (
    json.JSONDecodeError,
    ValidationError,
    AttributeError,
    IndexError,
    KeyError,
    TypeError,
)
"""Errors of a provider's client on a malformed reply."""


async def generate_with_retry(
    model: Model, messages: Sequence[ChatMessage], **more: Any
) -> ModelOutput:
    """Generate a reply; malformed and empty replies are retried."""
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


async def run_in_batches(
    who: str,
    given: Sequence[Given],
    work: Callable[[Given], Coroutine[Any, Any, Result]],
    progress: Callable[[int, int], None] | None = None,
) -> AsyncIterator[list[tuple[Given, Result]]]:
    """Yield the results of some pieces of work at a time; after a failure, raise the first error.

    `who` is the model, for the message; `progress` gets the numbers of pieces done and given.
    """
    for start in range(0, len(given), _AT_ONCE):
        batch = given[start : start + _AT_ONCE]
        # Providers can raise anything; errors are reported, never ignored.
        outcomes = await asyncio.gather(*map(work, batch), return_exceptions=True)
        failures = [one for one in outcomes if isinstance(one, BaseException)]
        for failure in failures:
            if not isinstance(failure, Exception):
                raise failure
        yield [
            (one, result)
            for one, result in zip(batch, outcomes, strict=True)
            if not isinstance(result, BaseException)
        ]
        if failures and isinstance(failures[0], VivaError):
            raise failures[0]
        if failures:
            # A retry that gave up names its last error.
            cause = failures[0].__cause__ or failures[0]
            what = f"{type(cause).__name__}: {cause}".rstrip(".: \n")
            raise VivaError(
                f"{who} failed: {what}. Run the same command again to resume."
            ) from failures[0]
        if progress:
            progress(start + len(batch), len(given))
