"""Specification of a run: its fields, checks of them, and how prices and sweeps are written."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from vivavoce.errors import InputError
from vivavoce.models.cutoffs import Cutoffs
from vivavoce.statistics.sequential import Until
from vivavoce.tasks import CONTESTANTS, list_families
from vivavoce.tasks.subsets import Subset

if TYPE_CHECKING:
    from inspect_ai.model import Model


@dataclass(frozen=True, slots=True)
class RunSpec:
    """Specification of a run."""

    tasks: Sequence[str]
    """Names such as `title` or `vivavoce/title`."""
    round: Path
    """The folder of the round."""
    logs: Path
    """Folder for the logs; a run goes on with what is in it."""
    models: Sequence[str] = ()
    """`provider/model`, as Inspect names them; none for methods that need no model."""
    methods: Sequence[str] = ("direct",)
    """Methods by which each model is used, and contestants without one; `list_methods` has all."""
    agent: str | None = None
    """An agent of the user's own as `FILE.py@NAME`, a method beside the others."""
    judge: str | None = None
    """A model that compares every answer with the gold, for tasks that take a judge."""
    setting: str = "base"
    """Input variant that the models see, by the card of the family."""
    context: int | None = None
    """Every model's window in tokens; None for what is known of each."""
    task_args: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of the tasks, such as `data_info` of formula."""
    solver_args: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of the methods that take them, such as `rounds` of self_refine."""
    sweep: Sweep = field(default_factory=dict)
    """Values of such arguments, or of those of tasks: every combination of them is run."""
    subset: Subset | None = None
    """Only some items of each task, the same ones for every contestant."""
    clean_for: Cutoffs | None = None
    """Only items that are clean for every model of the run by these cutoffs."""
    prompts: Path | None = None
    """Folder of templates to use instead of the family's."""
    epochs: int = 1
    """Answers asked for each sample."""
    limit: int | None = None
    """Only the first so many samples; a board then calls the log partial."""
    until: Until | None = None
    """A question that ends the run when it is answered; None to ask everything of everyone."""
    max_tokens: int | None = None
    """The longest answer, in tokens; None for what the task's card says."""
    generate: Mapping[str, Any] = field(default_factory=dict)
    """Decoding settings for Inspect's GenerateConfig, such as temperature."""
    model_args: Mapping[str, Any] = field(default_factory=dict)
    """Arguments for every model's provider, such as `n_ctx` of a local model."""
    max_connections: int | None = None
    """Requests to a model at one time; None for what its provider takes."""
    max_retries: int | None = None
    """Further tries of one request; None for what the task's card says, else 6."""
    attempt_timeout: int | None = None
    """Seconds after which one request counts as failed and is tried again; None for what the
    task's card says, else 600."""
    retry_on_error: int = 3
    """Further tries of a sample that ended in an error."""
    task_tries: int = 3
    """Tries of a task some of whose samples still have no score."""
    time_limit: int | None = None
    """Seconds that one sample may take."""
    cost_limit: float | None = None
    """Dollars that one try of a sample may cost; the prices of all its models must be known."""
    prices: Mapping[str, Price] = field(default_factory=dict)
    """Prices of models by their names: Inspect knows no price by itself."""
    budget: float | None = None
    """Dollars that all logs of the folder may cost together; every price must be known."""
    batch: Mapping[str, Any] | None = None
    """Settings of the provider's batches, such as `tick`: cheaper, and hours later; None for no
    batches."""
    cache: bool | None = None
    """Take replies to the same request from a cache: all, none, or by default those of judges."""
    display: str | None = None
    """Display of the run by Inspect: `none`, `plain`, `rich`, `full` or `log`."""


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


Sweep = Mapping[str, Sequence[Any]]
"""The values an argument takes, by its name."""

_MAX_VALUES = 1_000
_RANGE = re.compile(r"(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})")


def parse_sweep(words: Iterable[str]) -> dict[str, list[Any]]:
    """Read `batch=2,4,6` and `rounds=2..5`, a range with both its ends, into values by name.

    A value is read as YAML, so that 4 is a number and true a truth.

    Raises:
        InputError: A word is not of this form, or a name or a value stands twice.
    """
    sweep: dict[str, list[Any]] = {}
    for word in words:
        name, separator, listed = word.partition("=")
        if not (name and separator):
            raise InputError(f"{word!r} is no sweep. Write NAME=VALUES, such as rounds=2..5.")
        if name in sweep:
            raise InputError(f"{name} is swept twice. Write all its values once: {name}=1,2,3.")
        sweep[name] = _values(name, listed)
    return sweep


