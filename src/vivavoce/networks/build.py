"""Networks built beside a corpus: numbered nodes and sorted edges, as Parquet.

A network whose tables have not changed since it was built stays as it is. One whose tables
changed is brought up to date from what was kept of its building, and comes out as if it were built
anew, byte by byte. The record of a network is written after its files, the manifest last.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.corpus import Corpus
from vivavoce.errors import DamagedError, InputError
from vivavoce.networks.authors import read_authorships
from vivavoce.networks.coauthor import share_papers
from vivavoce.networks.coauthor_update import update_tally
from vivavoce.networks.columns import hash_columns, write_columns
from vivavoce.networks.merging import MismatchError, Pairs
from vivavoce.networks.pieces import Pieces, drop_pieces
from vivavoce.networks.reading import FORMAT, MANIFEST, READS, inputs_for
from vivavoce.networks.shards import (
    FOLDER,
    Shard,
    compare_shards,
    drop_kept,
    keep_shards,
    shards_of,
)
from vivavoce.networks.tally import PARTS, Tally, tables_of, tally_from, tally_of
from vivavoce.store import Row, hash_file, hash_of, lock, read_sealed, write_sealed

if TYPE_CHECKING:
    from vivavoce.networks.citation import Entries

Progress = Callable[[int, int], None]
Tables = dict[str, pa.Table]
RECORD = "record.json"
_PIECES = (f"identities-{FORMAT}", f"mentions-{FORMAT}")
SHOWN = ("nodes", "edges")
"""The files of a network that are read again; its other files serve to bring it up to date."""


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
    shared = _Shared(corpus, fresh=fresh)
    with lock(corpus.folder):
        networks: Row = _others(corpus.folder / FOLDER / MANIFEST, names)
        for done, name in enumerate(names):
            if progress:
                progress(done, len(names))
            networks[name] = _build(shared, name, prose=prose and name == "comparison", fresh=fresh)
        manifest = {"format": FORMAT, "corpus": corpus.fingerprint, "networks": networks}
        write_sealed(corpus.folder / FOLDER / MANIFEST, manifest)
        _tidy(corpus.folder / FOLDER)
    if progress:
        progress(len(names), len(names))
    return manifest


class _Shared:
    """What several networks are made of, read once and only when it is needed."""

    def __init__(self, corpus: Corpus, *, fresh: bool) -> None:
        self.corpus = corpus
        self._fresh = fresh
        self._entries: Entries | None = None

    def tables(self, name: str, *, prose: bool) -> Tables:
        """The parts of a network built anew."""
        if name == "coauthor":
            return tables_of(_tally(self.corpus))
        # What normalises titles takes as long to load as a small co-author network to build.
        from vivavoce.networks.citation import citation_tables_of, read_entries
        from vivavoce.networks.comparison import comparison_tables

        identities, mentions = (self._pieces(kind) for kind in _PIECES)
        self._entries = self._entries or read_entries(self.corpus, identities)
        if name == "citation":
            return dict(zip(SHOWN, citation_tables_of(self._entries), strict=True))
        found = comparison_tables(self.corpus, self._entries, prose=prose, known=mentions)
        return dict(zip(SHOWN, found, strict=True))

    def _pieces(self, kind: str) -> Pieces:
        return Pieces(self.corpus.folder / FOLDER, kind, fresh=self._fresh)


def _tally(corpus: Corpus) -> Tally:
    read = read_authorships(corpus)
    return tally_of(read, Pairs(*share_papers(read.paper, read.author, read.authors.num_rows)))


def _build(shared: _Shared, name: str, *, prose: bool, fresh: bool) -> Row:
    """Write a network that is not there as it should be; return its manifest entry."""
    corpus = shared.corpus
    networks = corpus.folder / FOLDER
    inputs = inputs_for(corpus, name, prose=prose)
    config = hash_of({"format": FORMAT, "network": name, "prose": prose})
    record = None if fresh else _read_record(networks / name, config)
    if record is None or record["inputs"] != inputs or not _stands(networks / name, record):
        tables = None if record is None else _updated(corpus, name, record)
        shards = {table: shards_of(corpus, table) for table in READS[name]}
        record = {
            "config": config,
            "inputs": inputs,
            "shards": {t: [[s.sha256, s.rows] for s in each] for t, each in shards.items()},
            "files": _write(networks / name, tables or shared.tables(name, prose=prose)),
        }
        for each in shards.values():
            keep_shards(corpus, networks, each)
        write_sealed(networks / name / RECORD, record)
    files = {part: record["files"][part] for part in SHOWN}
    return {"inputs": inputs, "prose": prose, "files": files}


def _updated(corpus: Corpus, name: str, record: Row) -> Tables | None:
    """The parts of a network brought up to date; None where it has to be built anew."""
    if name != "coauthor":
        return None
    networks = corpus.folder / FOLDER
    try:
        old = tally_from({p: _read_part(networks / name, p, record) for p in PARTS})
        changes = [
            compare_shards([Shard("", *each) for each in record["shards"][t]], shards_of(corpus, t))
            for t in READS[name]
        ]
        return tables_of(update_tally(corpus, networks, old, *changes))
    except MismatchError:
        return None


def _write(folder: Path, tables: Tables) -> Row:
    """Write the parts of a network; return what is written down of them."""
    files: Row = {}
    for part, table in tables.items():
        sha256 = write_columns(folder / f"{part}.parquet", table)
        files[part] = {"sha256": sha256, "rows": table.num_rows}
        if part in SHOWN:
            files[part]["row_hash"] = hash_columns(table)
    return files


def _read_record(folder: Path, config: str) -> Row | None:
    """What was written down of a network; None when there is none made in the same way."""
    try:
        record = read_sealed(folder / RECORD)
    except DamagedError:
        return None
    return record if record["config"] == config else None


def _stands(folder: Path, record: Row) -> bool:
    """Whether the files of a network are as they were written."""
    paths = {part: folder / f"{part}.parquet" for part in record["files"]}
    return all(
        path.exists() and hash_file(path) == record["files"][part]["sha256"]
        for part, path in paths.items()
    )


def _read_part(folder: Path, part: str, record: Row) -> pa.Table:
    """A part of a network as it was written; `MismatchError` when it is not so."""
    path = folder / f"{part}.parquet"
    content = path.read_bytes() if path.exists() else b""
    if hashlib.sha256(content).hexdigest() != record["files"][part]["sha256"]:
        raise MismatchError
    return pq.ParquetFile(pa.BufferReader(content)).read(use_threads=False)


def _others(path: Path, names: Collection[str]) -> Row:
    """What the manifest says of the networks that are not to be built."""
    try:
        manifest = read_sealed(path)
    except DamagedError:
        return {}
    if manifest["format"] != FORMAT:
        return {}
    return {name: entry for name, entry in manifest["networks"].items() if name not in names}


def _tidy(networks: Path) -> None:
    """Drop shards that no network was made of."""
    shards: list[list[list[Any]]] = []
    for path in sorted(networks.glob(f"*/{RECORD}")):
        with suppress(DamagedError):  # that network will be built anew
            shards += read_sealed(path)["shards"].values()
    wanted = {sha256 for each in shards for sha256, _ in each}
    drop_kept(networks, wanted)
    drop_pieces(networks, _PIECES, wanted)
