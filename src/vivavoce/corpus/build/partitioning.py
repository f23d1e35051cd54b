"""Splitting of papers into shards, and repartitioning of documents to shards.

A shard is a run of papers sorted by id. It starts at a paper whose hash is 0 modulo the mean size,
so the cuts depend only on ids. They are the same on every machine, and do not move if papers are
added elsewhere.

Each run of import files is read once, and its content is written in shard order, one batch per
shard. So two passes over the documents are enough, whatever their order.
"""

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
"""Mean number of papers per shard; a power of two."""
MAX_SHARES = 3
"""Runs longer than this multiple of the mean are split again, four times as finely."""
FIRST = "000000000000"
"""Name of the shard that starts with the first paper."""


class Shard(NamedTuple):
    """A run of papers."""

    name: str
    start: int
    """Index of the shard's first paper among all papers sorted by id."""
    stop: int


def cut_papers(paper_ids: Sequence[str], mean: int | None = None) -> list[Shard]:
    """Split papers, given as sorted ids, into shards of about `mean` papers."""
    mean = mean or MEAN_PAPERS
    if not paper_ids:
        return []
    texts = (paper_id.encode("utf-8", "surrogatepass") for paper_id in paper_ids)
    hashes = [int.from_bytes(hashlib.sha256(text).digest()[:8], "big") for text in texts]
    starts = list(_starts(hashes, 0, len(hashes), mean, MAX_SHARES * mean))
    names = [FIRST if start == 0 else f"{hashes[start]:016x}"[:12] for start in starts]
    return [Shard(*shard) for shard in zip(names, starts, [*starts[1:], len(hashes)], strict=True)]


def _starts(hashes: Sequence[int], start: int, stop: int, modulus: int, most: int) -> Iterator[int]:
    """The starts of the shards in a run, including the start of the run."""
    inner = (number for number in range(start + 1, stop) if hashes[number] % modulus == 0)
    starts = [start, *inner]
    for low, high in zip(starts, [*starts[1:], stop], strict=True):
        if high - low > most and modulus > 1:
            yield from _starts(hashes, low, high, max(modulus // 4, 1), most)
        else:
            yield low


Numbers = npt.NDArray[np.int64]

DOCUMENTS_PER_RUN = 4_096
"""Minimum number of documents in a run of files."""
_SLOT = "at"
_SCHEMA = pa.schema([DOCUMENT.field(name) for name in READ])


class NeededRows(NamedTuple):
    """The documents that one shard needs from one file."""

    file: int
    shard: int
    rows: Numbers
    """Rows in ascending order."""
    slot: Numbers
    """Positions of these documents within the shard."""


def needs_of(
    shard: int, files: npt.NDArray[np.int32], rows: npt.NDArray[np.int32]
) -> Iterator[NeededRows]:
    """Group the documents of a shard by file, given the file and row of each document."""
    order = np.lexsort((rows, files))
    ordered = files[order]
    cuts = [0, *(np.flatnonzero(np.diff(ordered)) + 1).tolist(), len(ordered)]
    for low, high in pairwise(cuts):
        own = order[low:high]
        yield NeededRows(int(ordered[low]), shard, rows[own].astype(np.int64), own)


def runs_of_files(sizes: Sequence[int], wanted: Iterable[int]) -> list[list[int]]:
    """Split needed files into runs of at least `DOCUMENTS_PER_RUN` documents, except the last."""
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
    """Read a run of files and write the documents for each shard.

    Args:
        task: `path` of the file to write, its `config` and `inputs`, and `needed`: a list of
            (path, shard, rows, positions in the shard).
    """
    pieces: dict[int, list[pa.RecordBatch]] = {}
    by_path: dict[str, list[tuple[int, Numbers, Numbers]]] = {}
    for path, shard, rows, slots in task["needed"]:
        need = (shard, np.array(rows, dtype=np.int64), np.array(slots, dtype=np.int64))
        by_path.setdefault(path, []).append(need)
    for path, needs in by_path.items():
        for number, part, piece in _pick(Path(path), [rows for _, rows, _ in needs], READ):
            shard, _, slots = needs[number]
            whole = piece.select(READ).cast(_SCHEMA).append_column(_SLOT, pa.array(slots[part]))
            pieces.setdefault(shard, []).append(whole)
    sink = pa.BufferOutputStream()
    batches = []
    for shard in sorted(pieces):
        [batch] = pa.Table.from_batches(pieces[shard]).combine_chunks().to_batches()
        batches.append(batch)
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(sink, batches[0].schema, options=options) as writer:
        for batch in batches:
            writer.write_batch(batch)
    path = Path(task["path"])
    write_bytes(path, sink.getvalue())
    mark_done(path, config=task["config"], inputs=task["inputs"], extra={})
    return {}


def read_repartitioned(path: Path, number: int) -> tuple[pa.RecordBatch, Numbers]:
    """Read one batch of a repartitioned file, with the positions of its documents in the shard.

    `DamagedError` names a file that cannot be read.
    """
    try:
        with pa.memory_map(str(path)) as source:
            batch = pa.ipc.open_file(source).get_batch(number)
    except (OSError, pa.ArrowException) as error:
        raise DamagedError(f"{path} cannot be read: {error}. Run the command again.") from error
    return batch.drop_columns([_SLOT]), batch.column(_SLOT).to_numpy()


def read_rows(path: Path, rows: Numbers, names: Sequence[str] = READ) -> list[pa.RecordBatch]:
    """Read rows of a file of documents, given in ascending order."""
    return [piece for _, _, piece in _pick(path, [rows], names)]


def _pick(
    path: Path, wanted: Sequence[Numbers], names: Sequence[str]
) -> Iterator[tuple[int, slice, pa.RecordBatch]]:
    """Read rows of a file for several shards in one pass; yield (shard, slice of rows, batch)."""
    start = 0
    for batch in read_tables(path, names):
        for number, rows in enumerate(wanted):
            low, high = np.searchsorted(rows, (start, start + batch.num_rows)).tolist()
            if high > low:
                yield number, slice(low, high), batch.take(pa.array(rows[low:high] - start))
        start += batch.num_rows
