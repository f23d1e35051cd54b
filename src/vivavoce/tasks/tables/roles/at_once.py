"""Several pieces of work that ask models, at once: what is done is kept when one of them fails."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from vivavoce.errors import VivaError

Result = TypeVar("Result")


async def run_at_once(
    who: str, work: Sequence[Coroutine[Any, Any, Result]]
) -> tuple[list[Result | None], Exception | None]:
    """What each piece came to, None for one that failed; and why the first of these did.

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
