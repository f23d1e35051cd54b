"""A corpus at an address of an object store, such as `s3://bucket/corpus`: fetching and publishing.

A place holds objects (files named by their sha256) and states, which map each file of the corpus to
its hash. A state is written last and never changed. So a reader sees the corpus either before or
after a publication, and if two publishers write the same state, the second is refused. Commands
work on a copy of the corpus on this machine.
"""

import json
import re
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from vivavoce.corpus.reading import list_batches, load_corpus
from vivavoce.errors import DamagedError, InputError, StaleError, VivaError
from vivavoce.store import (
    LOCK_NAME,
    Row,
    canonical_json,
    hash_file,
    hash_of,
    lock,
    read_sealed,
    write_sealed,
)

Hashes = Mapping[str, str]
"""Sha256 of each file, by path relative to a folder."""
_HASH = re.compile(r"[0-9a-f]{64}")
_STATES, _OBJECTS = "states", "objects"
_AT_ONCE = 64
"""Number of files sent or fetched together."""


@dataclass(frozen=True)
class Place:
    """Objects and states below an address."""

    address: str

    @cached_property
    def _opened(self) -> tuple[Any, str]:
        import fsspec

        # Otherwise S3 listings would come from a cache.
        options = {"use_listings_cache": False} if self.address.startswith("s3") else {}
        system, root = fsspec.url_to_fs(self.address, **options)
        return system, root.rstrip("/")

    def latest(self) -> tuple[int, Hashes]:
        """Number and files of the newest state; 0 and empty if nothing was published.

        Raises:
            DamagedError: The state is not as it was written.
            InputError: The address names a bucket that does not exist.
        """
        with self._reach("read") as (system, root):
            folder = f"{root}/{_STATES}"
            system.invalidate_cache(folder)
            names = system.ls(folder, detail=False) if system.exists(folder) else []
            bucket = root.partition("/")[0]  # empty for a path that begins with a slash
            if not names and (not root or (bucket and not system.exists(bucket))):
                raise InputError(f"{self.address}: there is no bucket {bucket!r}. Make it first.")
            number = max((int(n) for name in names if (n := Path(name).stem).isdigit()), default=0)
            return number, self._state(number) if number else {}

    def _state(self, number: int) -> Hashes:
        with self._reach("read") as (system, root):
            text = system.cat_file(self._name_of(root, number))
        try:
            files, seal = json.loads(text)
            is_sound = seal == hash_of(files) and all(map(_is_file, files.items()))
        except (AttributeError, TypeError, ValueError):
            is_sound = False
        if not is_sound:
            raise DamagedError(
                f"State {number} of {self.address} differs from what was written. "
                "Remove it there, so that the one before counts, or publish to another address."
            )
        hashes: Hashes = files
        return hashes

    def write_state(self, number: int, files: Hashes) -> None:
        """Write a state, or raise `StaleError` if it exists; drop the state two before it."""
        content = canonical_json([files, hash_of(files)]).encode("utf-8", "surrogatepass")
        with self._reach("written") as (system, root):
            try:
                system.pipe_file(self._name_of(root, number), content, mode="create")
            except FileExistsError as error:
                raise StaleError(
                    f"{self.address} was published by someone else after it was copied here, "
                    "so nothing was. Run the same command again: it starts from that publication."
                ) from error
            if number < 3:
                return
            kept = {*self._state(number - 1).values(), *files.values()}
            gone = {*self._state(number - 2).values()} - kept
            for names in _runs([self._object(root, digest) for digest in sorted(gone)]):
                system.rm([name for name in names if system.exists(name)])
            system.rm_file(self._name_of(root, number - 2))

    def send(self, folder: Path, files: Hashes) -> None:
        """Upload files from a folder as objects; files with equal content are sent once."""
        paths = {digest: folder / name for name, digest in files.items()}
        with self._reach("written") as (system, root):
            for digests in _runs(sorted(paths)):
                system.put(
                    [str(paths[digest]) for digest in digests],
                    [self._object(root, digest) for digest in digests],
                )

    def fetch(self, files: Hashes, folder: Path) -> None:
        """Download files into a folder, each whole or not at all; `DamagedError` if one differs."""
        for names in _runs(sorted(files)):
            parts = [(folder / name).with_name(f".{Path(name).name}.tmp") for name in names]
            for part in parts:
                part.parent.mkdir(parents=True, exist_ok=True)
            with self._reach("read") as (system, root):
                wanted = [self._object(root, files[name]) for name in names]
                system.get(wanted, [str(part) for part in parts])
            for name, part in zip(names, parts, strict=True):
                if hash_file(part) != files[name]:
                    part.unlink()
                    raise DamagedError(
                        f"{name} at {self.address} differs from what was published. Publish the "
                        "corpus again from a sound copy."
                    )
                part.replace(folder / name)

    def remove(self) -> None:
        """Remove everything at the address."""
        with self._reach("written") as (system, root):
            if system.exists(root):
                system.rm(root, recursive=True)

    @contextmanager
    def _reach(self, doing: str) -> Iterator[tuple[Any, str]]:
        try:
            yield self._opened
        except (VivaError, FileExistsError):
            raise
        except FileNotFoundError as error:
            raise StaleError(
                f"{self.address} changed meanwhile ({error}). Run the same command again."
            ) from error
        except (ImportError, ValueError) as error:
            raise InputError(
                f"{self.address} is not an address that can be used: {error}"
            ) from error
        except Exception as error:  # every file system has its own errors
            raise VivaError(
                f"{self.address} cannot be {doing}: {type(error).__name__}: {error}. Check the "
                "address, the network and the credentials, then run the same command again."
            ) from error

    @staticmethod
    def _name_of(root: str, number: int) -> str:
        return f"{root}/{_STATES}/{number:08d}.json"

    @staticmethod
    def _object(root: str, digest: str) -> str:
        return f"{root}/{_OBJECTS}/{digest[:2]}/{digest}"


