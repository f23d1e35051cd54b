"""The citation network of a small corpus, not written down."""

from __future__ import annotations

import pyarrow as pa

from vivavoce.corpus import Corpus
from vivavoce.networks.citation import citation_tables, read_entries
from vivavoce.networks.kept import Kept


def citation_tables_of(corpus: Corpus) -> tuple[pa.Table, pa.Table]:
    """Nodes and edges."""
    return citation_tables(read_entries(corpus, Kept(corpus.folder / "networks" / "references")))
