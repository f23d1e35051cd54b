"""Corpus tables out of imports: merge, roles, references, dates and gates, shard by shard."""

from vivavoce.corpus.build.engine import Engine
from vivavoce.corpus.build.identity import index_papers, merge_imports
from vivavoce.corpus.build.parts import text_document
from vivavoce.corpus.build.tables import Built, build_tables
from vivavoce.corpus.ingestion.batches import MANIFEST, imports_fingerprint

__all__ = [
    "MANIFEST",
    "Built",
    "Engine",
    "build_tables",
    "imports_fingerprint",
    "index_papers",
    "merge_imports",
    "text_document",
]
