"""Output of every verb: results on stdout, progress on stderr, errors as one message."""

from __future__ import annotations

import errno
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any, TextIO

import typer
from typer.core import TyperGroup

from vivavoce.errors import MissingExtra, VivaError
from vivavoce.web.printing import visible

_WIDE = "--wide"
_COMMANDS = ("viva ", "pip install ")

_state = {"debug": False, "wide": False}


def set_output(*, debug: bool, wide: bool) -> None:
    """Choose how commands print from now on.

    Args:
        debug: Tracebacks of errors are let through.
        wide: Tables are printed whole, also beyond the width of the terminal.
    """
    _state.update(debug=debug, wide=wide)


class VivaGroup(TyperGroup):
    """The top command: turns errors into messages and exit codes."""

    def main(self, args: Sequence[str] | None = None, *more: Any, **kwargs: Any) -> Any:
        """Run a verb; without --debug no traceback reaches the user.

        `--wide` may follow the verb, as `--json` does.
        """
        words = list(sys.argv[1:] if args is None else args)
        if _WIDE in words:
            words = [_WIDE, *(word for word in words if word != _WIDE)]
        try:
            return super().main(words, *more, **kwargs)
        except VivaError as error:
            if _state["debug"]:
                raise
            say(f"Error: {error}", quiet=True)
            raise SystemExit(error.exit_code) from error
        except OSError as error:
            if _state["debug"] or error.errno == errno.EPIPE:
                raise
            where = f"{error.filename}: " if error.filename else ""
            say(f"Error: {where}{error.strerror or error}", quiet=True)
            raise SystemExit(1) from error
        except Exception as error:  # the last line of defence: a message instead of a traceback
            if _state["debug"]:
                raise
            say(
                f"Error: {type(error).__name__}: {error}\n"
                "This is a fault of the program. Run again with viva --debug ... to see where.",
                quiet=True,
            )
            raise SystemExit(1) from error


def print_json(value: Any) -> None:
    """Print one JSON document; characters that turn or hide text become escapes."""
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    # Line breaks are the only characters of the document itself that do not print.
    odd = {char for char in set(text) if not char.isprintable() and char != "\n"}
    for char in odd:
        text = text.replace(char, json.dumps(char)[1:-1])
    typer.echo(text)


def say(text: str, *, quiet: bool = False) -> None:
    """Print lines for people: on stdout, or on stderr when stdout carries JSON.

    Characters that steer a terminal, or turn or hide text, are spelled out. Sentences are broken
    between words where a terminal is too narrow; lines with a command are not, so that it can be
    copied.
    """
    shown = [visible(line, limit=None) for line in text.split("\n")]
    window = None if _is_open(sys.stderr if quiet else sys.stdout) else get_terminal_size().columns
    typer.echo("\n".join(part for line in shown for part in _broken(line, window)), err=quiet)


def _is_open(stream: TextIO) -> bool:
    """True if lines may be of any length."""
    return _state["wide"] or not stream.isatty()


