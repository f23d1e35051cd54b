"""The text files of one paper: found in a folder or unpacked, read by name and never outside."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from pathlib import Path

from vivavoce.errors import InputError

TEXT_SUFFIXES = (".tex", ".bbl", ".bib", ".sty", ".ltx", ".latex")
TEX_SUFFIXES = (".tex", ".ltx", ".latex")
LARGEST_FILE = 8 << 20
"""Bytes of one file; a list of references may be longer, and its start is read."""
LARGEST_BIBLIOGRAPHY = 64 << 20
_LARGEST_PAPER = 128 << 20
_MOST_FILES = 2_000
_DEEPEST_FOLDER = 6


def decode(content: bytes) -> str:
    """Text in UTF-8, else in Latin-1, which fits any bytes."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


class PaperFiles:
    """Files of one paper by their name below its folder, with `/` between parts."""

    def __init__(self, *, unpacked: Mapping[str, bytes] | None = None, folder: Path | None = None):
        self._folder = folder
        self._unpacked = dict(unpacked or {})
        self._read = 0
        found = list_text_files(folder) if folder else sorted(self._unpacked)
        self.names = tuple(found)
        self._known = frozenset(found)

    def text(self, name: str) -> str:
        """The text of a file of `names`; `InputError` when it cannot be read or is too large."""
        content = self._unpacked.get(name)
        if content is None:
            content = self._load(name)
        self._read += len(content)
        if self._read > _LARGEST_PAPER:
            raise InputError(f"its files hold more than {_LARGEST_PAPER >> 20} MiB of text")
        return decode(content)

    def _load(self, name: str) -> bytes:
        if self._folder is None:
            raise InputError(f"{name} is not among its files")
        limit = LARGEST_BIBLIOGRAPHY if name.lower().endswith(".bib") else LARGEST_FILE
        try:
            with (self._folder / name).open("rb") as stream:
                content = stream.read(limit + 1)
        except OSError as error:
            raise InputError(f"{name} cannot be read: {error.strerror}") from error
        if len(content) > limit:
            raise InputError(f"{name} is larger than {limit >> 20} MiB, which no paper is")
        return content

    def find(self, name: str, near: str = "", suffixes: tuple[str, ...] = TEX_SUFFIXES) -> str:
        """The file a command names, from the paper's folder or from a file's own; empty if none."""
        wanted = name.strip().strip('"').replace("\\", "/")
        for base in ("", posixpath.dirname(near)):
            path = posixpath.normpath(posixpath.join(base, wanted))
            for suffix in (*suffixes, ""):
                if path + suffix in self._known:
                    return path + suffix
        return ""


def list_text_files(folder: Path) -> list[str]:
    """The LaTeX files in a folder, sorted; links that lead out of it are passed over."""
    root = folder.resolve()
    names = []
    for path in _walk(root, 0):
        if path.name.lower().endswith(TEXT_SUFFIXES) and path.resolve().is_relative_to(root):
            names.append(path.relative_to(root).as_posix())
            if len(names) >= _MOST_FILES:
                break
    return sorted(names)


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: (entry.is_dir(), entry.name))
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if depth < _DEEPEST_FOLDER and not entry.name.startswith("."):
                yield from _walk(Path(entry.path), depth + 1)
        elif entry.is_file():
            yield Path(entry.path)
