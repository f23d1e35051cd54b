"""Columns of the corpus tables from which networks are built."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import methodcaller
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vivavoce.columns import MISSING, Ints, as_numbers, with_columns
from vivavoce.corpus import Corpus
from vivavoce.corpus.schema import TABLES
from vivavoce.store import read_table

FOLDER = "networks"


def column_batches(corpus: Corpus, table: str, names: Sequence[str]) -> Iterator[pa.Table]:
    """Read columns of a corpus table, file by file; `DamagedError` if a file was altered."""
    for name in corpus.files(table):
        yield read_shard(corpus, name, names)


def read_columns(corpus: Corpus, table: str, names: Sequence[str]) -> pa.Table:
    """Read columns of a whole table, even with over 2 GB of text; `DamagedError` if altered."""
    return whole_table(table, names, column_batches(corpus, table, names))


def whole_table(table: str, names: Sequence[str], pieces: Iterable[pa.Table]) -> pa.Table:
    """Join pieces of a corpus table; text columns get 64-bit offsets."""
    schema = pa.schema([TABLES[table].field(name) for name in names])
    empty = pa.Table.from_batches([], schema=schema)
    return pa.concat_tables([widen(piece) for piece in [empty, *pieces]]).combine_chunks()


def widen(table: pa.Table) -> pa.Table:
    """Give a table's text columns 64-bit offsets."""
    fields = [
        pa.field(field.name, pa.large_string() if pa.types.is_string(field.type) else field.type)
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))


def read_shard(corpus: Corpus, name: str, columns: Sequence[str]) -> pa.Table:
    """Read some columns of a table's file; `DamagedError` if the file was altered."""
    return read_table(corpus.sound_path(name), columns)


def read_papers(corpus: Corpus, *more: str) -> pa.Table:
    """Read `paper_id` and other columns of every paper, sorted by id."""
    table = read_columns(corpus, "papers", ["paper_id", *more])
    if "first_public" in more and corpus.works:
        ids, own = (table[name].to_pylist() for name in ("paper_id", "first_public"))
        pairs = zip(ids, own, strict=True)
        dates = [corpus.date_of_work(paper_id) or date for paper_id, date in pairs]
        table = with_columns(table, {"first_public": dates})
    return table


def number_papers(paper_ids: Any, known: pa.Array) -> Ints:
    """Index of each paper id among the known ids; -1 for an unknown id."""
    return as_numbers(pc.index_in(paper_ids, value_set=known))


def number_sorted_papers(paper_ids: Any, known: pa.Array) -> Ints:
    """Do the same as `number_papers`, faster, for two sorted lists.

    A look-up takes time linear in the number of known ids, so only known ids between the first and
    the last wanted id are used.
    """
    if not len(paper_ids):
        return np.zeros(0, dtype=np.int32)
    first, last = paper_ids[0].as_py(), paper_ids[-1].as_py()
    text_of = methodcaller("as_py")
    start = bisect_left(known, first, key=text_of)
    stop = bisect_right(known, last, lo=start, key=text_of)
    number = number_papers(paper_ids, known.slice(start, stop - start))
    return np.where(number == MISSING, number, number + np.int32(start))
