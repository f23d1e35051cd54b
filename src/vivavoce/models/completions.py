"""Chat completions that Inspect's clients cannot read: content in parts, and malformed replies.

Servers send content as text or as a list of parts. Inspect expects text, so the parts are joined
first: text parts become the content, all others the reasoning.
"""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from vivavoce.errors import ProviderError

if TYPE_CHECKING:
    from inspect_ai.model import ModelAPI

_TEXT_TYPES = ("text", "output_text", None)
"""Types of the parts of an answer, in both forms of the API."""
_PASSING = (
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.CONFLICT,
    HTTPStatus.LOCKED,
    HTTPStatus.TOO_EARLY,
    HTTPStatus.TOO_MANY_REQUESTS,
)
"""Client errors that may pass when the request is retried."""


def is_permanent(status: object) -> bool:
    """Check whether a status means that a retry would fail too."""
    return type(status) is int and 400 <= status < 500 and status not in _PASSING


def read_parts(api: ModelAPI) -> None:
    """Let a provider's client of the chat completions API read content in parts."""
    # Join parts before Inspect logs the completion, which warns about content that is not text.
    receive = getattr(api, "_generate_completion", None)
    if receive is None:
        return

    async def received(*args: Any, **given: Any) -> Any:
        completion = await receive(*args, **given)
        if hasattr(completion, "choices"):
            if not isinstance(completion.choices, list):
                raise _formless(completion)
            for choice in completion.choices:
                _join_parts(choice.message)
        return completion

    vars(api)["_generate_completion"] = received


def _formless(completion: Any) -> Exception:
    """The error in a reply that has no choices despite its status 200."""
    from inspect_ai.model._openai import OpenAIResponseError

    error = getattr(completion, "error", None)
    error = error if isinstance(error, dict) else {"message": error}
    cause = str(error.get("message") or "The reply has no choices")
    if error.get("code") and not is_permanent(error["code"]):
        return OpenAIResponseError("server_error", cause)
    return ProviderError(cause)


def _join_parts(message: Any) -> None:
    """Turn a message's content into text, and move its reasoning to a separate field."""
    content = message.content
    if content is None or isinstance(content, str):
        return
    parts = content if isinstance(content, list) else [content]
    answer: list[str] = []
    reasoning: list[str] = []
    for part in parts:
        is_text = isinstance(part, str) or (
            isinstance(part, dict) and part.get("type") in _TEXT_TYPES
        )
        (answer if is_text else reasoning).extend(_texts(part))
    if parts and not answer and not reasoning:
        raise ProviderError("The reply's content is neither a text nor a list of parts")
    message.content = "".join(answer)
    if reasoning and not getattr(message, "reasoning_content", None):
        message.reasoning_content = "\n".join(reasoning)


def _texts(part: object, depth: int = 3) -> Iterator[str]:
    """Texts in a part, such as `{"type": "thinking", "thinking": [{"text": ...}]}`."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, list) and depth:
        for inner in part:
            yield from _texts(inner, depth - 1)
    elif isinstance(part, dict) and depth:
        named = ("text", str(part.get("type")), "content", "summary")
        value = next((part[name] for name in named if part.get(name) is not None), None)
        yield from _texts(value, depth - 1)
