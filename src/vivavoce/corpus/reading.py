"""A corpus opened for reading: its batches, and its tables.

The batches hold what each ingest read, exactly as the source gave it. `imports/ORDER-KIND-HASH/` is
one batch. Its `plan.json` says what the batch reads and how. A shard is a Parquet file of documents
with a completion marker bound to the shard's content, config and inputs. `complete.json` is written
when the batch is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.corpus.schema import (
    DOCUMENT,
    TABLES,
    document_from_row,
    paper_from_row,
    section_from_row,
)
from vivavoce.errors import DamagedError, InputError, StaleError
from vivavoce.records import PDF_PARTS, Fault, Paper, Section
from vivavoce.store import (
    DONE_SUFFIX,
    Row,
    hash_file,
    hash_of,
    is_intact,
    read_parquet,
    read_sealed,
    write_jsonl,
    write_parquet,
)
from vivavoce.text.dates import parse_date

if TYPE_CHECKING:
    import pyarrow as pa


PLAN, COMPLETE, MANIFEST = "plan.json", "complete.json", "manifest.json"
"""Two files of a batch, and the file that records what a corpus' tables were built from."""
_RAW = "raw"
READ = [name for name in DOCUMENT.names if name != _RAW]
"""The columns of a document that the tables are built from."""
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
    """The folders of all batches, unfinished ones included, in order of ingestion."""
    folders = (corpus / "imports").glob("[0-9]*")
    # A folder with only temporary files is from an ingest killed at its start.
    begun = (f for f in folders if any(not p.name.startswith(".") for p in f.iterdir()))
    return sorted(begun, key=lambda folder: (len(folder.name.partition("-")[0]), folder.name))


def open_batch(folder: Path) -> Batch:
    """Open the batch in a folder; `DamagedError` if its plan was altered."""
    kind = folder.name.partition("-")[2].rpartition("-")[0]
    return Batch(folder, read_sealed(folder / PLAN, _remedy(kind)))


def list_batches(corpus: Path) -> list[Batch]:
    """All batches of a corpus, unfinished ones included, in order of ingestion."""
    return [open_batch(folder) for folder in batch_folders(corpus)]


def imports_fingerprint(batches: Sequence[Batch]) -> str:
    """Hash of the complete imports of a corpus and of the code that reads them."""
    return hash_of([batch.plan for batch in batches if batch.is_complete])


def read_raw(batch: Batch) -> Iterator[tuple[str, str | None]]:
    """(key, upstream record) of each document in a batch; `DamagedError` if a shard was altered."""
    for row in _rows_of(batch, ["key", _RAW], _RAW_ROWS_AT_A_TIME):
        yield str(row["key"]), row[_RAW]


def read_faults(batch: Batch) -> list[Fault]:
    """Faults for files that could not be read, in file order."""
    return [Fault(**fault) for _, marker in _shards_of(batch) for fault in marker.get("faults", ())]


def read_doubts(batch: Batch) -> list[Fault]:
    """Files whose text was read with doubt, each with the reasons, in file order."""
    return [Fault(**doubt) for _, marker in _shards_of(batch) for doubt in marker.get("doubts", ())]


def count_documents(batch: Batch) -> int:
    """Number of documents in a complete batch."""
    return sum(int(marker["n"]) for _, marker in _shards_of(batch))


def sound_shards(batch: Batch) -> Iterator[tuple[Path, Row]]:
    """Files of a complete batch with their markers; `DamagedError` names an altered file."""
    for path, marker in _shards_of(batch):
        if not is_intact(path, marker["sha256"]):
            raise DamagedError(
                f"{path} is missing or differs from what was written. {_remedy(batch.kind)}"
            )
        yield path, marker


def read_tables(
    path: Path, names: Sequence[str], size: int = _ROWS_AT_A_TIME
) -> Iterator[pa.RecordBatch]:
    """Read the existing columns among `names` from a file of documents, a few rows at a time.

    Fields that were added to a column since the file was written are null. `DamagedError` names a
    file that is not Parquet.
    """
    import pyarrow as pa

    for batch in read_pieces(path, names, size):
        yield batch.cast(pa.schema([DOCUMENT.field(name) for name in batch.schema.names]))


