"""One file of the site: its path, what it is made of, and how it is made when needed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

from vivavoce.store import hash_of
from vivavoce.web.templating import environment_of

if TYPE_CHECKING:
    from jinja2 import Environment
import re
import unicodedata

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
    key = hash_of([code_key(), path, template, inputs, links])

    def make() -> bytes:
        given = inputs if values is None else values()
        text = environment().get_template(template)
        html = text.render(root=root_of(path), here=path, nav=nav, **given)
        return html.encode("utf-8")

    return Page(path, key, make)


def file_of(path: str, inputs: Any, make: Callable[[], bytes]) -> Page:
    """A file that no template makes; `inputs` are JSON values that decide what is in it."""
    return Page(path, hash_of([code_key(), path, inputs]), make)


def root_of(path: str) -> str:
    """The way from a page up to the folder of the site: `../` for each folder it stands in."""
    return "../" * path.count("/")


@cache
def environment() -> Environment:
    """The templates of the site."""
    return environment_of("vivavoce.web")


@cache
def code_key() -> str:
    """Sha256 of the code and the templates that make pages."""
    digest = hashlib.sha256()
    web = resources.files("vivavoce.web")
    parts = [
        web / "printing.py",
        web / "templating.py",
        *(web / name for name in ("board", "templates", "static")),
    ]
    for part in parts:
        _add(digest, part)
    return digest.hexdigest()


def _add(digest: Any, part: Traversable) -> None:
    if part.is_dir():
        for inner in sorted(part.iterdir(), key=lambda found: found.name):
            _add(digest, inner)
    elif part.name.endswith(_SOURCES):
        digest.update(part.name.encode())
        digest.update(hashlib.sha256(part.read_bytes()).digest())


_MAX_LENGTH = 48
_OTHER = re.compile(r"[^a-z0-9]+")


def slug(name: str, *more: object) -> str:
    """A file name for `name`: lower-case ASCII, then 8 hex digits of its hash.

    `more` is what tells things of one name apart; only the hash holds it.
    """
    ascii_only = unicodedata.normalize("NFKD", name[:512]).encode("ascii", "ignore").decode()
    readable = _OTHER.sub("-", ascii_only.lower()).strip("-")[:_MAX_LENGTH].strip("-")
    digest = hash_of([name, *more])[:8]
    return f"{readable}-{digest}" if readable else digest
