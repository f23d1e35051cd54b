"""Requests of a run and of an exam: tasks, models and their prices, items, retries and costs."""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar

from vivavoce.errors import InputError
from vivavoce.requests import Arg, CutoffOptions, Opt, Shape, given_names


def split_pair(word: str, form: str) -> tuple[str, str]:
    """Split a word of a form such as `NAME=VALUE`; `InputError` for any other word."""
    name, separator, value = word.partition("=")
    if not (name and separator):
        raise InputError(f"{word!r} is not of the form {form}.")
    return name, value


def _read_value(name: str, text: str) -> Any:
    """Read a value as YAML, so that 4 is a number and true a boolean."""
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(f"{name}: {text!r} has no readable value.") from error


def given_pairs(words: Iterable[str]) -> dict[str, Any]:
    """Read words of the form `NAME=VALUE`; `InputError` for others, and for a second value."""
    pairs: dict[str, Any] = {}
    for word in words:
        name, value = split_pair(word, "NAME=VALUE")
        if name in pairs:
            raise InputError(f"{name} has two values. Give one.")
        pairs[name] = _read_value(name, value)
    return pairs


_MAX_VALUES = 1_000
_RANGE = re.compile(r"(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})")


def given_sweep(words: Iterable[str]) -> dict[str, list[Any]]:
    """Read `batch=2,4,6` and `rounds=2..5`, a range with both its ends, into values by name.

    Raises:
        InputError: A word is not of this form, or a name or a value occurs twice.
    """
    sweep: dict[str, list[Any]] = {}
    for word in words:
        name, listed = split_pair(word, "NAME=VALUES, such as rounds=2..5")
        if name in sweep:
            raise InputError(f"{name} is swept twice. Write all its values once: {name}=1,2,3.")
        values: list[Any] = []
        for part in listed.split(","):
            span = _RANGE.fullmatch(part.strip())
            values += _span(name, *map(int, span.groups())) if span else [_scalar(name, part)]
        shown = [repr(value) for value in values]
        if len(set(shown)) < len(shown):
            raise InputError(f"{name}={listed} has a value twice. Give each once.")
        sweep[name] = values
    return sweep


def _span(name: str, first: int, last: int) -> list[int]:
    if not 0 <= last - first < _MAX_VALUES:
        raise InputError(
            f"{name}={first}..{last} is not a rising range of up to {_MAX_VALUES} numbers."
        )
    return list(range(first, last + 1))


def _scalar(name: str, text: str) -> Any:
    value = _read_value(name, text)
    if not isinstance(value, bool | int | float | str):
        raise InputError(f"{name}: {text!r} is not a value. Write {name}=VALUE,VALUE.")
    return value


Named = Mapping[str, Any]
"""Values by name, given as NAME=VALUE."""


@dataclass(frozen=True, kw_only=True)
class Patience(Shape):
    """Number of answers, and limits of tries and seconds after which one counts as failed."""

    subset: Annotated[int | None, Opt("N items of each task, the same for everyone.", min=1)] = None
    epochs: Annotated[int, Opt("Attempts at each item.", min=1)] = 1
    max_retries: Annotated[int | None, Opt("Tries of one request (default 6).", min=0)] = None
    attempt_timeout: Annotated[int | None, Opt("Seconds for one request (default 600).", min=1)] = (
        None
    )
    retry_on_error: Annotated[int, Opt("Further tries of an item that failed.", min=0)] = 3
    time_limit: Annotated[int | None, Opt("Seconds of one item.", min=1)] = None


