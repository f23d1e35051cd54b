"""Reading of files into a batch of a corpus, shard by shard; a killed batch can be resumed."""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from vivavoce.corpus.build.engine import Engine
from vivavoce.corpus.build.tables import BuildCounts, build_tables
from vivavoce.corpus.reading import (
    COMPLETE,
    PLAN,
    Batch,
    batch_folders,
    count_documents,
    list_batches,
    open_batch,
    read_doubts,
    read_faults,
)
from vivavoce.corpus.schema import DOCUMENT, document_row
from vivavoce.corpus.stats import count_moved, first_dates
from vivavoce.errors import DamagedError, InputError, VivaError
from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions, Source, get_source
from vivavoce.sources.catalogues.decoding import decode_document
from vivavoce.sources.notices import with_status
from vivavoce.store import (
    Row,
    hash_file,
    hash_of,
    lock,
    mark_done,
    read_done,
    write_parquet,
    write_sealed,
)
from vivavoce.text.dates import parse_date
from vivavoce.version import __version__

FILES_PER_SHARD = 16
_DROPPED = ".dropped-"

Progress = Callable[[int, int], None]
"""Called with (pieces done, all pieces)."""
File = tuple[str, Path]
"""A file's name relative to the walked folder, and its path."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A run of pieces written to one file."""

    name: str
    pieces: tuple[Piece, ...]
    inputs: str
    """Hash of the files and bounds of the pieces."""
    refused: Mapping[Path, str]
    """Unreadable files, each with the reason."""
    names: Mapping[Path, str]
    """Names of papers whose own names are not unique, with the folders above."""


def find_files(source: Source, where: Path, corpus: Path) -> list[File]:
    """Find every file of a source's kind at `where`, sorted by name.

    A folder is walked without following links out of it. Files of the corpus are skipped, unless
    the folder lies inside the corpus, such as the folder of fetched texts.
    Raises `InputError` if `where` is missing or has no file of this kind.
    """
    if not source.reads_files:
        return [(str(where), where)]
    files = [
        file for file in files_below(where, corpus) if where.is_file() or source.matches(file[1])
    ]
    if not files:
        raise InputError(f"{where} holds no file of the kind {source.kind!r}: {source.summary}")
    return files


def files_below(where: Path, own: Path) -> list[File]:
    """Every file at `where`, sorted by name; `InputError` if `where` does not exist.

    Files in `own` count only if `where` lies in it.
    """
    if where.is_file():
        return [(where.name, where)]
    if not where.is_dir():
        raise InputError(f"{where} does not exist.")
    root, own = where.resolve(), own.resolve()
    targets = ((path, path.resolve()) for path in sorted(where.rglob("*")) if path.is_file())
    return [
        (path.relative_to(where).as_posix(), path)
        for path, target in targets
        if target.is_relative_to(root)
        and (root.is_relative_to(own) or not target.is_relative_to(own))
    ]


def import_files(
    corpus: Path,
    source: Source,
    files: Sequence[File],
    options: ReadOptions,
    *,
    fresh: bool = False,
    progress: Progress | None = None,
) -> Batch:
    """Read files into a batch, resuming an unfinished one.

    Raises:
        VivaError: An unfinished batch of this kind has another config, other code or other files;
            the message shows the difference.
    """
    shards, inputs = _cut(source, files)
    config: Row = {
        "code": __version__,
        "reader": source.reader_version,
        "rename": dict(sorted(options.rename.items())),
    }
    batch = _open_batch(corpus, source.kind, config, inputs, fresh=fresh)
    done, total = 0, sum(len(shard.pieces) for shard in shards)
    for shard in shards:
        path = batch.folder / shard.name
        if read_done(path, config=hash_of(config), inputs=shard.inputs) is None:
            _write_shard(path, shard, source, options, hash_of(config))
        done += len(shard.pieces)
        if progress:
            progress(done, total)
    write_sealed(batch.folder / COMPLETE, {"shards": [shard.name for shard in shards]})
    return batch


