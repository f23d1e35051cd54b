"""The comparison network: the works that a paper's tables cite."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.columns import MISSING, Ints, as_numbers, flat, numbers_in
from vivavoce.corpus import Corpus
from vivavoce.networks.citation import Entries, distinct_pairs, with_nodes
from vivavoce.networks.tables import column_batches, number_sorted_papers, widen


def comparison_tables(corpus: Corpus, entries: Entries) -> tuple[pa.Table, pa.Table]:
    """Nodes, and edges from the paper with the table to the work its cells or caption cite."""
    cited = np.zeros(len(entries.source), dtype=np.bool_)
    for rows in map(widen, column_batches(corpus, "tables", ["paper_id", "cited"])):
        paper = number_sorted_papers(flat(rows["paper_id"]), flat(entries.papers["key"]))
        lists = flat(rows["cited"])
        citing = paper[numbers_in(pc.list_parent_indices(lists))]
        found = _find_entries(entries, citing, as_numbers(lists.flatten()))
        cited[found[found != MISSING]] = True
    return with_nodes(entries, *distinct_pairs(entries, cited))


def _find_entries(entries: Entries, paper: Ints, ordinal: Ints) -> Ints:
    """The row of the entry at each place of a paper's list; -1 where the list has no such entry."""
    if not len(paper) or not len(entries.source):
        return np.full(len(paper), MISSING, dtype=np.int32)
    span = 1 + max(int(entries.ordinal.max()), int(ordinal.max()), 0)
    known = entries.source.astype(np.int64) * span + entries.ordinal
    wanted = paper.astype(np.int64) * span + ordinal
    row = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    found = (known[row] == wanted) & (paper != MISSING) & (ordinal >= 0)
    return np.where(found, row, MISSING).astype(np.int32)
