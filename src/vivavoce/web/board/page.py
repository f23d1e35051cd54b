"""One file of the site: its path, what it is made of, and how it is made when needed."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from statistics import fmean
from typing import TYPE_CHECKING, Any

from vivavoce.errors import InputError
from vivavoce.results.board.columns import page_columns
from vivavoce.store import hash_code, hash_of
from vivavoce.web import printing
from vivavoce.web.board import entries, names, sections
from vivavoce.web.printing import environment_of, visible

if TYPE_CHECKING:
    from jinja2 import Environment

_FILTERS: tuple[Callable[..., Any], ...] = (
    *(printing.figure, printing.interval, printing.share, printing.counted),
    *(printing.chance, printing.amount),
    *(names.kind_of, names.label, names.title_of, names.run_with, names.model_path),
    *(entries.between, entries.rank_of, entries.rank_note, entries.tied_names),
    *(entries.fact, entries.missing, entries.notes, sections.sureness, sections.is_first),
)
_CODE = ("web/printing.py", "web/board", "web/templates", "web/static")
_SOURCES = (".py", ".j2", ".css", ".js", ".yaml")


@dataclass(frozen=True, slots=True)
class Page:
    """One file of the site."""

    path: str
    """Inside the site, with `/` between its parts."""
    key: str
    """Sha256 of everything the file is made of: another key, another file."""
    make: Callable[[], bytes]
    """Renders it; asked only when the site does not hold it yet."""


@dataclass(frozen=True, slots=True)
class Link:
    """A place of the site that every page names."""

    label: str
    path: str


def page_of(
    path: str,
    template: str,
    inputs: Mapping[str, Any],
    values: Callable[[], Mapping[str, Any]] | None = None,
    *,
    nav: Sequence[Link] = (),
) -> Page:
    """A page out of a template of `web/templates`.

    Args:
        path: Inside the site.
        template: Its file name, such as `board.html.j2`.
        inputs: JSON values that decide what stands on the page; its key is their hash.
        values: What the template is given, made only when the page is; `inputs` where left out.
        nav: The links of the page's head, which `_page.html.j2` prints.
    """
    links = [[link.label, link.path] for link in nav]
    key = hash_of([hash_code(*_CODE, suffixes=_SOURCES), path, template, inputs, links])

    def make() -> bytes:
        given = inputs if values is None else values()
        text = environment().get_template(template)
        html = text.render(root=root_of(path), here=path, nav=nav, **given)
        return html.encode("utf-8")

    return Page(path, key, make)


def file_of(path: str, inputs: Any, make: Callable[[], bytes]) -> Page:
    """A file that no template makes; `inputs` are JSON values that decide what is in it."""
    return Page(path, hash_of([hash_code(*_CODE, suffixes=_SOURCES), path, inputs]), make)


def json_file(path: str, value: Mapping[str, Any]) -> Page:
    """A file of JSON in ASCII, so that no invisible character hides in it."""

    def make() -> bytes:
        text = json.dumps(value, sort_keys=True, indent=1, allow_nan=False)
        return f"{text}\n".encode("ascii")

    return file_of(path, value, make)


def root_of(path: str) -> str:
    """The way from a page up to the folder of the site: `../` for each folder it stands in."""
    return "../" * path.count("/")


@cache
def environment() -> Environment:
    """The templates of the site, with the functions by which they print rows."""
    made = environment_of("vivavoce.web")
    made.filters |= {function.__name__: function for function in _FILTERS}
    made.filters |= {"tag": names.TAGS.__getitem__, "thousands": "{:,}".format, "mean": fmean}
    return made


def refuse_endless(value: object, where: str = "board") -> None:
    """Refuse NaN and infinity: no score is endless, and a missing one is null.

    Raises:
        InputError: Names the value by the keys that lead to it.
    """
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"{where} is {value}. Write null where there is no value.")
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            refuse_endless(inner, f"{where}.{visible(key)}")
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            refuse_endless(inner, f"{where}[{index}]")


def static_files() -> list[Page]:
    """The style sheet, with the labels of columns on phones, and the script."""
    folder = resources.files("vivavoce.web") / "static"
    labels = "".join(
        f'  .board td.{column.css}::before {{ content: "{column.label}"; }}\n'
        for column in page_columns()
    )

    def style() -> bytes:
        text = (folder / "style.css").read_text("utf-8")
        return text.replace("  /* labels of columns */\n", labels).encode("utf-8")

    return [
        file_of("style.css", labels, style),
        file_of("board.js", [], (folder / "board.js").read_bytes),
    ]
