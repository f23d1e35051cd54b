"""Which works are the distractors of a literature table, computed by hand on a few titles."""

import math
import tracemalloc
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.retrieval.papers import PaperEncoder
from vivavoce.tasks.tables import pool
from vivavoce.tasks.tables.item import TOP, GoldRow, GoldTable, Work
from vivavoce.tasks.tables.pool import (
    Candidate,
    Titles,
    count_distractors,
    find_universe,
    make_pool,
    rank_distractors,
)

DEMAND = "I want to compare the parsers of graphs"


def table(table_id: str, *papers: str, source: str = "survey") -> GoldTable:
    rows = tuple(GoldRow(n, paper, "", ("x", "y")) for n, paper in enumerate(papers))
    return GoldTable(table_id, source, "cited", "", ("a", "b"), rows, None)


def library(**titles: str) -> dict[str, Work]:
    """Works by id; two underscores stand for the colon of a work outside the corpus."""
    ids = {key.replace("__", ":"): title for key, title in titles.items()}
    return {key: Work(key, title, None, None, False) for key, title in ids.items()}


def related_of(*tables: GoldTable) -> dict[str, set[str]]:
    """By table its source paper and the works of all tables of this."""
    by_source: dict[str, set[str]] = {}
    for one in tables:
        by_source.setdefault(one.source_paper, {one.source_paper}).update(one.papers)
    return {one.id: by_source[one.source_paper] for one in tables}


def ranked(
    tables: Sequence[GoldTable],
    works: Mapping[str, Work],
    universe: Sequence[str] | None = None,
    *,
    demands: Mapping[str, str] | None = None,
    encoder: object = None,
    related: Mapping[str, set[str]] | None = None,
    **more: Any,
) -> dict[str, tuple[Candidate, ...]]:
    return rank_distractors(
        tables,
        demands or dict.fromkeys((one.id for one in tables), DEMAND),
        works,
        sorted(works) if universe is None else universe,
        cast(PaperEncoder, encoder or PaperEncoder()),
        related or related_of(*tables),
        **{"enough": lambda _: TOP, **more},
    )


def names(found: Sequence[Candidate]) -> list[str]:
    return [one.paper for one in found]


class FixedEncoder:
    """Vectors by title and demand, written down by hand."""

    def __init__(self, vectors: dict[str, list[float]]) -> None:
        self._vectors = vectors

    def encode(self, papers: Sequence[tuple[str, str | None]], queries: Sequence[str]) -> Any:
        sides = ([title for title, _ in papers], queries)
        return [np.array([self._vectors[one] for one in side], dtype=np.float32) for side in sides]


def test_the_score_is_the_cosine_to_the_demand_and_the_mean_cosine_to_the_works() -> None:
    works = library(r1="One", r2="Two words", near="Third of them", far="Fourth and last")
    encoder = FixedEncoder(
        {
            **{"One": [1, 0], "Two words": [0, 1], "Third of them": [0.6, 0.8]},
            **{"Fourth and last": [-1, 0], DEMAND: [0.8, 0.6]},
        }
    )
    found = ranked([table("t", "r1", "r2")], works, ["near", "far"], encoder=encoder)
    # near: 0.6*0.8 + 0.8*0.6 = 0.96 to the demand; 0.6 and 0.8 to the works, 0.7 on average.
    # far: -0.8 to the demand; -1 and 0 to the works, -0.5 on average.
    assert found == {"t": (Candidate("near", 1.66), Candidate("far", -1.3))}


def test_tfidf_scores_are_those_of_the_formula() -> None:
    works = library(gold="graph parser", one="graph network", two="speech network")
    demand = {"t": "The graph, and unknown things"}
    found = ranked([table("t", "gold")], works, demands=demand)
    # Three works: `graph` and `network` are in two of them, `parser` and `speech` in one.
    common, rare = math.log(4 / 3) + 1, math.log(4 / 2) + 1
    gold_length, one_length = math.hypot(common, rare), math.hypot(common, common)
    # To the demand, all of whose known words are `graph`, and to the one work of the table.
    score = common / one_length + common * common / (one_length * gold_length)
    assert found["t"] == (Candidate("one", round(score, 6)), Candidate("two", 0.0))


def test_no_work_of_the_same_source_paper_is_a_distractor() -> None:
    works = library(
        r1="Graph parsers",
        beside="Graph parsers of another table",
        cited="Graph parsers in the text alone",
        survey="A survey of graph parsers",
        twin__1="Graph parsers in the text, alone",
        elsewhere="Graph networks for chemistry",
    )
    tables = [table("t", "r1"), table("u", "beside"), table("v", "elsewhere", source="other")]
    related = related_of(*tables)
    related["t"] |= {"cited"}
    for rule in ("corpus", "other_tables"):
        universe = [*find_universe(rule, tables, works), "twin:1"]
        # Also not under another id, by which the same work may be known.
        assert names(ranked(tables[:1], works, universe, related=related)["t"]) == ["elsewhere"]


