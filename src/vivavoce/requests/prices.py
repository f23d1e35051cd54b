"""Prices of models, from the command line, a user's file or a dated list in the package."""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError

VARIABLE = "VIVAVOCE_PRICES"
"""Environment variable that names the user's file of prices."""
_SHIPPED = Path(__file__).with_name("prices.toml")
_CACHE_WRITE = 1.25
"""Highest price of writing a token into a cache, as a multiple of the price of input."""
_HOW = "Write it as IN,OUT in dollars for a million tokens, such as 0.15,0.60."


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million tokens."""

    input: float
    output: float
    cache_write: float
    cache_read: float


@dataclass(frozen=True, slots=True)
class ListPrice:
    """A price from a list, not from the command line."""

    text: str
    source: str
    """A provider's page with the day it was checked, or the user's file."""


def given_prices(words: Iterable[str]) -> dict[str, str]:
    """Read `MODEL=IN,OUT` words into prices by model.

    Raises:
        InputError: A word is not of this form, or a model has two prices.
    """
    prices: dict[str, str] = {}
    for word in words:
        model, separator, price = word.rpartition("=")
        if not (model and separator):
            raise InputError(f"{word!r} names no model: write MODEL=IN,OUT.")
        if model in prices:
            raise InputError(f"{model} has two prices. Give one.")
        parse_price(price)
        prices[model] = price
    return prices


def parse_price(text: str) -> Price:
    """Read `IN,OUT` or `IN,OUT,CACHE_WRITE,CACHE_READ`.

    If no cache prices are given, a cached token has the highest price it can have.

    Raises:
        InputError: The text is not two or four numbers of at least 0.
    """
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError as error:
        raise InputError(f"{text!r} is not a price. {_HOW}") from error
    if len(numbers) not in {2, 4} or not all(math.isfinite(n) and n >= 0 for n in numbers):
        raise InputError(f"{text!r} is not a price. {_HOW}")
    prompt, output, *cached = numbers
    write, read = cached or (_CACHE_WRITE * prompt, prompt)
    return Price(prompt, output, write, read)


def list_prices() -> dict[str, ListPrice]:
    """Prices by model; those in the user's file take precedence over the shipped ones.

    Raises:
        InputError: The user's file cannot be read, or holds something that is not a price.
    """
    own = os.environ.get(VARIABLE)
    return _shipped() | (_of_file(Path(own)) if own else {})


@cache
def _shipped() -> dict[str, ListPrice]:
    lists: list[dict[str, Any]] = tomllib.loads(_SHIPPED.read_text("utf-8"))["list"]
    return {
        model: ListPrice(text, f"{shipped['source']}, {shipped['checked']}")
        for shipped in lists
        for model, text in shipped["prices"].items()
    }


def _of_file(path: Path) -> dict[str, ListPrice]:
    try:
        prices = tomllib.loads(path.read_text("utf-8"))["prices"]
        listed = {model: ListPrice(str(text), str(path)) for model, text in prices.items()}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, LookupError, AttributeError) as e:
        raise InputError(
            f'{path} ({VARIABLE}) is not a file of prices: write a table [prices] with "MODEL" = '
            f'"IN,OUT". {e}'
        ) from e
    for price in listed.values():
        parse_price(price.text)
    return listed


def with_list_prices(models: Iterable[str | None], given: Mapping[str, str]) -> dict[str, str]:
    """Given prices, and list prices of the models that have none."""
    known = list_prices()
    listed = {name: known[name].text for name in models if name in known}
    return {**listed, **given}


def sources_of(prices: Mapping[str, str]) -> list[str]:
    """Sources of those prices that come from a list."""
    known = list_prices()
    pairs = [(known[model], text) for model, text in prices.items() if model in known]
    return sorted({listed.source for listed, text in pairs if listed.text == text})