def _values(name: str, listed: str) -> list[Any]:
    values: list[Any] = []
    for part in listed.split(","):
        span = _RANGE.fullmatch(part.strip())
        values += _span(name, *map(int, span.groups())) if span else [_scalar(name, part)]
    shown = [repr(value) for value in values]
    if len(set(shown)) < len(shown):
        raise InputError(f"{name}={listed} holds a value twice.")
    return values


def _span(name: str, first: int, last: int) -> list[int]:
    if not 0 <= last - first < _MAX_VALUES:
        raise InputError(
            f"{name}={first}..{last} is no range of up to {_MAX_VALUES} numbers, the least first."
        )
    return list(range(first, last + 1))


def _scalar(name: str, text: str) -> Any:
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(f"{name}: {text!r} has no readable value.") from error
    if not isinstance(value, bool | int | float | str):
        raise InputError(f"{name}: {text!r} is no value. Write {name}=VALUE,VALUE.")
    return value


def parse_until(text: str, changed: Mapping[str, Any] | None = None) -> Until:
    """Read `top=K` or `all` into a question, with its options that are not the defaults.

    Raises:
        InputError: It is neither, or an option is out of its range.
    """
    name, _, number = text.partition("=")
    if text == "all":
        return Until("all", **changed or {})
    if name == "top" and number.isdecimal() and 0 < len(number) < 7:
        return Until("top", int(number), **changed or {})
    raise InputError(f"--until {text} is no question. Write top=K, such as top=3, or all.")


def rename(
    given: Mapping[str, Any], aliases: Mapping[str, str], taken: Iterable[str]
) -> dict[str, Any]:
    """Arguments by the methods' own names; an alias is one where no method takes it itself.

    Raises:
        InputError: An argument is given under both its names.
    """
    own = set(taken)
    renamed: dict[str, Any] = {}
    for name, value in given.items():
        chosen = aliases.get(name, name) if name not in own else name
        if chosen in renamed:
            raise InputError(f"{chosen} is given twice, once as {name}.")
        renamed[chosen] = value
    return renamed


def combinations(sweep: Sweep, known: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Every combination of the swept arguments that are known; one empty one for none."""
    names = [name for name in sweep if name in known]
    for values in product(*(sweep[name] for name in names)):
        yield dict(zip(names, values, strict=True))


def check_methods(spec: RunSpec, tasks: Sequence[tuple[str, str]]) -> None:
    """Raise `InputError` for a method that a task does not have."""
    cards = list_families()
    for family, task in tasks:
        offered = cards[family].tasks[task].methods
        for method in spec.methods:
            if method not in (*offered, *CONTESTANTS):
                known = ", ".join((*offered, *CONTESTANTS))
                raise InputError(f"{task} has no method {method!r}. There are: {known}.")


def check_numbers(spec: RunSpec) -> None:
    """Raise `InputError` for NaN: no such limit is ever reached, no provider takes it."""
    if spec.batch is not None and spec.attempt_timeout is not None:
        raise InputError("A batch takes hours: leave out --attempt-timeout or --batch.")
    limits = {"cost_limit": spec.cost_limit, "budget": spec.budget}
    for name, value in {**spec.generate, **limits}.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise InputError(f"{name} is {value}. Give a number.")


def check_arguments(
    spec: RunSpec,
    tasks: Sequence[tuple[str, str]],
    taken: Collection[str],
    of_tasks: Collection[str],
) -> None:
    """Raise `InputError` for arguments that nobody takes, and for want of a model or judge.

    The methods take those in `taken`; a sweep may also be over those of the tasks.
    """
    for given, who, known in (
        (spec.solver_args, spec.methods, {*taken}),
        (spec.sweep, (*spec.methods, *(task for _, task in tasks)), {*taken, *of_tasks}),
    ):
        for name in given:
            if name not in known:
                there = ", ".join(sorted(known)) or "none"
                raise InputError(
                    f"{name!r} is no argument of {', '.join(who)}. There are: {there}."
                )
    for name in spec.sweep:
        if name in spec.solver_args or name in spec.task_args:
            raise InputError(f"{name} has one value and is swept too. Give it once.")
    if bool(spec.judge) != bool(spec.task_args.get("judge", spec.judge)):
        raise InputError("A judge is asked for with --judge MODEL, which means -T judge=true too.")
    if not spec.models and (
        spec.agent
        or any(needs_model(family, method) for family, _ in tasks for method in spec.methods)
    ):
        raise InputError("Name at least one --model, such as --model extractive/lead.")


def needs_model(family: str, method: str) -> bool:
    """True if a method of a family asks a model."""
    return method not in (*CONTESTANTS, *list_families()[family].without_model)