def test_the_universe_is_the_works_of_tables_or_the_papers_of_the_corpus() -> None:
    works = library(a="Alpha", b="Beta", c="Gamma", work__1="Delta", e="", f="…")
    tables = [table("t", "a", "work:1", "e"), table("u", "b", source="other")]
    assert find_universe("other_tables", tables, works) == ["a", "b", "work:1"]
    # Without a title nothing shows what a work is about.
    assert find_universe("corpus", tables, works) == ["a", "b", "c"]


def test_titles_that_nearly_agree_are_found() -> None:
    titles = Titles(["BERT: Pre-training of Deep Bidirectional Transformers", "Attention, is all"])
    for title in (
        "Bert – pretraining of deep bidirectional transformers",
        "BERT",
        "bert: ",
        "Attention is All: a reply",
        "Attention is alll",
    ):
        assert titles.has_near(title), title
    for title in ("BART", "BERT: what is it", "Attention", "", "?!"):
        assert not titles.has_near(title), title
    titles.add("")
    assert not titles.has_near("")


def test_two_candidates_of_one_table_are_two_works() -> None:
    # 300 works of nearly one title, of which one is taken, before the only other one.
    same = {f"a{n:03}": f"Parsers of large graphs, {n:03}" for n in range(300)}
    works = library(**same, gold="Parsers and graphs", z="Speech")
    assert names(ranked([table("t", "gold")], works)["t"]) == ["a000", "z"]


def many(size: int) -> dict[str, Work]:
    """Works with random titles; words near the front of the list are common."""
    random = Random(0)
    words = [[f"w{int(400 * random.random() ** 2)}" for _ in range(6)] for _ in range(size)]
    return library(**{f"p{n:05}": " ".join(title) for n, title in enumerate(words)})


@settings(deadline=None, max_examples=15)
@given(st.randoms(use_true_random=False), st.integers(1, 12))
def test_the_order_of_the_input_does_not_matter(random: Random, top: int) -> None:
    works = many(120)
    tables = [table(f"t{n}", f"p{n:05}", f"p{n + 9:05}", source=f"s{n % 3}") for n in range(9)]
    demands = {one.id: works[f"p{n + 40:05}"].title for n, one in enumerate(tables)}
    expected = ranked(tables, works, demands=demands, top=top)
    ids, universe = (random.sample(sorted(works), len(works)) for _ in range(2))
    mixed = random.sample(tables, len(tables))
    shuffled = {paper: works[paper] for paper in ids}
    assert ranked(mixed, shuffled, universe, demands=demands, top=top) == expected
    for one in tables:
        best = expected[one.id]
        assert len(best) == top
        assert list(best) == sorted(best, key=lambda c: (-c.score, c.paper))
        beside = [other.papers for other in tables if other.source_paper == one.source_paper]
        assert not {paper for papers in beside for paper in papers} & set(names(best))


def test_memory_is_bounded_by_a_block_of_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_CELLS", 40_000)  # 20 tables at once
    works = many(2_000)
    tables = [table(f"t{n:04}", f"p{n:05}", source=f"s{n}") for n in range(200)]

    def peak(count: int) -> int:
        tracemalloc.start()
        ranked(tables[:count], works, top=1)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    # The scores of all at once would be 150 x 2,000 x 8 bytes, 2.4 MB, more.
    assert peak(200) < peak(50) + 600_000


FRUIT = "apples bananas cherries damsons elderberries figs grapes hazelnuts".split()
GROWING = {
    f"w{n}": Work(
        f"w{n}", f"Growing {FRUIT[n]} for {FRUIT[-n]} in sandy soil", None, None, n % 2 == 0
    )
    for n in range(8)
}


@pytest.mark.parametrize(
    ("enough", "top", "others"),
    # w4 and w6 have a text, as the works of the table; others are taken where these are too few.
    [(0, 40, 0), (2, 40, 0), (4, 40, 2), (9, 3, 1), (9, 40, 4)],
)
def test_distractors_have_as_much_text_as_possible(enough: int, top: int, others: int) -> None:
    one = table("t", "w0", "w2")
    found = ranked([one], GROWING, enough=lambda _: enough, top=top)["t"]
    everything = names(ranked([one], GROWING)["t"])
    best = [paper for paper in everything if paper not in ("w4", "w6")][:others]
    assert set(names(found)) == {"w4", "w6", *best}
    assert list(found) == sorted(found, key=lambda c: (-c.score, c.paper))


WORKS = {
    f"p{n:02}": Work(f"p{n:02}", title, None, None, False)
    for n, title in enumerate(
        "Rivers of Asia|Mountain lakes|Deep parsing|Speech tags|Chess engines|Protein folds"
        "|Old maps|Fast sorting|Query plans|Colour models|Bird songs|Sea ice|Solar cells"
        "|Road signs|Tax law|Glass beads".split("|")
    )
}
BEST = [Candidate(f"p{n:02}", 1.5 - n / 10) for n in range(3, 13)]


@pytest.mark.parametrize(
    ("papers", "most", "expected"),
    # m * 59/41, at least 4, then what is allowed at most.
    [(1, 10, 4), (4, 10, 6), (32, 10, 10), (7, 5, 5), (2, 0, 0)],
)
def test_distractors_are_as_many_as_works_ask_for(papers: int, most: int, expected: int) -> None:
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
