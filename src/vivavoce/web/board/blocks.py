"""Pages as declarations: words on top, then blocks of tables, terms and links.

Every text is escaped where it is put into the page; markup is made by `markup` and `link` alone,
which escape what they are given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from vivavoce.reports import Sheet
from vivavoce.text.printing import visible
from vivavoce.web.board.page import Link, Page, environment, page_of, root_of


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a page below a heading of its own."""

    title: str
    id: str = ""
    """By default made from its place."""
    words: Sequence[str] = ()
    """Paragraphs."""
    sheets: Sequence[Sheet] = ()
    """Tables; the lines below one stand in its caption."""
    style: str = "wide"
    """Class of its tables in the style sheet."""
    terms: Mapping[str, str] | None = None
    """Words with their meanings."""
    items: Sequence[str] = ()
    """Entries of a list."""


@dataclass(frozen=True, slots=True)
class Words:
    """A page: its heading, the words below it, and its blocks."""

    title: str
    lead: str = ""
    heading: str = ""
    """The title by default."""
    kicker: str = ""
    """Small words above the heading."""
    blocks: Sequence[Block] = ()
    empty: str = ""
    """Words in place of blocks."""
    after: str = ""
    """A line below the blocks."""


def words_page(
    path: str, inputs: Mapping[str, Any], make: Callable[[], Words], *, nav: Sequence[Link] = ()
) -> Page:
    """A page of the site that is declared; `inputs` decide its content, as in `page_of`."""

    def values() -> Mapping[str, Any]:
        words = make()
        return {name: getattr(words, name) for name in Words.__slots__}

    return page_of(path, "page.html.j2", inputs, values, nav=nav)


def html_of(words: Words, root: str, *, nav: Sequence[Link] = ()) -> str:
    """A declared page that is no file of a site, with the way from it to the site's folder."""
    values = {name: getattr(words, name) for name in Words.__slots__}
    template = environment().get_template("page.html.j2")
    return template.render(root=root, here="", nav=nav, **values)


def markup(text: str, *values: object) -> Markup:
    """Markup with values in its places `{}`: plain text, or markup that was made before."""
    shown = (value if isinstance(value, Markup) else visible(value, 600) for value in values)
    return Markup(text).format(*shown)


def link(here: str, path: str, text: object, note: object = "") -> Markup:
    """A link from a page to another one of the site, and a note in small type beside it."""
    found = markup('<a href="{}"><bdi>{}</bdi></a>', root_of(here) + path, text)
    return found + markup(" <small><bdi>{}</bdi></small>", note) if note else found