def bring(address: str) -> Path:
    """Update the local copy of the corpus at an address; return the copy.

    Results of a killed command stay in the copy unless somebody else publishes.

    Raises:
        InputError: The address names no place, or no corpus is there.
        LockedError: Another process holds the copy.
        VivaError: The address cannot be read.
    """
    from platformdirs import user_cache_path

    if not address.partition("://")[2].strip("/"):
        raise InputError(f"{address} names no place. Write an address such as s3://bucket/corpus.")
    place = Place(address.rstrip("/"))
    name = f"{PurePosixPath(place.address).name}-{hash_of(place.address)[:12]}"
    copy = user_cache_path("vivavoce") / "corpora" / name
    number, files = place.latest()
    with lock(copy):
        known = _read_record(copy)
        if known is None or known["number"] != number:
            here = {} if known is None else _hashes(copy, known)
            for gone in here.keys() - files.keys():
                (copy / gone).unlink()
            place.fetch({n: digest for n, digest in files.items() if here.get(n) != digest}, copy)
            _write_record(copy, place.address, number, files)
    return copy


def publish(copy: Path) -> int | None:
    """Publish changes in the copy of a corpus; return the number of files sent.

    None if nothing changed, or if the corpus is incomplete, as after a killed ingest.

    Raises:
        StaleError: Another has published since.
        DamagedError: A file is not what the corpus says it is.
    """
    with lock(copy):
        known = _read_record(copy)
        if known is None or stamps_of(copy) == known["stamps"]:
            return None
        files = _hashes(copy, known)
        number = int(known["number"])
        if files != known["files"]:
            if not all(batch.is_complete for batch in list_batches(copy)):
                return None
            try:
                tables = load_corpus(copy).manifest
            except (InputError, StaleError):
                return None
            for name, entry in {**tables["files"], **tables["internal"]}.items():
                if files.get(f"tables/{name}") != entry["sha256"]:
                    raise DamagedError(
                        f"{copy / 'tables' / name} differs from what was written, so nothing was "
                        "published. Run any viva ingest of this corpus again to rebuild it."
                    )
            place, published = Place(known["address"]), {*known["files"].values()}
            new = {name: digest for name, digest in files.items() if digest not in published}
            place.send(copy, new)
            place.write_state(number := number + 1, files)
            exchange_of(place.address, copy).remove()
        _write_record(copy, known["address"], number, files)
        return len(files.items() - known["files"].items())


def address_of(copy: Path) -> str | None:
    """The address that a folder is a copy of; None for a corpus without an address."""
    known = _read_record(copy)
    return None if known is None else str(known["address"])


def exchange_of(address: str, copy: Path) -> Place:
    """The place where one build exchanges files, separate from other builds."""
    return Place(f"{address}/work/{hash_of([socket.gethostname(), str(copy)])[:12]}")


def stamps_of(folder: Path) -> dict[str, list[int]]:
    """Stamps of files by path; a stamp changes when its file is rewritten."""
    return {
        path.relative_to(folder).as_posix(): [seen.st_ino, seen.st_mtime_ns, seen.st_size]
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != LOCK_NAME and not path.name.endswith(".tmp")
        for seen in (path.stat(),)
    }


def _hashes(copy: Path, known: Row) -> Row:
    """Sha256 of every file in a copy; unchanged files are not read again."""
    return {
        name: known["files"][name]
        if known["stamps"].get(name) == stamp and name in known["files"]
        else hash_file(copy / name)
        for name, stamp in stamps_of(copy).items()
    }


def _record(copy: Path) -> Path:
    return copy.with_name(f".{copy.name}.place.json")


def _read_record(copy: Path) -> Row | None:
    try:
        return read_sealed(_record(copy))
    except DamagedError:
        return None  # then every file is fetched again


def _write_record(copy: Path, address: str, number: int, files: Hashes) -> None:
    stamps = stamps_of(copy)
    record = {"address": address, "number": number, "files": files, "stamps": stamps}
    write_sealed(_record(copy), record)


def _is_file(entry: tuple[Any, Any]) -> bool:
    """Return whether an entry of a state has a path inside the corpus and a valid hash."""
    name, digest = entry
    parts = PurePosixPath(name).parts
    is_below = bool(parts) and not {"/", "..", LOCK_NAME} & {*parts} and "\\" not in name
    return is_below and _HASH.fullmatch(digest) is not None


def _runs(names: Sequence[str]) -> Iterator[list[str]]:
    return (list(names[start : start + _AT_ONCE]) for start in range(0, len(names), _AT_ONCE))
