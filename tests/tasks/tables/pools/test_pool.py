"""The pool of a table: its works and distractors, drawn with a seed."""

from __future__ import annotations

import pytest

from vivavoce.tasks.tables.items.distractors import Candidate, count_distractors, make_pool
from vivavoce.tasks.tables.items.item import GoldRow, GoldTable, Work

WORKS = {
    f"p{n:02}": Work(f"p{n:02}", title, None, None, False)
    for n, title in enumerate(
        "Rivers of Asia|Mountain lakes|Deep parsing|Speech tags|Chess engines|Protein folds"
        "|Old maps|Fast sorting|Query plans|Colour models|Bird songs|Sea ice|Solar cells"
        "|Road signs|Tax law|Glass beads".split("|")
    )
}
BEST = [Candidate(f"p{n:02}", 1.5 - n / 10) for n in range(3, 13)]


def table(table_id: str, *papers: str, source: str = "survey") -> GoldTable:
    rows = tuple(GoldRow(n, paper, "", ("x", "y")) for n, paper in enumerate(papers))
    return GoldTable(table_id, source, "cited", "", ("a", "b"), rows, None)


@pytest.mark.parametrize(
    ("papers", "most", "expected"),
    # m * 59/41, at least 4, then what is allowed at most.
    [(1, 10, 4), (3, 10, 4), (4, 10, 6), (7, 10, 10), (32, 10, 10), (7, 5, 5), (2, 0, 0)],
)
def test_the_number_of_distractors_follows_that_of_the_works(
    papers: int, most: int, expected: int
) -> None:
    one = table("t", *(f"p{n:02}" for n in range(papers)))
    assert count_distractors(one, most) == expected
    best = [Candidate(f"q{n}", 1.0) for n in range(12)]
    ids = (*one.papers, *(candidate.paper for candidate in best))
    works = {paper: Work(paper, "T", None, None, False) for paper in ids}
    pool = make_pool(one, best, works, seed=0, most=most)
    assert (pool.distractors, pool.missing) == (expected, 0)


def test_a_pool_holds_the_works_of_the_table_and_distractors_in_a_shuffled_order() -> None:
    one = table("t", "p00", "p01", "p00")
    pool = make_pool(one, BEST, WORKS, seed=0)
    ids = [work.paper_id for work in pool.papers]
    assert (len(ids), len(set(ids)), pool.distractors, pool.missing) == (6, 6, 4, 0)
    assert not pool.given_labels
    assert {"p00", "p01"} < set(ids)
    # The rows of the table in another order give the same pool, other seeds and tables other ones.
    assert make_pool(table("t", "p01", "p00"), BEST, WORKS, seed=0) == pool
    pools = [make_pool(one, BEST, WORKS, seed=seed).papers for seed in range(90)]
    other = [make_pool(table("u", "p00", "p01"), BEST, WORKS, seed=n).papers for n in range(90)]
    assert pools != other
    # Each candidate is drawn now and then.
    assert {paper.paper_id for papers in pools for paper in papers} == {
        *("p00", "p01"),
        *(one.paper for one in BEST),
    }
    # A third of a pool of 2 and 4 is gold; 90 places have 30 on average, with deviation 4.5.
    assert 15 < sum(papers[0].paper_id in ("p00", "p01") for papers in pools) < 45


def test_missing_candidates_are_counted_and_given_labels_win() -> None:
    one = table("t", "p00", "p01")
    pool = make_pool(one, BEST[:1], WORKS, seed=0)
    assert (pool.distractors, pool.missing) == (1, 3)
    pool = make_pool(one, BEST, WORKS, seed=0, given=["p15", "p14", "p01", "p15"])
    assert sorted(work.paper_id for work in pool.papers) == ["p00", "p01", "p14", "p15"]
    assert (pool.distractors, pool.missing, pool.given_labels) == (2, 0, True)
