"""Networks built beside a corpus: numbered nodes and sorted edges, as Parquet.

A network whose tables have not changed since it was built stays as it is; the others are built
anew. The record of a network is written after its files, the manifest last.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from vivavoce.columns import write_parquet_table
from vivavoce.corpus import Corpus
from vivavoce.errors import DamagedError, InputError
from vivavoce.networks.authors import coauthor_tables
from vivavoce.networks.reading import FORMAT, MANIFEST, READS, inputs_for
from vivavoce.networks.tables import FOLDER
from vivavoce.store import Row, hash_file, hash_of, lock, read_sealed, write_sealed

if TYPE_CHECKING:
    from vivavoce.networks.citation import Entries

Progress = Callable[[int, int], None]
RECORD = "record.json"
_PARTS = ("nodes", "edges")
# Numbers and keys hardly repeat: a dictionary of them takes time and room.
_PARQUET = {"compression": "lz4", "use_dictionary": False, "row_group_size": 1 << 24}


def build_networks(
    corpus: Corpus,
    *,
    prose: bool = False,
    only: Collection[str] = (),
    fresh: bool = False,
    progress: Progress | None = None,
) -> Row:
    """Build the networks of a corpus, or bring them up to date; return the manifest.

    The same corpus gives the same bytes, whatever was there before.

    Args:
        corpus: What to build networks of; they go into its folder `networks`.
        prose: Also read sentences that compare into the comparison network.
        only: Build these and leave the others as they are; none for all.
        fresh: Build anew what is there already.
        progress: Called with the networks done and their number.

    Raises:
        InputError: No network has such a name.
        LockedError: Another process holds the corpus.
        DamagedError: A file of the corpus is not as it was written.
    """
    for name in only:
        if name not in READS:
            raise InputError(f"No network is called {name!r}. There are: {', '.join(READS)}.")
    names = [name for name in READS if not only or name in only]
    shared = _Shared(corpus)
    with lock(corpus.folder):
        networks: Row = _others(corpus.folder / FOLDER / MANIFEST, names)
        for done, name in enumerate(names):
            if progress:
                progress(done, len(names))
            networks[name] = _build(shared, name, prose=prose and name == "comparison", fresh=fresh)
        manifest = {"format": FORMAT, "corpus": corpus.fingerprint, "networks": networks}
        write_sealed(corpus.folder / FOLDER / MANIFEST, manifest)
        for left in ("pieces", "kept"):  # what earlier versions kept of shards
            shutil.rmtree(corpus.folder / FOLDER / left, ignore_errors=True)
    if progress:
        progress(len(names), len(names))
    return manifest


class _Shared:
    """Inputs of several networks, read once and only when they are needed."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._entries: Entries | None = None

    def tables(self, name: str, *, prose: bool) -> tuple[pa.Table, pa.Table]:
        """The nodes and edges of a network."""
        if name == "coauthor":
            return coauthor_tables(self.corpus)
        # What normalises titles takes as long to load as a small co-author network to build.
        from vivavoce.networks.citation import citation_tables, read_entries
        from vivavoce.networks.comparison import comparison_tables

        self._entries = self._entries or read_entries(self.corpus)
        if name == "citation":
            return citation_tables(self._entries)
        return comparison_tables(self.corpus, self._entries, prose=prose)


def _build(shared: _Shared, name: str, *, prose: bool, fresh: bool) -> Row:
    """Write a network that is not there as it should be; return its manifest entry."""
    folder = shared.corpus.folder / FOLDER / name
    inputs = inputs_for(shared.corpus, name, prose=prose)
    config = hash_of({"format": FORMAT, "parts": _PARTS, "network": name, "prose": prose})
    record = None if fresh else _read_record(folder, config)
    if record is None or record["inputs"] != inputs or not _is_sound(folder, record):
        files = _write(folder, *shared.tables(name, prose=prose))
        record = {"config": config, "inputs": inputs, "files": files}
        write_sealed(folder / RECORD, record)
    return {"inputs": inputs, "prose": prose, "files": record["files"]}


def _write(folder: Path, *tables: pa.Table) -> Row:
    """Write the parts of a network; return what is written down of them."""
    shutil.rmtree(folder, ignore_errors=True)
    return {
        part: write_parquet_table(folder / f"{part}.parquet", table, **_PARQUET)
        for part, table in zip(_PARTS, tables, strict=True)
    }


def _read_record(folder: Path, config: str) -> Row | None:
    """Record of a network; None when there is none made in the same way."""
    try:
        record = read_sealed(folder / RECORD)
    except DamagedError:
        return None
    return record if record["config"] == config else None


def _is_sound(folder: Path, record: Row) -> bool:
    """Return whether the files of a network are as they were written."""
    paths = {part: folder / f"{part}.parquet" for part in record["files"]}
    return all(
        path.exists() and hash_file(path) == record["files"][part]["sha256"]
        for part, path in paths.items()
    )


def _others(path: Path, names: Collection[str]) -> Row:
    """Manifest entries of the networks that are not to be built."""
    try:
        manifest = read_sealed(path)
    except DamagedError:
        return {}
    if manifest["format"] != FORMAT:
        return {}
    return {name: entry for name, entry in manifest["networks"].items() if name not in names}
