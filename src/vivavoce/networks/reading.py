"""A network opened: its graph, and what the nodes stand for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from vivavoce.columns import Flags, as_flags, column, flat, numbers_in
from vivavoce.corpus import Corpus
from vivavoce.errors import DamagedError, InputError, StaleError
from vivavoce.networks.graph import Graph
from vivavoce.networks.tables import FOLDER, read_file
from vivavoce.store import Row, hash_file, read_sealed

MANIFEST = "manifest.json"
FORMAT = 2
"""Raised when a network's columns or the rules for its nodes and edges change."""
READS = {
    "coauthor": ("papers", "authorships"),
    "citation": ("papers", "references"),
    "comparison": ("papers", "references", "tables"),
}
"""The tables that each network is made of, by network."""
_READS_PROSE = "sections"


@dataclass(frozen=True, slots=True)
class Network:
    """A network of a corpus."""

    name: str
    graph: Graph
    """Edges sorted by source and target; of the co-author network each once, source < target."""
    nodes: pa.Table
    """One row a node, in the order of their numbers."""

    @property
    def is_inside(self) -> Flags:
        """Flag for each node: it belongs to the corpus and is no external work."""
        if "is_external" not in self.nodes.column_names:
            return np.ones(self.graph.n, dtype=np.bool_)
        return ~as_flags(flat(self.nodes["is_external"]))


def load_network(
    corpus: Corpus,
    name: str,
    *,
    external: bool = True,
    result_like: bool = False,
    prose: bool = False,
) -> Network:
    """Open a network that was built for a corpus as it is now.

    Args:
        corpus: The corpus that it is a network of.
        name: `coauthor`, `citation` or `comparison`.
        external: Keep the works outside the corpus as nodes.
        result_like: Of the comparison network, only edges that a table of results shows.
        prose: Of the comparison network, also edges that comparing sentences show.

    Raises:
        InputError: No network has that name.
        StaleError: It was not built, or before the corpus changed; the message has the command.
        DamagedError: A file is not as it was written.
    """
    if name not in READS:
        raise InputError(f"No network is called {name!r}. There are: {', '.join(READS)}.")
    entry = _read_entry(corpus, name)
    if prose and name == "comparison" and not entry["prose"]:
        raise StaleError(
            "The comparison network was built without prose. "
            f"Run: {command_for(corpus.folder)} --prose"
        )
    nodes = _read(corpus, name, "nodes", entry)
    edges = _read(corpus, name, "edges", entry)
    if name == "comparison":
        edges = edges.filter(column(_chosen(edges, result_like=result_like, prose=prose)))
    ends = [numbers_in(flat(edges[side])) for side in ("source", "target")]
    weight = numbers_in(flat(edges["papers"])) if name == "coauthor" else None
    network = Network(name, Graph(nodes.num_rows, ends[0], ends[1], weight), nodes)
    return network if external else _inside_of(network)


def inputs_for(corpus: Corpus, name: str, *, prose: bool) -> str:
    """Hash of all that a network is made of."""
    with_prose = (_READS_PROSE,) if prose and name == "comparison" else ()
    return corpus.content_of((*READS[name], *with_prose))


def command_for(folder: Path) -> str:
    """The command that builds the networks of a corpus."""
    return f"viva network build --corpus {folder}"


def _read_entry(corpus: Corpus, name: str) -> Row:
    """Manifest entry of a network that is up to date."""
    path = corpus.folder / FOLDER / MANIFEST
    command = command_for(corpus.folder)
    if not path.exists():
        raise StaleError(f"{corpus.folder} has no networks yet. Run: {command}")
    manifest = read_sealed(path, f"Run: {command}")
    entry: Row = manifest["networks"].get(name, {}) if manifest["format"] == FORMAT else {}
    if not entry or entry["inputs"] != inputs_for(corpus, name, prose=entry["prose"]):
        raise StaleError(
            f"The {name} network of {corpus.folder} was built before the corpus or the program "
            f"changed. Run: {command}"
        )
    return entry


def _read(corpus: Corpus, name: str, part: str, entry: Row) -> pa.Table:
    path = corpus.folder / FOLDER / name / f"{part}.parquet"
    if not path.exists() or hash_file(path) != entry["files"][part]["sha256"]:
        raise DamagedError(
            f"{path} is missing or differs from what was written. Run: {command_for(corpus.folder)}"
        )
    return read_file(path)


def _chosen(edges: pa.Table, *, result_like: bool, prose: bool) -> Flags:
    from vivavoce.networks import comparison

    tables = comparison.RESULT_TABLES if result_like else comparison.TABLES
    chosen = numbers_in(flat(edges[tables])) > 0
    if prose:
        chosen = chosen | (numbers_in(flat(edges[comparison.SENTENCES])) > 0)
    return np.asarray(chosen, dtype=np.bool_)


def _inside_of(network: Network) -> Network:
    """Without the external works; they are the last nodes, so no number changes."""
    inside = network.is_inside
    n = int(inside.sum())
    graph = network.graph
    keep = (graph.source < n) & (graph.target < n)
    weight = None if graph.weight is None else graph.weight[keep]
    return Network(
        network.name,
        Graph(n, graph.source[keep], graph.target[keep], weight),
        network.nodes.slice(0, n),
    )
