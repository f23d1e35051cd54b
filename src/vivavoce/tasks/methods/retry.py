"""Requests of methods that make many: asked again where a reply came that is none.

Inspect asks again after an error of the connection or of the server. A reply with status 200 that
is not of the API's form ends the sample instead, and the next try pays for all of its calls anew.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import anyio
from inspect_ai.model import ChatMessage, Model, ModelOutput
from pydantic import ValidationError

TRIES = 4
UNREADABLE = (
    json.JSONDecodeError,
    ValidationError,
    AttributeError,
    IndexError,
    KeyError,
    TypeError,
)
"""What a provider's client raises when it looks for a part that a reply does not have."""


async def generate_with_retry(
    model: Model, messages: Sequence[ChatMessage], **more: Any
) -> ModelOutput:
    """A model's reply; a reply that cannot be read or says nothing at all is asked for again.

    Args:
        model: The model.
        messages: The conversation.
        more: What else `Model.generate` takes.
    """
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
