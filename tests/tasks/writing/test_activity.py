"""Who writes how much, and a draw that asks for it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tests.tasks.writing.corpora import Papers

from vivavoce.tasks.writing.demonstrations import (
    Authors,
    draw_targets,
    most_active,
    read_authors,
    unit,
)


def authors(**of_paper: tuple[int, ...]) -> Authors:
    first = {name: found[0] for name, found in of_paper.items() if found}
    return Authors(of_paper, first, frozenset())


def test_the_most_active_author_of_a_paper_decides() -> None:
    known = authors(a=(1, 2), b=(1,), c=(3,), d=())
    assert most_active(["a", "b", "c", "d"], known) == {"a": 2, "b": 2, "c": 1, "d": 1}
    # Only the papers that could be targets count.
    assert most_active(["a", "c"], known) == {"a": 1, "c": 1}


def test_each_author_is_expected_in_one_target() -> None:
    known = authors(**{f"p{n}": (n % 5,) for n in range(500)})
    drops = [draw_targets(sorted(known.of_paper), known, seed) for seed in range(200)]
    kept = [500 - len(dropped) for dropped in drops]
    # 500 papers kept with probability 1/100: mean 5, standard error sqrt(5 / 200) = 0.16
    assert sum(kept) / 200 == pytest.approx(5, abs=0.6)
    assert set(drops[0].values()) == {100}


def test_papers_of_authors_with_one_paper_always_stay() -> None:
    known = authors(a=(1,), b=(2,), c=())
    assert all(draw_targets(["a", "b", "c"], known, seed) == {} for seed in range(50))


def test_the_draw_of_a_paper_depends_on_seed_and_id_alone() -> None:
    few = authors(a=(1,), b=(1,), c=(2,))
    more = authors(a=(1,), b=(1,), c=(2,), x=(3,), y=(4,))
    for seed in range(20):
        before = draw_targets(["a", "b", "c"], few, seed)
        after = draw_targets(["a", "b", "c", "x", "y"], more, seed)
        assert before == after
    assert unit(0, "a") == unit(0, "a") != unit(1, "a")
    spread = Counter(int(unit(0, str(n)) * 4) for n in range(4_000))
    assert all(900 < spread[quarter] < 1_100 for quarter in range(4))


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
    assert set(found.of_paper["p"]) & set(found.of_paper["q"])