def _cut(source: Source, files: Sequence[File]) -> tuple[list[Shard], list[Row]]:
    """Cut files into shards; also return one row per file with its name and hash."""
    inputs: list[Row] = []
    refused: dict[Path, str] = {}
    groups: list[list[tuple[Piece, Row]]] = [[]]
    first: dict[str, str] = {}
    names: dict[Path, str] = {}
    count = Counter(source.name_of(path) for _, path in files)
    for name, path in files:
        known_as = source.name_of(path)
        if source.parts is not None and count[known_as] > 1:
            # Many papers are in a folder called `paper`: the folders above tell them apart.
            own = [p for p in (Path(name), *Path(name).parents) if p.name == known_as]
            names[path] = known_as = "-".join(own[0].parts) if own else known_as
        entry = {"file": _utf8(name), "name": _utf8(known_as), "sha256": ""}
        inputs.append(entry)
        namesake = first.setdefault(known_as, entry["file"])
        if entry["file"] != name:
            refused[path] = "the name of the file is not UTF-8: rename it"
        elif namesake != name and not source.holds_many:
            # If each file is one paper, the file's name identifies the paper.
            refused[path] = f"{name} has the same name as {namesake}: rename one of them"
        if source.reads_files:
            try:
                if source.parts is None:
                    entry["sha256"] = hash_file(path)
                else:
                    parts = {p.as_posix(): hash_file(path.parent / p) for p in source.parts(path)}
                    entry["sha256"] = hash_of(parts)
            except OSError as error:
                part = Path(error.filename or path).name
                refused[path] = f"{part} cannot be read: {error.strerror}"
        for piece in source.pieces(path):
            if piece.start or piece.stop is not None or len(groups[-1]) >= FILES_PER_SHARD:
                groups.append([])
            groups[-1].append((piece, {**entry, "start": piece.start, "stop": piece.stop}))
    shards = [
        Shard(
            name=f"{index:05d}.parquet",
            pieces=tuple(piece for piece, _ in group),
            inputs=hash_of([entry for _, entry in group]),
            refused=refused,
            names=names,
        )
        for index, group in enumerate(filter(None, groups))
    ]
    return shards, inputs


def _open_batch(corpus: Path, kind: str, config: Row, inputs: list[Row], *, fresh: bool) -> Batch:
    """Choose the batch to fill: an unfinished one, the newest of its kind if equal, or a new."""
    wanted = {"kind": kind, "config": config, "inputs": inputs}
    suffix = f"-{kind}-{hash_of(wanted)[:8]}"
    fresh_kind = kind if fresh else ""
    for leftover in (corpus / "imports").glob(f"{_DROPPED}*"):
        shutil.rmtree(leftover)
    for folder in batch_folders(corpus):
        try:
            open_batch(folder)
        except DamagedError:
            if folder.name.endswith(suffix) or (fresh_kind and f"-{fresh_kind}-" in folder.name):
                _drop(folder)
    same_kind = [batch for batch in list_batches(corpus) if batch.kind == kind]
    for batch in same_kind:
        if batch.is_complete or fresh:
            continue
        differences = _differences(batch.plan, wanted)
        if not differences:
            return batch
        raise VivaError(
            f"An unfinished ingest of {kind} in {batch.folder} differs from this one:\n"
            + "\n".join(f"  {line}" for line in differences)
            + "\nRun the earlier command again to finish it, or add --fresh to drop it."
        )
    equal = [batch for batch in same_kind if not _differences(batch.plan, wanted)]
    if not fresh and equal and equal[-1] is same_kind[-1]:
        return equal[-1]
    for batch in same_kind:
        if batch in equal or not batch.is_complete:
            # The files of this batch are read again now, so nothing is lost and no damage remains.
            _drop(batch.folder)
    order = 1 + max((int(batch.plan["order"]) for batch in list_batches(corpus)), default=0)
    plan = {**wanted, "order": order}
    folder = corpus / "imports" / f"{order:04d}{suffix}"
    write_sealed(folder / PLAN, plan)
    return Batch(folder, plan)


def _drop(folder: Path) -> None:
    """Remove a batch; a kill meanwhile never leaves part of the batch under its old name."""
    shutil.rmtree(folder.rename(folder.with_name(_DROPPED + folder.name)))


def _write_shard(
    path: Path, shard: Shard, source: Source, options: ReadOptions, config: str
) -> None:
    rows: list[Row] = []
    faults: list[Row] = []
    doubts: list[Row] = []
    for piece in shard.pieces:
        name = shard.names.get(piece.path)
        if reason := shard.refused.get(piece.path):
            where = _utf8(name or source.name_of(piece.path))
            faults.append({"where": where, "reason": reason})
            continue
        for item in source.read(piece, options):
            if isinstance(item, Fault):
                faults.append(asdict(replace(item, where=name) if name else item))
            else:
                named = replace(item, key=name, source_file=name) if name else item
                plain = decode_document(named) if source.is_metadata else named
                rows.append(document_row(with_status(plain)))
                if reasons := [*named.health_reasons, *_left_out(plain)]:
                    doubts.append({"where": named.key, "reason": "; ".join(reasons)})
    write_parquet(path, rows, DOCUMENT)
    extra = {"faults": faults, "doubts": doubts, "n": len(rows)}
    mark_done(path, config=config, inputs=shard.inputs, extra=extra)


