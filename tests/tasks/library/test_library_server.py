"""Hostile queries to a round's papers: papers that are too late or hidden are never served.

Inspect's tools and the MCP server get the same queries; the functions of agents get drawn ones.
"""

import re
import unicodedata
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import anyio
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai.tool import ToolDef, ToolError
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.servers.commands import VIVA, viva_here
from tests.tasks.methods.agent_runs import row

from vivavoce.errors import InputError
from vivavoce.store import hash_file, parquet_of, write_bytes, write_sealed
from vivavoce.tasks import open_round
from vivavoce.tasks.library import Library, library_as_bytes
from vivavoce.tasks.library.desk import Desk, functions_of, in_words
from vivavoce.tasks.library_server import library_of, serve_library
from vivavoce.tasks.methods.agent import tools_of

SECRET = "zirconium"
"""A word of all hidden papers, and of no other paper."""
HIDDEN = {
    "later": "2023-07-01",
    "latest": "2031",
    "in-the-month": "2023",
    "undated": None,
    "own": "2020-05-01",
    "source": "2020-06-01",
}
"""Dates of the papers that no item of the round may see; its window begins 2023-07-01."""

HIT = re.compile(r"^\d+\. paper_id: (\S+)$", re.M)
Ask = Callable[..., Awaitable[str]]
"""Call a tool by name; returns its answer or error message."""


