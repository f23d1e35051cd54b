"""Which papers of a pool a demand is about, without a model."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.tasks.tables.items.keyword_papers import PoolText
from vivavoce.tasks.tables.items.keyword_table import (
    choose_papers,
    count_kept,
    nearness,
    topic_words,
)

DEMAND = "I need a table that compares papers on parsing, so that I can choose a parser."
PARSING = (
    "A fast parser for treebanks",
    "Parsing sentences with transition systems",
    "Treebanks for transition parsers",
    "Neural transition parsing",
)
COOKERY = ("Boiling jam slowly", "Sugar in jam", "The pots of cookery")


def pool(*titles: str) -> list[PoolText]:
    return [PoolText(f"P{place}", title) for place, title in enumerate(titles, 1)]


def chosen(demand: str, *titles: str) -> list[str]:
    return [paper.title for paper in choose_papers(demand, pool(*titles))]


def test_papers_of_another_topic_are_left_out_and_the_order_is_that_of_the_pool() -> None:
    mixed = [PARSING[0], COOKERY[0], PARSING[1], COOKERY[1], PARSING[2], COOKERY[2], PARSING[3]]
    assert chosen(DEMAND, *mixed) == list(PARSING)


def test_a_paper_that_shares_no_word_with_the_demand_is_found_through_others_like_it() -> None:
    titles = [*PARSING[:3], "Treebanks and transition systems", *COOKERY]
    asked = nearness("parsing", pool(*titles))
    assert asked[3] > max(asked[4:]) == 0.0
    assert "Treebanks and transition systems" in chosen("parsing", *titles)


def test_the_words_of_asking_say_nothing() -> None:
    assert topic_words(DEMAND) == ["parsing", "parser"]
    survey = "Please prepare an overview of the literature on jam."
    assert topic_words(survey) == ["jam"]


def test_the_cut_is_where_the_scores_fall_most_in_proportion() -> None:
    # 8 -> 6 is by 4/3, 6 -> 5 by 6/5, 5 -> 1 by 5.
    assert count_kept(np.array([5.0, 8.0, 1.0, 6.0])) == 3
    # 99 -> 3 is within the first third of six; of the falls behind it 1.9 -> 0.5 is the steepest.
    assert count_kept(np.array([99.0, 0.4, 3.0, 2.0, 0.5, 1.9])) == 4


def test_nothing_to_tell_papers_apart_by_keeps_all() -> None:
    assert count_kept(np.zeros(7)) == 7
    assert len(choose_papers("zymurgy", pool(*PARSING))) == 4
    assert choose_papers(DEMAND, []) == []
    assert len(choose_papers(DEMAND, pool("Only one"))) == 1


def test_the_order_of_the_pool_changes_no_choice() -> None:
    titles = [*PARSING, *COOKERY]
    for seed in range(5):
        random.Random(seed).shuffle(titles)
        assert set(chosen(DEMAND, *titles)) == set(PARSING)


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=12))
def test_whatever_the_words_at_least_a_third_is_kept(demand: str, titles: list[str]) -> None:
    kept = choose_papers(demand, pool(*titles))
    assert 3 * len(kept) >= len(titles)
    assert [paper for paper in pool(*titles) if paper in kept] == kept