def _left_out(document: Document) -> Iterator[str]:
    """Reasons why a date or an author of a document is not used."""
    date = document.published
    if date and parse_date(date) is None:
        yield f"the date {date[:40]!r} is left out: it is not YYYY-MM-DD, YYYY-MM or YYYY"
    if not all(author.name.strip() for author in document.authors):
        yield "an author without a name is left out"


def _differences(old: Row, new: Row) -> list[str]:
    """Differences between two plans, one line each."""
    lines = [
        f"{name}: {old['config'].get(name) or 'none'} -> {new['config'].get(name) or 'none'}"
        for name in sorted({*old["config"], *new["config"]})
        if old["config"].get(name) != new["config"].get(name)
    ]
    before = {entry["file"]: entry["sha256"] for entry in old["inputs"]}
    after = {entry["file"]: entry["sha256"] for entry in new["inputs"]}
    changes = {
        "added": sorted(after.keys() - before.keys()),
        "gone": sorted(before.keys() - after.keys()),
        "changed": sorted(f for f in after.keys() & before.keys() if after[f] != before[f]),
    }
    lines += [
        f"files {change}: {len(files)} (such as {files[0]})"
        for change, files in changes.items()
        if files
    ]
    return lines


def _utf8(name: str) -> str:
    """Make a file name valid UTF-8, whatever its bytes."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class IngestReport:
    """Counts of an ingest."""

    kind: str
    read: int
    """Number of documents read from the files."""
    failed: tuple[Fault, ...]
    """Files and rows that were not read, each with its reason."""
    doubtful: tuple[Fault, ...]
    """Files that were read with doubt, each with its reasons."""
    papers: int
    """Number of papers in the corpus afterwards."""
    dated: int
    undated: int
    completed: int
    """Number of papers described both by this kind and by another source."""
    merged: int
    """Number of papers in the corpus described by several documents."""
    results: int
    """Number of leaderboard entries from this kind that the corpus now has."""
    results_of_papers: int
    """Number of these entries that belong to papers of the corpus."""
    moved: int
    """Number of papers that had another first public date before."""
    ignored_columns: tuple[str, ...]
    """Columns of the files that were not read."""


def ingest(
    kind: str,
    where: Path,
    corpus: Path,
    *,
    options: ReadOptions | None = None,
    fresh: bool = False,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> IngestReport:
    """Read every file of a kind into a corpus and rebuild its tables.

    A killed ingest resumes where it stopped and ends with the same bytes.

    `fresh` drops an unfinished ingest of this kind instead of resuming it.

    Raises:
        InputError: The source does not exist, or `where` has no file of its kind.
        LockedError: Another process has locked the corpus.
        VivaError: An unfinished ingest of this kind differs from this one.
    """
    files = {kind: find_files(get_source(kind), where, corpus)}
    return ingest_files(
        files, corpus, options=options, fresh=fresh, engine=engine, progress=progress
    )[0]


def ingest_files(
    files: Mapping[str, Sequence[File]],
    corpus: Path,
    *,
    options: ReadOptions | None = None,
    fresh: bool = False,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> list[IngestReport]:
    """Read files of several kinds into a corpus, rebuild its tables once, and report each kind.

    The other arguments and the errors are those of `ingest`.
    """
    options = options or ReadOptions()
    kinds = [(get_source(kind), paths) for kind, paths in files.items()]
    ignored = [source.list_ignored(paths, options) for source, paths in kinds]
    with lock(corpus):
        before = first_dates(corpus)
        batches = [
            import_files(corpus, *kind, options, fresh=fresh, progress=progress) for kind in kinds
        ]
        built = build_tables(corpus, engine)
        moved = count_moved(before, first_dates(corpus))
    return [
        _report(batch, built, moved, columns)
        for batch, columns in zip(batches, ignored, strict=True)
    ]


def _report(batch: Batch, built: BuildCounts, moved: int, ignored: tuple[str, ...]) -> IngestReport:
    unmatched = [fault for origin, fault in built.unmatched if origin == batch]
    return IngestReport(
        kind=batch.kind,
        read=count_documents(batch) - len(unmatched),
        failed=(*read_faults(batch), *unmatched),
        doubtful=tuple(read_doubts(batch)),
        papers=built.papers,
        dated=built.dated,
        undated=built.papers - built.dated,
        completed=sum(
            n for kinds, n in built.sources.items() if {batch.kind} < {*kinds.split("+")}
        ),
        merged=built.merged,
        results=built.results[batch.kind],
        results_of_papers=built.results_of_papers[batch.kind],
        moved=moved,
        ignored_columns=ignored,
    )