def hidden_paper(name: str, published: str | None) -> dict[str, Any]:
    return row(
        name,
        published,
        "The melon title",
        abstract=f"The {SECRET} abstract of the melon treebank.",
        sections=[{"heading": "Results", "text": f"We report {SECRET} on the melon treebank."}],
        tables=[{"caption": f"{SECRET} melon", "cells": [["Method", "F1"], [SECRET, "99.9"]]}],
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A round of two families: the library of one has the target of the other."""
    folder = tmp_path_factory.mktemp("round") / "melons"
    papers = [row("lemon", "2019-05"), row("melon", "2020-01-15")]
    papers += [hidden_paper(name, published) for name, published in HIDDEN.items()]
    items = {
        "boards/board.parquet": [{"id": "b", "cluster": "x/y", "hidden_papers": ["source"]}],
        "texts/title.parquet": [{"id": "own/title", "cluster": "own"}],
    }
    contents = {name: parquet_of(pa.Table.from_pylist(rows)) for name, rows in items.items()}
    contents["boards/papers.parquet"] = library_as_bytes(papers)
    for name, content in contents.items():
        write_bytes(folder / name, content)
    manifest = {
        "id": "melons",
        "window": {"start": "2023-07-01", "end": "2024-01-01"},
        "counts": {"boards": {"board": {}}, "texts": {"title": {}}},
        "files": {name: {"sha256": hash_file(folder / name)} for name in contents},
    }
    write_sealed(folder / "manifest.json", manifest)
    return folder


def functions_with_messages(library: Library) -> dict[str, Callable[..., str]]:
    return {name: in_words(function) for name, function in functions_of(Desk(library)).items()}


@asynccontextmanager
async def by_tools(library: Library) -> Any:
    tools = {ToolDef(tool).name: tool for tool in tools_of(Desk(library))}

    async def ask(name: str, **arguments: Any) -> str:
        try:
            return str(await tools[name](**arguments))
        except ToolError as error:
            return f"Error: {error.message}"

    yield ask


@asynccontextmanager
async def by_server(library: Library) -> Any:
    async with Client(serve_library(library, "melons")) as client:

        async def ask(name: str, **arguments: Any) -> str:
            return answer_of(await client.call_tool(name, arguments))

        yield ask


def answer_of(result: Any) -> str:
    text = "\n".join(part.text for part in result.content)
    answer = re.sub(r"^Error executing tool \w+: ", "Error: ", text)
    assert result.is_error is (answer != text)
    return answer


def disguises(name: str) -> Iterator[str]:
    """Spellings of an id that might get around the check."""
    wide = "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in name)
    yield from (name, name.upper(), name.title(), f" {name} ", f"{name}\n", f"{name}\x00", wide)
    yield from (f"\u200b{name}", f"\ufeff{name}", f"\u202e{name[::-1]}")
    yield f"{name[0]}\u0301{name[1:]}"
    yield from (f"../boards/{name}", f"lemon/../{name}", f"./{name}", f"file:///{name}", f"{name}/")
    yield from (quote(f"/{name}"), f"%2e%2e%2f{name}", f"paper_id: {name}", f'"{name}"', f"{name}*")
    yield from (f"lemon,{name}", f"lemon' OR id='{name}", f"{{{{{name}}}}}", f"${{{name}}}")
    yield from ("*", ".*")


async def attack(ask: Ask, names: list[str]) -> list[tuple[str, str]]:
    """Calls, and the answer to each."""
    found = []
    for name in names:
        for spelled in disguises(name):
            for part in ("outline", "abstract", "section 1", "table 1", f"../{name}/abstract"):
                found.append((spelled, await ask("read", paper_id=spelled, part=part)))
            found.append((spelled, await ask("search", query=spelled)))
    for query in ("The melon title", SECRET, f"{SECRET} melon treebank 99.9", "melon " * 160):
        found.append((query, await ask("search", query=query)))
    for page in (-1, 0, 2, 10**6):
        found.append(("melon", await ask("read", paper_id="melon", part="table 1", page=page)))
    return found


def check_hidden(answers: list[tuple[str, str]], names: list[str]) -> None:
    """Assert that no answer shows a hidden paper, and that errors do not reveal one."""
    for query, answer in answers:
        unquoted = unicodedata.normalize("NFKC", answer.replace(repr(query), "")).lower()
        assert SECRET not in unquoted, (query, answer)
        assert not set(HIT.findall(answer)) & set(names), (query, answer)
        if query in names and answer.startswith("Error"):
            assert answer == f"Error: There is no paper {query!r}. Use an id that search gave."


@pytest.mark.parametrize("interface", [by_tools, by_server])
def test_no_hidden_paper_is_served(interface: Any, folder: Path) -> None:
    library = library_of(folder)
    assert len(library) == 2

    async def work() -> list[tuple[str, str]]:
        async with interface(library) as ask:
            assert "melon-one | 91.5" in await ask("read", paper_id="melon", part="table 1")
            return await attack(ask, list(HIDDEN))

    check_hidden(anyio.run(work), list(HIDDEN))


def test_a_later_cutoff_adds_earlier_papers_and_no_sources(folder: Path) -> None:
    library = library_of(folder, before="2024-01-01")
    assert {name for name in HIDDEN if name in library} == {"later", "in-the-month"}
    assert "in-the-month" not in library_of(folder, before="2023-12-31")


pieces = st.sampled_from([*HIDDEN, SECRET, "melon", "treebank", "..", "/", "\\", "\x00", "table 1"])
queries = st.lists(st.one_of(pieces, st.text(max_size=8)), max_size=9).map(" ".join)


@pytest.fixture(scope="module")
def served(folder: Path) -> Library:
    return library_of(folder)


@settings(max_examples=100, deadline=None)
@given(query=queries, part=queries, page=st.integers(-3, 3))
def test_no_query_shows_a_hidden_paper(served: Library, query: str, part: str, page: int) -> None:
    functions = functions_with_messages(served)
    assert functions["read"](paper_id=query, part=part, page=page).startswith("Error")
    assert SECRET not in functions["search"](query=query)
    answer = functions["read"](paper_id="melon", part=part, page=page)
    # An error message quotes the part.
    for quoted in (" ".join(part.lower().split()), part[:80]):
        answer = answer.replace(repr(quoted), "")
    assert SECRET not in answer


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"before": "2024-02"}, "ends on 2024-01-01"),
        ({"before": "soon"}, "soon"),
        ({"item": "nobody"}, "has no item 'nobody'"),
        ({"item": "b", "before": "2020-01-01"}, "has its own date"),
        ({"task": "table"}, "Add --item"),
    ],
)
def test_wrong_options_are_reported(options: dict[str, str], message: str, folder: Path) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        library_of(folder, **options)


def test_a_round_without_a_library_is_not_served(tmp_path: Path) -> None:
    manifest = {"id": "r", "window": {"start": "2023-01-01", "end": "2024-01-01"}}
    write_sealed(tmp_path / "manifest.json", {**manifest, "counts": {}, "files": {}})
    done = viva_here("round", "serve", tmp_path, expect=2)
    assert "no task of it has papers to search" in done.stderr


@pytest.mark.slow
def test_the_command_serves_the_papers_of_an_item_and_of_a_round() -> None:
    """A client starts the server and speaks to its standard streams."""
    sample = open_round("sample")
    rows = sample.items("tables", "table")
    item = rows[0]
    hidden = item["hidden_papers"]
    titles = [row["title"] for row in sample.rows("writing/papers.parquet") if row["title"]]

    async def work(*options: str) -> tuple[list[tuple[str, str]], set[str]]:
        server = StdioServerParameters(command=str(VIVA), args=["round", "serve", *options])
        async with Client(stdio_client(server)) as client:

            async def ask(name: str, **arguments: Any) -> str:
                return answer_of(await client.call_tool(name, arguments))

            assert [tool.name for tool in (await client.list_tools()).tools] == ["search", "read"]
            found = await attack(ask, hidden)
            found += [(title, await ask("search", query=title)) for title in titles]
        shown = {name for _, answer in found for name in HIT.findall(answer)}
        return found, shown

    found, shown = anyio.run(work, "sample", "--item", item["id"])
    check_hidden(found, hidden)
    # An item shows no papers but those of its pool.
    assert shown
    assert shown <= set(item["pool"]) - set(hidden)
    found, shown = anyio.run(work, "sample", "--before", sample.manifest["window"]["end"])
    targets = {row["cluster"] for row in sample.items("writing", "title")}
    sources = targets | {name for row in rows for name in row["hidden_papers"]}
    check_hidden(found, sorted(sources))
    assert shown
    assert not shown & sources
