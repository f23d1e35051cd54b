"""Documents dealt out to the shards of papers that need them.

Where the documents of a shard lie in few files of the imports, they are read from there. Where
they are scattered, reading them so would decode every file for every shard. Then each run of
files is read once, and what it holds is written in the order of the shards, one batch a shard:
two passes over the documents, whatever their order was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.ipc

from vivavoce.corpus.batches import READ, read_tables
from vivavoce.errors import DamagedError
from vivavoce.store import Row, mark_done, write_bytes

Numbers = npt.NDArray[np.int64]

DOCUMENTS_PER_RUN = 4_096
"""A run of files is closed once it holds so many documents."""
MOST_READS = 4.0
"""Documents are dealt out when they would otherwise be decoded more often than this."""
_AT = "at"


class Needed(NamedTuple):
    """Documents of one file that one shard needs."""

    file: int
    shard: int
    rows: Numbers
    """Ascending."""
    at: Numbers
    """Where each stands among the documents of the shard."""


def needs_dealing(needed: Iterable[Needed], sizes: Sequence[int]) -> bool:
    """Whether reading every shard from the imports would decode too much too often.

    Args:
        needed: All that the shards need.
        sizes: How many documents each file holds.
    """
    reads: dict[int, int] = {}
    for need in needed:
        reads[need.file] = reads.get(need.file, 0) + 1
    decoded = sum(sizes[file] * count for file, count in reads.items())
    return decoded > MOST_READS * sum(sizes[file] for file in reads)


def runs_of_files(sizes: Sequence[int], wanted: Iterable[int]) -> list[list[int]]:
    """The files wanted, in runs of at least `DOCUMENTS_PER_RUN` documents but for the last."""
    runs: list[list[int]] = [[]]
    held = 0
    for file in sorted(set(wanted)):
        runs[-1].append(file)
        held += sizes[file]
        if held >= DOCUMENTS_PER_RUN:
            runs.append([])
            held = 0
    return [run for run in runs if run]


def deal(task: Row) -> Row:
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


def read_dealt(path: Path, number: int) -> tuple[pa.RecordBatch, Numbers]:
    """One batch of a file that was dealt, and where its documents stand in the shard.

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
    pieces, start = [], 0
    for batch in read_tables(path, names):
        low, high = np.searchsorted(rows, (start, start + batch.num_rows))
        if high - low == batch.num_rows:
            pieces.append(batch)
        elif high > low:
            pieces.append(batch.take(pa.array(rows[low:high] - start)))
        start += batch.num_rows
        if high == len(rows):
            break
    return pieces


def _split(
    path: Path, needs: Sequence[tuple[int, Numbers, Numbers]]
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """What each shard needs of one file, which is read once."""
    start = 0
    for batch in read_tables(path, READ):
        for shard, rows, at in needs:
            low, high = np.searchsorted(rows, (start, start + batch.num_rows))
            if high > low:
                piece = batch.take(pa.array(rows[low:high] - start))
                yield shard, piece.append_column(_AT, pa.array(at[low:high]))
        start += batch.num_rows


def _in_one(pieces: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    table = pa.Table.from_batches(pieces).combine_chunks()
    (batch,) = table.to_batches()
    return batch
