"""A Model Context Protocol server for the papers of a round, dated as for agents."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.errors import InputError, MissingExtra
from vivavoce.readers import LibraryPaper
from vivavoce.rounds import Round
from vivavoce.tasks import find_task, open_round
from vivavoce.tasks.library import LIBRARY, Library, read_library
from vivavoce.tasks.library.desk import Desk, functions_of, open_entry
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
    """Open the papers of a round that may be shown for one item, or for all items.

    An item has its own date and papers; `task` names its task if several have the id. Without an
    item, these are the papers of all libraries that were public before a day, by default the start
    of the window, except those that an item of the round comes from or hides.

    Raises:
        InputError: There is no such item or library, or the day is after the window.
    """
    opened = open_round(round_folder)
    if item is not None:
        if before is not None:
            raise InputError("An item has its own date. Leave out --item or --before.")
        return open_entry(_entry(opened, item, task))
    if task is not None:
        raise InputError("--task needs an item. Add --item ID.")
    window = opened.manifest["window"]
    cutoff = before or window["start"]
    if period(cutoff)[0] > period(window["end"])[0]:
        raise InputError(f"Round {opened.id} ends on {window['end']}: {cutoff} is after it.")
    # Papers that items of any task come from or hide.
    rows = (row for family, name in opened.tasks() for row in opened.items(family, name))
    hidden = {name for row in rows for name in (row["cluster"], *row.get("hidden_papers", ()))}
    return Library(_papers(opened), cutoff).hiding(hidden)


def _papers(opened: Round) -> dict[str, LibraryPaper]:
    """Papers of all libraries of a round, each with the longest text."""
    papers: dict[str, LibraryPaper] = {}
    for path in sorted(opened.manifest["files"]):
        family, _, file = path.rpartition("/")
        if not family or not file.endswith(".parquet"):
            continue
        content = opened.read_file(family, file)
        if not set(LIBRARY.names) <= set(pq.read_schema(pa.BufferReader(content)).names):
            continue
        for name, paper in read_library(content).items():
            if name not in papers or len(paper.sections) > len(papers[name].sections):
                papers[name] = paper
    if not papers:
        raise InputError(f"Round {opened.id} has no library: no task of it has papers to search.")
    return papers


def _entry(opened: Round, item: str, task: str | None) -> dict[str, Any]:
    """Find the entry `library` of an item's sample."""
    wanted = None if task is None else find_task(task)[1]
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
    library: dict[str, Any] = entry
    return library


def serve_library(library: Library, name: str) -> MCPServer:
    """Make a server with the tools `search` and `read`; the caller chooses the transport.

    `MissingExtra` if the package `mcp` is not installed.
    """
    try:
        from mcp.server import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError as error:
        raise MissingExtra("mcp", "mcp", "Serving a library") from error

    def refusing(function: Callable[..., str]) -> Callable[..., str]:
        """Wrap a function so that its errors become protocol errors."""

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
