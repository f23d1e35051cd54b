"""A corpus opened for reading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import groupby
from pathlib import Path

from vivavoce.corpus.batches import (
    MANIFEST,
    batch_folders,
    imports_fingerprint,
    list_batches,
    open_batch,
    read_batch,
)
from vivavoce.corpus.schema import TABLES, paper_from_row, section_from_row
from vivavoce.errors import DamagedError, InputError, StaleError
from vivavoce.records import Paper, Section
from vivavoce.store import (
    Row,
    hash_file,
    hash_of,
    read_parquet,
    read_sealed,
    write_jsonl,
    write_parquet,
)
from vivavoce.text.dates import parse_date

REBUILD = "Run any viva ingest of this corpus again to rebuild it."


class Corpus:
    """The tables of a corpus folder, each read when first asked for; `load_corpus` opens one.

    `folder` is where it lies, `manifest` what was written down of it: of every file of a table its
    rows and hashes.
    """

    def __init__(self, folder: Path, manifest: Row) -> None:
        self.folder = folder
        self.manifest = manifest

    @property
    def fingerprint(self) -> str:
        """Hash of the corpus' content; the same for the same rows."""
        files = self.manifest["files"]
        return hash_of({name: entry["row_hash"] for name, entry in files.items()})

    def rows(self, table: str) -> Iterator[Row]:
        """The rows of a table, sorted by its key.

        Raises:
            InputError: No such table; the message names those there are.
            DamagedError: A file of the table is not as it was written.
        """
        if table not in TABLES:
            raise InputError(f"No table is called {table!r}. There are: {', '.join(TABLES)}.")
        for name in self.files(table):
            rows = read_parquet(self.sound_path(name))
            yield from map(self._with_work, rows) if table == "papers" else rows

    @cached_property
    def works(self) -> dict[str, Row]:
        """Rows of the table `works` by paper id."""
        return {row["paper_id"]: row for row in self.rows("works")}

    def date_of_work(self, paper_id: str) -> str | None:
        """The first public date of a paper by an earlier near copy; None where it has none."""
        found: str | None = self.works.get(paper_id, {}).get("first_public")
        return found

    def _with_work(self, paper: Row) -> Row:
        """A row of `papers` with what near copies tell of it."""
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
        """The files of a table in the order of its rows, below the corpus' folder `tables`."""
        names = [name for name in self.manifest["files"] if name.startswith(f"{table}/")]
        return sorted(names, key=lambda name: (self._places.get(Path(name).stem, -1), name))

    @cached_property
    def _places(self) -> dict[str, int]:
        """The place of each shard of papers."""
        return {name: place for place, name in enumerate(self.manifest.get("shards", ()))}

    def content_of(self, tables: Iterable[str]) -> str:
        """Hash of the content of some tables: what is made of them alone is bound to it."""
        files, read = self.manifest["files"], set(tables)
        read |= {"works"} if "papers" in read else set()
        names = (name for table in sorted(read) for name in self.files(table))
        return hash_of({name: files[name]["row_hash"] for name in names})

    def damages(self) -> Iterator[str]:
        """Problems with any file that the tables were written to or will be updated from."""
        names = {**self.manifest["files"], **self.manifest.get("internal", {})}
        return (problem for name in sorted(names) if (problem := self.damage(name)))

    def sound_path(self, name: str) -> Path:
        """Path of a file of a table; `DamagedError` when it is not as it was written."""
        if problem := self.damage(name):
            raise DamagedError(problem)
        return self.folder / "tables" / name

    def damage(self, name: str) -> str | None:
        """Problem with a file; None when it is as it was written."""
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
        """(paper id, its sections in order) of every paper that has a text, sorted by id."""
        for paper_id, rows in groupby(self.rows("sections"), key=lambda row: str(row["paper_id"])):
            yield paper_id, tuple(section_from_row(row) for row in rows)


def load_corpus(folder: Path | str) -> Corpus:
    """Open a corpus folder.

    Raises:
        InputError: The folder is not a corpus.
        StaleError: An ingest has not been finished, or its tables have not been built.
        DamagedError: What an ingest wrote down about itself was altered.
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


def verify_corpus(folder: Path) -> list[str]:
    """Every problem found in a corpus folder, one line each; empty when it is sound."""
    problems = []
    for batch_folder in batch_folders(folder):
        try:
            batch = open_batch(batch_folder)
            if not batch.is_complete:
                problems.append(f"{batch_folder} is unfinished: run its viva ingest again")
                continue
            for _ in read_batch(batch):
                pass
        except DamagedError as error:
            problems.append(str(error))
    try:
        problems += load_corpus(folder).damages()
    except (DamagedError, StaleError) as error:
        problems.append(str(error))
    return list(dict.fromkeys(problems))


def export_table(corpus: Corpus, table: str, out: Path) -> int:
    """Write one table to a `.jsonl` or `.parquet` file; return its number of rows.

    Raises:
        InputError: No such table, or another suffix.
    """
    if out.suffix not in (".jsonl", ".parquet"):
        raise InputError(f"{out} must end in .jsonl or .parquet.")
    rows = list(corpus.rows(table))
    if out.suffix == ".jsonl":
        write_jsonl(out, rows)
    else:
        write_parquet(out, rows, TABLES[table])
    return len(rows)
