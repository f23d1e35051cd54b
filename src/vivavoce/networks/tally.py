"""The co-author network as it is counted: what its tables show, and what an update needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.networks.authors import (
    AMBIGUITIES,
    BY_ID,
    BY_NAME,
    Authorships,
    count_of_each,
)
from vivavoce.networks.columns import (
    MISSING,
    Flags,
    Ints,
    as_flags,
    as_numbers,
    column,
    flat,
    numbers_in,
    prefixed,
    sorted_keys,
    table_of,
    text_scalar,
)
from vivavoce.networks.merging import Pairs

PARTS = ("nodes", "edges", "firsts", "names", "bearings", "no_papers")
"""The files of a tally."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Authors, sorted by key, and what was counted of them."""

    keys: pa.Array
    spelled: pa.Array
    """The name as spelled in the first row of each author."""
    papers: Ints
    first: Ints
    """How many papers list the author first."""
    short: Flags
    """Whether an author without id goes by initials or a single word."""
    edges: Pairs
    """Pairs of authors, and the papers they share."""
    names: pa.Array
    """The names that authors with ids go by, sorted; other authors go by their key."""
    bearings: Pairs
    """(author with an id, name, rows)."""
    first_row: Ints
    """The first row of each author in the table `authorships`."""
    no_papers: pa.Array
    """Documents of the corpus that are no papers."""


def tally_of(read: Authorships, edges: Pairs) -> Tally:
    """The tally of a corpus read whole."""
    keys = flat(read.authors["key"])
    bearer, borne = read.bearers
    is_named = as_flags(pc.not_equal(read.names, text_scalar("")))
    counted = (bearer < count_with_id(keys)) & is_named[borne]
    bearer, borne, rows = bearer[counted], borne[counted], read.bearings[counted]
    names, name = sorted_keys(read.names.take(column(borne)))
    order = np.lexsort((name, bearer))
    return Tally(
        keys=keys,
        spelled=flat(read.authors["name"]),
        papers=numbers_in(flat(read.authors["papers"])),
        first=numbers_in(flat(read.authors["first_author_papers"])),
        short=as_flags(flat(read.authors[AMBIGUITIES[-1]])),
        edges=edges,
        names=names,
        bearings=Pairs(bearer[order], name[order], rows[order]),
        first_row=read.first_row,
        no_papers=read.no_papers,
    )


def count_with_id(keys: pa.Array) -> int:
    """How many authors have an id; sorted by key they come first."""
    return int(as_flags(pc.starts_with(keys, BY_ID)).sum())


def tables_of(tally: Tally) -> dict[str, pa.Table]:
    """What is written of a tally, by part."""
    n = len(tally.keys)
    nodes = {
        "node": np.arange(n, dtype=np.int32),
        "key": tally.keys,
        "name": tally.spelled,
        "papers": tally.papers,
        "first_author_papers": tally.first,
        **dict(zip(AMBIGUITIES, (*_shared_names(tally), tally.short), strict=True)),
    }
    edges, bearings = tally.edges, tally.bearings
    return {
        "nodes": table_of(nodes),
        "edges": table_of({"source": edges.left, "target": edges.right, "papers": edges.count}),
        "firsts": table_of({"row": tally.first_row}),
        "names": table_of({"name": tally.names}),
        "no_papers": table_of({"paper_id": tally.no_papers}),
        "bearings": table_of(
            {"author": bearings.left, "name": bearings.right, "rows": bearings.count}
        ),
    }


def tally_from(tables: dict[str, pa.Table]) -> Tally:
    """The tally whose parts these are."""
    nodes, edges, bearings = (tables[part] for part in ("nodes", "edges", "bearings"))

    def numbers(table: pa.Table, *names: str) -> list[Ints]:
        return [as_numbers(table[name]) for name in names]

    papers, first = numbers(nodes, "papers", "first_author_papers")
    return Tally(
        keys=flat(nodes["key"]),
        spelled=flat(nodes["name"]),
        papers=papers,
        first=first,
        short=as_flags(nodes[AMBIGUITIES[-1]]),
        edges=Pairs(*numbers(edges, "source", "target", "papers")),
        names=flat(tables["names"]["name"]),
        bearings=Pairs(*numbers(bearings, "author", "name", "rows")),
        first_row=as_numbers(tables["firsts"]["row"]),
        no_papers=flat(tables["no_papers"]["paper_id"]),
    )


def _shared_names(tally: Tally) -> tuple[Flags, Flags]:
    """Of an author, what holds for one of the names: `AMBIGUITIES` but for the last."""
    n, width = len(tally.keys), len(tally.names)
    with_id = count_with_id(tally.keys)
    bearer, borne = tally.bearings.left, tally.bearings.right
    ids = count_of_each(borne, width)
    # Of authors without id, the number of their name where an author with one bears it too.
    bare = tally.keys.slice(with_id)
    name = as_numbers(pc.index_in(bare, value_set=prefixed(BY_NAME, tally.names)))
    shared = name != MISSING
    is_bare = np.zeros(width, dtype=np.bool_)
    is_bare[name[shared]] = True
    both, several = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    both[bearer[is_bare[borne]]] = True
    several[bearer[ids[borne] > 1]] = True
    both[with_id:] = shared
    several[with_id:][shared] = ids[name[shared]] > 1
    return both, several