def read_pieces(
    path: Path, names: Sequence[str], size: int = _ROWS_AT_A_TIME
) -> Iterator[pa.RecordBatch]:
    """Read existing columns among `names` of a Parquet file in pieces, or raise `DamagedError`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            present = [name for name in names if name in file.schema_arrow.names]
            for batch in file.iter_batches(batch_size=size, columns=present):
                yield batch.select(present)
    except (OSError, pa.ArrowException) as error:
        raise DamagedError(f"{path} cannot be read as Parquet: {error}") from error


def read_columns(path: Path, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Some columns of a Parquet file, row by row, with only a few rows in memory at a time."""
    for piece in read_pieces(path, names):
        yield from zip(*(column.to_pylist() for column in piece.columns), strict=True)


def _rows_of(batch: Batch, names: Sequence[str], size: int = _ROWS_AT_A_TIME) -> Iterator[Row]:
    """The rows of a complete batch, with the existing columns among `names`."""
    for path, _ in sound_shards(batch):
        for piece in read_tables(path, names, size):
            yield from piece.to_pylist()


def _shards_of(batch: Batch) -> list[tuple[Path, Row]]:
    remedy = _remedy(batch.kind)
    return [
        (batch.folder / name, read_sealed(batch.folder / (name + DONE_SUFFIX), remedy))
        for name in read_sealed(batch.folder / COMPLETE, remedy)["shards"]
    ]


def _remedy(kind: str) -> str:
    return f"Ingest the same files again to rebuild it: viva ingest {kind} WHERE"


REBUILD = "Run any viva ingest of this corpus again to rebuild it."


class Corpus:
    """The tables of a corpus folder, each read on first use; `load_corpus` opens a corpus.

    `folder` is the corpus folder. `manifest` records the number of rows and the hashes of every
    table file.
    """

    def __init__(self, folder: Path, manifest: Row) -> None:
        self.folder = folder
        self.manifest = manifest

    @property
    def fingerprint(self) -> str:
        """Hash of the corpus' content; equal for equal rows."""
        files = self.manifest["files"]
        return hash_of({name: entry["row_hash"] for name, entry in files.items()})

    def rows(self, table: str) -> Iterator[Row]:
        """The rows of a table, sorted by its key.

        Raises:
            InputError: The table does not exist; the message names those that do.
            DamagedError: A file of the table has changed since it was written.
        """
        if table not in TABLES:
            raise InputError(f"There is no table {table!r}. Available: {', '.join(TABLES)}.")
        for name in self.files(table):
            rows = read_parquet(self.sound_path(name))
            yield from map(self._with_work, rows) if table == "papers" else rows

    def columns(self, table: str, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Some columns of a table, row by row; `DamagedError` if a file was altered."""
        for name in self.files(table):
            yield from read_columns(self.sound_path(name), names)

    @cached_property
    def works(self) -> dict[str, Row]:
        """The rows of the table `works`, by paper id."""
        return {row["paper_id"]: row for row in self.rows("works")}

    def date_of_work(self, paper_id: str) -> str | None:
        """First public date that a paper takes from an earlier near copy; None if there is none."""
        day: str | None = self.works.get(paper_id, {}).get("first_public")
        return day

    def _with_work(self, paper: Row) -> Row:
        """Add to a row of `papers` its work and the date taken from near copies."""
        if paper["paper_id"] not in self.works:
            return paper
        known = {"work": self.works[paper["paper_id"]]["work"]}
        if date := self.date_of_work(paper["paper_id"]):
            parsed = parse_date(date) or (None, None)
            names = ("first_public", "first_public_precision", "first_public_from")
            known |= dict(zip(names, (*parsed, "near_copy"), strict=True))
            known["gates"] = [gate for gate in paper["gates"] if gate != "undated"]
        return {**paper, **known}

    def files(self, table: str) -> list[str]:
        """The files of a table in row order, as paths relative to the corpus' folder `tables`."""
        names = [name for name in self.manifest["files"] if name.startswith(f"{table}/")]
        return sorted(names, key=lambda name: (self._places.get(Path(name).stem, -1), name))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.manifest.get("shards", ()))}

    def content_of(self, tables: Iterable[str]) -> str:
        """Hash of the content of some tables, for data derived from them alone."""
        files, read = self.manifest["files"], set(tables)
        read |= {"works"} if "papers" in read else set()
        names = (name for table in sorted(read) for name in self.files(table))
        return hash_of({name: files[name]["row_hash"] for name in names})

    def sound_path(self, name: str) -> Path:
        """Path of a table's file; `DamagedError` if the file has changed since it was written."""
        if problem := self.damage(name):
            raise DamagedError(problem)
        return self.folder / "tables" / name

    def damage(self, name: str) -> str | None:
        """Problem with a file; None if the file is as it was written."""
        path = self.folder / "tables" / name
        if not path.exists():
            return f"{path} is missing. {REBUILD}"
        entry = self.manifest["files"].get(name) or self.manifest["internal"][name]
        if hash_file(path) != entry["sha256"]:
            return f"{path} differs from what was written. {REBUILD}"
        return None

    @cached_property
    def papers(self) -> tuple[Paper, ...]:
        """Every paper, sorted by id."""
        return tuple(paper_from_row(row) for row in self.rows("papers"))

    def sections(self) -> Iterator[tuple[str, tuple[Section, ...]]]:
        """(paper id, sections in order) for every paper with a text, sorted by id."""
        for paper_id, rows in groupby(self.rows("sections"), key=lambda row: str(row["paper_id"])):
            yield paper_id, tuple(section_from_row(row) for row in rows)


