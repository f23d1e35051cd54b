"""Requests: the options of verbs, configuration files and Python calls, each declared once.

A request is a frozen dataclass whose fields are annotated with `Opt`. It defines the options of a
verb, the keys of a configuration file and a table of the reference. The modules here import
nothing heavy, so that `viva --help` can load them.
"""

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args, get_type_hints

from annotated_types import Ge, Le, MaxLen

from vivavoce.errors import InputError

if TYPE_CHECKING:
    from pydantic import BaseModel

Model = TypeVar("Model", bound="BaseModel")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Declaration:
    """Settings of an option or an argument, besides its help."""

    metavar: str | None = None
    min: float | None = None
    max: float | None = None
    panel: str | None = None
    """Heading in the help; None for the default one."""
    hidden: bool = False
    """Left out of `--help`; the reference lists it if it has a help text."""
    envvar: str | None = None
    read: Callable[[list[str]], Any] | None = None
    """Makes the value from the words of a repeatable option."""

    __is_annotated_types_grouped_metadata__ = True

    def __iter__(self) -> Iterator[Any]:
        """Yield the bounds in pydantic's form, for values that come from a file."""
        if self.min is not None:
            yield Ge(self.min)
        if self.max is not None:
            yield Le(self.max)


@dataclass(frozen=True, slots=True)
class Opt(_Declaration):
    """An option: its help, and its flags if they differ from the field's name."""

    help: str = ""
    flags: str = ""


@dataclass(frozen=True, slots=True)
class Arg(_Declaration):
    """A positional argument."""

    help: str = ""


def given_names(words: Iterable[str]) -> tuple[str, ...]:
    """Read words that each hold names between commas."""
    return tuple(name.strip() for word in words for name in word.split(",") if name.strip())


class Shape:
    """A request, or options that several requests share."""

    def __post_init__(self) -> None:
        """Refuse addresses given in place of paths."""
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            for member in value if isinstance(value, list | tuple) else [value]:
                if isinstance(member, Path):
                    check_local(member)

    def shared(self, shape: type) -> dict[str, Any]:
        """Values of the fields that another shape also has, by name."""
        names = {field.name for field in fields(self)} & {field.name for field in fields(shape)}  # type: ignore[arg-type]
        return {name: getattr(self, name) for name in sorted(names)}


@dataclass(frozen=True, kw_only=True)
class Bootstrap(Shape):
    """Settings of every interval."""

    resamples: Annotated[int, Opt("Bootstrap draws; 0 for no intervals.", min=0, max=100_000)] = (
        10_000
    )
    seed: Annotated[int, Opt("Seed of the bootstrap.")] = 0


@dataclass(frozen=True, kw_only=True)
class PartialLogs(Bootstrap):
    """Logs that count, and settings of their intervals."""

    partial: Annotated[bool, Opt("Also show logs that lack samples, marked.")] = False


@dataclass(frozen=True, kw_only=True)
class Reading(PartialLogs):
    """Answers to read from logs, and settings of their intervals."""

    split: Annotated[str | None, Opt("Only this split.", metavar="train|validation|test")] = None


@dataclass(frozen=True, kw_only=True)
class CutoffOptions(Shape):
    """Ends of models' training data."""

    cutoffs: Annotated[Path | None, Opt("Training cutoffs of models, as TOML.", metavar="FILE")] = (
        None
    )
    margin: Annotated[int, Opt("Days after a cutoff: possibly seen.", min=0)] = 30


@dataclass(frozen=True, kw_only=True)
class Connection(Shape):
    """Settings for requests to servers that hold papers."""

    contact: Annotated[
        str | None,
        Opt(
            "Your email or web page, sent to servers so that their operators can reach you.",
            envvar="VIVAVOCE_CONTACT",
        ),
    ] = None
    base: Annotated[str | None, Opt("A loopback server in place of theirs.", hidden=True)] = None


@dataclass(frozen=True, kw_only=True)
class SiteOptions(Reading):
    """Settings that a site publishes, so that others can rebuild it."""

    samples: Annotated[int, Opt("Items of each board to show in full.", min=0, max=200)] = 5
    note: Annotated[str, Opt("A note at the top of the first page."), MaxLen(400)] = ""
    submit: Annotated[str, Opt("https address where models are submitted."), MaxLen(400)] = ""
    status: Annotated[str, Opt("Status page, linked from every page."), MaxLen(200)] = ""
    next_round: Annotated[str, Opt("Day on which the next round is due."), MaxLen(40)] = ""


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(Bootstrap):
    """Options of `viva score`; each family uses its own."""

    aggregate: Annotated[
        Literal["macro", "micro"], Opt("macro: mean over items; micro: pooled.")
    ] = "macro"
    stem: Annotated[bool, Opt("writing: compare word stems.")] = False
    bertscore: Annotated[str | None, Opt("writing: a model name or path that adds BERTScore.")] = (
        None
    )
    layer: Annotated[int | None, Opt("writing: BERTScore's layer.")] = None
    legacy: Annotated[bool, Opt("ranking, architecture: as published.")] = False
    pairs: Annotated[int | None, Opt("tables: pairs of cells to ask about, per table.", min=1)] = (
        None
    )
    gamma: Annotated[float, Opt("architecture: weight of deeper layers.")] = 1.1


