"""Verbs made from function signatures: parameters with `Opt` or `Arg`, and whole requests.

The parameters of a verb become options and arguments. If a parameter's type is a request (a
dataclass), each annotated field becomes an option, and the verb receives the request.
"""

import inspect
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import typer
from typer.core import TyperCommand
from typer.models import ParameterInfo

from vivavoce.cli.output import Answer
from vivavoce.errors import InputError
from vivavoce.requests import Arg, Opt, check_local, check_values, sentence_of

Verb = TypeVar("Verb", bound=Callable[..., Answer | None])

Json = Annotated[bool, Opt("Print one JSON document on stdout.", "--json")]
Logs = Annotated[Path, Arg("Folder of logs that viva run wrote.")]
Rounds = Annotated[
    Sequence[Path],
    Opt("Your own copy of a round; its logs must match it. Repeatable.", "--round"),
]
RoundFolder = Annotated[Path, Arg("The folder of the round's manifest.json.", metavar="ROUND")]
Port = Annotated[int, Opt("Port; 0 picks a free one.", min=0, max=65535)]
_CONFIG = "config"
_PLACEHOLDERS = {Path: "PATH", date: "DATE", int: "N", float: "NUMBER", str: "TEXT"}
"""Placeholders in the help for the value of an option, or for one of several."""


class _Parameter(NamedTuple):
    """A parameter for Typer, and the conversion from Typer's value to the verb's."""

    name: str
    hint: Any
    default: Any
    convert: Callable[[Any], Any]
    flag: str
    """Name of the parameter in messages."""


class VivaCommand(TyperCommand):
    """A verb that groups its options under headings and reports bad values in sentences."""

    def make_context(self, info_name: str | None, args: list[str], *more: Any, **kw: Any) -> Any:
        """Parse the words of a command line."""
        try:
            return super().make_context(info_name, args, *more, **kw)
        except typer.BadParameter as error:
            if problems := getattr(error.__cause__, "errors", None):
                error.message = f"{sentence_of(problems()[0])}."
            raise

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, grouped by heading."""
        headings: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            if record := help_record(parameter, ctx):
                panel = getattr(parameter, "rich_help_panel", None) or "Options"
                is_argument = parameter.param_type_name == "argument"
                headings.setdefault("Arguments" if is_argument else panel, []).append(record)
        for heading, records in headings.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def help_record(parameter: Any, context: Any) -> tuple[str, str] | None:
    """The names and the help of a parameter, without the type that Typer adds to an argument."""
    record: tuple[str, str] | None = parameter.get_help_record(context)
    if record and parameter.param_type_name == "argument":
        return record[0].partition(" <")[0], record[1]
    return record


def verb(
    app: typer.Typer, example: str, name: str | None = None, **settings: Any
) -> Callable[[Verb], Verb]:
    """Add a function to a group as a verb; `example` is a command line without `viva`."""

    def add(function: Verb) -> Verb:
        name_of = name or function.__name__.replace("_", "-")
        settings.setdefault("epilog", f"Example: viva {example}")
        # In a list of verbs, Typer would cut the summary in mid-sentence.
        summary = inspect.cleandoc(function.__doc__ or "").partition("\n\n")[0]
        settings.setdefault("short_help", " ".join(summary.split()))
        app.command(name_of, cls=VivaCommand, **settings)(bind(function))
        return function

    return add


def bind(function: Callable[..., Answer | None]) -> Callable[..., None]:
    """Make a function that Typer can read and that calls the verb with its requests.

    A verb that returns an answer gets the option --json.
    """
    requests: dict[str, tuple[type, list[_Parameter]]] = {}
    parameters: list[_Parameter] = []
    hints = get_type_hints(function, include_extras=True)
    answers = hints.get("return") is Answer
    context = None
    has_file = _CONFIG in hints
    for each in inspect.signature(function).parameters.values():
        hint = hints[each.name]
        if hint is typer.Context:
            context = each.name
        elif is_dataclass(hint):
            requests[each.name] = cast("type", hint), list(_options_of(hint, has_file=has_file))
            parameters += requests[each.name][1]
        else:
            default = MISSING if each.default is inspect.Parameter.empty else each.default
            parameters.append(_parameter(each.name, hint, default))

    if answers:
        parameters.append(_parameter("as_json", Json, False))

    def call(ctx: typer.Context, **values: Any) -> None:
        given = {each.name: each.convert(values[each.name]) for each in parameters}
        for name, (request, options) in requests.items():
            arguments = {each.name: given.pop(each.name) for each in options}
            if has_file:
                from vivavoce.rounds.spec import read_toml

                path = given[_CONFIG]
                stated = check_values(request, read_toml(path), str(path)) if path else {}
                typed = {key: value for key, value in arguments.items() if is_given(ctx, key)}
                arguments = stated | typed
                _refuse_missing(request, options, arguments)
            given[name] = request(**arguments)
        as_json = given.pop("as_json") if answers else False
        answer = function(**given, **({context: ctx} if context else {}))
        if answer is not None:
            answer.print(as_json=as_json)

    empty, kind = inspect.Parameter.empty, inspect.Parameter.KEYWORD_ONLY
    taken = [
        inspect.Parameter(
            each.name,
            kind,
            annotation=each.hint,
            default=empty if each.default is MISSING else each.default,
        )
        for each in parameters
    ]
    shown = [inspect.Parameter("ctx", kind, annotation=typer.Context), *taken]
    call.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in shown}
    call.__doc__ = function.__doc__
    return call


def is_given(context: typer.Context, name: str) -> bool:
    """Check whether a parameter is given on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def refuse_unread(context: typer.Context, read: Collection[str], chosen: str) -> None:
    """Refuse given options that have no effect with the chosen view."""
    for parameter in context.command.params:
        if is_given(context, str(parameter.name)) and parameter.name not in read:
            raise typer.BadParameter(f"{chosen} does not take it", param_hint=parameter.opts[0])


