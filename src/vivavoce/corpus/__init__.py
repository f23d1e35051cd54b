"""The corpus: records merged into tables.

The names below load on first use, so reading a corpus does not import the build.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vivavoce.corpus.ingestion.imports import IngestReport as IngestReport
    from vivavoce.corpus.ingestion.imports import ingest as ingest
    from vivavoce.corpus.reading import Corpus as Corpus
    from vivavoce.corpus.reading import export_table as export_table
    from vivavoce.corpus.reading import load_corpus as load_corpus
    from vivavoce.corpus.reading import verify_corpus as verify_corpus
    from vivavoce.corpus.stats import corpus_stats as corpus_stats

_HOMES = {
    "Corpus": "reading",
    "IngestReport": "ingestion.imports",
    "corpus_stats": "stats",
    "export_table": "reading",
    "ingest": "ingestion.imports",
    "load_corpus": "reading",
    "verify_corpus": "reading",
}


def __getattr__(name: str) -> Any:
    """Load a public name from the module that defines it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
