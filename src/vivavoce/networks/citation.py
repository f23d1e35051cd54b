"""The citation network: who cites whom, with the works outside the corpus as nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.corpus import Corpus
from vivavoce.networks.columns import (
    MISSING,
    Flags,
    Ints,
    as_flags,
    as_numbers,
    column_batches,
    flat,
    sorted_keys,
    widen,
)
from vivavoce.networks.papers import number_papers, read_papers, years_of
from vivavoce.networks.works import COLUMNS, TELLING, identify, read_identities

READS = ("papers", "references")
"""The tables of the corpus that it is made of."""
_SHOWN = {"key": pa.large_string(), "title": pa.large_string(), "year": pa.int32()}


@dataclass(frozen=True, slots=True)
class Entries:
    """The entries of all reference lists in numbers, sorted by paper and place."""

    papers: pa.Table
    """Key, title and year of node 0, 1, ...: the papers of the corpus."""
    works: pa.Table
    """Key, title and year of the nodes after them: works outside the corpus, sorted by key."""
    source: Ints
    """The citing paper."""
    ordinal: Ints
    target: Ints
    """The node of what is cited; -1 for an entry that tells nothing of it."""


def citation_tables(corpus: Corpus) -> tuple[pa.Table, pa.Table]:
    """Nodes, papers before other works, and each distinct edge from the citing to the cited."""
    return citation_tables_of(read_entries(corpus))


def citation_tables_of(entries: Entries) -> tuple[pa.Table, pa.Table]:
    """The citation network of reference lists already read."""
    source, target = distinct_pairs(entries, np.ones(len(entries.source), dtype=np.bool_))
    return with_nodes(entries, source, target, {})


def read_entries(corpus: Corpus) -> Entries:
    """The reference lists of a corpus; documents that are no papers have none."""
    papers = read_papers(corpus, "title", "published")
    paper_ids = flat(papers["paper_id"])
    pieces = [_empty_piece()]
    columns = ["paper_id", "ordinal", "cited_paper_id", *TELLING]
    for batch in column_batches(corpus, "references", columns):
        pieces.append(_read_piece(widen(batch), paper_ids))
    whole = pa.concat_tables(pieces).combine_chunks()
    inside = as_numbers(flat(whole["inside"]))
    works, number = _describe_works(whole.filter(pa.array(inside == MISSING)).combine_chunks())
    target = inside.copy()
    target[inside == MISSING] = np.where(number == MISSING, MISSING, number + len(paper_ids))
    shown = [paper_ids, flat(papers["title"]), years_of(flat(papers["published"]))]
    return Entries(
        papers=pa.table(shown, schema=pa.schema(_SHOWN)),
        works=works,
        source=as_numbers(flat(whole["source"])),
        ordinal=as_numbers(flat(whole["ordinal"])),
        target=target,
    )


def distinct_pairs(entries: Entries, rows: Flags) -> tuple[Ints, Ints]:
    """The distinct (citing, cited) pairs of some entries, sorted, none citing itself."""
    source, target = entries.source[rows], entries.target[rows]
    rows = (target != MISSING) & (source != target)
    n = max(entries.papers.num_rows + entries.works.num_rows, 1)
    pairs = np.unique(source[rows].astype(np.int64) * n + target[rows])
    first, second = np.divmod(pairs, n)
    return first.astype(np.int32), second.astype(np.int32)


def with_nodes(
    entries: Entries, source: Ints, target: Ints, weights: dict[str, Ints]
) -> tuple[pa.Table, pa.Table]:
    """Nodes and edges, without the works that no edge leads to."""
    papers = entries.papers.num_rows
    is_used = np.zeros(papers + entries.works.num_rows, dtype=np.bool_)
    is_used[:papers] = True
    is_used[target] = True
    number = np.cumsum(is_used, dtype=np.int32) - 1
    works = entries.works.filter(pa.array(is_used[papers:]))
    nodes = pa.concat_tables([entries.papers, works]).combine_chunks()
    n = nodes.num_rows
    nodes = nodes.add_column(0, "node", pa.array(np.arange(n, dtype=np.int32)))
    nodes = nodes.append_column("is_external", pa.array(np.arange(n) >= papers))
    return nodes, pa.table({"source": source, "target": number[target], **weights})


def _read_piece(references: pa.Table, paper_ids: pa.Array) -> pa.Table:
    """Numbers and identities of some references."""
    source = number_papers(flat(references["paper_id"]), paper_ids)
    keep = pa.array(source != MISSING)
    kept = references.filter(keep).combine_chunks()
    numbers = {
        "source": source[source != MISSING],
        "ordinal": as_numbers(flat(kept["ordinal"])),
        "inside": number_papers(flat(kept["cited_paper_id"]), paper_ids),
    }
    identities = read_identities(kept)
    shown = {"shown_title": kept["title"], "year": kept["year"]}
    return pa.table({**numbers, **{name: identities[name] for name in COLUMNS}, **shown})


def _empty_piece() -> pa.Table:
    schema = {"paper_id": pa.large_string(), "ordinal": pa.int32()}
    schema |= {"cited_paper_id": pa.large_string(), **dict.fromkeys(TELLING, pa.large_string())}
    empty = pa.schema({**schema, "year": pa.int32()}).empty_table()
    return _read_piece(empty, pa.array([], pa.large_string()))


def _describe_works(entries: pa.Table) -> tuple[pa.Table, Ints]:
    """The works that entries mean, sorted by key, with the title and year first met with each."""
    found, number = sorted_keys(identify(entries))
    columns = {"key": found}
    for name, shown in (("title", "shown_title"), ("year", "year")):
        values = flat(entries[shown])
        tells = (number != MISSING) & as_flags(pc.is_valid(values))
        met, first = np.unique(number[tells], return_index=True)
        row = np.full(len(found), MISSING, dtype=np.int64)
        row[met] = np.flatnonzero(tells)[first]
        columns[name] = values.take(pa.array(row, mask=row == MISSING))
    return pa.table(columns, schema=pa.schema(_SHOWN)), number
