"""Each model's context window and tokenizer: told by its provider, else by the model table."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from pathlib import Path
from typing import Protocol, runtime_checkable

from pydantic import ConfigDict

from vivavoce.checking import Count, Name, Ordinal
from vivavoce.models import read_models
from vivavoce.text.tokens import open_tokenizer

TABLE_VARIABLE = "VIVAVOCE_MODELS"


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A row of the model table."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: Name
    """Shell pattern matched against `provider/model`."""
    window: Ordinal | None = None
    """Tokens of input and answer together; None when unknown."""
    tokenizer: Path | None = None
    """A `tokenizer.json`; None to estimate."""
    overhead: Count = 0
    """Tokens that the provider's chat template adds to a message."""


UNKNOWN = ModelEntry("*")


class TokenCounter(Protocol):
    """Counts tokens and finds where a number of them ends."""

    is_estimated: bool

    def count(self, text: str) -> int:
        """Tokens of a text."""
        ...

    def end_of(self, text: str, tokens: int) -> int:
        """Length in characters of the text's first `tokens` tokens."""
        ...


@runtime_checkable
class SelfMeasured(Protocol):
    """A provider that knows its model's window and has the model's own tokenizer."""

    window: int
    """Tokens of input and answer together."""
    overhead: int
    """Tokens that the chat template adds to a message."""
    counter: TokenCounter


@dataclass(frozen=True, slots=True)
class Measure:
    """Window that a prompt has to fit into, and the counter of its tokens."""

    window: int | None
    """Tokens of input and answer together; None where it is not known."""
    overhead: int
    """Tokens that the chat template adds to a message."""
    counter: TokenCounter


class EstimatedCounter:
    """A third of the UTF-8 bytes, rounded up: on the safe side for English prose."""

    is_estimated = True

    def count(self, text: str) -> int:
        """Estimated tokens of a text."""
        return -(-len(text.encode("utf-8", "surrogatepass")) // 3)

    def end_of(self, text: str, tokens: int) -> int:
        """The number of characters that fit into `tokens`, at three bytes a token."""
        piece = text.encode("utf-8", "surrogatepass")[: tokens * 3]
        return len(piece.decode("utf-8", "ignore"))


class FileCounter:
    """The model's own tokenizer, read from its `tokenizer.json`."""

    is_estimated = False

    def __init__(self, path: Path) -> None:
        self._tokenizer = open_tokenizer(path)

    def count(self, text: str) -> int:
        """Tokens of a text, without added special tokens."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def end_of(self, text: str, tokens: int) -> int:
        """End of token number `tokens` in the text."""
        offsets = self._tokenizer.encode(text, add_special_tokens=False).offsets
        if len(offsets) <= tokens:
            return len(text)
        return int(offsets[tokens - 1][1]) if tokens > 0 else 0


def model_table() -> list[ModelEntry]:
    """The user's entries, from the file that VIVAVOCE_MODELS names, then the shipped ones."""
    own = os.environ.get(TABLE_VARIABLE)
    paths = [Path(own)] if own else []
    return [entry for path in (*paths, _SHIPPED) for entry in _read_table(path, _state_of(path))]


def find_model(name: str) -> ModelEntry:
    """The first entry whose pattern fits `provider/model`; `UNKNOWN` when none does."""
    return next((entry for entry in model_table() if fnmatchcase(name, entry.name)), UNKNOWN)


def measure(name: str, provider: object, context: int | None = None) -> Measure:
    """Measure of a model's prompts: its provider's word, else the model table's.

    Args:
        name: The model, `provider/model`.
        provider: What answers for the model, an Inspect `ModelAPI`.
        context: A window to use instead; it cannot widen one that the provider told.
    """
    if isinstance(provider, SelfMeasured):
        window = min(context or provider.window, provider.window)
        return Measure(window, provider.overhead, provider.counter)
    entry = find_model(name)
    return Measure(context or entry.window, entry.overhead, token_counter(entry.tokenizer))


@cache
def token_counter(path: Path | None) -> TokenCounter:
    """A counter over a tokenizer file, or the estimate when there is none."""
    return EstimatedCounter() if path is None else FileCounter(path)


_SHIPPED = Path(__file__).with_name("windows.toml")


def _state_of(path: Path) -> tuple[int, int]:
    """State of a file, which changes when it is rewritten."""
    try:
        found = path.stat()
    except OSError:  # reading it says so
        return 0, 0
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=16)
def _read_table(path: Path, state: tuple[int, int]) -> list[ModelEntry]:
    """The entries of a file; asked for with every sample, so read once a `state`."""
    what = "a model table ([[model]] with name, window, tokenizer)"
    entries = read_models(path, ModelEntry, what)
    return [
        replace(entry, tokenizer=path.parent / entry.tokenizer) if entry.tokenizer else entry
        for entry in entries
    ]
