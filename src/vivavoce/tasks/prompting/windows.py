"""Context windows and tokenizers of models, from the provider or the model table."""

import os
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from pathlib import Path
from typing import Protocol, runtime_checkable

from pydantic import ConfigDict

from vivavoce.checking import Count, Name, Ordinal
from vivavoce.models import read_models
from vivavoce.text.chunk import Counter
from vivavoce.text.tokens import open_tokenizer

TABLE_VARIABLE = "VIVAVOCE_MODELS"


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A row of the model table."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: Name
    """Shell pattern matched against `provider/model`."""
    window: Ordinal | None = None
    """Tokens of input and answer together; None if unknown."""
    tokenizer: Path | None = None
    """A `tokenizer.json`; None to estimate."""
    overhead: Count = 0
    """Tokens that the provider's chat template adds to a message."""


UNKNOWN = ModelEntry("*")


class TokenCounter(Counter, Protocol):
    """Counts tokens, and finds where a number of tokens ends."""

    is_estimated: bool


@runtime_checkable
class SelfMeasured(Protocol):
    """A provider with the model's window and tokenizer."""

    window: int
    overhead: int
    counter: TokenCounter


@dataclass(frozen=True, slots=True)
class Measure:
    """Window of a model and counter of its tokens."""

    window: int | None
    overhead: int
    counter: TokenCounter


class EstimatedCounter:
    """Estimate of a third of the UTF-8 bytes, rounded up, which is too high for English prose."""

    is_estimated = True

    def count(self, text: str) -> int:
        """Estimated tokens of a text."""
        return -(-len(text.encode("utf-8", "surrogatepass")) // 3)

    def end_of(self, text: str, tokens: int) -> int:
        """The number of characters that fit into `tokens`, at three bytes per token."""
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
    """The user's entries, from the file in VIVAVOCE_MODELS, then the shipped ones."""
    own = os.environ.get(TABLE_VARIABLE)
    entries = []
    for path in (*([Path(own)] if own else []), _SHIPPED):
        # Reading the file raises the error if it is missing.
        state = path.stat() if path.exists() else None
        entries += _read_table(path, (state.st_mtime_ns, state.st_size) if state else (0, 0))
    return entries


def find_model(name: str) -> ModelEntry:
    """The first entry whose pattern matches `provider/model`; `UNKNOWN` if none does."""
    return next((entry for entry in model_table() if fnmatchcase(name, entry.name)), UNKNOWN)


def measure(name: str, provider: object, context: int | None = None) -> Measure:
    """Window and counter of a model, from its Inspect provider or else the model table.

    A given `context` replaces the window, but cannot exceed the provider's.
    """
    if isinstance(provider, SelfMeasured):
        window = min(context or provider.window, provider.window)
        return Measure(window, provider.overhead, provider.counter)
    entry = find_model(name)
    return Measure(context or entry.window, entry.overhead, token_counter(entry.tokenizer))


@cache
def token_counter(path: Path | None) -> TokenCounter:
    """A counter with a tokenizer file, or the estimate without one."""
    return EstimatedCounter() if path is None else FileCounter(path)


_SHIPPED = Path(__file__).with_name("windows.toml")


@lru_cache(maxsize=16)
def _read_table(path: Path, state: tuple[int, int]) -> list[ModelEntry]:
    """The entries of a file; needed for every sample, so cached by `state`."""
    what = "a model table ([[model]] with name, window, tokenizer)"
    entries = read_models(path, ModelEntry, what)
    return [
        replace(entry, tokenizer=path.parent / entry.tokenizer) if entry.tokenizer else entry
        for entry in entries
    ]
