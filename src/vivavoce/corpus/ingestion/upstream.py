"""Upstream records written again as they were read: the export that loses nothing.

A document keeps the record that it came from, whatever became of it when papers were merged. Of
documents with one key those of the newest ingest count, and all of that ingest.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from vivavoce.corpus.reading import Corpus, list_batches, load_corpus, read_keys, read_raw
from vivavoce.errors import InputError, StaleError, VivaError
from vivavoce.records import Fault
from vivavoce.sources.json_records import raw_json
from vivavoce.store import write_chunks

UPSTREAM_KINDS = ("academiceval", "digestables", "s2orc", "unarxive")
"""Kinds that keep every record whole."""
FOLDER_FILES = {
    "digestables": (
        "tables.jsonl",
        "papers.jsonl",
        "full_texts.jsonl",
        "arxiv2table.jsonl",
        "tables_by_id.jsonl",
        "papers_by_id.jsonl",
    )
}
"""Kinds with records of several sorts, and the files that these are written to."""

_Place = tuple[int, str, int, int]


def export_as(corpus: Corpus | Path | str, kind: str, out: Path) -> int:
    """Write the upstream records of a kind as canonical JSON, one a line; return how many.

    `out` is a `.jsonl` file; for the kinds of `FOLDER_FILES` a folder.

    Raises:
        InputError: No such kind, or `out` does not fit the kind.
        StaleError: The corpus has no records of this kind, or was read before records were kept.
        DamagedError: A file of the corpus was altered.
        VivaError: There is no room for the files.
    """
    if kind not in UPSTREAM_KINDS:
        raise InputError(f"Nothing is exported as {kind!r}. There are: {_listed(UPSTREAM_KINDS)}.")
    names = FOLDER_FILES.get(kind)
    if names is None and out.suffix != ".jsonl":
        raise InputError(f"{out} must end in .jsonl.")
    if names is not None and (out.suffix or out.is_file()):
        raise InputError(f"{out} must be a folder: {kind} has {_listed(names)}.")
    opened = corpus if isinstance(corpus, Corpus) else load_corpus(corpus)
    paths = [out] if names is None else [out / name for name in names]
    try:
        with ExitStack() as stack:
            written = {path.name: stack.enter_context(_Lines(path)) for path in paths}
            for place, name, record in _records(opened, kind):
                written[name or out.name].add(place, record)
            return sum(lines.finish() for lines in written.values())
    except OSError as error:
        raise VivaError(
            f"{out} could not be written: {error.strerror}. Make room for it or choose another "
            "place, then run the same command again."
        ) from error


def not_exported(corpus: Corpus | Path | str, kind: str) -> list[Fault]:
    """Faults of files that an ingest could not read, so that the export cannot write them."""
    opened = corpus if isinstance(corpus, Corpus) else load_corpus(corpus)
    rows = (row for row in opened.rows("faults") if row["source"] == kind)
    # Tables of an older format have no kinds.
    return [Fault(row["where"], row["reason"], row.get("kind") or "") for row in rows]


def _records(corpus: Corpus, kind: str) -> Iterator[tuple[_Place, str, str]]:
    """(Its place, the file it belongs to or nothing, its JSON) of every record of a kind."""
    batches = [b for b in list_batches(corpus.folder) if b.kind == kind and b.is_complete]
    if not batches:
        raise StaleError(
            f"{corpus.folder} holds nothing read from {kind}. "
            f"Run: viva ingest {kind} WHERE --corpus {corpus.folder}"
        )
    newest = {key: order for order, batch in enumerate(batches) for key in read_keys(batch)}
    needed = set(newest.values())
    for order, batch in enumerate(batches):
        if order not in needed:
            continue
        for number, (key, raw) in enumerate(read_raw(batch)):
            if raw is None or newest[key] != order:
                continue
            if kind not in FOLDER_FILES:
                yield (order, "", 0, number), "", raw
                continue
            for held in json.loads(raw):
                place = (order, str(held["file"]), int(held["line"]), number)
                yield place, str(held["as"]), raw_json(held["record"])


class _Lines:
    """A file of lines that come in any order: memory holds only where each one stands."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._index: list[tuple[_Place, int, int]] = []
        self._end = 0

    def __enter__(self) -> _Lines:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._store = tempfile.TemporaryFile(dir=self._path.parent)
        return self

    def __exit__(self, *_: Any) -> None:
        self._store.close()

    def add(self, place: _Place, line: str) -> None:
        """Take a line that belongs at a place."""
        content = line.encode("utf-8") + b"\n"
        self._store.write(content)
        self._index.append((place, self._end, len(content)))
        self._end += len(content)

    def finish(self) -> int:
        """Write the lines by their places, whole or not at all; without any there is no file."""
        if self._index:
            write_chunks(self._path, map(self._line, sorted(self._index)))
        else:
            self._path.unlink(missing_ok=True)
        return len(self._index)

    def _line(self, entry: tuple[_Place, int, int]) -> bytes:
        _, start, length = entry
        self._store.seek(start)
        return self._store.read(length)


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names)
