"""Parts of a run derived from its specification: question, subset, cutoffs, decoding, prices."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from itertools import product
from typing import TYPE_CHECKING, Any

from vivavoce.errors import InputError
from vivavoce.models.cutoffs import Cutoffs, load_cutoffs
from vivavoce.requests.run import RunSpec, parse_price
from vivavoce.statistics.sequential import StoppingRule
from vivavoce.tasks import CONTESTANTS, list_families
from vivavoce.tasks.scoring import check_votes
from vivavoce.tasks.subsets import Subset

if TYPE_CHECKING:
    from inspect_ai.model import Model


def rule_of(spec: RunSpec) -> StoppingRule | None:
    """Rule that ends a run once its question is answered; None to ask every item."""
    options: dict[str, Any] = {
        "indifference": spec.indifference,
        "alpha": spec.alpha,
        "looks": spec.looks,
        "seed": spec.decide_seed,
    }
    if spec.decide is None:
        usual = {field.name: field.default for field in fields(StoppingRule)}
        if any(value != usual[name] for name, value in options.items()):
            raise InputError("--indifference, --alpha, --looks and --decide-seed need --decide.")
        return None
    name, _, number = spec.decide.partition("=")
    if spec.decide == "all":
        return StoppingRule("all", **options)
    if name == "top" and number.isdecimal() and 0 < len(number) < 7:
        return StoppingRule("top", int(number), **options)
    raise InputError(
        f"--decide {spec.decide} is not a question. Write top=K, such as top=3, or all."
    )


def subset_of(spec: RunSpec) -> Subset | None:
    """Choice of some items of each task, the same ones for every contestant."""
    if spec.subset is not None:
        return Subset(spec.subset, spec.subset_seed, spec.stratify)
    if spec.stratify or spec.subset_seed:
        raise InputError("--stratify and --subset-seed need --subset N.")
    return None


def cutoffs_of(spec: RunSpec) -> Cutoffs | None:
    """Cutoffs that limit a run to items published after them; None to ask all items."""
    if spec.clean_only:
        return load_cutoffs(spec.cutoffs, spec.margin)
    if spec.cutoffs is not None:
        raise InputError("--cutoffs needs --clean-only.")
    return None


def decoding_of(spec: RunSpec) -> dict[str, Any]:
    """Decoding settings for Inspect's GenerateConfig."""
    chosen = {} if spec.temperature is None else {"temperature": spec.temperature}
    return {**spec.decoding, **chosen}


def set_prices(
    models: Iterable[Model], prices: Mapping[str, str], cost_limit: float | None
) -> None:
    """Give Inspect the prices of models, so that it counts costs and enforces the limit.

    `cost_limit` is in dollars for one sample.

    Raises:
        InputError: A limit is set but a model has no known price, or a price is given for a model
            that does not take part.
    """
    from inspect_ai.model import ModelCost, ModelInfo, get_model_info, set_model_info

    used = {str(model): model for model in models}
    for name in prices:
        if name not in used:
            raise InputError(f"{name} has a price but does not take part. Leave out --price.")
    if not prices and cost_limit is None:
        return  # Inspect would load its table of models, which takes a second
    for name, model in used.items():
        info = get_model_info(model) or ModelInfo()
        if name in prices:
            cost = ModelCost(**asdict(parse_price(prices[name])))
            set_model_info(name, info.model_copy(update={"cost": cost}))
        elif cost_limit is not None and info.cost is None:
            raise InputError(
                f"A limit of {cost_limit:g} dollars needs the price of {name}. Give it: "
                f"--price {name}=IN,OUT, in dollars for a million tokens."
            )


def rename(
    given: Mapping[str, Any], aliases: Mapping[str, str], taken: Iterable[str]
) -> dict[str, Any]:
    """Rename aliases to the methods' own argument names, unless a method takes the alias itself."""
    own = set(taken)
    renamed: dict[str, Any] = {}
    for name, value in given.items():
        chosen = name if name in own else aliases.get(name, name)
        if chosen in renamed:
            raise InputError(f"{chosen} is given twice, once as {name}.")
        renamed[chosen] = value
    return renamed


def combinations(
    sweep: Mapping[str, Sequence[Any]], known: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Combinations of the swept arguments in `known`; a single empty one if there are none."""
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
    """Raise `InputError` for infinite numbers, NaN, bad prices, and a timeout with batches."""
    if spec.batch and spec.attempt_timeout is not None:
        raise InputError("A batch takes hours: leave out --attempt-timeout or --batch.")
    for price in spec.prices.values():
        parse_price(price)
    limits = {"cost_limit": spec.cost_limit, "budget": spec.budget}
    for name, value in {**decoding_of(spec), **limits}.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise InputError(f"{name} is {value}. Give a number.")


def check_arguments(
    spec: RunSpec,
    tasks: Sequence[tuple[str, str]],
    taken: Collection[str],
    of_tasks: Collection[str],
) -> None:
    """Raise `InputError` for a missing model or judge, and for arguments that nothing takes.

    Methods take those in `taken`; a sweep may also use those in `of_tasks`.
    """
    for given, who, known in (
        (spec.method_args, spec.methods, {*taken}),
        (spec.sweep, (*spec.methods, *(task for _, task in tasks)), {*taken, *of_tasks}),
    ):
        for name in given:
            if name not in known:
                there = ", ".join(sorted(known)) or "none"
                raise InputError(
                    f"{name!r} is not an argument of {', '.join(who)}. There are: {there}."
                )
    for name in spec.sweep:
        if name in spec.method_args or name in spec.task_args:
            raise InputError(f"{name} has one value and is swept too. Give it once.")
    if len(set(spec.judge)) < len(spec.judge):
        raise InputError("A judge is named twice. Its votes would count twice: name each once.")
    check_votes(spec.judge)
    if bool(spec.judge) != bool(spec.task_args.get("judge", spec.judge)):
        raise InputError("Ask for a judge with --judge MODEL, which also sets -T judge=true.")
    if not spec.models and (
        spec.agent
        or any(needs_model(family, method) for family, _ in tasks for method in spec.methods)
    ):
        raise InputError("Name at least one --model, such as --model extractive/lead.")


def needs_model(family: str, method: str) -> bool:
    """Check whether a method of a family asks a model."""
    return method not in (*CONTESTANTS, *list_families()[family].without_model)
