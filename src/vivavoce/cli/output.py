"""How every verb speaks: results on stdout, progress on stderr, errors as one message.

Arguments and options that the verbs on logs share.
"""

from __future__ import annotations

import errno
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from vivavoce.errors import VivaError

JSON_OPTION = typer.Option(False, "--json", help="Print one JSON document on stdout.")

_state = {"debug": False}


def set_debug(value: bool) -> None:
    """Let tracebacks through from now on, or not."""
    _state["debug"] = value


class VivaGroup(TyperGroup):
    """The top command: turns errors into messages and exit codes."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a verb; without --debug no traceback reaches the user."""
        try:
            return super().main(*args, **kwargs)
        except VivaError as error:
            if _state["debug"]:
                raise
            typer.echo(f"Error: {error}", err=True)
            raise SystemExit(error.exit_code) from error
        except OSError as error:
            if _state["debug"] or error.errno == errno.EPIPE:
                raise
            where = f"{error.filename}: " if error.filename else ""
            typer.echo(f"Error: {where}{error.strerror or error}", err=True)
            raise SystemExit(1) from error
        except Exception as error:  # the last line of defence: a message instead of a traceback
            if _state["debug"]:
                raise
            typer.echo(
                f"Error: {type(error).__name__}: {error}\n"
                "This is a fault of the program. Run again with viva --debug ... to see where.",
                err=True,
            )
            raise SystemExit(1) from error


def print_json(value: Any) -> None:
    """Print one JSON document."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def say(text: str, *, quiet: bool = False) -> None:
    """Print a line for people: on stdout, or on stderr when stdout carries JSON."""
    typer.echo(text, err=quiet)


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
    """Print a table; columns of numbers stand right."""
    if title:
        typer.echo(title)
    widths = [max(len(row[i]) for row in [headers, *rows]) for i in range(len(headers))]
    numeric = [bool(rows) and all(_is_number(row[i]) for row in rows) for i in range(len(headers))]
    for row in [headers, ["-" * width for width in widths], *rows]:
        cells = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ]
        typer.echo("  ".join(cells).rstrip())


def print_counts(counts: Mapping[str, Any], indent: str = "  ") -> None:
    """Print nested counts, one line each."""
    for name, value in counts.items():
        if isinstance(value, Mapping):
            typer.echo(f"{indent}{name}:")
            print_counts(value, indent + "  ")
        elif isinstance(value, list):
            typer.echo(f"{indent}{name}: {' .. '.join(str(item) for item in value)}")
        else:
            number = f"{value:,}" if isinstance(value, int) else value
            typer.echo(f"{indent}{name}: {number}")


def _is_number(cell: str) -> bool:
    return not cell or cell[0].isdigit() or cell[0] in "-–["


LOGS_ARGUMENT = typer.Argument(help="Folder of logs that viva run wrote.")
PARTIAL_OPTION = typer.Option(False, "--partial", help="Also show logs that lack samples, marked.")
RESAMPLES_OPTION = typer.Option(10_000, "--resamples", min=0, help="Bootstrap draws.")
SEED_OPTION = typer.Option(0, "--seed", help="Seed of the bootstrap.")
CUTOFFS_OPTION = typer.Option(
    None, "--cutoffs", metavar="FILE", help="Until when models' training data reach, as TOML."
)
MARGIN_OPTION = typer.Option(
    30, "--margin", min=0, help="Days after a cutoff whose items may have been seen."
)
SAMPLES_OPTION = typer.Option(
    5, "--samples", min=0, max=200, help="Items of each board to show with all answers; 0 for none."
)
BUNDLE_OPTION = typer.Option(
    None, "--bundle", help="Address or folder of a viewer made by inspect view bundle, to link to."
)
