"""Record of a site's files and their inputs, so that a build touches only what changed.

`site.json` lists every file with the key of its inputs, the sha256 of its bytes and their number.
It is written last, once all others are on the disk: a build that was killed is finished by the next
one, and a file that was touched since is looked at anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from vivavoce.errors import InputError, VivaError
from vivavoce.store import fsync_files, hash_file, read_json, write_bytes, write_json
from vivavoce.web.board.page import Page

STATE = "site.json"
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Built:
    """Result of one build."""

    written: tuple[str, ...]
    """Paths inside the site, sorted."""
    kept: int
    removed: tuple[str, ...]


def write_pages(pages: Iterable[Page], out: Path) -> Built:
    """Write the pages that are new, changed, or no longer as they were left; remove old ones.

    Only files that an earlier build listed are ever removed, and none is written over in a folder
    that holds no site yet.

    Raises:
        InputError: The folder holds no site, but a file that this one would write over.
        VivaError: Two pages have one path, or a file could not be written.
    """
    pages = list(pages)
    _claim(out, [page.path for page in pages])
    earlier, since = read_state(out), (out / STATE).stat().st_ctime_ns
    state: dict[str, dict[str, Any]] = {}
    written = []
    for page in pages:
        if page.path in state or page.path == STATE:
            raise VivaError(f"Two files of the site are called {page.path}. Rename one of them.")
        known = earlier.get(page.path, {})
        if known.get("key") != page.key or not _is_as_left(out / page.path, known, since):
            content = page.make()
            write_bytes(out / page.path, content, fsync=False)
            written.append(page.path)
            digest = hashlib.sha256(content).hexdigest()
            known = {"key": page.key, "sha256": digest, "size": len(content)}
        state[page.path] = known
    removed = sorted(set(earlier) - set(state))
    for path in removed:
        _remove(out, path)
    if state != earlier:
        fsync_files(out / path for path in written)
        write_json(out / STATE, {"schema_version": SCHEMA_VERSION, "files": state})
    return Built(tuple(sorted(written)), len(state) - len(written), tuple(removed))


def _claim(out: Path, paths: Iterable[str]) -> None:
    """Make a folder one of a site: from then on its files may be written over."""
    if (out / STATE).is_file():
        return
    for path in paths:
        if (out / path).exists():
            raise InputError(
                f"{out / path} is there already and belongs to no site. Move it away, or choose "
                "another folder."
            )
    write_json(out / STATE, {"schema_version": SCHEMA_VERSION, "files": {}})


def read_state(out: Path) -> dict[str, dict[str, Any]]:
    """Files that the last build left in a folder, by path; empty where nothing can be relied on."""
    try:
        found = read_json(out / STATE)
    except InputError:
        return {}
    files = found.get("files") if isinstance(found, Mapping) else None
    if not isinstance(files, Mapping) or found.get("schema_version") != SCHEMA_VERSION:
        return {}
    return {path: dict(entry) for path, entry in files.items() if _is_entry(path, entry)}


def _is_entry(path: str, entry: Any) -> bool:
    """Check that a line of `site.json` is one of ours: it may have been edited by anybody."""
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
    """Check that a file holds what was written; one touched since is read again."""
    if not path.is_file() or path.stat().st_size != known["size"]:
        return False
    return path.stat().st_ctime_ns < since or hash_file(path) == known["sha256"]


def _remove(out: Path, path: str) -> None:
    """Remove a file, and the folders that it leaves empty; never through a link."""
    target = out / path
    folder = out.resolve()
    if not target.is_file() or target.parent.resolve() != folder / PurePosixPath(path).parent:
        return
    target.unlink()
    for parent in list(PurePosixPath(path).parents)[:-1]:
        if any((out / parent).iterdir()):
            return
        (out / parent).rmdir()
