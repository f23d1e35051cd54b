"""Cost of a model's tokens: needed to hold a run to a sum, and shown on boards."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vivavoce.errors import InputError

if TYPE_CHECKING:
    from inspect_ai.model import Model

_CACHE_WRITE = 1.25
"""What writing a token into a cache costs of reading one, at the provider that asks most for it."""
_HOW = "Write it as IN,OUT in dollars for a million tokens, such as 0.15,0.60."


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million tokens."""

    input: float
    output: float
    cache_write: float
    cache_read: float


def parse_price(text: str) -> Price:
    """Read `IN,OUT` or `IN,OUT,CACHE_WRITE,CACHE_READ`.

    Without prices of its own a cached token costs what it may cost at most.

    Raises:
        InputError: These are not two or four numbers from 0.
    """
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError as error:
        raise InputError(f"{text!r} is no price. {_HOW}") from error
    if len(numbers) not in {2, 4} or not all(math.isfinite(n) and n >= 0 for n in numbers):
        raise InputError(f"{text!r} is no price. {_HOW}")
    taken, given, *cached = numbers
    write, read = cached or (_CACHE_WRITE * taken, taken)
    return Price(taken, given, write, read)


def parse_prices(words: Iterable[str]) -> dict[str, Price]:
    """Read `MODEL=IN,OUT` words into prices by model.

    Raises:
        InputError: A word is not of this form, or a model has two prices.
    """
    prices: dict[str, Price] = {}
    for word in words:
        model, separator, price = word.rpartition("=")
        if not (model and separator):
            raise InputError(f"{word!r} does not say of which model: write MODEL=IN,OUT.")
        if model in prices:
            raise InputError(f"{model} has two prices. Give one.")
        prices[model] = parse_price(price)
    return prices


def set_prices(
    models: Iterable[Model], prices: Mapping[str, Price], cost_limit: float | None
) -> None:
    """Tell Inspect what models cost, which then counts it and holds each sample to its limit.

    `cost_limit` is in dollars of one sample.

    Raises:
        InputError: A limit is set and nobody knows the price of a model, so that it would not
            hold; or a price is given for a model that does not take part.
    """
    from inspect_ai.model import ModelCost, ModelInfo, get_model_info, set_model_info

    used = {str(model): model for model in models}
    for name in prices:
        if name not in used:
            raise InputError(f"There is a price for {name}, which does not take part.")
    if not prices and cost_limit is None:
        return  # Inspect would read all that it knows of models, which takes a second
    for name, model in used.items():
        info = get_model_info(model) or ModelInfo()
        if price := prices.get(name):
            cost = ModelCost(
                input=price.input,
                output=price.output,
                input_cache_write=price.cache_write,
                input_cache_read=price.cache_read,
            )
            set_model_info(name, info.model_copy(update={"cost": cost}))
        elif cost_limit is not None and info.cost is None:
            raise InputError(
                f"Nobody can hold {name} to {cost_limit:g} dollars without its price. Give it: "
                f"--price {name}=IN,OUT, in dollars for a million tokens."
            )
