"""Authors, and the co-author network: an edge for each pair of authors who share a paper.

An author is identified by the source's id, or else by name. Names are compared in NFKC, case-folded
and with single spaces. The same name with an id and without one gives two authors. Both are
flagged, as are other ambiguous names.
"""

import unicodedata
from dataclasses import dataclass
from itertools import count

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.columns import (
    MISSING,
    Flags,
    Groups,
    Ints,
    as_flags,
    as_numbers,
    flat,
    prefixed,
    sorted_keys,
    text_column,
    text_scalar,
    without_null,
)
from vivavoce.corpus import Corpus
from vivavoce.networks.graph import Graph, induced, largest_component, pair_keys, pairs_of
from vivavoce.networks.tables import number_papers, read_columns, read_papers
from vivavoce.text.shingles import distinct

BY_ID, BY_NAME = "id:", "name:"
"""Prefixes of an author's key."""
AMBIGUITIES = ("with_and_without_id", "name_of_several_ids", "initials_only")
"""Columns that flag an author who may be several people, or be one person with other authors."""
_PAIRS_AT_A_TIME = 4_000_000
"""Number of pairs kept in memory; a single paper with 3,000 authors has 4.5 million pairs."""


@dataclass(frozen=True, slots=True)
class Authorships:
    """Authorships as arrays of numbers, sorted by paper; each author occurs once per paper."""

    paper_ids: pa.Array
    """The ids of papers 0, 1, ..."""
    authors: pa.Table
    """One row per author, sorted by key: name, counts of papers, and flags of ambiguity."""
    paper: Ints
    author: Ints
    is_first: Flags
    """True if the author is listed first on the paper."""

    def led(self) -> Groups:
        """For each author, the papers that list the author first."""
        papers = self.paper[self.is_first]
        return Groups(self.author[self.is_first], papers, self.authors.num_rows)

    def written_by(self) -> Groups:
        """For each paper, its authors."""
        return Groups(self.paper, self.author, len(self.paper_ids))


