"""Files of the site, and the record that lets a build skip unchanged files.

`site.json` lists each file with the key of its inputs, its sha256 and its size. It is written last,
once all other files are on disk. So the next build finishes the work of a killed one, and checks
files touched since.

A page is declared as a heading, then blocks of tables, terms and links. All text is escaped when it
enters the page; only `markup` and `link` make markup, and they escape their values.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from vivavoce.errors import InputError, VivaError
from vivavoce.reports import Sheet
from vivavoce.results import hash_code
from vivavoce.results.board.columns import page_columns
from vivavoce.store import (
    fsync_files,
    hash_file,
    hash_of,
    read_json,
    write_bytes,
    write_json,
)
from vivavoce.text import printing
from vivavoce.text.printing import visible
from vivavoce.web import environment_of, meaning
from vivavoce.web.board import entries

if TYPE_CHECKING:
    from jinja2 import Environment


_FILTERS: tuple[Callable[..., Any], ...] = (
    *(printing.figure, printing.interval, printing.counted),
    *(printing.signed, meaning),
    *(entries.kind_of, entries.label, entries.title_of),
    *(entries.between, entries.ranks, entries.rank_of, entries.rank_note),
    *(entries.fact, entries.missing, entries.notes, entries.sureness, entries.is_first),
)
_CODE = (
    "reports.py",
    "text/printing.py",
    "web/__init__.py",
    "web/glossary.toml",
    "web/board",
    "web/templates",
    "web/static",
)
_SOURCES = (".py", ".j2", ".css", ".js", ".toml")
_PLACES = "vlhbe"
"""CSS names for an interval's value, low and high end, and the band's start and end, in percent."""


@dataclass(frozen=True, slots=True)
class Page:
    """One file of the site."""

    path: str
    """Path inside the site, separated by `/`."""
    key: str
    """Sha256 of all inputs; the file is rewritten if it changes."""
    make: Callable[[], bytes]
    """Renders the file; called only if the site lacks the file or has another version."""


class Link(NamedTuple):
    """A link to a page of the site."""

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
    """Make a page from a template; the key is a hash of `inputs`, which determine the content.

    `values` makes the template's values when the page is rendered; by default they are the inputs.
    """
    key = hash_of([hash_code(*_CODE, suffixes=_SOURCES), path, template, inputs, nav])

    def make() -> bytes:
        given = inputs if values is None else values()
        text = environment().get_template(template)
        html = text.render(root=root_of(path), here=path, nav=nav, **given)
        return html.encode("utf-8")

    return Page(path, key, make)


def file_of(path: str, inputs: Any, make: Callable[[], bytes]) -> Page:
    """Make a file without a template; `inputs` are JSON values that determine its content."""
    return Page(path, hash_of([hash_code(*_CODE, suffixes=_SOURCES), path, inputs]), make)


def json_file(path: str, value: Mapping[str, Any]) -> Page:
    """Make a JSON file in ASCII, so that it has no invisible characters."""

    def make() -> bytes:
        text = json.dumps(value, sort_keys=True, indent=1, allow_nan=False)
        return f"{text}\n".encode("ascii")

    return file_of(path, value, make)


def root_of(path: str) -> str:
    """Relative path from a page to the root of the site: `../` for each folder in its path."""
    return "../" * path.count("/")


@cache
def environment() -> Environment:
    """Environment of the site's templates, with filters that print rows."""
    made = environment_of("vivavoce.web")
    made.filters |= {function.__name__: function for function in _FILTERS}
    made.filters |= {"tag": entries.TAGS.__getitem__, "thousands": "{:,}".format}
    return made


def static_files() -> list[Page]:
    """The style sheet, the script and the icon.

    The style sheet also gets column labels for phones and positions in plots, since the pages'
    content policy forbids style attributes.
    """
    folder = resources.files("vivavoce.web") / "static"
    icon = resources.files("vivavoce.web.annotation") / "static" / "icon.svg"
    labels = "".join(
        f'  .board td.{column.css}::before {{ content: "{column.label}"; }}\n'
        for column in page_columns()
    )
    places = "".join(
        f".{name}{percent} {{ --{name}: {percent}%; }}\n"
        for name in _PLACES
        for percent in range(101)
    )

    def style() -> bytes:
        text = (folder / "style.css").read_text("utf-8")
        text = text.replace("  /* labels of columns */\n", labels)
        return text.replace("/* places in plots */\n", places).encode("utf-8")

    return [
        file_of("style.css", labels, style),
        file_of("board.js", [], (folder / "board.js").read_bytes),
        file_of("icon.svg", [], icon.read_bytes),
    ]


STATE = "site.json"
SCHEMA_VERSION = 1


