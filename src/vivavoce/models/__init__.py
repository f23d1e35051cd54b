"""Offline Inspect model providers, families of models, and starting of models by name.

A model is started before any work is done, and errors name the model. Inside `replaying`, no task
starts a model for a role: replies from a log replace it.

Servers send a completion's content as text or as a list of parts. Inspect's clients expect text, so
the parts are joined first: text parts become the content, and all others the reasoning.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import TypeAdapter

from vivavoce.checking import checked
from vivavoce.errors import InputError, ProviderError, VivaError
from vivavoce.text import read_data

if TYPE_CHECKING:
    from inspect_ai.model import Model, ModelAPI


_TEXT_TYPES = ("text", "output_text", None)
"""Types of parts that belong to the answer, in both forms of the API."""
_PASSING = (
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.CONFLICT,
    HTTPStatus.LOCKED,
    HTTPStatus.TOO_EARLY,
    HTTPStatus.TOO_MANY_REQUESTS,
)
"""Client errors that may pass when the request is retried."""


def is_permanent(status: object) -> bool:
    """Check whether an HTTP status means that a retry would fail too."""
    return type(status) is int and 400 <= status < 500 and status not in _PASSING


def read_parts(api: ModelAPI) -> None:
    """Let a provider's chat completions client read content that comes in parts."""
    # Join parts before Inspect logs the completion: logging warns about content that is not text.
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
    """Make the error for a reply that has no choices despite its status 200."""
    from inspect_ai.model._openai import OpenAIResponseError

    error = getattr(completion, "error", None)
    error = error if isinstance(error, dict) else {"message": error}
    cause = str(error.get("message") or "The reply has no choices")
    if error.get("code") and not is_permanent(error["code"]):
        return OpenAIResponseError("server_error", cause)
    return ProviderError(cause)


def _join_parts(message: Any) -> None:
    """Turn a message's content into text, and move the reasoning to a separate field."""
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


_FAMILIES = read_data(__file__, "families.toml")
_BY_WORD: dict[str, str] = {word: family for family, words in _FAMILIES.items() for word in words}
_MAKERS = frozenset(
    "openai anthropic google mistral mistralai deepseek grok xai cohere moonshot zhipu".split()
)
"""Providers that serve only their own models."""
_WORD = re.compile(r"o[134](?![a-z0-9])|[a-z]+")


def model_family(name: str) -> str:
    """Find the family of a model by name: `together/meta-llama/Llama-3-70b` is `llama`.

    If a name has several families, the last counts, because it is the base model. A name without a
    known family is its own family, without the provider.
    """
    families = _families(name)
    return families[-1] if families else name.split("/", 1)[-1]


def is_same_family(first: str, second: str) -> bool:
    """Check whether two models share a family or a maker."""
    if set(_families(first)) & set(_families(second)) or _makers(first) & _makers(second):
        return True
    return model_family(first) == model_family(second)


def _families(name: str) -> list[str]:
    own = name.lower().split("/")[-1]
    # Names such as `Llama3` and `qwen2.5` include the version, so words are letters only.
    return [_BY_WORD[word] for word in _WORD.findall(own) if word in _BY_WORD]


def _makers(name: str) -> set[str]:
    return set(re.split(r"[/.]", name.lower())[:-1]) & _MAKERS


Entry = TypeVar("Entry")


def read_models(path: Path, kind: type[Entry], what: str) -> list[Entry]:
    """Read the `[[model]]` tables of a file, in order; `InputError` for any other format."""
    try:
        rows = tomllib.loads(path.read_text("utf-8"))["model"]
        if not isinstance(rows, list):
            raise TypeError("[model] is one table; write [[model]]")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise InputError(f"{path} is not {what}: {error}") from error
    adapter = TypeAdapter(kind)
    return [checked(adapter, row, f"{path}: model {place}") for place, row in enumerate(rows, 1)]


FILE_HASH = "sha256"
"""Attribute of a provider that reads a file: its hash, which becomes an argument of the model."""
_replayed: ContextVar[Mapping[str, str] | None] = ContextVar("replayed_roles", default=None)


def start_model(name: str, args: Mapping[str, Any]) -> Model:
    """Start a model; `InputError` for an unknown name, `VivaError` if it cannot be used."""
    from inspect_ai._util.error import PrerequisiteError
    from inspect_ai.model import get_model

    try:
        # A memoized model would keep an earlier run's connections and base URL.
        model = get_model(name, memoize=False, **args)
    except VivaError:
        raise
    except Exception as error:  # a provider may raise anything while it starts
        kind = InputError if isinstance(error, ValueError) else VivaError
        plain = re.sub(r"\[/?[a-z ]{1,20}\]", "", str(error)).removeprefix("ERROR: ")
        cause = ". ".join(" ".join(part.split()) for part in plain.split("\n\n"))
        remedy = (
            " Set or install what is missing, and run the same command again."
            if isinstance(error, PrerequisiteError)
            else ""
        )
        raise kind(f"The model {name} cannot be used: {cause}{remedy}") from error
    if digest := getattr(model.api, FILE_HASH, None):
        # Inspect resumes logs of the same arguments, and caches replies of the same address.
        model.model_args[FILE_HASH] = model.api.base_url = digest
    read_parts(model.api)
    return model


@contextmanager
def replaying(roles: Mapping[str, str]) -> Iterator[None]:
    """Let new tasks replay their roles from a log; `roles` maps roles to models in the log."""
    token = _replayed.set(roles)
    try:
        yield
    finally:
        _replayed.reset(token)


def replayed_roles() -> Mapping[str, str] | None:
    """The roles of the log being replayed; None if models answer."""
    return _replayed.get()
