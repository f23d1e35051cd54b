"""Assignment of documents to papers, from columns without texts and references.

Documents are blocked by identifiers and titles. Documents that share none of these are separate
papers. The others are merged by the rules in `merge`, in independent groups, a few at a time.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.corpus.build.partitioning import Numbers, read_rows
from vivavoce.corpus.matching import title_key
from vivavoce.corpus.merge import (
    identifiers,
    merge_documents,
    only_names_a_file,
    paper_id_of,
    with_implied,
)
from vivavoce.corpus.reading import Batch, read_tables, sound_shards
from vivavoce.corpus.schema import sort_rows
from vivavoce.records import Author, Document
from vivavoce.sources import completing_kinds, get_source

AT_ONCE = 50_000
"""Maximum number of documents merged at once, unless a single group is larger."""
_KEY_BYTES, _BLOCK_BYTES = 16, 8
"""Sizes of hashes. A collision of keys would merge documents; one of blocks only costs time."""
SLIM = (
    "kind",
    "key",
    "source_file",
    "given_id",
    "arxiv_id",
    "acl_id",
    "doi",
    "source_url",
    "title",
    "published",
    "authors",
)
"""Columns of a document needed for merging."""
_SEEN = tuple(name for name in SLIM if name not in ("published", "authors"))
"""Columns of a document needed for blocking."""


class File(NamedTuple):
    """One file of documents in an import."""

    path: Path
    sha256: str
    n: int
    """Number of documents in the file."""
    batch: Batch


@dataclass(frozen=True, slots=True)
class Identity:
    """Assignment of documents to papers."""

    files: tuple[File, ...]
    places: pa.Table
    """`paper_id`, `file` and `row` of each document of a paper, by paper and precedence."""
    unmatched: tuple[tuple[Batch, Document], ...]
    """Documents that only refer to a file from which no paper came, each with its batch."""
    outside: pa.Table
    """`file` and `row` of completing documents about works outside the corpus."""


def identify(batches: Sequence[Batch]) -> Identity:
    """Find the paper of each document in complete batches."""
    files = tuple(
        File(path, str(marker["sha256"]), int(marker["n"]), batch)
        for batch in batches
        for path, marker in sound_shards(batch)
    )
    scan = _Scan(files)
    ids = np.full(len(scan.file), None, dtype=object)
    place = np.zeros(len(scan.file), dtype=np.int32)
    newest = scan.newest()
    single, groups = (newest[:0], [newest]) if len(newest) <= AT_ONCE else scan.apart(newest)
    alone = single.tolist()
    lone = [index for index in alone if not (scan.only_file[index] or scan.completes[index])]
    ids[lone] = [scan.own_id[index] for index in lone]
    unmatched = [index for index in alone if scan.only_file[index]]
    outside = [index for index in alone if scan.completes[index]]
    for group, documents in scan.load(groups):
        merge = merge_documents(documents, scan.is_metadata, completing_kinds())
        number = {(d.kind, d.key): index for d, index in zip(documents, group, strict=True)}
        for paper in merge.papers:
            for order, document in enumerate(paper.documents):
                index = number[document.kind, document.key]
                ids[index], place[index] = paper.paper_id, order
        unmatched += [number[d.kind, d.key] for d in merge.unmatched]
        outside += [number[d.kind, d.key] for d in merge.outside]
    lonely = np.array(sorted(unmatched), dtype=np.int64)
    every = scan.places(np.arange(len(scan.file)))
    named = every.add_column(0, "paper_id", pa.array(ids, pa.string())).append_column(
        "place", pa.array(place)
    )
    placed = named.filter(pc.is_valid(named["paper_id"]))
    return Identity(
        files=files,
        places=sort_rows(placed, ("paper_id", "place", "file", "row")).drop_columns(["place"]),
        unmatched=tuple(
            (files[scan.file[index]].batch, document)
            for group, documents in scan.load([lonely])
            for index, document in zip(group, documents, strict=True)
        ),
        outside=scan.places(np.array(sorted(outside), dtype=np.int64)),
    )


class _Scan:
    """Facts about all documents for blocking, in columns."""

    def __init__(self, files: Sequence[File]) -> None:
        self.files = files
        self._completing = completing_kinds()
        self.is_metadata = {
            kind: get_source(kind).is_metadata for kind in {file.batch.kind for file in files}
        }
        self.own_id: list[str] = []
        """For each document, the id of its paper if it is not merged."""
        self.only_file: list[bool] = []
        """For each document, True if it only refers to a file."""
        self.completes: list[bool] = []
        """For each document, True if its kind only completes papers."""
        self._digests = bytearray()
        """For each document, the hash of its kind and key, `_KEY_BYTES` long."""
        self._blocks = bytearray()
        """For each document, the hashes of its blocks, `_BLOCK_BYTES` each."""
        self._block_counts: list[int] = []
        counts = []
        for file in files:
            before = len(self.own_id)
            for table in read_tables(file.path, _SEEN):
                for row in table.to_pylist():
                    self._see(Document(**row))
            counts.append(len(self.own_id) - before)
        self.file: Numbers = np.repeat(np.arange(len(counts)), counts)
        starts = np.repeat(np.cumsum([0, *counts])[:-1], counts)
        self.row: Numbers = np.arange(len(self.file)) - starts

    def newest(self) -> Numbers:
        """Numbers of the documents read last for each kind and key."""
        buffers = [None, pa.py_buffer(bytes(self._digests))]
        digests = pa.Array.from_buffers(pa.binary(_KEY_BYTES), len(self.own_id), buffers)
        documents = pa.table({"digest": digests, "number": np.arange(len(digests))})
        last = documents.group_by("digest").aggregate([("number", "max")])
        return np.sort(last["number_max"].to_numpy())

    def apart(self, newest: Numbers) -> tuple[Numbers, list[Numbers]]:
        """Split documents into those without shared blocks, and independent groups of the rest."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        blocks = np.frombuffer(bytes(self._blocks), dtype="<u8")
        holder = np.repeat(np.arange(len(self.own_id)), self._block_counts)
        current = np.zeros(len(self.own_id), dtype=np.bool_)
        current[newest] = True
        blocks, holder = blocks[current[holder]], holder[current[holder]]
        _, code, counts = np.unique(blocks, return_inverse=True, return_counts=True)
        shared = counts[code] > 1
        code, holder = code[shared], holder[shared]
        members, member = np.unique(holder, return_inverse=True)
        size = len(members) + len(counts)
        ones = np.ones(len(code), dtype=np.int8)
        graph = coo_array((ones, (member, len(members) + code)), shape=(size, size)).tocsr()
        label = connected_components(graph, directed=False)[1][: len(members)]
        by_label = members[np.argsort(label, kind="stable")]
        ends = np.cumsum(np.bincount(label)).tolist() if len(label) else []
        groups, start, last = [], 0, 0
        for end in [*ends, None]:
            if last > start and (end is None or end - start > AT_ONCE):
                groups.append(np.sort(by_label[start:last]))
                start = last
            last = end or last
        return np.setdiff1d(newest, members, assume_unique=True), groups

    def load(self, groups: Sequence[Numbers]) -> Iterator[tuple[list[int], list[Document]]]:
        """Load groups of documents: their numbers, and the documents without texts."""
        wanted = np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *groups]))
        pieces = []
        for file in np.unique(self.file[wanted]).tolist():
            rows = self.row[wanted[self.file[wanted] == file]]
            pieces += read_rows(self.files[file].path, rows, SLIM)
        if not pieces:
            return
        slim = pa.Table.from_batches(pieces)
        for group in groups:
            rows = slim.take(pa.array(np.searchsorted(wanted, group))).to_pylist()
            for row in rows:
                row["authors"] = tuple(Author(**author) for author in row["authors"])
            yield group.tolist(), [Document(**row) for row in rows]

    def places(self, numbers: Numbers) -> pa.Table:
        """The `file` and `row` of each of some documents."""
        columns = {"file": self.file[numbers], "row": self.row[numbers]}
        return pa.table({name: places.astype(np.int32) for name, places in columns.items()})

    def _see(self, document: Document) -> None:
        own = identifiers(document)
        blocks = [f"{scheme}\0{value}" for scheme, value in with_implied(own).items()]
        if key := title_key(document.title or ""):
            blocks.append(f"title\0{key}")
        self.own_id.append(paper_id_of([document], [own]))
        self.only_file.append(only_names_a_file(document, self.is_metadata))
        self.completes.append(document.kind in self._completing)
        self._digests += _digest(f"{document.kind}\0{document.key}", _KEY_BYTES)
        for block in blocks:
            self._blocks += _digest(block, _BLOCK_BYTES)
        self._block_counts.append(len(blocks))


def _digest(text: str, size: int) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).digest()
