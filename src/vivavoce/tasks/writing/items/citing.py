"""Papers of a corpus that cite others of it: how often a work had been cited on a day."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from vivavoce.columns import MISSING, flat
from vivavoce.corpus import Corpus
from vivavoce.networks.graph import pair_keys, pairs_of
from vivavoce.networks.tables import number_papers, read_columns, read_papers
from vivavoce.text.dates import day_after, period
from vivavoce.text.shingles import distinct


class Citing:
    """The citation network between the papers of a corpus, with the day of each citation."""

    def __init__(self, corpus: Corpus) -> None:
        papers = read_papers(corpus, "first_public")
        ids = flat(papers["paper_id"])
        entries = read_columns(corpus, "references", ["paper_id", "cited_paper_id"])
        citing = number_papers(flat(entries["paper_id"]), ids)
        cited = number_papers(flat(entries["cited_paper_id"]), ids)
        known = (citing != MISSING) & (cited != MISSING) & (citing != cited)
        keys = distinct(pair_keys(cited[known], citing[known], len(ids)))
        cited, citing = pairs_of(keys, len(ids))
        days = np.array([day_after(one) for one in papers["first_public"].to_pylist()], np.int64)
        order = np.lexsort((days[citing], cited))
        self._days: list[int] = days[citing[order]].tolist()
        self._ends = np.cumsum(np.bincount(cited, minlength=len(ids))).tolist()
        self._places = {name: place for place, name in enumerate(ids.to_pylist())}

    def days(self, paper_id: str) -> list[int]:
        """Days on which the papers that cite a paper were over, as numbers in order."""
        place = self._places[paper_id]
        start = self._ends[place - 1] if place else 0
        return self._days[start : self._ends[place]]


def count_before(days: Sequence[int], published: str) -> int:
    """Number of citations by papers that were over before a date began."""
    return bisect_right(days, period(published)[0].toordinal())
