"""The direct method: one message with the whole prompt, cut to the model's window."""

from __future__ import annotations

from typing import Any

from inspect_ai.model import ChatMessageUser, Model, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from vivavoce.errors import InputError
from vivavoce.tasks.shared.fitting import Fitted, fit
from vivavoce.tasks.shared.prompts import Rendered
from vivavoce.tasks.shared.windows import measure

SOURCE_SLOT = "content"
"""The paper's text: the slot that is cut; the others are short and arrive whole."""


@solver
def direct(context: int | None = None) -> Solver:
    """Send the whole prompt in one message, the paper's text cut to the model's window.

    A prompt without a paper's text is never cut.

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
    fitted = _fit(state, context, model)
    state.metadata["fit"] = fitted.record()
    note: dict[str, Any] = {"sample_id": state.sample_id, "epoch": state.epoch}
    if SOURCE_SLOT in fitted.prompt.spans:
        note["source"] = list(fitted.prompt.spans[SOURCE_SLOT])
    if "words" in state.metadata:
        note["words"] = state.metadata["words"]
    return ChatMessageUser(content=fitted.prompt.text, metadata={"vivavoce": note})


def _fit(state: TaskState, context: int | None, model: Model) -> Fitted:
    measured = measure(str(model), model.api, context)
    spans = {slot: (start, end) for slot, (start, end) in state.metadata["spans"].items()}
    return fit(
        Rendered(state.input_text, spans),
        [slot for slot in (SOURCE_SLOT,) if slot in spans],
        measured.counter,
        window=measured.window,
        reserved=state.metadata["max_tokens"] + measured.overhead,
    )
