"""Each model's context window and tokenizer: told by its provider, else by the model table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from vivavoce.errors import InputError
from vivavoce.models import read_models

TABLE_VARIABLE = "VIVAVOCE_MODELS"


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A row of the model table."""

    name: str
    """Shell pattern matched against `provider/model`."""
    window: int | None
    """Tokens of input and answer together; None when unknown."""
    tokenizer: Path | None
    """A `tokenizer.json`; None to estimate."""
    overhead: int = 0
    """Tokens that the provider's chat template adds to a message."""


UNKNOWN = ModelEntry("*", None, None)


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
        """Characters that fit into `tokens` times three bytes."""
        piece = text.encode("utf-8", "surrogatepass")[: tokens * 3]
        return len(piece.decode("utf-8", "ignore"))


class FileCounter:
    """The model's own tokenizer, read from its `tokenizer.json`."""

    is_estimated = False

    def __init__(self, path: Path) -> None:
        from tokenizers import Tokenizer

        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises bare Exception for any unreadable file
            raise InputError(f"{path} is not a readable tokenizer.json: {error}") from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

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


def find_model(name: str, table: Sequence[ModelEntry] | None = None) -> ModelEntry:
    """The first entry whose pattern fits `provider/model`; `UNKNOWN` when none does."""
    entries = model_table() if table is None else table
    return next((entry for entry in entries if fnmatchcase(name, entry.name)), UNKNOWN)


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
    """State of a file, which changes when it is written anew."""
    try:
        found = path.stat()
    except OSError:  # reading it says so
        return 0, 0
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=16)
def _read_table(path: Path, state: tuple[int, int]) -> list[ModelEntry]:
    """The entries of a file; asked for with every sample, so read once a `state`."""
    return read_models(
        path,
        lambda row, _: _entry(row, path),
        "a model table ([[model]] with name, window, tokenizer)",
    )


def _entry(row: dict[str, Any], path: Path) -> ModelEntry:
    unknown = sorted(row.keys() - {"name", "window", "tokenizer", "overhead"})
    window, tokenizer, overhead = row.get("window"), row.get("tokenizer"), row.get("overhead", 0)
    # True is an int of Python's; TOML keeps them apart.
    valid_window = window is None or (type(window) is int and window > 0)
    valid_tokenizer = tokenizer is None or isinstance(tokenizer, str)
    valid_overhead = type(overhead) is int and overhead >= 0
    is_valid = valid_window and valid_tokenizer and valid_overhead
    if unknown or not isinstance(row.get("name"), str) or not is_valid:
        raise InputError(
            f"{path}: a model has a name, a positive window, the path of a tokenizer and an "
            f"overhead of no less than 0; got {row}"
        )
    folder = path.parent
    return ModelEntry(
        name=str(row["name"]),
        window=window,
        tokenizer=folder / tokenizer if tokenizer else None,
        overhead=overhead,
    )
