"""From files to corpus tables: the work of `viva ingest`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vivavoce.corpus.batches import Batch, count_documents, read_faults
from vivavoce.corpus.build import Built, Engine, build_tables
from vivavoce.corpus.imports import File, Progress, find_files, import_files
from vivavoce.errors import InputError
from vivavoce.records import Fault
from vivavoce.sources import ReadOptions, Source, get_source
from vivavoce.store import lock


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did."""

    kind: str
    read: int
    """Documents read from the files."""
    failed: tuple[Fault, ...]
    """Files and rows that did not go in, each with its reason."""
    papers: int
    """Papers of the corpus afterwards."""
    dated: int
    undated: int
    completed: int
    """Papers that this kind and another source both describe."""
    merged: int
    """Papers of the corpus that several documents describe."""
    near_misses: int
    """Documents left apart although they share a title (`viva corpus merges` says why)."""
    results: int
    """Leaderboard entries that the corpus now has from this kind."""
    results_of_papers: int
    """Those of them that are of a paper of the corpus."""
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

    A killed ingest goes on where it stopped and ends with the same bytes.

    Args:
        kind: A source, such as `tei`.
        where: A file, or a folder that is walked for files of this kind.
        corpus: The corpus folder; made when it does not exist.
        options: What to ask of the source.
        fresh: Drop an unfinished ingest of this kind instead of resuming it.
        engine: Where the tables are built; this machine by default.
        progress: Called with (pieces done, pieces in all).

    Raises:
        InputError: No such source, or nothing of its kind at `where`.
        LockedError: Another process holds the corpus.
        VivaError: An unfinished ingest of this kind differs from this one.
    """
    source = get_source(kind)
    options = options or ReadOptions()
    files = find_files(source, where, corpus)
    ignored = _ignored_columns(source, files, options)
    with lock(corpus):
        batch = import_files(corpus, source, files, options, fresh=fresh, progress=progress)
        built = build_tables(corpus, engine)
    return _report(batch, built, ignored)


def _ignored_columns(
    source: Source, files: Sequence[File], options: ReadOptions
) -> tuple[str, ...]:
    """Columns that no file's rows are read from; checks the options before anything is read."""
    if source.ignored_columns is None:
        if options.rename:
            raise InputError(f"{source.kind} has no columns to rename: leave out --map.")
        return ()
    names = (name for _, path in files for name in source.ignored_columns(path, options))
    return tuple(sorted(dict.fromkeys(names)))


def _report(batch: Batch, built: Built, ignored: tuple[str, ...]) -> IngestReport:
    unmatched = [fault for origin, fault in built.unmatched if origin == batch]
    return IngestReport(
        kind=batch.kind,
        read=count_documents(batch) - len(unmatched),
        failed=(*read_faults(batch), *unmatched),
        papers=built.papers,
        dated=built.dated,
        undated=built.papers - built.dated,
        completed=sum(n for kinds, n in built.sources.items() if _completes(batch.kind, kinds)),
        merged=built.merged,
        near_misses=built.near_misses,
        results=built.results[batch.kind],
        results_of_papers=built.results_of_papers[batch.kind],
        ignored_columns=ignored,
    )


def _completes(kind: str, sources: str) -> bool:
    """Whether papers from some sources are known from a kind and another one."""
    kinds = sources.split("+")
    return kind in kinds and len(kinds) > 1
