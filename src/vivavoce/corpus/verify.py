"""Whether a corpus still is what its manifests say."""

from __future__ import annotations

from pathlib import Path

from vivavoce.corpus.batches import batch_folders, open_batch, read_batch
from vivavoce.corpus.reading import load_corpus
from vivavoce.errors import DamagedError, StaleError


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
