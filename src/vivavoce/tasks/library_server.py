"""The papers of a round as a server of the Model Context Protocol, dated as agents see them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.errors import InputError, MissingExtra
from vivavoce.readers.paper_tables import LibraryPaper
from vivavoce.rounds import Round
from vivavoce.tasks import short_name
from vivavoce.tasks.library import LIBRARY, Library, read_library
from vivavoce.tasks.library.desk import Desk, functions_of, open_entry
from vivavoce.tasks.sample_round import open_round
from vivavoce.text.dates import period
from vivavoce.version import __version__

if TYPE_CHECKING:
    from mcp.server import MCPServer


def library_of(
    round_folder: Path | str,
    *,
    before: str | None = None,
    item: str | None = None,
    task: str | None = None,
) -> Library:
    """The papers of a round that may be shown for one item, or for every item.

    Without an item these are the papers of every family's library that were public before a day,
    less those that an item of the round comes from or hides.

    Args:
        round_folder: The round, or `sample`.
        before: First day on which nothing is known any more; the start of the round's window by
            default, so that no item is older than what is shown.
        item: Id of an item; its own date and papers are taken.
        task: Task of the item, where several have the id.

    Raises:
        InputError: No such item or library, or a day after the end of the window.
    """
    opened = open_round(round_folder)
    if item is not None:
        if before is not None:
            raise InputError("An item has a date of its own. Leave out --item or --before.")
        return open_entry(_entry(opened, item, task))
    if task is not None:
        raise InputError("A task is named to find an item. Add --item ID.")
    window = opened.manifest["window"]
    cutoff = before or window["start"]
    if period(cutoff)[0] > period(window["end"])[0]:
        raise InputError(f"Round {opened.id} ends on {window['end']}: {cutoff} is after it.")
    # Papers that an item of any task is made of, or that it hides.
    rows = (row for family, name in opened.tasks() for row in opened.items(family, name))
    hidden = {name for row in rows for name in (row["cluster"], *row.get("hidden_papers", ()))}
    return Library(_papers(opened), cutoff).hiding(hidden)


def _papers(opened: Round) -> dict[str, LibraryPaper]:
    """Papers of every library of a round; the one with the most text where several have it."""
    found: dict[str, LibraryPaper] = {}
    for content in _libraries(opened):
        for name, paper in read_library(content).items():
            if name not in found or len(paper.sections) > len(found[name].sections):
                found[name] = paper
    if not found:
        raise InputError(f"Round {opened.id} has no library: no task of it has papers to search.")
    return found


def _libraries(opened: Round) -> Iterator[bytes]:
    for name in sorted(opened.manifest["files"]):
        family, _, file = name.rpartition("/")
        if family and file.endswith(".parquet"):
            content = opened.read_file(family, file)
            columns = pq.read_schema(pa.BufferReader(content)).names
            if set(LIBRARY.names) <= set(columns):
                yield content


def _entry(opened: Round, item: str, task: str | None) -> dict[str, Any]:
    """The entry `library` of an item's sample."""
    wanted = None if task is None else short_name(task)
    holding = [
        name
        for family, name in opened.tasks()
        if wanted in (None, name) and any(row["id"] == item for row in opened.items(family, name))
    ]
    if not holding:
        raise InputError(f"Round {opened.id} has no item {item[:80]!r}. Give an id of its items.")
    if len(holding) > 1:
        raise InputError(f"{item} is an item of {', '.join(holding)}. Name one: --task TASK.")
    from vivavoce.tasks.lookup import create_task

    dataset = create_task(holding[0], {"round": str(opened.folder)}).dataset
    entry = next((one.metadata or {} for one in dataset if one.id == item), {}).get("library")
    if not entry:
        raise InputError(f"{holding[0]} shows no papers for {item}: its items have no library.")
    found: dict[str, Any] = entry
    return found


def serve_library(library: Library, name: str) -> MCPServer:
    """A server with the tools `search` and `read`; run it over a transport of its own.

    Raises:
        MissingExtra: The package `mcp` is not installed.
    """
    try:
        from mcp.server import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError as error:
        raise MissingExtra("mcp", "mcp", "Serving a library") from error

    def refusing(function: Callable[..., str]) -> Callable[..., str]:
        """The same function, whose complaints are marked as errors of the protocol."""

        @wraps(function)
        def call(*given: Any, **named: Any) -> str:
            try:
                return function(*given, **named)
            except InputError as error:
                raise ToolError(str(error)) from error

        return call

    desk = Desk(library)
    server = MCPServer(
        name,
        version=__version__,
        instructions=f"{desk.papers} scientific papers. Search them, then read what you need.",
        log_level="WARNING",
    )
    for function in functions_of(desk).values():
        server.add_tool(refusing(function), description=cleandoc(function.__doc__ or ""))
    return server
