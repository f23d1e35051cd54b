"""Records merged into the tables of a corpus.

The names below load on first use: reading a corpus needs nothing of what builds it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vivavoce.corpus.export import export_table
    from vivavoce.corpus.ingesting import IngestReport, ingest
    from vivavoce.corpus.merge_report import summarise_merges
    from vivavoce.corpus.reading import Corpus, load_corpus
    from vivavoce.corpus.resolution_check import measure_resolution
    from vivavoce.corpus.stats import corpus_stats
    from vivavoce.corpus.verify import verify_corpus

_HOMES = {
    "Corpus": "reading",
    "IngestReport": "ingesting",
    "corpus_stats": "stats",
    "export_table": "export",
    "ingest": "ingesting",
    "load_corpus": "reading",
    "measure_resolution": "resolution_check",
    "summarise_merges": "merge_report",
    "verify_corpus": "verify",
}

__all__ = [
    "Corpus",
    "IngestReport",
    "corpus_stats",
    "export_table",
    "ingest",
    "load_corpus",
    "measure_resolution",
    "summarise_merges",
    "verify_corpus",
]


def __getattr__(name: str) -> Any:
    """Load a public name from the module that defines it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
