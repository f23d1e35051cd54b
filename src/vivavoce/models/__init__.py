"""Inspect model providers that need no network and no key."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter

from vivavoce.checking import checked
from vivavoce.errors import InputError
from vivavoce.text.data import read_data

_FAMILIES = read_data(__file__, "families.toml")
_BY_WORD: dict[str, str] = {word: family for family, words in _FAMILIES.items() for word in words}
_MAKERS = frozenset(
    "openai anthropic google mistral mistralai deepseek grok xai cohere moonshot zhipu".split()
)
"""Names that stand for one maker's models; other providers serve the models of many."""
_WORD = re.compile(r"o[134](?![a-z0-9])|[a-z]+")


def model_family(name: str) -> str:
    """The family a model's name tells: `together/meta-llama/Llama-3-70b` is `llama`.

    Of several the one nearest to the end, which is what a model was made from; a name that tells
    none is a family of its own, without its provider.
    """
    families = _families(name)
    return families[-1] if families else name.split("/", 1)[-1]


def is_same_family(first: str, second: str) -> bool:
    """Check whether two models have a family or a maker in common."""
    if set(_families(first)) & set(_families(second)) or _makers(first) & _makers(second):
        return True
    return model_family(first) == model_family(second)


def _families(name: str) -> list[str]:
    own = name.lower().split("/")[-1]
    # `Llama3` and `qwen2.5` run into their version: words are letters alone.
    return [_BY_WORD[word] for word in _WORD.findall(own) if word in _BY_WORD]


def _makers(name: str) -> set[str]:
    return set(re.split(r"[/.]", name.lower())[:-1]) & _MAKERS


Entry = TypeVar("Entry")


def read_models(path: Path, kind: type[Entry], what: str) -> list[Entry]:
    """Entries of the `[[model]]` tables of a file, in order.

    Raises:
        InputError: The file cannot be read, or is of another kind.
    """
    try:
        rows = tomllib.loads(path.read_text("utf-8"))["model"]
        if not isinstance(rows, list):
            raise TypeError("[model] is one table; write [[model]]")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise InputError(f"{path} is not {what}: {error}") from error
    adapter = TypeAdapter(kind)
    return [checked(adapter, row, f"{path}: model {place}") for place, row in enumerate(rows, 1)]
