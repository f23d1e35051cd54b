"""Output of all verbs: results on stdout, progress on stderr, errors as one message."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import zip_longest
from shutil import get_terminal_size
from signal import SIGINT
from textwrap import wrap
from typing import Any, TextIO

import typer
from typer.core import TyperGroup

from vivavoce.errors import InputError, MissingExtra, VivaError
from vivavoce.plugins import blamed, broken_plugins
from vivavoce.reports import Report, Sheet
from vivavoce.text.printing import visible

PIPED = 100
"""Width of tables that are not printed to a terminal."""
_WIDE = "--wide"
_COMMANDS = ("viva ", "pip install ")

_state = {"debug": False, "wide": False}


def set_output(*, debug: bool, wide: bool) -> None:
    """Choose how commands print from now on.

    Args:
        debug: Show the tracebacks of errors.
        wide: Print tables in full, even if they are wider than the terminal.
    """
    _state.update(debug=debug, wide=wide)


_INTERRUPTED = 128 + SIGINT
_RESUMING = frozenset({"exam", "run", "live"})
"""Verbs that, when the command is repeated, resume where they stopped."""


class VivaGroup(TyperGroup):
    """The top command: turns errors into messages and exit codes."""

    def main(self, args: Sequence[str] | None = None, *more: Any, **kwargs: Any) -> Any:
        """Run a verb; without --debug, no traceback reaches the user.

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
            for broken in broken_plugins() if isinstance(error, InputError) else ():
                say(f"Skipped: {broken}", quiet=True)
            raise SystemExit(error.exit_code) from error
        except OSError as error:
            if _state["debug"]:
                raise
            where = f"{error.filename}: " if error.filename else ""
            say(f"Error: {where}{error.strerror or error}", quiet=True)
            raise SystemExit(1) from error
        except Exception as error:  # last resort: a message instead of a traceback
            if _state["debug"]:
                raise
            fault = blamed(error) or (
                f"{type(error).__name__}: {error}\nThis is a bug in Viva Voce."
            )
            say(f"Error: {fault} Run viva --debug ... to see where.", quiet=True)
            raise SystemExit(1) from error

    def invoke(self, ctx: Any) -> Any:
        """Run a verb; Ctrl-C exits with 130 and prints the command that resumes, if any."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, typer.Abort) as stop:
            resume = f" Completed work is kept. To continue:\n  viva {shlex.join(sys.argv[1:])}"
            say("\nStopped." + (resume if ctx.invoked_subcommand in _RESUMING else ""), quiet=True)
            raise SystemExit(_INTERRUPTED) from stop


def print_json(value: Any) -> None:
    """Print one JSON document; characters that reverse or hide text are escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    # JSON's own characters are all printable, except line breaks.
    odd = {char for char in set(text) if not char.isprintable() and char != "\n"}
    for char in odd:
        text = text.replace(char, json.dumps(char)[1:-1])
    typer.echo(text)


def say(text: str, *, quiet: bool = False) -> None:
    """Print lines for people: on stdout, or on stderr if `quiet`.

    Characters that control a terminal or hide text are spelled out. On a narrow terminal, lines
    wrap, except those with a command, which people copy.
    """
    shown = [visible(line, limit=None) for line in text.split("\n")]
    window = None if _is_open(sys.stderr if quiet else sys.stdout) else get_terminal_size().columns
    typer.echo("\n".join(part for line in shown for part in _broken(line, window)), err=quiet)


def _is_open(stream: TextIO) -> bool:
    """Check whether lines may have any length."""
    return _state["wide"] or not stream.isatty()


