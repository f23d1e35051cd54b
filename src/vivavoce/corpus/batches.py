"""The batches of a corpus: what each ingest read, exactly as the source gave it.

`imports/ORDER-KIND-HASH/` is one batch. `plan.json` says what the batch reads and how; a shard is
a Parquet file of documents with a completion marker bound to its content, its config and its
inputs; `complete.json` closes the batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.corpus.schema import DOCUMENT, document_from_row
from vivavoce.errors import DamagedError, StaleError
from vivavoce.records import Document, Fault
from vivavoce.store import DONE_SUFFIX, Row, hash_file, hash_of, read_sealed

if TYPE_CHECKING:
    import pyarrow as pa

PLAN, COMPLETE, MANIFEST = "plan.json", "complete.json", "manifest.json"
"""Files of a batch, and the one that tells what the tables of a corpus were made of."""
_RAW = "raw"
READ = [name for name in DOCUMENT.names if name != _RAW]
"""The columns of a document that tables are made of."""
_ROWS_AT_A_TIME = 1_000
_RAW_ROWS_AT_A_TIME = 64


@dataclass(frozen=True, slots=True)
class Batch:
    """One ingest into a corpus."""

    folder: Path
    plan: Row

    @property
    def is_complete(self) -> bool:
        """True if every shard was written."""
        return (self.folder / COMPLETE).exists()

    @property
    def kind(self) -> str:
        """The source that was read."""
        return str(self.plan["kind"])


def batch_folders(corpus: Path) -> list[Path]:
    """The folder of every batch in the order of ingestion, unfinished ones too."""
    folders = (corpus / "imports").glob("[0-9]*")
    # A folder without anything in it but temporaries was made by an ingest killed at its start.
    begun = (f for f in folders if any(not p.name.startswith(".") for p in f.iterdir()))
    return sorted(begun, key=lambda folder: (len(folder.name.partition("-")[0]), folder.name))


def open_batch(folder: Path) -> Batch:
    """The batch in a folder; `DamagedError` when its plan was altered."""
    kind = folder.name.partition("-")[2].rpartition("-")[0]
    return Batch(folder, read_sealed(folder / PLAN, _remedy(kind)))


def list_batches(corpus: Path) -> list[Batch]:
    """Every batch of a corpus in the order of ingestion, unfinished ones too."""
    return [open_batch(folder) for folder in batch_folders(corpus)]


def imports_fingerprint(batches: Sequence[Batch]) -> str:
    """Hash of the complete imports of a corpus and of the code that reads them."""
    return hash_of([batch.plan for batch in batches if batch.is_complete])


def read_batch(batch: Batch) -> Iterator[Document]:
    """The documents of a complete batch; `DamagedError` names a shard that was altered.

    Their upstream records stay on disk (`raw` is None): `read_raw` reads those.
    """
    for path, _ in sound_shards(batch):
        for row in _read_columns(path, READ):
            yield document_from_row(row)


def read_keys(batch: Batch) -> Iterator[str]:
    """The key of each document of a complete batch, in the order read."""
    for path, _ in sound_shards(batch):
        for row in _read_columns(path, ["key"]):
            yield str(row["key"])


def read_raw(batch: Batch) -> Iterator[tuple[str, str | None]]:
    """(Key, upstream record) of each document of a complete batch, in the order read.

    Raises:
        DamagedError: A shard was altered.
        StaleError: The batch was read before records were kept.
    """
    for path, _ in sound_shards(batch):
        for row in _read_columns(path, ["key", _RAW], _RAW_ROWS_AT_A_TIME):
            if _RAW not in row:
                raise StaleError(
                    f"{batch.folder} was read before upstream records were kept. "
                    f"{_remedy(batch.kind)}"
                )
            yield str(row["key"]), row[_RAW]


def read_faults(batch: Batch) -> list[Fault]:
    """Faults of files that could not be read, in the order of the files."""
    return [Fault(**fault) for _, marker in _shards_of(batch) for fault in marker.get("faults", ())]


def read_doubts(batch: Batch) -> list[Fault]:
    """Files that were read with doubt, each with its reasons, in the order of the files."""
    return [Fault(**doubt) for _, marker in _shards_of(batch) for doubt in marker.get("doubts", ())]


def count_documents(batch: Batch) -> int:
    """Number of documents of a complete batch."""
    return sum(int(marker["n"]) for _, marker in _shards_of(batch))


def sound_shards(batch: Batch) -> Iterator[tuple[Path, Row]]:
    """Each file of a complete batch and its marker; `DamagedError` names one that was altered."""
    for path, marker in _shards_of(batch):
        if not path.exists() or hash_file(path) != marker["sha256"]:
            raise DamagedError(
                f"{path} is missing or differs from what was written. {_remedy(batch.kind)}"
            )
        yield path, marker


def read_tables(
    path: Path, names: Sequence[str], size: int = _ROWS_AT_A_TIME
) -> Iterator[pa.RecordBatch]:
    """A file of documents with those of the columns that it has, a few rows at a time.

    Fields that were added to a column since the file was written are null. `DamagedError` names a
    file that is no Parquet.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            present = [name for name in names if name in file.schema_arrow.names]
            schema = pa.schema([DOCUMENT.field(name) for name in present])
            for batch in file.iter_batches(batch_size=size, columns=present):
                yield batch if batch.schema.equals(schema) else batch.select(present).cast(schema)
    except (OSError, pa.ArrowException) as error:
        raise DamagedError(f"{path} cannot be read as Parquet: {error}") from error


def _read_columns(path: Path, names: Sequence[str], size: int = _ROWS_AT_A_TIME) -> Iterator[Row]:
    """The rows of a file with those of the columns that it has, a few in memory at a time."""
    for batch in read_tables(path, names, size):
        yield from batch.to_pylist()


def _shards_of(batch: Batch) -> list[tuple[Path, Row]]:
    remedy = _remedy(batch.kind)
    return [
        (batch.folder / name, read_sealed(batch.folder / (name + DONE_SUFFIX), remedy))
        for name in read_sealed(batch.folder / COMPLETE, remedy)["shards"]
    ]


def _remedy(kind: str) -> str:
    return f"Ingest the same files again to rebuild it: viva ingest {kind} WHERE"
