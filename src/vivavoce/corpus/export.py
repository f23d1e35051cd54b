"""Corpus tables written for use elsewhere."""

from __future__ import annotations

from pathlib import Path

from vivavoce.corpus.reading import Corpus
from vivavoce.corpus.schema import TABLES
from vivavoce.errors import InputError
from vivavoce.store import write_jsonl, write_parquet


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
