"""Networks stored in a corpus's folder: building and loading them.

Nodes are numbered and edges sorted. A network is rebuilt only if its source tables changed. The
manifest names a network once its files are written.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from vivavoce.columns import Flags, as_flags, flat, numbers_in, write_parquet_table
from vivavoce.corpus import Corpus
from vivavoce.errors import DamagedError, InputError, StaleError
from vivavoce.networks.authors import coauthor_tables
from vivavoce.networks.graph import Graph, induced
from vivavoce.networks.tables import FOLDER
from vivavoce.store import Row, is_intact, lock, read_sealed, read_table, write_sealed

if TYPE_CHECKING:
    from vivavoce.networks.citation import Entries

Progress = Callable[[int, int], None]
MANIFEST = "manifest.json"
FORMAT = 5
"""Increase this when a network's columns or the rules for its nodes and edges change."""
READS = {
    "coauthor": ("papers", "authorships"),
    "citation": ("papers", "references"),
    "comparison": ("papers", "references", "tables"),
}
"""Source tables of each network."""
_PARTS = ("nodes", "edges")
# Numbers and keys hardly repeat, so dictionary encoding would cost time and space.
_PARQUET = {"compression": "lz4", "use_dictionary": False, "row_group_size": 1 << 24}


def build_networks(
    corpus: Corpus,
    *,
    only: Collection[str] = (),
    fresh: bool = False,
    progress: Progress | None = None,
) -> Row:
    """Build or update the networks of a corpus in its folder `networks`; return the manifest.

    The same corpus gives the same bytes, whatever was built before. `only` names the networks to
    build, by default all. With `fresh`, existing networks are rebuilt. `progress` is called with
    (networks done, number of networks).

    Raises:
        InputError: A name in `only` is not the name of a network.
        LockedError: Another process has locked the corpus.
        DamagedError: A file of the corpus has changed since it was written.
    """
    for name in only:
        _check_name(name)
    names = [name for name in READS if not only or name in only]

    @cache
    def entries() -> Entries:
        # This import takes as long as building a small co-author network.
        from vivavoce.networks.citation import read_entries

        return read_entries(corpus)

    path = corpus.folder / FOLDER / MANIFEST
    with lock(corpus.folder):
        try:
            manifest = read_sealed(path)
        except DamagedError:
            manifest = {"format": None}
        networks: Row = manifest["networks"] if manifest["format"] == FORMAT else {}
        for done, name in enumerate(names):
            if progress:
                progress(done, len(names))
            inputs = corpus.content_of(READS[name])
            entry = networks.pop(name, {})
            folder = corpus.folder / FOLDER / name
            is_sound = entry.get("inputs") == inputs and all(
                is_intact(folder / f"{part}.parquet", entry["files"][part]["sha256"])
                for part in _PARTS
            )
            if fresh or not is_sound:
                shutil.rmtree(folder, ignore_errors=True)
                files = {
                    part: write_parquet_table(folder / f"{part}.parquet", table, **_PARQUET)
                    for part, table in zip(_PARTS, _tables(corpus, name, entries), strict=True)
                }
                entry = {"inputs": inputs, "files": files}
            networks[name] = entry
            manifest = {"format": FORMAT, "corpus": corpus.fingerprint, "networks": networks}
            write_sealed(path, manifest)
    if progress:
        progress(len(names), len(names))
    return manifest


def _tables(corpus: Corpus, name: str, entries: Callable[[], Entries]) -> tuple[pa.Table, pa.Table]:
    if name == "coauthor":
        return coauthor_tables(corpus)
    from vivavoce.networks.citation import citation_tables, comparison_tables

    if name == "citation":
        return citation_tables(entries())
    return comparison_tables(corpus, entries())


@dataclass(frozen=True, slots=True)
class Network:
    """A network of a corpus."""

    graph: Graph
    """Edges sorted by source and target; in the co-author network, source < target."""
    nodes: pa.Table
    """One row per node, in order."""

    @property
    def is_inside(self) -> Flags:
        """Flags of the nodes that belong to the corpus and are not external works."""
        if "is_external" not in self.nodes.column_names:
            return np.ones(self.graph.n, dtype=np.bool_)
        return ~as_flags(flat(self.nodes["is_external"]))


def load_network(corpus: Corpus, name: str, *, external: bool = True) -> Network:
    """Load `coauthor`, `citation` or `comparison`, with works outside the corpus if `external`.

    Raises:
        InputError: `name` is not the name of a network.
        StaleError: The network is not built, or the corpus changed; the message names a command.
        DamagedError: A file has changed since it was written.
    """
    _check_name(name)
    path = corpus.folder / FOLDER / MANIFEST
    command = command_for(corpus.folder)
    if not path.exists():
        raise StaleError(f"{corpus.folder} has no networks yet. Run: {command}")
    manifest = read_sealed(path, f"Run: {command}")
    entry: Row = manifest["networks"].get(name, {}) if manifest["format"] == FORMAT else {}
    if not entry or entry["inputs"] != corpus.content_of(READS[name]):
        raise StaleError(
            f"The {name} network of {corpus.folder} was built before the corpus or the program "
            f"changed. Run: {command}"
        )
    nodes = _read(corpus, name, "nodes", entry)
    edges = _read(corpus, name, "edges", entry)
    ends = [numbers_in(flat(edges[side])) for side in ("source", "target")]
    weight = numbers_in(flat(edges["papers"])) if name == "coauthor" else None
    network = Network(Graph(nodes.num_rows, ends[0], ends[1], weight), nodes)
    if external:
        return network
    # External works are the last nodes, so the other nodes keep their numbers.
    inside = network.is_inside
    return Network(induced(network.graph, inside), nodes.slice(0, int(inside.sum())))


def _check_name(name: str) -> None:
    if name not in READS:
        raise InputError(f"There is no network {name!r}. There are: {', '.join(READS)}.")


def command_for(folder: Path) -> str:
    """The command that builds the networks of a corpus."""
    return f"viva network build --corpus {folder}"


def _read(corpus: Corpus, name: str, part: str, entry: Row) -> pa.Table:
    path = corpus.folder / FOLDER / name / f"{part}.parquet"
    if not is_intact(path, entry["files"][part]["sha256"]):
        raise DamagedError(
            f"{path} is missing or differs from what was written. Run: {command_for(corpus.folder)}"
        )
    return read_table(path)
