"""The citation network: who cites whom, with the works outside the corpus as nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from vivavoce.columns import MISSING, Flags, Ints, as_numbers, column, flat, table_of
from vivavoce.corpus import Corpus
from vivavoce.networks.graph import distinct_keys
from vivavoce.networks.tables import (
    number_papers,
    number_sorted_papers,
    read_columns,
    read_papers,
    read_shard,
    whole_table,
    widen,
    years_of,
)
from vivavoce.networks.works import (
    DESCRIBED,
    SHOWN_TITLE,
    TELLING,
    describe_works,
    keep_numbers,
    read_identities,
)

_READ = ["paper_id", "ordinal", *TELLING]


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


def citation_tables(entries: Entries) -> tuple[pa.Table, pa.Table]:
    """Nodes, papers before other works, and each distinct edge from the citing to the cited."""
    source, target = distinct_pairs(entries, np.ones(len(entries.source), dtype=np.bool_))
    return with_nodes(entries, source, target, {})


def read_entries(corpus: Corpus) -> Entries:
    """The reference lists of a corpus; documents that are no papers have none."""
    papers = read_papers(corpus, "title", "first_public")
    paper_ids = flat(papers["paper_id"])
    # Looking up takes as long as there are papers, so it is done for all entries at once.
    cited_ids = read_columns(corpus, "references", ["cited_paper_id"])["cited_paper_id"]
    cited = number_papers(flat(cited_ids), paper_ids)
    del cited_ids
    files = corpus.files("references")
    lists = [_read_lists(whole_table("references", _READ, []), paper_ids, cited[:0])]
    for name in files:
        references = widen(read_shard(corpus, name, _READ))
        own, cited = np.split(cited, [references.num_rows])
        lists.append(_read_lists(references, paper_ids, own))

    def read_again(place: int, rows: Ints) -> pa.Table:
        references = widen(read_shard(corpus, files[place - 1], TELLING)).take(column(rows))
        identities = read_identities(references)
        return identities.append_column(SHOWN_TITLE, flat(references["title"]))

    numbers = zip(*(each for each, _ in lists), strict=True)
    source, ordinal, target = (np.concatenate(each) for each in numbers)
    works, number = describe_works([kept for _, kept in lists], read_again)
    target[target == MISSING] = np.where(number == MISSING, MISSING, number + len(paper_ids))
    shown = [paper_ids, flat(papers["title"]), years_of(flat(papers["first_public"]))]
    return Entries(
        papers=pa.Table.from_arrays(shown, schema=DESCRIBED),
        works=works,
        source=source,
        ordinal=ordinal,
        target=target,
    )


def distinct_pairs(entries: Entries, rows: Flags) -> tuple[Ints, Ints]:
    """The distinct (citing, cited) pairs of some entries, sorted, none citing itself.

    Two arrays of node numbers, one pair at each place; `rows` marks the entries that count.
    """
    source, target = entries.source[rows], entries.target[rows]
    rows = (target != MISSING) & (source != target)
    n = max(entries.papers.num_rows + entries.works.num_rows, 1)
    pairs = distinct_keys(source[rows].astype(np.int64) * n + target[rows])
    first, second = np.divmod(pairs, n)
    return first.astype(np.int32), second.astype(np.int32)


def with_nodes(
    entries: Entries, source: Ints, target: Ints, weights: dict[str, Ints]
) -> tuple[pa.Table, pa.Table]:
    """Nodes and edges, without the works that no edge leads to.

    `source`, `target` and each of the weights have one value for each edge.
    """
    papers = entries.papers.num_rows
    is_used = np.zeros(papers + entries.works.num_rows, dtype=np.bool_)
    is_used[:papers] = True
    is_used[target] = True
    number = np.cumsum(is_used, dtype=np.int32) - 1
    works = entries.works
    if not is_used.all():
        works = works.filter(column(is_used[papers:]))
    nodes = pa.concat_tables([entries.papers, works]).combine_chunks()
    n = nodes.num_rows
    nodes = nodes.add_column(0, "node", column(np.arange(n, dtype=np.int32)))
    nodes = nodes.append_column("is_external", column(np.arange(n) >= papers))
    return nodes, table_of({"source": source, "target": number[target], **weights})


def _read_lists(
    references: pa.Table, paper_ids: pa.Array, inside: Ints
) -> tuple[tuple[Ints, Ints, Ints], pa.Table]:
    """Citing paper, place and cited paper of some references; what tells the others apart."""
    source = number_sorted_papers(flat(references["paper_id"]), paper_ids)
    cites = source != MISSING
    outside = np.flatnonzero(cites & (inside == MISSING)).astype(np.int32)
    numbers = source[cites], as_numbers(flat(references["ordinal"]))[cites], inside[cites]
    return numbers, keep_numbers(references.take(column(outside)), outside)
