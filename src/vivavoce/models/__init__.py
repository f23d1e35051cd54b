"""Offline Inspect model providers, families of models, and starting of models by name.

A model is started before any work is done, with errors that name it. Inside `replaying`, no task
starts a model of a role: a log's replies replace it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import TypeAdapter

from vivavoce.checking import checked
from vivavoce.errors import InputError, VivaError
from vivavoce.models.completions import read_parts
from vivavoce.text.data import read_data

if TYPE_CHECKING:
    from inspect_ai.model import Model


_FAMILIES = read_data(__file__, "families.toml")
_BY_WORD: dict[str, str] = {word: family for family, words in _FAMILIES.items() for word in words}
_MAKERS = frozenset(
    "openai anthropic google mistral mistralai deepseek grok xai cohere moonshot zhipu".split()
)
"""Providers that serve only their own models."""
_WORD = re.compile(r"o[134](?![a-z0-9])|[a-z]+")


def model_family(name: str) -> str:
    """Family of a model by its name: `together/meta-llama/Llama-3-70b` is `llama`.

    If a name has several, the last counts, because it is the base model. A name without a family is
    its own family, without the provider.
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
    # `Llama3` and `qwen2.5` include the version, so words are letters only.
    return [_BY_WORD[word] for word in _WORD.findall(own) if word in _BY_WORD]


def _makers(name: str) -> set[str]:
    return set(re.split(r"[/.]", name.lower())[:-1]) & _MAKERS


Entry = TypeVar("Entry")


def read_models(path: Path, kind: type[Entry], what: str) -> list[Entry]:
    """Read the `[[model]]` tables of a file, in order; `InputError` for another format."""
    try:
        rows = tomllib.loads(path.read_text("utf-8"))["model"]
        if not isinstance(rows, list):
            raise TypeError("[model] is one table; write [[model]]")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise InputError(f"{path} is not {what}: {error}") from error
    adapter = TypeAdapter(kind)
    return [checked(adapter, row, f"{path}: model {place}") for place, row in enumerate(rows, 1)]


_replayed: ContextVar[Mapping[str, str] | None] = ContextVar("replayed_roles", default=None)


def start_model(name: str, args: Mapping[str, Any]) -> Model:
    """Start a model, and report a wrong name or a missing key.

    Raises:
        InputError: There is no such model.
        VivaError: The model cannot be used.
    """
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
    read_parts(model.api)
    return model


@contextmanager
def replaying(roles: Mapping[str, str]) -> Iterator[None]:
    """Create tasks whose roles are replayed from a log: role -> model named in the log."""
    token = _replayed.set(roles)
    try:
        yield
    finally:
        _replayed.reset(token)


def replayed_roles() -> Mapping[str, str] | None:
    """Roles of the log being replayed; None if models answer."""
    return _replayed.get()
