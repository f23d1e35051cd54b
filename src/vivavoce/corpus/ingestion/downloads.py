"""Index of the files fetched for a corpus, and reading of these files into the corpus.

`downloads/` has a folder of files for each kind, and an index in JSON Lines for each command. The
index has one row per request, whatever its outcome. While a fetch runs, rows are appended to a
journal, so a kill loses at most the row being written.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from vivavoce.corpus.build.tables import build_tables
from vivavoce.corpus.ingestion.imports import import_files
from vivavoce.corpus.reading import load_corpus, read_faults
from vivavoce.errors import InputError, PluginError, StaleError
from vivavoce.records import Fault
from vivavoce.sources import ReadOptions, get_source
from vivavoce.store import (
    Row,
    canonical_json,
    is_intact,
    lock,
    parse_object,
    read_jsonl,
    read_sealed,
    write_jsonl,
    write_sealed,
)

DOWNLOADS = "downloads"
READING = "reading.json"
"""File that lists the downloads being read; removed once they are read."""
_JOURNAL = ".journal"


@dataclass(frozen=True, slots=True)
class Reading:
    """Outcome of reading files into a corpus."""

    files: dict[str, None] = field(default_factory=dict)
    """Files that were read. Files for which this version has no source are kept for later."""
    faults: list[Fault] = field(default_factory=list)


class Index:
    """Rows by key, kept sorted in a file, so that equal rows give equal bytes.

    Opening an index also reads the journal left by a killed fetch.
    """

    def __init__(self, path: Path, key: Sequence[str]) -> None:
        self.path = path
        self._key = tuple(key)
        self._journal = path.with_name(path.name + _JOURNAL)
        self._rows: dict[tuple[str, ...], Row] = {}
        if path.exists():
            self._take(row for _, row in read_jsonl(path))
        if self._journal.exists():
            *whole, _ = self._journal.read_bytes().split(b"\n")  # a kill may cut the last row short
            lines = enumerate(whole, start=1)
            self._take(parse_object(line, f"{self._journal}:{number}") for number, line in lines)
            self.settle()

    def get(self, *key: str) -> Row | None:
        """Get the row of a key."""
        return self._rows.get(key)

    def rows(self) -> list[Row]:
        """Every row, sorted by key."""
        return [self._rows[key] for key in sorted(self._rows)]

    def note(self, rows: Iterable[Row]) -> None:
        """Add rows, replacing those with the same key; the rows are on disk when this returns."""
        added = list(rows)
        self._take(added)
        with self._journal.open("ab") as stream:
            stream.write("".join(canonical_json(row) + "\n" for row in added).encode("utf-8"))
            stream.flush()
            os.fsync(stream.fileno())

    def settle(self) -> None:
        """Write the whole index and drop the journal."""
        write_jsonl(self.path, self.rows())
        self._journal.unlink(missing_ok=True)

    def _take(self, rows: Iterable[Row]) -> None:
        for row in rows:
            try:
                key = tuple(str(row[name]) for name in self._key)
            except KeyError as error:
                raise InputError(
                    f"{self.path} has a row without {error}. Remove the file; all it lists "
                    "will then be fetched again."
                ) from error
            self._rows[key] = row


@contextmanager
def open_downloads(
    folder: Path, index: str, key: Sequence[str], limit: int | None, what: str
) -> Iterator[Index]:
    """Lock the downloads of a corpus for a fetch, and open the index of earlier requests.

    Raises the errors of `load_corpus`, except a `StaleError` due to a killed reading of downloads,
    and `InputError` for a limit below 0, whose message uses `what`: the name of things to fetch.
    """
    if limit is not None and limit < 0:
        raise InputError(f"The limit cannot be {limit} {what}: choose 0 or more.")
    try:
        load_corpus(folder)
    except StaleError:
        if not (folder / DOWNLOADS / READING).exists():
            raise
    with lock(folder / DOWNLOADS):
        opened = Index(folder / DOWNLOADS / index, key)
        try:
            yield opened
        finally:
            opened.settle()


def finish_reading(folder: Path) -> Reading:
    """Finish reading downloads if an earlier reading was killed."""
    path = folder / DOWNLOADS / READING
    if not path.exists():
        return Reading()
    return read_downloads(folder, read_sealed(path, "Remove it to continue without it."))


def is_sound(folder: Path, row: Mapping[str, object]) -> bool:
    """Check whether the file of a row exists unchanged."""
    return is_intact(folder / str(row["file"]), str(row["sha256"]))


def read_downloads(folder: Path, names: Mapping[str, Sequence[str]]) -> Reading:
    """Read files into a corpus and rebuild its tables once.

    `names` maps each source to its sorted files, as paths relative to the corpus's folder.
    """
    done = Reading()
    plan = folder / DOWNLOADS / READING
    write_sealed(plan, names)
    with lock(folder):
        for kind, files in names.items():
            try:
                source = get_source(kind)
            except (InputError, PluginError) as error:
                done.faults.append(Fault(kind, f"{len(files)} files were not read: {error}"))
                continue
            paths = [(Path(name).name, folder / name) for name in files]
            batch = import_files(folder, source, paths, ReadOptions())
            done.files.update(dict.fromkeys(files))
            done.faults.extend(read_faults(batch))
        if done.files:
            build_tables(folder)
    plan.unlink()
    return done
