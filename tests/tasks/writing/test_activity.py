"""Who writes how much, and a draw that asks for it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tasks.writing.corpora import Papers

from vivavoce.tasks.writing.items.activity import (
    Authors,
    count_ambiguous,
    describe,
    draw,
    gini,
    most_active,
    read_authors,
    top_share,
    unit,
)


def authors(**of_paper: tuple[int, ...]) -> Authors:
    first = {name: found[0] for name, found in of_paper.items() if found}
    return Authors(of_paper, first, frozenset())


@pytest.mark.parametrize(
    ("counts", "value"),
    [
        ([1, 1, 1, 1], 0.0),
        ([0, 0, 0, 4], 0.75),  # (2*4-4-1) * 4 / (4 * 4) = 12/16
        ([1, 3], 0.25),  # (-1*1 + 1*3) / (2 * 4)
        ([3, 1], 0.25),
        ([5], 0.0),
        ([], None),
        ([0, 0], None),
    ],
)
def test_gini_by_hand(counts: list[int], value: float | None) -> None:
    assert gini(counts) == value


def test_the_top_share_is_that_of_one_author_in_a_hundred() -> None:
    assert top_share([10, *[1] * 90]) == 10 / 100  # 1% of 91 authors is one
    assert top_share([10, 5, *[1] * 185]) == 15 / 200  # 1% of 187 is two
    assert top_share([3, 1]) == 3 / 4
    assert top_share([]) is None


@given(st.lists(st.integers(0, 50), min_size=1, max_size=30))
def test_gini_is_the_mean_difference_over_twice_the_mean(counts: list[int]) -> None:
    found = gini(counts)
    if not sum(counts):
        assert found is None
        return
    differences = sum(abs(a - b) for a in counts for b in counts)
    assert found == pytest.approx(differences / (2 * len(counts) * sum(counts)))
    assert 0 <= found < 1


def test_the_most_active_author_of_a_paper_decides() -> None:
    known = authors(a=(1, 2), b=(1,), c=(3,), d=())
    assert most_active(["a", "b", "c", "d"], known) == {"a": 2, "b": 2, "c": 1, "d": 1}
    # Only the papers that could be targets count.
    assert most_active(["a", "c"], known) == {"a": 1, "c": 1}


def test_each_author_is_expected_in_one_target() -> None:
    known = authors(**{f"p{n}": (n % 5,) for n in range(500)})
    drops = [draw(sorted(known.of_paper), known, seed) for seed in range(200)]
    kept = [500 - len(dropped) for dropped in drops]
    # 500 papers kept with probability 1/100: mean 5, standard error sqrt(5 / 200) = 0.16
    assert sum(kept) / 200 == pytest.approx(5, abs=0.6)
    assert set(drops[0].values()) == {100}


def test_papers_of_authors_with_one_paper_always_stay() -> None:
    known = authors(a=(1,), b=(2,), c=())
    assert all(draw(["a", "b", "c"], known, seed) == {} for seed in range(50))


def test_the_draw_of_a_paper_depends_on_seed_and_id_alone() -> None:
    few = authors(a=(1,), b=(1,), c=(2,))
    more = authors(a=(1,), b=(1,), c=(2,), x=(3,), y=(4,))
    for seed in range(20):
        before = draw(["a", "b", "c"], few, seed)
        after = draw(["a", "b", "c", "x", "y"], more, seed)
        assert before == after
    assert unit(0, "a") == unit(0, "a") != unit(1, "a")
    spread = Counter(int(unit(0, str(n)) * 4) for n in range(4_000))
    assert all(900 < spread[quarter] < 1_100 for quarter in range(4))


def test_shares_before_and_after() -> None:
    known = authors(a=(1, 2), b=(1,), c=(3,))
    assert describe(["a", "b", "c"], known) == {
        "papers": 3,
        "authors": 3,
        "gini": gini([2, 1, 1]),
        "top_share": 2 / 4,
    }
    assert describe([], known) == {"papers": 0, "authors": 0, "gini": None, "top_share": None}


def test_names_that_may_be_two_people_connect_nobody(tmp_path: Path) -> None:
    papers = Papers(tmp_path)
    papers.add("p", "2024-01", authors=["Ada Weir", "J. Lim"], author_ids=["w", None])
    papers.add("q", "2024-02", authors=["J. Lim", "Bo Dorn"])
    papers.add("r", "2024-03", authors=["Bo Dorn"], author_ids=["d"])
    found = read_authors(papers.corpus(), {"p", "q"})
    assert set(found.of_paper) == {"p", "q"}
    # Ada has an id; of J. Lim only an initial is known; Bo Dorn is met with and without an id.
    assert len(found.certain("p")) == 1
    assert found.certain("q") == frozenset()
    assert found.first["p"] in found.certain("p")
    assert count_ambiguous(["p", "q"], found) == 2
    assert set(found.of_paper["p"]) & set(found.of_paper["q"])
