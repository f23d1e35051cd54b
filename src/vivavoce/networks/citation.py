"""The citation network: an edge from each paper to each work that it cites.

The comparison network has only the edges for works cited in a table or its caption.

Works outside the corpus are nodes too. Entries of reference lists with the same identity are one
work. The identity is the arXiv id, else the DOI, else the normalised title with the year, else the
normalised text of the entry; an entry with none of these is no work. A weaker identity is replaced
by the stronger identity that occurs with it in other entries, if these all agree. So a title cited
once with its DOI and once without it is one work.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.columns import (
    MISSING,
    Flags,
    Ints,
    Longs,
    as_flags,
    as_numbers,
    flat,
    numbers_in,
    prefixed,
    text_column,
    text_scalar,
    without_null,
)
from vivavoce.corpus import Corpus
from vivavoce.networks.graph import pair_keys, pairs_of
from vivavoce.networks.tables import (
    column_batches,
    number_papers,
    number_sorted_papers,
    read_columns,
    read_papers,
    read_shard,
    whole_table,
    widen,
)
from vivavoce.text.identifiers import ids_in_doi
from vivavoce.text.normalise import normalise_title
from vivavoce.text.shingles import distinct

TELLING = ["title", "year", "arxiv_id", "doi", "raw"]
"""Columns of a reference that identify the cited work."""
COLUMNS = ["arxiv", "doi", "title", "name", "text"]
"""Columns of identities, strongest first; `name` is the title without the year."""
_ARXIV, _DOI, _TITLE, _TEXT = "arxiv:", "doi:", "title:", "text:"


def read_identities(references: pa.Table) -> pa.Table:
    """Identities of each reference, in `COLUMNS`; `text` is set only if no other one is known.

    `references` must have the columns `TELLING`.
    """
    doi = pc.utf8_lower(pc.utf8_trim_whitespace(flat(references["doi"])))
    inside = _mapped(doi, lambda value: ids_in_doi(value).get("arxiv"))
    arxiv = prefixed(_ARXIV, pc.coalesce(flat(references["arxiv_id"]), inside))
    doi = prefixed(_DOI, pc.if_else(pc.is_valid(inside), text_scalar(None), doi))
    year = without_null(flat(references["year"]).cast(pa.large_string()))
    name = _mapped(flat(references["title"]), lambda text: _labelled(_TITLE, text))
    title = pc.binary_join_element_wise(name, year, text_scalar("|"))
    known = pc.is_valid(pc.coalesce(arxiv, doi, title))
    raw = pc.if_else(known, text_scalar(None), flat(references["raw"]))
    text = _mapped(raw, lambda value: _labelled(_TEXT, value))
    return pa.Table.from_arrays([arxiv, doi, title, name, text], names=COLUMNS)


def identify(arxiv: Ints, doi: Ints, title: Ints, name: Ints, text: Ints) -> Ints:
    """Find the strongest identity of each reference's work; -1 if there is none.

    Identities are numbers, with -1 for none; no number occurs in two columns.
    """
    by_id = _coalesce(arxiv, _strengthen(doi, arxiv, doi))
    return _coalesce(_coalesce(by_id, _strengthen(title, by_id, name)), text)


def _strengthen(weak: Ints, strong: Ints, label: Ints) -> Ints:
    """Replace each weak identity with the only strong identity that occurs with it.

    A faulty entry may mix two works: the title of one with the id of the other. So an entry's label
    must be the most frequent label that occurs with the strong identity.
    """
    # The only strong identity that occurs with each weak one; -1 for several or none.
    count = int(weak.max(initial=0)) + 1
    first, partner, _ = _partners(weak, strong)
    only = np.full(count, MISSING, dtype=np.int32)
    only[first] = partner
    only[np.bincount(first, minlength=count) != 1] = MISSING
    usual = _usual_partner(strong, label, int(strong.max(initial=0)) + 1)
    chosen = np.full(len(weak), MISSING, dtype=np.int32)
    chosen[weak != MISSING] = only[weak[weak != MISSING]]
    known = chosen != MISSING
    chosen[known] = np.where(usual[chosen[known]] == label[known], chosen[known], MISSING)
    return _coalesce(chosen, weak)


def _coalesce(first: Ints, other: Ints) -> Ints:
    return np.where(first == MISSING, other, first)


def _usual_partner(left: Ints, right: Ints, count: int) -> Ints:
    """The right number that occurs most often with each left number; -1 for a tie or none."""
    first, second, rows = _partners(left, right)
    most = np.zeros(count, dtype=np.int64)
    np.maximum.at(most, first, rows)
    best = rows == most[first]
    usual = np.full(count, MISSING, dtype=np.int32)
    usual[first[best]] = second[best]
    usual[np.bincount(first[best], minlength=count) != 1] = MISSING
    return usual


def _partners(left: Ints, right: Ints) -> tuple[Ints, Ints, Longs]:
    """Distinct pairs of left and right numbers, each with its number of rows."""
    both = (left != MISSING) & (right != MISSING)
    width = int(right.max(initial=0)) + 1
    pairs, rows = np.unique(pair_keys(left[both], right[both], width), return_counts=True)
    return *pairs_of(pairs, width), rows


def _labelled(label: str, text: str) -> str | None:
    """The label followed by the normalised text; None if the text normalises to nothing."""
    normal = normalise_title(text)
    return label + normal if normal else None


def _mapped(texts: pa.Array, change: Callable[[str], str | None]) -> pa.Array:
    """Apply a function to each text, only once for equal texts; an empty result becomes null."""
    encoded = pc.dictionary_encode(texts)
    changed = text_column([change(text) or None for text in encoded.dictionary.to_pylist()])
    return changed.take(encoded.indices)


SHOWN_TITLE = "shown_title"
"""Column for the title as an entry prints it."""
DESCRIBED = pa.schema({"key": pa.large_string(), "title": pa.large_string(), "year": pa.int32()})
"""Columns that describe a work."""
Read = Callable[[int, Ints], pa.Table]
"""Function from a shard's index and rows to these references' identities and `SHOWN_TITLE`."""
_HASH_BYTES = 16
"""Size of a hash in bytes, large enough that no two works collide."""


def keep_numbers(references: pa.Table, row: Ints) -> pa.Table:
    """Compact columns of references to keep in memory; `row` holds their rows in the shard."""
    identities = read_identities(references)
    titled = as_flags(pc.is_valid(flat(references["title"])))
    shown = {"row": row, "year": flat(references["year"]), "titled": titled}
    return pa.table(shown | {name: _hashed(flat(identities[name])) for name in COLUMNS})


def describe_works(kept: Sequence[pa.Table], read: Read) -> tuple[pa.Table, Ints]:
    """Describe the works that entries cite, sorted by key, with the first title and year of each.

    Returns:
        The works, and for each entry the index of its work; -1 for none.
    """
    starts = np.cumsum([0, *(piece.num_rows for piece in kept)], dtype=np.int64)
    whole = pa.concat_tables(kept)
    count, number, first, shown_in = _tell_apart(whole.select(COLUMNS))
    row, titled, year = as_numbers(whole["row"]), as_flags(whole["titled"]), flat(whole["year"])
    del whole
    first_titled = _first_of_each(number, titled, count)
    first_dated = _first_of_each(number, as_flags(pc.is_valid(year)), count)
    wanted = [_wanted(name, first, shown_in == place) for place, name in enumerate(COLUMNS)]
    wanted.append(_wanted(SHOWN_TITLE, first_titled, first_titled != MISSING))
    texts: list[list[pa.Array]] = [[] for _ in wanted]
    for place in range(len(starts) - 1):
        bounds = starts[place : place + 2]
        spans = [slice(*np.searchsorted(entries, bounds)) for _, _, entries in wanted]
        if all(span.start == span.stop for span in spans):
            continue
        rows = [row[entries[span]] for (_, _, entries), span in zip(wanted, spans, strict=True)]
        needed = np.unique(np.concatenate(rows))
        shard = read(place, needed)
        for (name, _, _), some, pieces in zip(wanted, rows, texts, strict=True):
            pieces.append(flat(shard[name]).take(pa.array(np.searchsorted(needed, some))))
    *keys, titles = texts
    key = pa.concat_arrays([text_column([]), *chain.from_iterable(keys)])
    title = pa.concat_arrays([text_column([]), *titles])
    del keys, titles
    order = numbers_in(pc.sort_indices(key))
    sorted_works = np.concatenate([works for _, works, _ in wanted[:-1]])[order]
    key = key.take(pa.array(order))
    position = np.full(count, MISSING, dtype=np.int32)
    position[wanted[-1][1]] = np.arange(len(title), dtype=np.int32)
    described = [key, _take(title, position[sorted_works]), _take(year, first_dated[sorted_works])]
    rank = np.full(count + 1, MISSING, dtype=np.int32)
    rank[sorted_works] = np.arange(count, dtype=np.int32)
    return pa.Table.from_arrays(described, schema=DESCRIBED), rank[number]


def _hashed(texts: pa.Array) -> pa.Array:
    """Dictionary-encoded hashes of texts."""
    encoded = pc.dictionary_encode(texts)
    distinct = encoded.dictionary.cast(pa.large_binary()).to_pylist()
    digests = [hashlib.blake2b(text, digest_size=_HASH_BYTES).digest() for text in distinct]
    hashes = pa.array(digests, pa.binary(_HASH_BYTES))
    return pa.DictionaryArray.from_arrays(encoded.indices, hashes)


def _tell_apart(hashes: pa.Table) -> tuple[int, Ints, Ints, Ints]:
    """Count the works, and number the work of each entry, in arbitrary order.

    Also returned for each work: the first entry that shows its key, and the position of the key's
    column in `COLUMNS`.
    """
    codes, ends = [], [0]
    for name in hashes.column_names:
        encoded = flat(hashes[name].unify_dictionaries())
        code = as_numbers(encoded.indices)
        codes.append(np.where(code == MISSING, code, code + np.int32(ends[-1])))
        ends.append(ends[-1] + len(encoded.dictionary))
    work = identify(*codes)
    first = np.full(ends[-1], MISSING, dtype=np.int32)
    for code in codes:
        _note_first(first, code, code != MISSING)
    is_work = np.zeros(ends[-1], dtype=np.bool_)
    is_work[work[work != MISSING]] = True
    identity = np.flatnonzero(is_work)
    dense = np.full(ends[-1] + 1, MISSING, dtype=np.int32)
    dense[identity] = np.arange(len(identity), dtype=np.int32)
    shown_in = (np.searchsorted(ends, identity, side="right") - 1).astype(np.int32)
    return len(identity), dense[work], first[identity], shown_in


def _first_of_each(number: Ints, tells: Flags, count: int) -> Ints:
    """For each number below `count`, the first flagged row that has it; -1 for none."""
    first = np.full(count, MISSING, dtype=np.int32)
    _note_first(first, number, tells & (number != MISSING))
    return first


def _note_first(first: Ints, number: Ints, tells: Flags) -> None:
    """Set `first` to the first flagged row of each number that occurs in one."""
    rows = np.flatnonzero(tells).astype(np.int32)[::-1]
    first[number[rows]] = rows  # rows are reversed, so the last write is the first row


def _wanted(name: str, first: Ints, is_wanted: Flags) -> tuple[str, Ints, Ints]:
    """A column, the works whose value in that column is wanted, and their entries, ascending."""
    works = np.flatnonzero(is_wanted).astype(np.int32)
    works = works[np.argsort(first[works], kind="stable")]
    return name, works, first[works]


def _take(values: pa.Array, rows: Ints) -> pa.Array:
    return values.take(pa.array(rows, mask=rows == MISSING))


@dataclass(frozen=True, slots=True)
class Entries:
    """The entries of all reference lists as arrays of numbers, sorted by paper and position."""

    papers: pa.Table
    """Key, title and year of nodes 0, 1, ..., which are the papers of the corpus."""
    works: pa.Table
    """Key, title and year of the next nodes, which are works outside the corpus, sorted by key."""
    source: Ints
    """Node of the citing paper."""
    ordinal: Ints
    target: Ints
    """Node of the cited work; -1 if the entry does not identify a work."""


def citation_tables(entries: Entries) -> tuple[pa.Table, pa.Table]:
    """Nodes (papers, then other works), and distinct edges from citing to cited nodes."""
    source, target = distinct_pairs(entries, np.ones(len(entries.source), dtype=np.bool_))
    return with_nodes(entries, source, target)


def read_entries(corpus: Corpus) -> Entries:
    """Read the reference lists of a corpus; lists of documents that are not papers are skipped."""
    papers = read_papers(corpus, "title", "first_public")
    paper_ids = flat(papers["paper_id"])
    # A look-up takes time linear in the number of papers, so one look-up covers all entries.
    cited_ids = read_columns(corpus, "references", ["cited_paper_id"])["cited_paper_id"]
    cited = number_papers(flat(cited_ids), paper_ids)
    del cited_ids
    files = corpus.files("references")
    empty = whole_table("references", TELLING, [])
    none = np.zeros(0, dtype=np.int32)
    lists = [((none, none, none), keep_numbers(empty, none))]
    for name in files:
        references = widen(read_shard(corpus, name, ["paper_id", "ordinal"]))
        inside, cited = np.split(cited, [references.num_rows])
        source = number_sorted_papers(flat(references["paper_id"]), paper_ids)
        cites = source != MISSING
        outside = np.flatnonzero(cites & (inside == MISSING)).astype(np.int32)
        telling = widen(read_shard(corpus, name, TELLING)).take(pa.array(outside))
        numbers = source[cites], as_numbers(flat(references["ordinal"]))[cites], inside[cites]
        lists.append((numbers, keep_numbers(telling, outside)))

    def read_again(place: int, rows: Ints) -> pa.Table:
        references = widen(read_shard(corpus, files[place - 1], TELLING)).take(pa.array(rows))
        identities = read_identities(references)
        return identities.append_column(SHOWN_TITLE, flat(references["title"]))

    columns = zip(*(parts for parts, _ in lists), strict=True)
    source, ordinal, target = (np.concatenate(parts) for parts in columns)
    works, number = describe_works([table for _, table in lists], read_again)
    target[target == MISSING] = np.where(number == MISSING, MISSING, number + len(paper_ids))
    years = pc.cast(pc.utf8_slice_codeunits(flat(papers["first_public"]), 0, 4), pa.int32())
    shown = [paper_ids, flat(papers["title"]), years]
    return Entries(
        papers=pa.Table.from_arrays(shown, schema=DESCRIBED),
        works=works,
        source=source,
        ordinal=ordinal,
        target=target,
    )


def distinct_pairs(entries: Entries, rows: Flags) -> tuple[Ints, Ints]:
    """Distinct (citing, cited) pairs of some entries, sorted, without self-citations.

    The result is two parallel arrays of node numbers; `rows` flags the entries to use.
    """
    source, target = entries.source[rows], entries.target[rows]
    rows = (target != MISSING) & (source != target)
    n = entries.papers.num_rows + entries.works.num_rows
    return pairs_of(distinct(pair_keys(source[rows], target[rows], n)), n)


def with_nodes(entries: Entries, source: Ints, target: Ints) -> tuple[pa.Table, pa.Table]:
    """Nodes and edges, without works outside the corpus that no edge reaches."""
    papers = entries.papers.num_rows
    is_used = np.zeros(papers + entries.works.num_rows, dtype=np.bool_)
    is_used[:papers] = True
    is_used[target] = True
    number = np.cumsum(is_used, dtype=np.int32) - 1
    works = entries.works
    if not is_used.all():
        works = works.filter(pa.array(is_used[papers:]))
    nodes = pa.concat_tables([entries.papers, works]).combine_chunks()
    n = nodes.num_rows
    nodes = nodes.add_column(0, "node", pa.array(np.arange(n, dtype=np.int32)))
    nodes = nodes.append_column("is_external", pa.array(np.arange(n) >= papers))
    return nodes, pa.table({"source": source, "target": number[target]})


def comparison_tables(corpus: Corpus, entries: Entries) -> tuple[pa.Table, pa.Table]:
    """Nodes, and edges from each paper to works cited in the cells or captions of its tables."""
    cited = np.zeros(len(entries.source), dtype=np.bool_)
    for rows in map(widen, column_batches(corpus, "tables", ["paper_id", "cited"])):
        paper = number_sorted_papers(flat(rows["paper_id"]), flat(entries.papers["key"]))
        lists = flat(rows["cited"])
        citing = paper[numbers_in(pc.list_parent_indices(lists))]
        entry_rows = _find_entries(entries, citing, as_numbers(lists.flatten()))
        cited[entry_rows[entry_rows != MISSING]] = True
    return with_nodes(entries, *distinct_pairs(entries, cited))


def _find_entries(entries: Entries, paper: Ints, ordinal: Ints) -> Ints:
    """Find the row of each entry from its paper and ordinal; -1 if there is no such entry."""
    if not len(paper) or not len(entries.source):
        return np.full(len(paper), MISSING, dtype=np.int32)
    span = 1 + max(int(entries.ordinal.max()), int(ordinal.max()), 0)
    known = entries.source.astype(np.int64) * span + entries.ordinal
    wanted = paper.astype(np.int64) * span + ordinal
    row = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    is_known = (known[row] == wanted) & (paper != MISSING) & (ordinal >= 0)
    return np.where(is_known, row, MISSING).astype(np.int32)