def _broken(line: str, window: int | None) -> list[str]:
    if window is None or len(line) <= window or any(word in line for word in _COMMANDS):
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    return wrap(
        line, window, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on stderr; without a terminal, only print a line if work ends early.

    Work that is decided early reports a smaller total at the end.
    """
    before = (0, 0)

    def early(done: int, total: int) -> str:
        nonlocal before
        (were_done, planned), before = before, (done, total)
        is_early = were_done < planned and done == total < planned
        return f"{label}: decided after {done:,} of {planned:,}" if is_early else ""

    if not sys.stderr.isatty():  # loading the bar takes as long as a small job

        def tell(done: int, total: int) -> None:
            if line := early(done, total):
                say(line, quiet=True)

        yield tell
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
            shown = early(done, total) or label
            bars.update(task, completed=done, total=total, description=shown)

        yield update


def print_table(table: Sheet) -> None:
    """Print a table; columns of numbers are aligned right.

    If it is too wide for the terminal (100 characters in a pipe), sentences wrap, and columns that
    do not fit follow below, beside the row names.
    """
    if table.title:
        say(table.title)
    rows = tuple(tuple(visible(cell, limit=None) for cell in row) for row in table.rows)
    piped = None if _state["wide"] else PIPED
    window = piped if _is_open(sys.stdout) else get_terminal_size().columns
    for line in (*table_lines(replace(table, rows=rows), window), *table.below):
        say(line)


def table_lines(table: Sheet, window: int | None) -> Iterator[str]:
    """Lines of a table, at most `window` characters wide; None for no limit."""
    headers, rows = table.heads, table.rows
    numeric = [table.is_figures(place) for place in range(len(headers))]
    widths = [max(len(row[i]) for row in [headers, *rows]) for i in range(len(headers))]
    names = _names(rows, numeric)
    taken = sum(widths[i] for i in names)
    if window is not None and taken > window // 2:
        longest = max(names, key=lambda i: widths[i])
        widths[longest] = max(_LEAST, window // 2 - taken + widths[longest])
    whole = list(widths)
    # Columns that may wrap; a column with a command may not, to keep the command whole.
    prose = [
        place
        for place, is_one in enumerate(numeric)
        if window is not None
        and not (is_one or place in names)
        and not any(word in row[place] for row in rows for word in _COMMANDS)
    ]
    room = (window or 0) - sum(widths[i] + 2 for i in names)
    for place in prose:
        widths[place] = min(widths[place], max(_LEAST, min(_COLUMN, room)))
    for number, block in enumerate(_blocks(widths, names, window)):
        if number:
            yield ""
        given = {place: widths[place] for place in block}
        for place in (one for one in block if one in prose):
            left = (window or 0) - sum(given.values()) - 2 * (len(block) - 1)
            given[place] = min(whole[place], given[place] + max(0, left))
        own = [place for place in block if place not in names]
        shown = [row for row in rows if not number or any(row[place] for place in own)]
        for row in [headers, ["-" * given.get(i, 0) for i in range(len(headers))], *shown]:
            cells = [
                (wrap(row[i], given[i] or 1) or [""])
                if i in prose
                else [_cut(row[i], given[i], is_right=numeric[i])]
                for i in block
            ]
            for line in zip_longest(*cells, fillvalue=""):
                texts = (text.ljust(given[i]) for text, i in zip(line, block, strict=True))
                yield "  ".join(texts).rstrip()[:window]


_LEAST = 12
"""Minimum width of row names and of sentences, in characters."""
_COLUMN = 36
"""Minimum width of a column of sentences, which wrap between words."""


def _names(rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> list[int]:
    """Columns that name rows, as indices: up to the first text column, then until rows differ."""
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
    """Yield blocks of columns to print side by side, as indices; each starts with the row names."""
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


def count_lines(counts: Mapping[str, Any], indent: str = "  ") -> Iterator[str]:
    """Yield nested counts as indented lines, one count per line."""
    for name, value in counts.items():
        if isinstance(value, Mapping):
            yield f"{indent}{name}:"
            yield from count_lines(value, indent + "  ")
        elif isinstance(value, list):
            yield f"{indent}{name}: {' .. '.join(str(item) for item in value)}"
        else:
            number = f"{value:,}" if isinstance(value, int) else value
            yield f"{indent}{name}: {number}"


RETRY = "Run the same command again to retry what failed."


@dataclass(frozen=True, slots=True)
class Answer:
    """Output of a verb: one JSON document, or lines and sheets for people."""

    document: Any
    parts: Iterable[Sheet | str]
    notes: Iterable[str] = ()
    """Facts that a reader of the numbers needs."""
    exit_code: int = 0
    left_out: Iterable[str] = ()
    """Lines for stderr, before the output: what it leaves out, and what it rests on."""
    next_steps: Iterable[str] = ()
    """Lines for stderr, after the output."""
    stopped: str | None = None
    """Reason why a server ended the work early; the exit code is then at least 1."""

    @classmethod
    def of(cls, report: Report, *, failed: bool = False) -> Answer:
        """Make an answer from a report: its JSON document, parts and notes."""
        notes = getattr(report, "notes", ())
        return cls(report.as_dict(), report.parts(), notes, exit_code=int(failed))

    def print(self, *, as_json: bool) -> None:
        """Print the answer, and exit with its code unless that is 0."""
        for line in self.left_out:
            say(line, quiet=True)
        if as_json:
            print_json(self.document)
        else:
            print_parts(self.parts)
            for note in self.notes:
                say(f"Note: {note}")
        for line in self.next_steps:
            say(line, quiet=True)
        if self.stopped is not None:
            say(f"Stopped before the end. {self.stopped}", quiet=True)
            say("Everything received is kept. Run the same command again later.", quiet=True)
        if code := max(self.exit_code, int(self.stopped is not None)):
            raise typer.Exit(code)


def print_parts(parts: Iterable[Sheet | str]) -> None:
    """Print lines and sheets, with an empty line after each sheet."""
    is_below = False
    for part in parts:
        if isinstance(part, Sheet) and not part.rows:
            continue
        if is_below:
            say("")
        is_below = isinstance(part, Sheet)
        if isinstance(part, Sheet):
            print_table(part)
        else:
            say(part)


def need_web(purpose: str) -> None:
    """Raise `MissingExtra` if the packages that serve pages are not installed."""
    from importlib.util import find_spec

    for package in ("starlette", "uvicorn"):
        if find_spec(package) is None:
            raise MissingExtra(package, "web", purpose)
