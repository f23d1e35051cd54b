"""Whether a corpus still is what its manifests say."""

from __future__ import annotations

from pathlib import Path

from vivavoce.corpus.imports import list_batches, read_batch
from vivavoce.corpus.reading import Corpus, load_corpus
from vivavoce.errors import DamagedError, StaleError
from vivavoce.store import hash_file, hash_rows, read_parquet


def verify_corpus(folder: Path) -> list[str]:
    """Every problem found in a corpus folder, one line each; empty when it is sound."""
    problems = []
    for batch in list_batches(folder):
        if not batch.is_complete:
            problems.append(f"{batch.folder} is unfinished: run its viva ingest {batch.kind} again")
            continue
        try:
            for _ in read_batch(batch):
                pass
        except DamagedError as error:
            problems.append(str(error))
    try:
        problems += _verify_tables(load_corpus(folder))
    except StaleError as error:
        problems.append(str(error))
    return problems


def _verify_tables(corpus: Corpus) -> list[str]:
    problems = []
    for name, entry in sorted(corpus.manifest["files"].items()):
        path = corpus.folder / "tables" / name
        if not path.exists():
            problems.append(f"{path} is missing: run any viva ingest into the corpus to rebuild it")
        elif hash_file(path) != entry["sha256"] and hash_rows(_rows(path)) != entry["row_hash"]:
            problems.append(f"{path} differs from its manifest: run any viva ingest to rebuild it")
    return problems


def _rows(path: Path) -> list[dict[str, object]]:
    try:
        return read_parquet(path)
    except DamagedError:
        return []