def write_pages(pages: Iterable[Page], out: Path) -> list[str]:
    """Write pages that are new, that changed, or whose files were edited; remove old pages.

    Only files that an earlier build listed are removed. Without a site, no file is overwritten.
    Returns the paths of the written files inside the site, sorted.

    Raises:
        InputError: The folder holds no site, but has a file that would be overwritten.
        VivaError: Two pages have the same path, or a file could not be written.
    """
    pages = list(pages)
    _claim(out, [page.path for page in pages])
    earlier, since = read_state(out), (out / STATE).stat().st_ctime_ns
    state: dict[str, dict[str, Any]] = {}
    written = []
    for page in pages:
        if page.path in state or page.path == STATE:
            raise VivaError(f"Two files of the site have the path {page.path}. Rename one of them.")
        known = earlier.get(page.path, {})
        if known.get("key") != page.key or not _is_as_left(out / page.path, known, since):
            content = page.make()
            write_bytes(out / page.path, content, fsync=False)
            written.append(page.path)
            digest = hashlib.sha256(content).hexdigest()
            known = {"key": page.key, "sha256": digest, "size": len(content)}
        state[page.path] = known
    for path in sorted(set(earlier) - set(state)):
        _remove(out, path)
    if state != earlier:
        fsync_files(out / path for path in written)
        write_json(out / STATE, {"schema_version": SCHEMA_VERSION, "files": state})
    return sorted(written)


def _claim(out: Path, paths: Iterable[str]) -> None:
    """Mark a folder as a site, so that its files may be overwritten."""
    if (out / STATE).is_file():
        return
    if there := next((out / path for path in paths if (out / path).exists()), None):
        raise InputError(
            f"{there} exists and does not belong to a site. Move it away, or choose another folder."
        )
    write_json(out / STATE, {"schema_version": SCHEMA_VERSION, "files": {}})


def read_state(out: Path) -> dict[str, dict[str, Any]]:
    """Files that the last build left in a folder, by path; empty without a valid record."""
    try:
        state = read_json(out / STATE)
    except InputError:
        return {}
    is_known = isinstance(state, Mapping) and state.get("schema_version") == SCHEMA_VERSION
    files = state.get("files") if is_known else None
    if not isinstance(files, Mapping):
        return {}
    return {path: dict(entry) for path, entry in files.items() if _is_entry(path, entry)}


def _is_entry(path: str, entry: Any) -> bool:
    """Validate an entry of `site.json`, which anybody may have edited."""
    pure = PurePosixPath(path)
    is_inside = not pure.is_absolute() and ".." not in pure.parts and "\\" not in path
    return (
        is_inside
        and str(pure) == path
        and isinstance(entry, Mapping)
        and all(isinstance(entry.get(name), str) for name in ("key", "sha256"))
        and isinstance(entry.get("size"), int)
    )


def _is_as_left(path: Path, known: Mapping[str, Any], since: int) -> bool:
    """Check that a file is as written; read its content only if it was touched since."""
    if not path.is_file() or path.stat().st_size != known["size"]:
        return False
    return path.stat().st_ctime_ns < since or hash_file(path) == known["sha256"]


def _remove(out: Path, path: str) -> None:
    """Remove a file, and folders that this leaves empty, without following links."""
    target = out / path
    folder = out.resolve()
    if not target.is_file() or target.parent.resolve() != folder / PurePosixPath(path).parent:
        return
    target.unlink()
    for parent in list(PurePosixPath(path).parents)[:-1]:
        if any((out / parent).iterdir()):
            return
        (out / parent).rmdir()


@dataclass(frozen=True, slots=True)
class Block:
    """A section of a page with a heading."""

    title: str
    id: str = ""
    """Anchor of the block; by default made from its position."""
    sheets: Sequence[Sheet] = ()
    """Tables; the lines below a sheet go into its caption."""
    terms: Mapping[str, str] | None = None
    """Terms with their meanings."""
    items: Sequence[str] = ()
    """Entries of a list."""


class Words(NamedTuple):
    """Content of a declared page."""

    title: str
    lead: str = ""
    kicker: str = ""
    """Small text above the heading."""
    blocks: Sequence[Block] = ()
    after: str = ""
    """A line below the blocks."""


def words_page(
    path: str, inputs: Mapping[str, Any], make: Callable[[], Words], *, nav: Sequence[Link] = ()
) -> Page:
    """Make a declared page; `inputs` determine its content, as in `page_of`."""
    return page_of(path, "page.html.j2", inputs, lambda: make()._asdict(), nav=nav)


def markup(text: str, *values: object) -> Markup:
    """Fill the `{}` places in a markup text with plain text, which is escaped, or with markup."""
    shown = (value if isinstance(value, Markup) else visible(value, 600) for value in values)
    return Markup(text).format(*shown)


def link(here: str, path: str, text: object, note: object = "") -> Markup:
    """A link from one page of the site to another, with a note in small type."""
    anchor = markup('<a href="{}"><bdi>{}</bdi></a>', root_of(here) + path, text)
    return anchor + markup(" <small><bdi>{}</bdi></small>", note) if note else anchor
