"""Papers are numbered by their place among those known, whichever way is taken to find it."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.networks.tables import number_papers, number_sorted_papers

ids = st.text(st.sampled_from("ab\u00e9\U0001f600"), max_size=3)


def as_column(texts: list[str]) -> pa.Array:
    return pa.array(texts, pa.large_string())


def test_ids_are_found_between_the_first_and_the_last():
    known = as_column(["a", "b", "d", "e"])
    # c is not known, and d, twice there, stands in place 2.
    assert number_sorted_papers(as_column(["b", "c", "d", "d"]), known).tolist() == [1, -1, 2, 2]


def test_nobody_is_found_beyond_either_end():
    known = as_column(["m", "n"])
    assert number_sorted_papers(as_column(["a"]), known).tolist() == [-1]
    assert number_sorted_papers(as_column(["z"]), known).tolist() == [-1]
    assert number_sorted_papers(as_column([]), known).tolist() == []


@settings(deadline=None)
@given(st.sets(ids), st.lists(ids))
def test_both_ways_find_the_same(known, wanted):
    every, some = as_column(sorted(known)), as_column(sorted(wanted))
    assert number_sorted_papers(some, every).tolist() == number_papers(some, every).tolist()