def _refuse_missing(request: Any, options: Iterable[_Parameter], given: Collection[str]) -> None:
    flags = {each.name: each.flag for each in options}
    for each in fields(request):
        has_default = each.default is not MISSING or each.default_factory is not MISSING
        if not has_default and each.name not in given:
            raise InputError(
                f"Missing option '{flags[each.name]}': give it, or {each.name} in the file of "
                "--config."
            )


def _options_of(request: Any, *, has_file: bool) -> Iterator[_Parameter]:
    """Parameters of a request's annotated fields; all are optional if a file may set them."""
    hints = get_type_hints(request, include_extras=True)
    headings: Mapping[str, Sequence[str]] = getattr(request, "HEADINGS", {})
    for each in fields(request):
        if get_origin(hints[each.name]) is Annotated:
            default = each.default
            if each.default_factory is not MISSING:
                default = each.default_factory()
            if default is MISSING and has_file:
                default = None
            shown = {}
            if headings:
                panel = next((key for key, names in headings.items() if each.name in names), None)
                shown = {"rich_help_panel": panel, "hidden": panel is None}
            yield _parameter(each.name, hints[each.name], default, **shown)


def _parameter(name: str, hint: Any, default: Any, **shown: Any) -> _Parameter:
    """Convert a parameter for Typer: lists for repeatable options, strings for dates."""
    kind, *extras = get_args(hint)
    declared = next(one for one in extras if isinstance(one, Opt | Arg | ParameterInfo))
    parts = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    bare: Any = next(one for one in parts if one is not type(None))
    if isinstance(declared, ParameterInfo):
        return _Parameter(name, hint, default, lambda value: value, f"--{name}")
    flags: tuple[str, ...] = ()
    if isinstance(declared, Opt):
        flags = tuple(declared.flags.split()) or (f"--{name.replace('_', '-')}",)
    for key in ("help", "metavar", "min", "max", "envvar"):
        shown[key] = getattr(declared, key)
    shown.setdefault("hidden", declared.hidden)
    shown.setdefault("rich_help_panel", declared.panel)
    read: Callable[[Any], Any] = declared.read or (lambda value: value)
    if declared.read or get_origin(bare) in (tuple, Sequence, list):
        inner: Any = str if declared.read else get_args(bare)[0]
        bare = inner
        if get_origin(inner) is Literal:  # in lists, Typer supports only enumerations
            inner = cast("Any", StrEnum)("Choice", {each: each for each in get_args(inner)})
        kind, default = list[inner], _words(default)
        read = declared.read or (_local_paths if inner is Path else tuple)
    elif bare is Path:
        read = check_local
    elif bare is date:
        kind = str if kind is date else str | None
        read = _day
    if isinstance(declared, Opt):
        choices = get_args(bare) if get_origin(bare) is Literal else ()
        shown["metavar"] = declared.metavar or "|".join(choices) or _PLACEHOLDERS.get(bare)
    make = typer.Option if isinstance(declared, Opt) else typer.Argument
    info = make(*flags, **shown)
    flag = flags[0] if flags else declared.metavar or name.upper()

    def convert(value: Any) -> Any:
        try:
            return value if value is None else read(value)
        except InputError as error:
            raise typer.BadParameter(str(error), param_hint=flag) from error

    return _Parameter(name, Annotated[kind, info], default, convert, flag)


def _words(default: Any) -> Any:
    """A default as a list of words; for a mapping, an empty list."""
    if default is MISSING or default is None:
        return default
    return [] if isinstance(default, Mapping) else list(default)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"{text!r} is not a day. Write YYYY-MM-DD.") from error


def _local_paths(paths: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(map(check_local, paths))