def load_corpus(folder: Path | str) -> Corpus:
    """Open a corpus folder.

    Raises:
        InputError: The folder is not a corpus.
        StaleError: An ingest has not been finished, or its tables have not been built.
        DamagedError: The records of an ingest were altered.
    """
    folder = Path(folder)
    batches = list_batches(folder)
    if not batches:
        raise InputError(
            f"{folder} is not a corpus. Make one with: viva ingest KIND WHERE --corpus {folder}"
        )
    path = folder / "tables" / MANIFEST
    manifest = read_sealed(path, REBUILD) if path.exists() else {}
    if manifest.get("imports") != imports_fingerprint(batches):
        kinds = sorted({batch.kind for batch in batches if not batch.is_complete}) or ["KIND"]
        raise StaleError(
            f"An ingest into {folder} was cut short. Run it again to finish it: "
            f"viva ingest {kinds[0]} WHERE --corpus {folder}"
        )
    return Corpus(folder, manifest)


def empty_corpus() -> Corpus:
    """An empty corpus, for rounds without papers."""
    return Corpus(Path(), {"files": {}})


def verify_corpus(folder: Path) -> list[str]:
    """Every problem found in a corpus folder, one line each; empty if the folder is sound."""
    problems = []
    for batch_folder in batch_folders(folder):
        try:
            batch = open_batch(batch_folder)
            if not batch.is_complete:
                problems.append(f"{batch_folder} is unfinished: run its viva ingest again")
                continue
            for _ in map(document_from_row, _rows_of(batch, READ)):
                pass
        except DamagedError as error:
            problems.append(str(error))
    try:
        corpus = load_corpus(folder)
        names = sorted({**corpus.manifest["files"], **corpus.manifest["internal"]})
        problems += filter(None, map(corpus.damage, names))
    except (DamagedError, StaleError) as error:
        problems.append(str(error))
    return list(dict.fromkeys(problems))


def export_table(corpus: Corpus, table: str, out: Path) -> int:
    """Write one table to `.jsonl` or `.parquet` (else `InputError`); return its number of rows.

    In `papers`, `health_parts` says of each part of a PDF whether it is good or doubtful.
    """
    import pyarrow as pa

    if out.suffix not in (".jsonl", ".parquet"):
        raise InputError(f"{out} must end in .jsonl or .parquet.")
    rows, schema = list(corpus.rows(table)), TABLES[table]
    if table == "papers":
        rows = list(map(_with_health_parts, rows))
        parts = pa.struct([(part, pa.string()) for part in PDF_PARTS])
        place = schema.get_field_index("doubts")
        schema = schema.set(place, pa.field("health_parts", parts))
    if out.suffix == ".jsonl":
        write_jsonl(out, rows)
    else:
        write_parquet(out, rows, schema)
    return len(rows)


def _with_health_parts(paper: Row) -> Row:
    """The row with the state of each part, if it was read from a PDF, in place of the doubts."""
    doubts = paper["doubts"] or ()
    states = {part: "doubtful" if part in doubts else "good" for part in PDF_PARTS}
    kept = {name: value for name, value in paper.items() if name != "doubts"}
    return {**kept, "health_parts": states if paper["health"] else None}
