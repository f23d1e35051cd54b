"""Models started by name, before any work is done, with errors that name the model.

Inside `replaying` no task starts a model of a role: replies of a log stand for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from vivavoce.errors import InputError, VivaError

if TYPE_CHECKING:
    from inspect_ai.model import Model

_replayed: ContextVar[Mapping[str, str] | None] = ContextVar("replayed_roles", default=None)


def start_model(name: str, args: Mapping[str, Any]) -> Model:
    """Start a model; a wrong name or a missing key is told here.

    Raises:
        InputError: There is no such model.
        VivaError: It cannot be used.
    """
    from inspect_ai.model import get_model

    try:
        # One kept from an earlier run would hold that run's connections, and its address.
        return get_model(name, memoize=False, **args)
    except VivaError:
        raise
    except Exception as error:  # a provider raises what it likes while it starts
        kind = InputError if isinstance(error, ValueError) else VivaError
        cause = " ".join(re.sub(r"\[/?[a-z ]{1,20}\]", "", str(error)).split())
        raise kind(f"The model {name} cannot be used: {cause}") from error


@contextmanager
def replaying(roles: Mapping[str, str]) -> Iterator[None]:
    """Let tasks be made whose roles a log plays: role -> the model that it names."""
    token = _replayed.set(roles)
    try:
        yield
    finally:
        _replayed.reset(token)


def replayed_roles() -> Mapping[str, str] | None:
    """Roles of the log that is replayed; None where models are asked."""
    return _replayed.get()