def name_of(name: str) -> str:
    """Normalise a name for comparison: NFKC, case-folded, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def read_authorships(corpus: Corpus) -> Authorships:
    """Read the authorships of a corpus; rows with neither id nor name are left out."""
    paper_ids = flat(read_papers(corpus)["paper_id"])
    table = read_columns(corpus, "authorships", ["paper_id", "name", "author_id"])
    paper = number_papers(flat(table["paper_id"]), paper_ids)
    # The table is sorted by paper and position, so a paper's first row holds its first author.
    is_first = np.diff(paper, prepend=MISSING - 1) != 0
    spelled = flat(table["name"])
    encoded = pc.dictionary_encode(without_null(spelled))
    names = text_column([name_of(name) for name in encoded.dictionary.to_pylist()])
    compared = pc.dictionary_encode(names)
    names, name = compared.dictionary, as_numbers(compared.indices)[as_numbers(encoded.indices)]
    ids = prefixed(BY_ID, pc.utf8_trim_whitespace(flat(table["author_id"])))
    keys = pc.coalesce(ids, prefixed(BY_NAME, names).take(pa.array(name)))
    keep = (paper != MISSING) & as_flags(pc.is_valid(keys))
    keyed, author = sorted_keys(keys.filter(pa.array(keep)))
    _, first = np.unique(author, return_index=True)
    first_row = np.flatnonzero(keep)[first]
    paper, name, is_first = paper[keep], name[keep], is_first[keep]
    # An author listed twice on a paper counts only at the first position.
    index = np.unique(pair_keys(paper, author, len(keyed)), return_index=True)[1]
    bearers = pairs_of(distinct(pair_keys(author, name, len(names))), len(names))
    described = {
        "key": keyed,
        "name": spelled.take(pa.array(first_row)),
        "papers": _count_of_each(author[index], len(keyed)),
        "first_author_papers": _count_of_each(author[index][is_first[index]], len(keyed)),
        **_ambiguities(keyed, names, bearers),
    }
    return Authorships(
        paper_ids=paper_ids,
        authors=pa.table(described),
        paper=paper[index],
        author=author[index],
        is_first=is_first[index],
    )


def coauthor_tables(corpus: Corpus) -> tuple[pa.Table, pa.Table]:
    """Nodes sorted by key, and edges from the lower to the higher node, with shared papers."""
    authorships = read_authorships(corpus)
    graph = _graph_of(authorships)
    numbers = pa.array(np.arange(graph.n, dtype=np.int32))
    edges = {"source": graph.source, "target": graph.target, "papers": graph.weight}
    return authorships.authors.add_column(0, "node", numbers), pa.table(edges)


def first_author_core(graph: Graph, first_author_papers: Ints) -> Graph:
    """The largest component of the subnetwork of authors who have first-author papers."""
    return induced(graph, in_core(graph, first_author_papers))


def in_core(graph: Graph, first_author_papers: Ints) -> Flags:
    """Flag the authors in the largest component of the subnetwork of first authors."""
    kept: Flags = first_author_papers > 0
    core = kept.copy()
    core[kept] = largest_component(induced(graph, kept))
    return core


def papers_in_core(authorships: Authorships) -> Flags:
    """Flag the papers whose first author is in the core of the co-author network."""
    leads = as_numbers(authorships.authors["first_author_papers"].combine_chunks())
    core = in_core(_graph_of(authorships), leads)
    is_in_core = np.zeros(len(authorships.paper_ids), dtype=np.bool_)
    is_in_core[authorships.paper[authorships.is_first & core[authorships.author]]] = True
    return is_in_core


def _graph_of(authorships: Authorships) -> Graph:
    """The network; every author of the corpus is a node."""
    n = authorships.authors.num_rows
    return Graph(n, *_share_papers(authorships.paper, authorships.author, n))


def _count_of_each(numbers: Ints, n: int) -> Ints:
    return np.bincount(numbers, minlength=n).astype(np.int32)


def _has_only_initials(name: str) -> bool:
    """Check whether a name is a single word, or has only initials before its last word."""
    words = name.replace(".", " ").split()
    return len(words) < 2 or all(len(word.strip("-")) < 2 for word in words[:-1])


def _ambiguities(keys: pa.Array, names: pa.Array, bearers: tuple[Ints, Ints]) -> dict[str, Flags]:
    """The columns of `AMBIGUITIES`."""
    author, name = bearers
    has_id = as_flags(pc.starts_with(keys, BY_ID))
    is_named = as_flags(pc.not_equal(names, text_scalar("")))
    ids = np.bincount(name[has_id[author]], minlength=len(names))
    without = np.bincount(name[~has_id[author]], minlength=len(names))
    short = np.array([_has_only_initials(text) for text in names.to_pylist()], dtype=np.bool_)

    def of_authors(flags: Flags) -> Flags:
        """Flag the authors who use a flagged name."""
        flagged = np.bincount(author, weights=(flags & is_named)[name], minlength=len(keys)) > 0
        return np.asarray(flagged, dtype=np.bool_)

    columns = ((ids > 0) & (without > 0), ids > 1, short)
    ambiguities = dict(zip(AMBIGUITIES, map(of_authors, columns), strict=True))
    ambiguities["initials_only"] &= ~has_id
    return ambiguities


def _share_papers(paper: Ints, author: Ints, n: int) -> tuple[Ints, Ints, Ints]:
    """Pairs of authors who share papers, lower number first, with the number of shared papers.

    Authorships must be distinct and sorted by `paper`, then by `author`.
    """
    keys, counts = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    rows, pieces = np.arange(len(author)), [keys]
    for step in count(1):
        rows = rows[rows + step < len(author)]
        rows = rows[paper[rows] == paper[rows + step]]
        pieces.append(pair_keys(author[rows], author[rows + step], n))
        if not len(rows) or sum(map(len, pieces)) >= _PAIRS_AT_A_TIME:
            joined = np.concatenate([keys, *pieces])
            once = np.ones(len(joined) - len(keys), dtype=np.int32)
            keys, place = np.unique(joined, return_inverse=True)
            weights = np.concatenate([counts, once])
            counts = np.bincount(place, weights=weights).astype(np.int32)
            pieces = []
        if not len(rows):
            break
    return *pairs_of(keys, n), counts
