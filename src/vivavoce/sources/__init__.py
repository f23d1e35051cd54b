"""One reader per file: bytes in, records out. Nothing else talks to the outside.

A source is a module that defines `SOURCE` and that a package registers under the entry point group
`vivavoce.sources`. It says which files are its own, cuts them into pieces that can be read alone,
and reads one piece into documents and faults. It never raises for a bad file: it yields a `Fault`,
so the rest of the folder still goes in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from vivavoce.errors import InputError, PluginError
from vivavoce.plugins import SOURCES, Plugins, load_plugins, returned
from vivavoce.records import Document, Fault
from vivavoce.requests import sentence_of

if TYPE_CHECKING:
    from pydantic import TypeAdapter


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an input that is read alone, such as one file or a run of its rows."""

    path: Path
    start: int = 0
    """Start, in the source's own unit (bytes or rows)."""
    stop: int | None = None
    """End, exclusive; None for the end of the file."""
    first_row: int = 1
    """Number of its first row or line, for messages."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Options that a user gives to a source."""

    rename: Mapping[str, str] = field(default_factory=dict)
    """Their column name -> ours (`--map`)."""


def one_piece(path: Path) -> Iterator[Piece]:
    """Cut nothing: for sources whose file is one paper."""
    yield Piece(path)


@dataclass(frozen=True, slots=True)
class Source:
    """A kind of input that `viva ingest KIND` reads."""

    kind: str
    summary: str
    """One line for `viva list sources`."""
    matches: Callable[[Path], bool]
    """True for a file of this kind, by its name or start; called with every file of a folder."""
    read: Callable[[Piece, ReadOptions], Iterator[Document | Fault]]
    is_metadata: bool = False
    """True if its titles, authors and dates are preferred to those extracted from text."""
    pieces: Callable[[Path], Iterator[Piece]] = one_piece
    """Cuts one file into pieces; raises `InputError` if the file cannot be opened at all."""
    name_of: Callable[[Path], str] = lambda path: path.name
    """Name of a file's paper: the file's name, or its folder's."""
    holds_many: bool = False
    """True when one file holds many papers, so its name identifies none of them."""
    parts: Callable[[Path], Sequence[Path]] | None = None
    """All files of a paper that has several, so that a change in any is noticed."""
    ignored_columns: Callable[[Path, ReadOptions], list[str]] | None = None
    """Columns of a tabular file that are not read; raises `InputError` for bad options."""
    reads_files: bool = True
    """False for a source that makes its papers; WHERE is then not a path."""
    completes: bool = False
    """True when a document only describes a work, as a list of results does: it completes the
    paper of that work in the corpus, and makes none of its own."""
    dates: str = "metadata"
    """Kind of date that its documents give as `published`: `version` for the first version's day
    on a preprint server, `venue` for a date of print, `metadata` for one that may be either."""
    reader_version: str = "1"
    """Version of the reader; raised when the same bytes give other records."""

    def list_ignored(
        self, files: Iterable[tuple[str, Path]], options: ReadOptions
    ) -> tuple[str, ...]:
        """Columns of the files that are not read; `InputError` for columns it cannot rename."""
        if self.ignored_columns is None:
            if options.rename:
                raise InputError(f"{self.kind} has no columns to rename: leave out --map.")
            return ()
        return tuple(
            sorted({name for _, path in files for name in self.ignored_columns(path, options)})
        )


def read_whole(path: Path, largest: int, noun: str) -> bytes:
    """A file's content; `InputError` if it has over `largest` bytes, which no `noun` has."""
    with path.open("rb") as stream:
        content = stream.read(largest + 1)
    if len(content) > largest:
        raise InputError(f"larger than {largest >> 20} MiB, which no {noun} is")
    return content


def has_suffix(*suffixes: str) -> Callable[[Path], bool]:
    """Match files whose names end in one of these, in lower or upper case."""
    return lambda path: path.name.lower().endswith(suffixes)


def holds_in_text(path: Path, pattern: re.Pattern[bytes], largest: int) -> bool:
    """Check whether a pattern occurs in a file; True if it cannot be read: its reader says why."""
    try:
        with path.open("rb") as stream:
            return pattern.search(stream.read(largest)) is not None
    except OSError:
        return True


def is_named(pattern: re.Pattern[str]) -> Callable[[Path], bool]:
    """Match files whose whole names, in lower case, match a pattern."""
    return lambda path: pattern.fullmatch(path.name.lower()) is not None


def name_in_folder(path: Path) -> str:
    """Name of a file with that of its folder, for files with the same name in several folders."""
    return f"{path.parent.name}/{path.name}"


def read_with(
    parse: Callable[[bytes, str], Iterable[Document | Fault]], largest: int, noun: str
) -> Callable[[Piece, ReadOptions], Iterator[Document | Fault]]:
    """Read files up to `largest` bytes whole; an `InputError` of `parse` becomes a fault.

    `parse` takes the content of a file and its name; `noun` says what it is, such as `paper`.
    """

    def read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
        name = piece.path.name
        try:
            yield from parse(read_whole(piece.path, largest, noun), name)
        except (OSError, InputError) as error:
            yield Fault(name, str(error))

    return read


def list_sources() -> dict[str, Source]:
    """Every source by kind; `PluginError` when two packages register the same kind."""
    return dict(_registered().loaded)


def broken_sources() -> dict[str, PluginError]:
    """The error for each registered source that cannot be loaded, by kind."""
    return dict(_registered().broken)


@cache
def _registered() -> Plugins[Source]:
    return load_plugins(SOURCES, _source_of)


def _source_of(name: str, module: ModuleType) -> Source:
    source = getattr(module, "SOURCE", None)
    if not isinstance(source, Source):
        raise TypeError("the module defines no SOURCE of the type vivavoce.sources.Source")
    if source.kind != name:
        raise ValueError(f"its source is called {source.kind!r}")
    is_own = module.__name__.startswith(f"{__package__}.")
    return source if is_own else replace(source, read=_checked(source.read))


def _checked(
    read: Callable[[Piece, ReadOptions], Iterator[Document | Fault]],
) -> Callable[[Piece, ReadOptions], Iterator[Document | Fault]]:
    """Read as another package does; a document with a value of a wrong type becomes a fault."""

    def checked(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
        from pydantic import ValidationError

        for item in read(piece, options):
            returned(read, item, Document | Fault)
            if isinstance(item, Fault):
                yield item
                continue
            try:
                yield document_adapter().validate_python(asdict(item))
            except ValidationError as error:
                wrong = (f"{one['loc'][0]}: {sentence_of(one)}" for one in error.errors())
                yield Fault(str(item.key), "; ".join(dict.fromkeys(wrong)))

    return checked


@cache
def document_adapter() -> TypeAdapter[Document]:
    """The reader of documents in JSON."""
    from pydantic import TypeAdapter  # only a few sources have to wait for it

    return TypeAdapter(Document)


@cache
def completing_kinds() -> frozenset[str]:
    """The kinds whose documents only complete papers."""
    return frozenset(kind for kind, source in list_sources().items() if source.completes)


def get_source(kind: str) -> Source:
    """The source of a kind; `InputError` for an unknown one, `PluginError` for a broken one."""
    if kind in broken_sources():
        raise broken_sources()[kind]
    sources = list_sources()
    if kind not in sources:
        raise InputError(f"No source is called {kind!r}. There are: {', '.join(sources)}.")
    return sources[kind]
