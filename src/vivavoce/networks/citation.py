"""The citation network: who cites whom, with the works outside the corpus as nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa

from vivavoce.corpus import Corpus
from vivavoce.networks.columns import (
    MISSING,
    Flags,
    Ints,
    as_numbers,
    column,
    flat,
    table_of,
    text_column,
    whole_table,
    widen,
)
from vivavoce.networks.graph import distinct_keys
from vivavoce.networks.merging import MismatchError
from vivavoce.networks.outside import DESCRIBED, SHOWN_TITLE, describe_works, keep_numbers
from vivavoce.networks.papers import (
    number_papers,
    number_sorted_papers,
    read_papers,
    years_of,
)
from vivavoce.networks.pieces import Pieces
from vivavoce.networks.shards import FOLDER, Shard, read_kept, read_shard, shards_of
from vivavoce.networks.works import TELLING, Memo, read_identities, remember

_READ = ["paper_id", "ordinal", *TELLING]


@dataclass(frozen=True, slots=True)
class _Gone:
    """A shard that was read out before and that the corpus does not have any more."""

    shard: Shard
    first: str
    """Its first and its last paper."""
    last: str


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
    with TemporaryDirectory() as folder:
        return citation_tables_of(read_entries(corpus, Pieces(Path(folder), "identities")))


def citation_tables_of(entries: Entries) -> tuple[pa.Table, pa.Table]:
    """The citation network of reference lists already read."""
    source, target = distinct_pairs(entries, np.ones(len(entries.source), dtype=np.bool_))
    return with_nodes(entries, source, target, {})


def read_entries(corpus: Corpus, known: Pieces) -> Entries:
    """The reference lists of a corpus; documents that are no papers have none.

    Args:
        corpus: Whose lists are read.
        known: The identities of references that were read out before; others are kept there.
    """
    papers = read_papers(corpus, "title", "published")
    paper_ids = flat(papers["paper_id"])
    shards = shards_of(corpus, "references")
    gone = _gone_shards(corpus, known, shards)
    empty = whole_table("references", _READ, [])
    nowhere = np.zeros(0, dtype=np.int32)
    lists = [_read_lists(empty, read_identities(empty), text_column([]), nowhere)]
    for shard, cited in zip(shards, _cited_papers(corpus, shards, paper_ids), strict=True):
        references = widen(read_shard(corpus, shard, _READ))
        identities = _identities_of(corpus, shard, references, known, gone)
        lists.append(_read_lists(references, identities, paper_ids, cited))

    def read_again(place: int) -> pa.Table:
        shard = shards[place - 1]
        references = widen(read_shard(corpus, shard, TELLING))
        identities = _identities_of(corpus, shard, references, known, ())
        return identities.append_column(SHOWN_TITLE, flat(references["title"]))

    numbers = zip(*(each for each, _ in lists), strict=True)
    source, ordinal, target = (np.concatenate(each) for each in numbers)
    works, number = describe_works([kept for _, kept in lists], read_again)
    target[target == MISSING] = np.where(number == MISSING, MISSING, number + len(paper_ids))
    shown = [paper_ids, flat(papers["title"]), years_of(flat(papers["published"]))]
    return Entries(
        papers=pa.Table.from_arrays(shown, schema=DESCRIBED),
        works=works,
        source=source,
        ordinal=ordinal,
        target=target,
    )


def _identities_of(
    corpus: Corpus, shard: Shard, references: pa.Table, known: Pieces, gone: Sequence[_Gone]
) -> pa.Table:
    """The identities of a shard's references, read out only where they are not known."""
    identities = known.find(shard.sha256)
    if identities is None or identities.num_rows != references.num_rows:
        identities = read_identities(references, *_remember(corpus, known, gone, references))
        known.keep(shard, identities)
    return identities


def _gone_shards(corpus: Corpus, known: Pieces, shards: Sequence[Shard]) -> list[_Gone]:
    """The shards that were read out before and that the corpus does not have any more."""
    gone = []
    for sha256 in sorted(set(known.shards()) - {shard.sha256 for shard in shards}):
        kept = Shard("", sha256, 0)
        with suppress(MismatchError):
            table = read_kept(corpus.folder / FOLDER, kept, ["paper_id"])
            gone.append(_Gone(kept, *_span_of(table)))
    return gone


def _remember(
    corpus: Corpus, known: Pieces, gone: Sequence[_Gone], references: pa.Table
) -> tuple[Memo | None, Memo | None]:
    """What became of the texts of shards that were cut from the same papers as these references.

    A few shards are in memory at once, however many of a corpus changed.
    """
    first, last = _span_of(references)
    pairs = []
    for shard in (each.shard for each in gone if each.first <= last and first <= each.last):
        piece = known.find(shard.sha256)
        read = read_kept(corpus.folder / FOLDER, shard, TELLING)
        if piece is not None and piece.num_rows == read.num_rows:
            pairs.append((widen(read), piece))
    if not pairs:
        return None, None
    before, identities = zip(*pairs, strict=True)
    return remember(pa.concat_tables(before), pa.concat_tables(identities))


def _span_of(references: pa.Table) -> tuple[str, str]:
    """The first and the last paper of references, of which there is at least one."""
    paper_ids = references["paper_id"]
    return paper_ids[0].as_py(), paper_ids[-1].as_py()


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


def _cited_papers(corpus: Corpus, shards: Sequence[Shard], paper_ids: pa.Array) -> Iterator[Ints]:
    """Of each shard the cited paper of every entry; -1 for what is no paper of the corpus.

    Looking up takes as long as there are papers, so it is done for that many entries at once.
    """
    group: list[pa.Array] = []
    for shard in shards:
        table = widen(read_shard(corpus, shard, ["cited_paper_id"]))
        group.append(flat(table["cited_paper_id"]))
        if sum(map(len, group)) >= len(paper_ids):
            yield from _numbered(group, paper_ids)
            group = []
    if group:
        yield from _numbered(group, paper_ids)


def _numbered(group: Sequence[pa.Array], paper_ids: pa.Array) -> list[Ints]:
    ends = np.cumsum([len(ids) for ids in group])
    return np.split(number_papers(pa.concat_arrays(group), paper_ids), ends[:-1])


def _read_lists(
    references: pa.Table, identities: pa.Table, paper_ids: pa.Array, inside: Ints
) -> tuple[tuple[Ints, Ints, Ints], pa.Table]:
    """Citing paper, place and cited paper of some references; what tells the others apart."""
    source = number_sorted_papers(flat(references["paper_id"]), paper_ids)
    cites = source != MISSING
    outside = np.flatnonzero(cites & (inside == MISSING)).astype(np.int32)
    numbers = source[cites], as_numbers(flat(references["ordinal"]))[cites], inside[cites]
    return numbers, keep_numbers(references, identities, outside)
