"""Papers cut into shards, and documents repartitioned to the shards that need them.

A shard is a run of papers in the order of their ids. Its first paper is one whose hash hits zero,
so the cuts depend on nothing but the ids. They are the same on every machine, and cuts between
unchanged papers stay where they are when others are added.

Each run of files of the imports is read once, and its content is written in the order of the
shards, one batch a shard: two passes over the documents, whatever their order was.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.ipc

from vivavoce.corpus.reading import READ, read_tables
from vivavoce.corpus.schema import DOCUMENT
from vivavoce.errors import DamagedError
from vivavoce.store import Row, mark_done, write_bytes

MEAN_PAPERS = 2_048
"""Papers of a shard on average; a power of two."""
MAX_SHARES = 3
"""A run of so many times the mean is cut again, four times as finely."""
FIRST = "000000000000"
"""The name of the shard that begins with the first paper, whichever that is."""


class Shard(NamedTuple):
    """A run of papers."""

    name: str
    start: int
    """Number of its first paper, of all sorted by id."""
    stop: int


def cut_papers(paper_ids: Sequence[str], mean: int | None = None) -> list[Shard]:
    """Cut papers, given by their sorted ids, into shards of `mean` papers or so."""
    mean = mean or MEAN_PAPERS
    if not paper_ids:
        return []
    hashes = [_hash(paper_id) for paper_id in paper_ids]
    starts = list(_starts(hashes, 0, len(hashes), mean, MAX_SHARES * mean))
    names = [FIRST if start == 0 else f"{hashes[start]:016x}"[:12] for start in starts]
    return [Shard(*shard) for shard in zip(names, starts, [*starts[1:], len(hashes)], strict=True)]


def _starts(hashes: Sequence[int], start: int, stop: int, modulus: int, most: int) -> Iterator[int]:
    """Start of each shard of a run; the run itself starts one."""
    inner = (number for number in range(start + 1, stop) if hashes[number] % modulus == 0)
    starts = [start, *inner]
    for low, high in zip(starts, [*starts[1:], stop], strict=True):
        if high - low > most and modulus > 1:
            yield from _starts(hashes, low, high, max(modulus // 4, 1), most)
        else:
            yield low


def _hash(paper_id: str) -> int:
    digest = hashlib.sha256(paper_id.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big")


Numbers = npt.NDArray[np.int64]

DOCUMENTS_PER_RUN = 4_096
"""A run of files is closed once it holds so many documents."""
_AT = "at"
_SCHEMA = pa.schema([DOCUMENT.field(name) for name in READ])


class NeededRows(NamedTuple):
    """Documents of one file that one shard needs."""

    file: int
    shard: int
    rows: Numbers
    """Rows in ascending order."""
    slot: Numbers
    """Position of each among the documents of the shard."""


def needs_of(
    shard: int, files: npt.NDArray[np.int32], rows: npt.NDArray[np.int32]
) -> Iterator[NeededRows]:
    """Documents that one shard needs, given the file and the row of each of its documents."""
    order = np.lexsort((rows, files))
    ordered = files[order]
    cuts = [0, *(np.flatnonzero(np.diff(ordered)) + 1).tolist(), len(ordered)]
    for low, high in pairwise(cuts):
        own = order[low:high]
        yield NeededRows(int(ordered[low]), shard, rows[own].astype(np.int64), own)


def runs_of_files(sizes: Sequence[int], wanted: Iterable[int]) -> list[list[int]]:
    """The files wanted, in runs of at least `DOCUMENTS_PER_RUN` documents but for the last."""
    runs: list[list[int]] = [[]]
    documents = 0
    for file in sorted(set(wanted)):
        runs[-1].append(file)
        documents += sizes[file]
        if documents >= DOCUMENTS_PER_RUN:
            runs.append([])
            documents = 0
    return [run for run in runs if run]


def repartition(task: Row) -> Row:
    """Read a run of files and write what the shards need of it.

    Args:
        task: `path` of the file to write, its `config` and `inputs`, and `needed`: (path, shard,
            rows, places) of each need.
    """
    pieces: dict[int, list[pa.RecordBatch]] = {}
    by_path: dict[str, list[tuple[int, Numbers, Numbers]]] = {}
    for path, shard, rows, at in task["needed"]:
        need = (shard, np.array(rows, dtype=np.int64), np.array(at, dtype=np.int64))
        by_path.setdefault(path, []).append(need)
    for path, needs in by_path.items():
        for shard, piece in _split(Path(path), needs):
            pieces.setdefault(shard, []).append(piece)
    sink = pa.BufferOutputStream()
    batches = [_in_one(pieces[shard]) for shard in sorted(pieces)]
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(sink, batches[0].schema, options=options) as writer:
        for batch in batches:
            writer.write_batch(batch)
    path = Path(task["path"])
    write_bytes(path, sink.getvalue())
    mark_done(path, config=task["config"], inputs=task["inputs"], extra={})
    return {}


def read_repartitioned(path: Path, number: int) -> tuple[pa.RecordBatch, Numbers]:
    """One batch of such a file, and the places of its documents in the shard.

    `DamagedError` names a file that cannot be read.
    """
    try:
        with pa.memory_map(str(path)) as source:
            batch = pa.ipc.open_file(source).get_batch(number)
    except (OSError, pa.ArrowException) as error:
        raise DamagedError(f"{path} cannot be read: {error}. Run the command again.") from error
    at = batch.column(_AT).to_numpy()
    return batch.drop_columns([_AT]), at


def read_rows(path: Path, rows: Numbers, names: Sequence[str] = READ) -> list[pa.RecordBatch]:
    """Some rows of a file of documents, given in ascending order."""
    return [piece for _, _, piece in _pick(path, [rows], names)]


def _pick(
    path: Path, wanted: Sequence[Numbers], names: Sequence[str]
) -> Iterator[tuple[int, slice, pa.RecordBatch]]:
    """Rows that several want of a file, which is read once: by whom, and which of theirs."""
    start = 0
    for batch in read_tables(path, names):
        for number, rows in enumerate(wanted):
            low, high = np.searchsorted(rows, (start, start + batch.num_rows)).tolist()
            if high > low:
                yield number, slice(low, high), batch.take(pa.array(rows[low:high] - start))
        start += batch.num_rows


def _split(
    path: Path, needs: Sequence[tuple[int, Numbers, Numbers]]
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Documents that each shard needs of one file, which is read once."""
    for number, part, piece in _pick(path, [rows for _, rows, _ in needs], READ):
        shard, _, at = needs[number]
        yield shard, piece.select(READ).cast(_SCHEMA).append_column(_AT, pa.array(at[part]))


def _in_one(pieces: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    table = pa.Table.from_batches(pieces).combine_chunks()
    (batch,) = table.to_batches()
    return batch