def _broken(line: str, window: int | None) -> list[str]:
    if window is None or len(line) <= window or any(word in line for word in _COMMANDS):
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    return wrap(
        line,
        window,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr; silent where stderr is not a terminal."""
    if not sys.stderr.isatty():  # what draws a bar takes as long to load as a small job
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bars:
        task = bars.add_task(label, total=None)

        def update(done: int, total: int) -> None:
            bars.update(task, completed=done, total=total)

        yield update


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]], *, title: str = "") -> None:
    """Print a table; columns of numbers stand right.

    On a terminal that is too narrow the columns go on below, beside the names of the rows.
    """
    if title:
        say(title)
    rows = [[visible(cell, limit=None) for cell in row] for row in rows]
    for line in table_lines(
        headers, rows, None if _is_open(sys.stdout) else get_terminal_size().columns
    ):
        say(line)


def table_lines(
    headers: Sequence[str], rows: Sequence[Sequence[str]], window: int | None
) -> Iterator[str]:
    """Lines of a table, none longer than the window in characters; None for no limit."""
    numeric = [bool(rows) and all(_is_number(row[i]) for row in rows) for i in range(len(headers))]
    widths = [max(len(row[i]) for row in [headers, *rows]) for i in range(len(headers))]
    names = _names(rows, numeric)
    taken = sum(widths[i] for i in names)
    if window is not None and taken > window // 2:
        longest = max(names, key=lambda i: widths[i])
        widths[longest] = max(_LEAST, window // 2 - taken + widths[longest])
    for number, block in enumerate(_blocks(widths, names, window)):
        if number:
            yield ""
        for row in [headers, ["-" * width for width in widths], *rows]:
            cells = [_cut(row[i], widths[i], is_right=numeric[i]) for i in block]
            yield "  ".join(cells).rstrip()[:window]


_LEAST = 12
"""Characters that the name of a row keeps on the narrowest terminal."""


def _names(rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> list[int]:
    """Places of the rows' names: up to the first column of words, then what tells rows apart."""
    first = next((i for i, is_one in enumerate(numeric) if not is_one), 0)
    names = list(range(min(len(numeric), first + 1)))
    others = [i for i in range(first + 1, len(numeric)) if not numeric[i]]

    def distinct(places: Sequence[int]) -> int:
        return len({tuple(row[i] for i in places) for row in rows})

    while others and distinct(names) < len(rows):
        best = max(others, key=lambda i: distinct([*names, i]))
        if distinct([*names, best]) == distinct(names):
            break
        names.append(best)
        others.remove(best)
    return sorted(names)


def _blocks(widths: Sequence[int], names: Sequence[int], window: int | None) -> Iterator[list[int]]:
    """Places of the columns that are printed beside each other, the rows' names in each."""
    block = list(names)
    for place in range(len(widths)):
        if place in names:
            continue
        width = sum(widths[i] + 2 for i in block) + widths[place]
        if window is not None and width > window and len(block) > len(names):
            yield sorted(block)
            block = list(names)
        block.append(place)
    yield sorted(block)


def _cut(cell: str, width: int, *, is_right: bool) -> str:
    shown = cell if len(cell) <= width else cell[: width - 1] + "…"
    return shown.rjust(width) if is_right else shown.ljust(width)


def print_counts(counts: Mapping[str, Any], indent: str = "  ") -> None:
    """Print nested counts, one line each."""
    for name, value in counts.items():
        if isinstance(value, Mapping):
            say(f"{indent}{name}:")
            print_counts(value, indent + "  ")
        elif isinstance(value, list):
            say(f"{indent}{name}: {' .. '.join(str(item) for item in value)}")
        else:
            number = f"{value:,}" if isinstance(value, int) else value
            say(f"{indent}{name}: {number}")


def _is_number(cell: str) -> bool:
    return not cell or cell[0].isdigit() or cell[0] in "-–["


Row = Mapping[str, Any]
Columns = list[tuple[str, Callable[[Row], str]]]
"""Headers, each with what makes the text of a row's cell below it."""


def print_rows(title: str, rows: Iterable[Row], *columns: Columns) -> None:
    """Print rows below a title, by the columns in order."""
    flat = [one for run in columns for one in run]
    lines = [[text_of(row) for _, text_of in flat] for row in rows]
    print_table([header for header, _ in flat], lines, title=title)


def cells(header: str, text_of: Callable[[Row], str]) -> Columns:
    """A column of a text made from the row."""
    return [(header, text_of)]


def texts(*names: str, **renamed: str) -> Columns:
    """Columns of plain values: by their own names, then as HEADER=name."""
    return _columns(names, renamed, lambda value: "" if value is None else str(value))


def numbers(*names: str, **renamed: str) -> Columns:
    """Columns of numbers without intervals."""
    return _columns(names, renamed, number)


def inner(*names: str, **renamed: str) -> Columns:
    """Columns of estimates that are values of their own in the row."""
    return _columns(names, renamed, estimate)


def interval(header: str, name: str = "value", ci: str = "ci") -> Columns:
    """A column of a number with its interval."""
    return cells(header, lambda row: estimate({"value": row[name], "ci": row[ci]}))


def rank_cell(row: Row) -> str:
    """A rank, with the ranks it may have: `2 (1-3)`."""
    if row["rank"] is None:
        return "–"
    low, high = row["rank_interval"] or (row["rank"], row["rank"])
    return f"{row['rank']}" if low == high else f"{row['rank']} ({low}-{high})"


def values_of(names: Sequence[str], text_of: Callable[[Any], str]) -> Columns:
    """Columns of rows that are in the row by their names, where there is one."""

    def column(name: str) -> Callable[[Row], str]:
        return lambda row: text_of(row.get(name))

    return [(name, column(name)) for name in names]


def tick(header: str) -> Columns:
    """A column that says yes or nothing."""
    return cells(header, lambda row: "yes" if row[header] else "")


def _columns(
    names: Sequence[str], renamed: Mapping[str, str], text_of: Callable[[Any], str]
) -> Columns:
    pairs = [*((name, name) for name in names), *renamed.items()]

    def column(name: str) -> Callable[[Row], str]:
        return lambda row: text_of(row[name])

    return [(header, column(name)) for header, name in pairs]


def estimate(row: Row) -> str:
    """A value with its interval: `0.412 [0.380, 0.441]`."""
    if row["value"] is None:
        return "–"
    interval = f" [{row['ci'][0]:.3f}, {row['ci'][1]:.3f}]" if row["ci"] else ""
    return f"{row['value']:.3f}{interval}"


def number(value: float | None) -> str:
    """A value without interval."""
    return "–" if value is None else f"{value:.3f}"


def print_notes(notes: Sequence[str]) -> None:
    """Print what a reader has to know beside the numbers."""
    for note in notes:
        say(f"Note: {note}")


def print_section(title: str, rows: Sequence[Row], *columns: Columns) -> None:
    """Print the rows, where there are any, and an empty line."""
    if rows:
        print_rows(title, rows, *columns)
        say("")


def print_groups(
    rows: Iterable[Row],
    names: Sequence[str],
    title: Callable[[Row], str],
    columns: Callable[[Row], Iterable[Columns]],
) -> None:
    """Print rows that agree in some fields below a title of their own, made of the first."""
    for _, group in groupby(rows, key=lambda row: [row[name] for name in names]):
        members = list(group)
        print_section(title(members[0]), members, *columns(members[0]))


def print_report(found: Any, show: Callable[[Any], None], *, as_json: bool) -> None:
    """Print a report as one JSON document, or for people."""
    if as_json:
        print_json(found.as_dict())
    else:
        show(found)


def end_if_stopped(stopped: str | None) -> None:
    """End with 1 when a server put an end to the work."""
    if stopped is not None:
        say(f"Stopped before the end. {stopped}", quiet=True)
        say("What came is kept. Run the same command again later.", quiet=True)
        raise typer.Exit(1)


def need_web(purpose: str) -> None:
    """Raise `MissingExtra` where what serves pages is not installed."""
    from importlib.util import find_spec

    for package in ("starlette", "uvicorn"):
        if find_spec(package) is None:
            raise MissingExtra(package, "web", purpose)