@dataclass(frozen=True, kw_only=True)
class ModelUse(Shape):
    """Settings of each model's use."""

    context: Annotated[int | None, Opt("The model's window in tokens.", min=1)] = None
    max_tokens: Annotated[int | None, Opt("The longest answer.", min=1)] = None
    max_connections: Annotated[int | None, Opt("Requests at one time.", min=1)] = None
    decoding: Annotated[Named, Opt("Inspect's GenerateConfig: top_p=0.9.", read=given_pairs)] = (
        field(default_factory=dict)
    )
    model_args: Annotated[
        Named, Opt("For the provider: n_ctx=4096.", "--model-arg -M", read=given_pairs)
    ] = field(default_factory=dict)
    method_args: Annotated[
        Named, Opt("For the methods: rounds=5.", "--method-arg -S", read=given_pairs)
    ] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Spending(Shape):
    """Models asked, and what they may cost."""

    models: Annotated[
        Sequence[str], Opt("A model to ask; repeatable.", "--model", metavar="PROVIDER/NAME")
    ] = ()
    judge: Annotated[
        Sequence[str],
        Opt("A judge of the answers; of three or five, most decide.", metavar="PROVIDER/NAME"),
    ] = ()
    prices: Annotated[
        Mapping[str, str],
        Opt(
            "Dollars for a million input and output tokens, for a model whose price is not known.",
            "--price",
            metavar="MODEL=IN,OUT",
            read=given_prices,
        ),
    ] = field(default_factory=dict)
    budget: Annotated[
        float | None,
        Opt(
            "Dollar limit for all logs in the folder; every model needs a price.",
            metavar="USD",
            min=0,
        ),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        judges = (self.judge,) if isinstance(self.judge, str) else tuple(self.judge or ())
        object.__setattr__(self, "judge", judges)
        prices = with_list_prices((*self.models, *judges), self.prices)
        object.__setattr__(self, "prices", prices)


MAX_ALIAS = 64
_ALIAS = re.compile(rf"[\w.-][\w. -]{{0,{MAX_ALIAS - 1}}}")


def is_alias(name: str) -> bool:
    """Check whether a board may show a name beside a model's."""
    return bool(_ALIAS.fullmatch(name)) and name == name.strip()


@dataclass(frozen=True, kw_only=True)
class RunSpec(ModelUse, Patience, Spending, CutoffOptions):
    """Specification of a run, as `viva run`, its `--config` and `vivavoce.run` take it."""

    HEADINGS: ClassVar[Mapping[str, Sequence[str]]] = {
        "Options": (
            *("tasks", "models", "judge", "round", "logs"),
            *("methods", "settings", "task_args"),
        ),
        "Items and answers": ("subset", "sweep", "decide"),
        "Cost": ("prices", "budget"),
    }
    """Options that the help shows; the reference lists all."""

    tasks: Annotated[Sequence[str], Arg("Tasks such as title: viva list tasks.")] = ()
    round: Annotated[Path, Opt("The round's folder, or the word sample.")]
    logs: Annotated[Path, Opt("Folder for the logs; a rerun resumes from it.")]
    methods: Annotated[Sequence[str], Opt("How models are used (default direct).", "--method")] = ()
    settings: Annotated[Sequence[str], Opt("What the model is shown; repeatable.", "--setting")] = (
        "base",
    )
    agent: Annotated[str | None, Opt("An agent of your own.", metavar="FILE.py@NAME")] = None
    task_args: Annotated[
        Named, Opt("A task's argument: timeout=60.", "--task-arg -T", read=given_pairs)
    ] = field(default_factory=dict)
    prompts: Annotated[Path | None, Opt("Folder of prompt templates.")] = None
    alias: Annotated[
        str | None, Opt("Name on boards, beside the model's; else that of --prompts.", "--as")
    ] = None
    sweep: Annotated[
        Mapping[str, Sequence[Any]],
        Opt(
            "Run every combination of these values of task or method arguments: batch=2,4 k=2..5.",
            metavar="NAME=VALUES",
            read=given_sweep,
        ),
    ] = field(default_factory=dict)
    subset_seed: Annotated[int, Opt("For --subset: seed of the choice.")] = 0
    stratify: Annotated[bool, Opt("For --subset: items of every category and size.")] = False
    limit: Annotated[int | None, Opt("Only the first N items; boards call it partial.", min=1)] = (
        None
    )
    clean_only: Annotated[bool, Opt("Only items published after every model's cutoff.")] = False
    decide: Annotated[
        str | None,
        Opt("Stop once the K best, or the whole order, is decided.", metavar="top=K|all"),
    ] = None
    indifference: Annotated[float, Opt("For --decide: treat less as a tie.", min=0)] = 0.0
    alpha: Annotated[float, Opt("For --decide: chance of any false decision.")] = 0.05
    looks: Annotated[int, Opt("For --decide: the most interim analyses.", min=1)] = 20
    decide_seed: Annotated[int, Opt("For --decide: order of the items.", min=0)] = 0
    temperature: Annotated[float | None, Opt("Decoding temperature.")] = None
    task_tries: int = 3
    """Number of tries of a task while some of its items have no score."""
    cost_limit: Annotated[float | None, Opt("Dollar limit of one attempt at an item.", min=0)] = (
        None
    )
    batch: Annotated[bool, Opt("Ask by the provider's batches: cheaper, hours later.")] = False
    batch_tick: Annotated[float, Opt("Seconds between looks at batches.", min=0.01)] = 15.0
    cache: Annotated[
        bool | None,
        Opt(
            "Reuse replies, up to a week old, to requests that were sent before; by default for "
            "judges and evaluators.",
            "--cache/--no-cache",
        ),
    ] = None
    display: Annotated[str, Opt("none, or Inspect's full, rich, plain or log.")] = "none"

    def __post_init__(self) -> None:
        methods = self.methods or (() if self.agent else ("direct",))
        resolved = {"methods": methods, "round": Path(self.round), "logs": Path(self.logs)}
        for name, value in resolved.items():
            object.__setattr__(self, name, value)
        super().__post_init__()
        if self.alias is not None and not is_alias(self.alias):
            raise InputError(
                f"--as {self.alias!r} is not a name. Write up to {MAX_ALIAS} letters, digits, "
                "spaces and . _ -"
            )


@dataclass(frozen=True, kw_only=True)
class ExamRequest(Spending):
    """Request for an exam; without a model, only baselines answer and nothing is paid."""

    papers: Annotated[
        str,
        Arg(
            "A folder of papers, a file, or 'arxiv:QUERY' in arXiv's search syntax.",
            metavar="PAPERS",
        ),
    ]
    tasks: Annotated[
        Sequence[str],
        Opt(
            "Tasks to ask; by default all that the papers allow.",
            metavar="TASK,...",
            read=given_names,
        ),
    ] = ()
    since: Annotated[date | None, Opt("Only papers first public on this day or later.")] = None
    until: Annotated[date | None, Opt("Only papers first public before this day.")] = None
    max: Annotated[int | None, Opt("Most papers to take from a query (default: 50).", min=1)] = None
    out: Annotated[Path, Opt("Folder for everything it makes.")] = Path("viva-exam")


VARIABLE = "VIVAVOCE_PRICES"
"""Environment variable that names the user's file of prices."""
_SHIPPED = Path(__file__).with_name("prices.toml")
_CACHE_WRITE = 1.25
"""Highest price of writing a token to a cache, as a multiple of the input price."""
_HOW = "Write it as IN,OUT in dollars for a million tokens, such as 0.15,0.60."


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million tokens."""

    input: float
    output: float
    input_cache_write: float
    input_cache_read: float


@dataclass(frozen=True, slots=True)
class ListPrice:
    """A price from a list, not from the command line."""

    text: str
    source: str
    """A provider's page with the day it was checked, or the user's file."""


def given_prices(words: Iterable[str]) -> dict[str, str]:
    """Read `MODEL=IN,OUT` words into prices by model."""
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
    """List prices by model; those in the user's file take precedence over the shipped ones.

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
    """The given prices, plus list prices for models without a given one."""
    known = list_prices()
    listed = {name: known[name].text for name in models if name in known}
    return {**listed, **given}


def sources_of(prices: Mapping[str, str]) -> list[str]:
    """Sources of the prices that come from a list."""
    known = list_prices()
    pairs = [(known[model], text) for model, text in prices.items() if model in known]
    return sorted({listed.source for listed, text in pairs if listed.text == text})
