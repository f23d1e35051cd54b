"""Requests of methods that make many: asked again where a reply came that is none.

Inspect asks again after an error of the connection or of the server. A reply with status 200 that
is not of the API's form ends the sample instead, and the next try pays for all of its calls anew.
Several pieces of work run at once: what is done is kept when one of them fails.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

import anyio
from inspect_ai.model import ChatMessage, Model, ModelOutput
from pydantic import ValidationError

from vivavoce.errors import VivaError

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
            failure = failure or _told(who, one)
        elif isinstance(one, BaseException):
            raise one
        else:
            results.append(one)
    return results, failure


def _told(who: str, error: Exception) -> Exception:
    """An error of the provider's as one of ours; a retry that gave up tells what it met."""
    if isinstance(error, VivaError):
        return error
    cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
    what = f"{type(cause).__name__}: {cause}".rstrip(".: \n")
    told = VivaError(f"{who} failed: {what}. Run the same command again to go on.")
    told.__cause__ = error
    return told
