"""Records merged into the tables of a corpus."""

from vivavoce.corpus.export import export_table
from vivavoce.corpus.ingest import IngestReport, ingest
from vivavoce.corpus.merge_report import summarise_merges
from vivavoce.corpus.reading import Corpus, load_corpus
from vivavoce.corpus.resolution_check import measure_resolution
from vivavoce.corpus.stats import corpus_stats
from vivavoce.corpus.verify import verify_corpus

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
