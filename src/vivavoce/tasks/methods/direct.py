"""The direct method: one message with the whole prompt, cut to the model's window.

The contestants oracle, null and copycat bound every metric; they run with `--model none`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inspect_ai.model import ChatMessageUser, Model, ModelOutput, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from vivavoce.errors import InputError
from vivavoce.tasks.prompting.fitting import Fitted, Group, fit
from vivavoce.tasks.prompting.prompts import Rendered, Span
from vivavoce.tasks.prompting.windows import measure

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
    fitted = fit_to(model, context, state, prompt, [group] if group else [])
    spans = fitted.prompt.spans
    source = next((spans[slot] for slot in (SOURCE_SLOT, TITLE_SLOT) if slot in spans), None)
    return message_of(state, fitted, list(source) if source else None)


def prompt_of(state: TaskState) -> Rendered:
    """The sample's prompt with every slot in full."""
    spans = {slot: (start, end) for slot, (start, end) in state.metadata["spans"].items()}
    blocks: list[Span] = [(start, end) for start, end in state.metadata.get("blocks", ())]
    parts = {name: (start, end) for name, (start, end) in state.metadata.get("parts", {}).items()}
    return Rendered(state.input_text, spans, tuple(blocks), parts)


def fit_to(
    model: Model,
    context: int | None,
    state: TaskState,
    prompt: Rendered,
    cut_order: Sequence[Group],
) -> Fitted:
    """Fit a prompt to a model's window less the sample's longest answer."""
    measured = measure(str(model), model.api, context)
    return fit(
        prompt,
        cut_order,
        measured.counter,
        window=measured.window,
        reserved=state.metadata["max_tokens"] + measured.overhead,
    )


def message_of(state: TaskState, fitted: Fitted, source: object) -> ChatMessageUser:
    """A fitted prompt as a message with the sample's address; what was cut is noted.

    Args:
        state: The sample.
        fitted: The prompt.
        source: Where the paper's text stands in it, for models that only read that: a span, or a
            list of spans; None to say nothing of it.
    """
    state.metadata["fit"] = fitted.record()
    note: dict[str, Any] = {"sample_id": state.sample_id, "epoch": state.epoch}
    if source is not None:
        note["source"] = source
    if "words" in state.metadata:
        note["words"] = state.metadata["words"]
    return ChatMessageUser(content=fitted.prompt.text, metadata={"vivavoce": note})


CONTESTANTS = ("copycat", "null", "oracle")
NULL_ANSWER = "We study a problem and report what we find."


def answered(state: TaskState, name: str, text: str) -> TaskState:
    """End a sample with the answer of a contestant that asks no model."""
    state.output = ModelOutput.from_content(f"contestant/{name}", text)
    state.completed = True
    return state


def baseline(name: str, answer: Callable[[TaskState], str]) -> Solver:
    """Solver of a contestant whose answer is made from the sample alone.

    Args:
        name: The contestant, as logs name it.
        answer: Gives the answer to a sample.
    """

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