_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
"""A scheme of two characters or more, as in s3://; C:/ is a drive."""


def check_local(path: Path) -> Path:
    """Check that a path is on this machine, and return it."""
    if _ADDRESS.match(str(path)):
        raise InputError(
            f"{path} is an address. Copy its content to this machine, and give its path here."
        )
    return path


def nearest(name: str, known: list[str]) -> str:
    """Sentence that suggests the known name closest to an unknown one, or lists all of them."""
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f" Did you mean {close[0]}?" if close else f" There are: {', '.join(known)}."


_SENTENCES = {
    "greater_than_equal": "it must be at least {ge}",
    "greater_than": "it must be above {gt}",
    "less_than_equal": "it must be at most {le}",
    "less_than": "it must be below {lt}",
    "literal_error": "it must be {expected}",
    "string_pattern_mismatch": "it must match {pattern}",
    "int": "it must be a whole number",
    "float": "it must be a number",
    "bool": "it must be true or false",
    "string": "it must be text",
    "path": "it must be a path",
    "missing": "it is missing",
    "too_short": "it must have an entry",
    "model": "it must be a table",
    "tuple": "it must be a list",
    "list": "it must be a list",
    "date": "it must be a day, written as YYYY-MM-DD",
    "mapping": "it must be a table",
    "dict": "it must be a table",
    "dataclass": "it must be a table",
}


def sentence_of(problem: Mapping[str, Any]) -> str:
    """Write a problem that pydantic found with a value as a sentence without a full stop."""
    context = problem.get("ctx", {})
    if problem["type"] == "value_error":
        return str(context["error"]).removesuffix(".")
    kind = problem["type"]
    name = kind.removesuffix("_type").removesuffix("_parsing").partition("_from_")[0]
    known = _SENTENCES.get(kind) or _SENTENCES.get(name)
    if known is None:
        return str(problem["msg"])
    value = problem["input"]
    given = f", not {value!r}" if isinstance(value, str | int | float) else ""
    return known.format(**context) + given


def check_model(model: type[Model], values: Any, where: str) -> Model:
    """Check values against a model; `InputError` has a line with `where` for each problem."""
    from pydantic import ValidationError

    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise InputError("\n".join(_lines(model, error.errors(), where))) from error


def _lines(model: Any, problems: Iterable[Any], where: str) -> Iterator[str]:
    for problem in problems:
        *parents, name = problem["loc"] or ("",)
        key = ".".join(map(str, problem["loc"])) or "the file"
        if problem["type"] != "extra_forbidden":
            yield f"{where} {key}: {sentence_of(problem)}."
            continue
        inner = model
        for parent in parents:
            table = getattr(inner, "model_fields", {}).get(parent)
            inner = table.annotation if table else get_args(inner)[-1]
        yield f"{where} {key} is unknown.{nearest(str(name), [*inner.model_fields])}"


def check_values(request: type, values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Check values of a file against the fields of a request; fields may be missing."""
    import json

    from pydantic import TypeAdapter, ValidationError

    hints = get_type_hints(request, include_extras=True)
    names = [field.name for field in fields(request)]
    checked, wrong = {}, []
    for key, value in values.items():
        if key not in names:
            wrong.append(f"{where}: {key} is unknown.{nearest(key, names)}")
            continue
        try:
            # A file has no tuples or paths, and dates may be texts, so read values as strict JSON.
            text = json.dumps(value, default=str)
            checked[key] = TypeAdapter(hints[key]).validate_json(text, strict=True)
            if isinstance(checked[key], Path):
                check_local(checked[key])
        except InputError as error:
            wrong.append(f"{where}: {key}: {error}")
        except ValidationError as error:
            for problem in error.errors():
                place = ".".join([key, *map(str, problem["loc"])])
                wrong.append(f"{where}: {place}: {sentence_of(problem)}.")
    if wrong:
        raise InputError("\n".join(wrong))
    return checked
