"""Networks built beside a corpus: numbered nodes and sorted edges, as Parquet.

A network that was finished before a build was killed, and one whose tables have not changed since
it was built, stays as it is. The manifest is written last.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from vivavoce.corpus import Corpus
from vivavoce.networks.citation import Entries, citation_tables_of, read_entries
from vivavoce.networks.coauthor import coauthor_tables
from vivavoce.networks.columns import hash_columns, write_columns
from vivavoce.networks.comparison import comparison_tables
from vivavoce.networks.reading import FOLDER, FORMAT, MANIFEST, READS, inputs_for
from vivavoce.store import Row, hash_of, lock, mark_done, read_done, write_sealed

Progress = Callable[[int, int], None]
_PARTS = ("nodes", "edges")


def build_networks(corpus: Corpus, *, prose: bool = False, progress: Progress | None = None) -> Row:
    """Build every network of a corpus that is not there yet; return the manifest.

    The same corpus gives the same bytes.

    Args:
        corpus: What to build networks of; they go into its folder `networks`.
        prose: Also read sentences that compare into the comparison network.
        progress: Called with the networks done and their number.

    Raises:
        LockedError: Another process holds the corpus.
        DamagedError: A file of the corpus is not as it was written.
    """
    shared = _Shared(corpus)
    with lock(corpus.folder):
        networks: Row = {}
        for done, name in enumerate(READS):
            if progress:
                progress(done, len(READS))
            networks[name] = _build(shared, name, prose=prose and name == "comparison")
        manifest = {"format": FORMAT, "corpus": corpus.fingerprint, "networks": networks}
        write_sealed(corpus.folder / FOLDER / MANIFEST, manifest)
    if progress:
        progress(len(READS), len(READS))
    return manifest


class _Shared:
    """What several networks are made of, read once and only when it is needed."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._entries: Entries | None = None

    def tables(self, name: str, *, prose: bool) -> tuple[pa.Table, pa.Table]:
        """The nodes and edges of a network."""
        if name == "coauthor":
            return coauthor_tables(self.corpus)
        self._entries = self._entries or read_entries(self.corpus)
        if name == "citation":
            return citation_tables_of(self._entries)
        return comparison_tables(self.corpus, self._entries, prose=prose)


def _build(shared: _Shared, name: str, *, prose: bool) -> Row:
    """Write a network that is not there; return its manifest entry."""
    folder = shared.corpus.folder / FOLDER / name
    inputs = inputs_for(shared.corpus, name, prose=prose)
    config = hash_of({"format": FORMAT, "network": name, "prose": prose})
    found = _finished(folder, config, inputs)
    if found is None:
        tables = shared.tables(name, prose=prose)
        for part, table in zip(_PARTS, tables, strict=True):
            path = folder / f"{part}.parquet"
            write_columns(path, table)
            counted = {"rows": table.num_rows, "row_hash": hash_columns(table)}
            mark_done(path, config=config, inputs=inputs, extra=counted)
        found = _finished(folder, config, inputs) or {}
    return {"inputs": inputs, "prose": prose, "files": found}


def _finished(folder: Path, config: str, inputs: str) -> Row | None:
    """What is written down of the files of a network; None unless all stand as recorded."""
    found: Row = {}
    for part in _PARTS:
        marker = read_done(folder / f"{part}.parquet", config=config, inputs=inputs)
        if marker is None:
            return None
        found[part] = {name: marker[name] for name in ("sha256", "rows", "row_hash")}
    return found
