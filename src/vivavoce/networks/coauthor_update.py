"""The co-author network brought up to date: only the papers that changed are counted anew."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.corpus import Corpus
from vivavoce.networks.authors import (
    BY_NAME,
    count_of_each,
    distinct_pairs,
    first_places,
    has_only_initials,
    identify_authors,
)
from vivavoce.networks.authorship_rows import RowChange, Rows, change_of_rows
from vivavoce.networks.coauthor import share_papers
from vivavoce.networks.columns import (
    MISSING,
    Flags,
    Ints,
    Longs,
    as_flags,
    as_numbers,
    column,
    text_scalar,
)
from vivavoce.networks.first_rows import Met, meet_authors
from vivavoce.networks.merging import MismatchError, Pairs, Union, add_pairs, difference, unite
from vivavoce.networks.shards import Change
from vivavoce.networks.tally import Tally, count_with_id


@dataclass(frozen=True, slots=True)
class _Lists:
    """Lists of authors of some papers, in numbers; rows without author are left out."""

    row: Longs
    """Where each stands among the rows that were read."""
    paper: Ints
    author: Ints
    is_first: Flags
    name: Ints

    def counts(self, n: int) -> tuple[Ints, Ints, Pairs]:
        """Papers and first places of each of n authors, and the pairs who share papers."""
        index = first_places(self.paper, self.author, n)
        author, is_first = self.author[index], self.is_first[index]
        pairs = Pairs(*share_papers(self.paper[index], author, n))
        return count_of_each(author, n), count_of_each(author[is_first], n), pairs


@dataclass(frozen=True, slots=True)
class _Numbered:
    """The authors of before and now in one numbering."""

    authors: Union
    more: _Lists
    """Lists that are new."""
    less: _Lists
    """Lists that are there no more."""
    names: pa.Array
    """What their authors go by."""


def update_tally(
    corpus: Corpus, networks: Path, old: Tally, papers: Change, authorships: Change
) -> Tally:
    """The tally of a corpus, from that of an earlier state of it.

    Raises:
        MismatchError: Something is unusual; the tally has to be made anew.
    """
    change = change_of_rows(corpus, networks, papers, authorships, old.no_papers)
    numbered = _number(old, change)
    known, n = numbered.authors.of_known, len(numbered.authors.texts)
    more, less = numbered.more.counts(n), numbered.less.counts(n)
    shared = difference(more[2], less[2], n)
    names, bearings = _bear(old, numbered)
    counted = replace(
        old,
        keys=numbered.authors.texts,
        papers=_spread(old.papers, known, n) + more[0] - less[0],
        first=_spread(old.first, known, n) + more[1] - less[1],
        short=_short(old, numbered),
        edges=add_pairs(old.edges.renumbered(known, known), shared),
        names=names,
        bearings=bearings,
        no_papers=change.no_papers,
    )
    met = meet_authors(
        corpus,
        authorships,
        change,
        Met(_spread(old.first_row, known, n, MISSING), old.spelled, known),
        counted.keys,
        (numbered.more.author, numbered.more.row),
        counted.papers > 0,
    )
    return _without_the_gone(replace(counted, spelled=met[0], first_row=met[1]))


def _number(old: Tally, change: RowChange) -> _Numbered:
    """Tell the authors of the rows that came and went, and give them numbers."""
    stays = np.zeros(len(change.old.at), dtype=np.bool_)
    stays[change.stayed[change.stayed != MISSING]] = True
    rows = (
        np.flatnonzero((change.stayed == MISSING) & ~change.is_barred),
        np.flatnonzero(~stays & ~change.was_barred),
    )
    both = (change.new, change.old)
    spelled, ids = (
        pa.concat_arrays([each.take(column(few)) for each, few in zip(columns, rows, strict=True)])
        for columns in ([side.spelled for side in both], [side.ids for side in both])
    )
    keys, names, name = identify_authors(spelled, ids)
    encoded = pc.dictionary_encode(keys)
    authors = unite(old.keys, encoded.dictionary)
    author = _mapped(as_numbers(encoded.indices), authors.of_more)
    split = len(rows[0])
    lists = [
        _lists(side, few, author[part], name[part])
        for side, few, part in zip(both, rows, (slice(split), slice(split, None)), strict=True)
    ]
    more, less = lists
    return _Numbered(authors, more, less, names)


def _lists(rows: Rows, few: Longs, author: Ints, name: Ints) -> _Lists:
    keep = author != MISSING
    row = few[keep]
    return _Lists(row, rows.paper[row], author[keep], rows.is_first[row], name[keep])


def _bear(old: Tally, numbered: _Numbered) -> tuple[pa.Array, Pairs]:
    """The names that authors with ids go by, and who goes by which."""
    with_id = count_with_id(numbered.authors.texts)
    is_named = as_flags(pc.not_equal(numbered.names, text_scalar("")))
    lists = numbered.more, numbered.less
    few = [np.flatnonzero((each.author < with_id) & is_named[each.name]) for each in lists]
    borne = [each.name[rows] for each, rows in zip(lists, few, strict=True)]
    encoded = pc.dictionary_encode(numbered.names.take(column(np.concatenate(borne))))
    both = unite(old.names, encoded.dictionary)
    width = len(both.texts)
    name = both.of_more[as_numbers(encoded.indices)]
    parts = name[: len(borne[0])], name[len(borne[0]) :]
    more, less = [
        Pairs(*distinct_pairs(each.author[rows], part, width))
        for each, rows, part in zip(lists, few, parts, strict=True)
    ]
    known = old.bearings.renumbered(numbered.authors.of_known, both.of_known)
    return _names_in_use(both.texts, add_pairs(known, difference(more, less, width)))


def _names_in_use(names: pa.Array, bearings: Pairs) -> tuple[pa.Array, Pairs]:
    used = count_of_each(bearings.right, len(names)) > 0
    if used.all():
        return names, bearings
    number = np.cumsum(used, dtype=np.int32) - 1
    left = np.arange(int(bearings.left.max(initial=-1)) + 1, dtype=np.int32)
    return names.filter(column(used)), bearings.renumbered(left, number)


def _short(old: Tally, numbered: _Numbered) -> Flags:
    short = np.zeros(len(numbered.authors.texts), dtype=np.bool_)
    known = numbered.authors.of_known
    short[known] = old.short
    is_new = np.ones(len(short), dtype=np.bool_)
    is_new[known] = False
    new = np.flatnonzero(is_new)
    keys = numbered.authors.texts.take(column(new)).to_pylist()
    short[new] = [
        key.startswith(BY_NAME) and has_only_initials(key.removeprefix(BY_NAME)) for key in keys
    ]
    return short


def _without_the_gone(tally: Tally) -> Tally:
    """Without the authors of whom no row is left."""
    if (tally.papers < 0).any() or (tally.first < 0).any():
        raise MismatchError
    alive = tally.papers > 0
    if alive.all():
        return tally
    number = np.cumsum(alive, dtype=np.int32) - 1
    keep = column(alive)
    names = np.arange(len(tally.names), dtype=np.int32)
    return replace(
        tally,
        keys=tally.keys.filter(keep),
        spelled=tally.spelled.filter(keep),
        papers=tally.papers[alive],
        first=tally.first[alive],
        short=tally.short[alive],
        edges=tally.edges.renumbered(number, number),
        bearings=tally.bearings.renumbered(number, names),
        first_row=tally.first_row[alive],
    )


def _mapped(numbers: Ints, to: Ints) -> Ints:
    """Numbers in another numbering; -1 stays."""
    found = np.full(len(numbers), MISSING, dtype=np.int32)
    there = numbers != MISSING
    found[there] = to[numbers[there]]
    return found


def _spread(values: Ints, places: Ints, n: int, elsewhere: int = 0) -> Ints:
    """The values at their places among n, and one number elsewhere."""
    spread = np.full(n, elsewhere, dtype=np.int32)
    spread[places] = values
    return spread
