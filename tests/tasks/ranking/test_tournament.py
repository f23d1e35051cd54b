"""Papers ranked by who beats whom in tables."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.readers.terms import BoardTerms, stands_for, terms_of_text
from vivavoce.tasks.ranking.items.boards import BoardQuery
from vivavoce.tasks.ranking.items.pairwise_results import ABOUT, Comparison, Line
from vivavoce.tasks.ranking.items.tournament import Tournament

BOARD = BoardQuery("parsing/treebank/f1", "Parsing", "Treebank", "F1")
ERROR = BoardQuery("parsing/treebank/error", "Parsing", "Treebank", "Error")
DATES = {"a": "2018-01", "b": "2019-01", "c": "2020-01", "d": "2021-01"}
NEWEST = ["d", "c", "b", "a"]


def table(
    scores: dict[str, float | tuple[float | None, ...] | None],
    headers: tuple[str, ...] = ("F1",),
    caption: str = "Results on the Treebank.",
    ordinal: int = 0,
) -> Comparison:
    """A table with a line for each paper."""
    lines = tuple(
        Line(paper, "", "", "mark", given if isinstance(given, tuple) else (given,))
        for paper, given in scores.items()
    )
    return Comparison("source", ordinal, "2021", caption, headers, lines)


def rank_by_wins(
    comparisons: Iterable[Comparison],
    query: BoardQuery,
    papers: Sequence[str],
    dates: Mapping[str, str | None],
    *,
    higher_is_better: bool = True,
    sentences: bool = True,
) -> list[str]:
    """The papers ranked for one board."""
    games = Tournament(comparisons, sentences=sentences)
    return games.rank(query, papers, dates, higher_is_better=higher_is_better)


def test_without_tables_the_newer_comes_first() -> None:
    assert rank_by_wins([], BOARD, list("abcd"), DATES) == NEWEST


def test_a_win_in_a_table_outdoes_dates() -> None:
    # a, the oldest, beats both others: 2 matches won; b beats c: 1 - 1 = 0; c: -2.
    found = rank_by_wins([table({"a": 93.0, "b": 92.0, "c": 91.0})], BOARD, list("abc"), DATES)
    assert found == ["a", "b", "c"]


def test_where_less_is_better_the_smaller_wins() -> None:
    results = table({"a": 7.0, "b": 8.0, "c": 9.0}, headers=("Error",))
    assert rank_by_wins([results], ERROR, list("abc"), DATES, higher_is_better=False) == [
        "a",
        "b",
        "c",
    ]


def test_equal_scores_are_no_win() -> None:
    assert rank_by_wins([table({"a": 93.0, "b": 93.0})], BOARD, ["a", "b"], DATES) == ["b", "a"]


def test_the_best_line_of_a_paper_counts() -> None:
    lines = tuple(
        Line(paper, "", "", "mark", (score,))
        for paper, score in (("a", 90.0), ("a", 94.0), ("b", 92.0))
    )
    one = Comparison("source", 0, "2021", "Results on the Treebank.", ("F1",), lines)
    assert rank_by_wins([one], BOARD, ["a", "b"], DATES) == ["a", "b"]


def test_in_a_circle_each_wins_once_and_the_newer_comes_first() -> None:
    # a beats b, b beats c, c beats a: every paper has 1 won and 1 lost.
    circle = [
        table({"a": 92.0, "b": 91.0}),
        table({"b": 92.0, "c": 91.0}),
        table({"c": 92.0, "a": 91.0}),
    ]
    assert rank_by_wins(circle, BOARD, list("abc"), DATES) == ["c", "b", "a"]


def test_a_circle_is_above_whom_all_of_it_beats() -> None:
    # a, b and c beat d as well: 2 won, 1 lost each; d lost 3.
    circle = [
        table({"a": 92.0, "b": 91.0, "d": 80.0}),
        table({"b": 92.0, "c": 91.0, "d": 80.0}),
        table({"c": 92.0, "a": 91.0, "d": 80.0}),
    ]
    assert rank_by_wins(circle, BOARD, list("abcd"), DATES) == ["c", "b", "a", "d"]


def test_more_wins_than_losses_make_a_match() -> None:
    tables = [
        table({"a": 92.0, "b": 91.0}),
        table({"a": 92.0, "b": 91.0}),
        table({"a": 90.0, "b": 91.0}),
    ]
    assert rank_by_wins(tables, BOARD, ["a", "b"], DATES) == ["a", "b"]


def test_scores_of_different_tables_decide_where_none_has_both() -> None:
    tables = [table({"a": 93.0}), table({"b": 92.0})]
    assert rank_by_wins(tables, BOARD, ["a", "b"], DATES) == ["a", "b"]


def test_a_score_of_another_scale_is_not_compared() -> None:
    # The usual score is 91; 0.5 is no score of this board, so that a stands by its date.
    tables = [table({"b": 90.0}), table({"c": 91.0}), table({"a": 0.5})]
    assert rank_by_wins(tables, BOARD, list("abc"), DATES) == ["c", "b", "a"]
    tables = [table({"a": 90.0}), table({"b": 91.0}), table({"c": 0.5})]
    assert rank_by_wins(tables, BOARD, list("abc"), DATES) == ["c", "b", "a"]


@pytest.mark.parametrize(
    "other",
    [
        table({"a": 93.0, "b": 92.0}, headers=("Recall",)),
        table({"a": 93.0, "b": 92.0}, headers=("Parameters",)),
        table({"a": 93.0, "b": 92.0}, caption="Questions answered."),
        table({"a": 93.0, "b": None}),
    ],
    ids=["another measure", "a resource", "another dataset", "an empty cell"],
)
def test_what_does_not_fit_the_board_is_not_counted(other: Comparison) -> None:
    assert rank_by_wins([other], BOARD, ["a", "b"], DATES) == ["b", "a"]


def test_the_column_of_the_board_is_the_one_that_counts() -> None:
    headers = ("Treebank F1", "Treebank Recall")
    results = table({"a": (93.0, 10.0), "b": (92.0, 99.0)}, headers=headers)
    assert rank_by_wins([results], BOARD, ["a", "b"], DATES) == ["a", "b"]


def test_the_paper_around_a_sentence_tells_its_dataset() -> None:
    def claim(paper: str, score: float) -> list[Comparison]:
        line = Line(paper, "", "", "claim", (score,))
        about = Comparison(paper, ABOUT, "2020", "Parsing the Treebank.", (), ())
        return [about, Comparison(paper, ABOUT - 1, "2020", "We reach this.", ("F1",), (line,))]

    claims = [*claim("a", 93.0), *claim("b", 92.0)]
    assert rank_by_wins(claims, BOARD, ["a", "b"], DATES) == ["a", "b"]
    assert rank_by_wins(claims, BOARD, ["a", "b"], DATES, sentences=False) == ["b", "a"]
    alone = [one for one in claims if one.ordinal != ABOUT]
    assert rank_by_wins(alone, BOARD, ["a", "b"], DATES) == ["b", "a"]


def test_papers_told_of_share_out_their_own_dates() -> None:
    # a beats c: a takes the later of their two dates, 2020, and c the earlier, 2018. Nothing is
    # told of b and d, which keep 2019 and 2021.
    found = rank_by_wins([table({"a": 93.0, "c": 92.0})], BOARD, list("abcd"), DATES)
    assert found == ["d", "a", "b", "c"]


def test_a_paper_without_a_date_is_the_oldest_until_it_wins() -> None:
    dates = {"a": None, "b": "2019", "c": ""}
    assert rank_by_wins([], BOARD, list("abc"), dates) == ["b", "a", "c"]
    assert rank_by_wins([table({"a": 93.0, "b": 92.0})], BOARD, list("abc"), dates) == [
        "a",
        "b",
        "c",
    ]


def test_one_tournament_answers_for_many_boards() -> None:
    headers = ("Treebank F1", "Treebank Error")
    games = Tournament([table({"a": (93.0, 9.0), "b": (92.0, 8.0)}, headers=headers)])
    assert games.rank(BOARD, ["a", "b"], DATES, higher_is_better=True) == ["a", "b"]
    assert games.rank(ERROR, ["a", "b"], DATES, higher_is_better=False) == ["b", "a"]


SCORES = st.one_of(st.none(), st.integers(60, 99).map(float))
TABLES = st.lists(st.dictionaries(st.sampled_from("abcd"), SCORES, max_size=4), max_size=6)


@settings(deadline=None)
@given(TABLES, st.randoms(use_true_random=False), st.lists(st.sampled_from("abcdxyz"), max_size=9))
def test_the_order_of_tables_and_papers_does_not_matter(
    results: list[dict[str, float | None]], order: Random, papers: list[str]
) -> None:
    tables = [table(dict(scores), ordinal=place) for place, scores in enumerate(results)]
    found = rank_by_wins(tables, BOARD, papers, DATES)
    assert sorted(found) == sorted(set(papers))
    order.shuffle(tables)
    order.shuffle(papers)
    assert rank_by_wins(tables, BOARD, papers, DATES) == found


@settings(deadline=None)
@given(st.permutations("abcd"))
def test_one_table_of_all_papers_gives_its_own_order(ranked: list[str]) -> None:
    scores = {paper: 90.0 - place for place, paper in enumerate(ranked)}
    assert rank_by_wins([table(dict(scores))], BOARD, list("abcd"), DATES) == ranked


def test_many_candidates_and_tables_take_little_time() -> None:
    papers = [f"p{number:04}" for number in range(1_000)]
    chance = Random(7)
    tables = [
        table({paper: chance.uniform(60, 95) for paper in chance.sample(papers, 20)}, ordinal=place)
        for place in range(200)
    ]
    games = Tournament(tables)
    start = time.process_time()
    found = games.rank(BOARD, papers, dict.fromkeys(papers, "2020"), higher_is_better=True)
    assert time.process_time() - start < 10
    assert sorted(found) == papers


@pytest.mark.parametrize(
    ("short", "words"),
    [
        ("ptb", ("penn", "treebank")),
        ("squad", ("stanford", "question", "answering", "dataset")),
        ("wt2", ("wikitext2",)),
    ],
)
def test_abbreviations_stand_for_their_words(short: str, words: tuple[str, ...]) -> None:
    assert stands_for(short, words)
    assert not stands_for(short + "x", words)
    assert not stands_for(short[1:] + "q", words)


def test_spellings_of_a_measure_are_one_term() -> None:
    assert terms_of_text("F-measure") == terms_of_text("F 1 score") == ("f1",)
    assert terms_of_text("bits per character") == terms_of_text("BPC") == ("bpc",)
    assert terms_of_text("WikiText-2 (val.)") == ("wikitext2", "dev")


def test_a_header_that_names_the_board_fits_best() -> None:
    board = BoardTerms.of("Penn Treebank", "F1", {})
    near = board.fit(("ptb", "f1"), ())
    below = board.fit(("f1",), ("ptb",))
    around = board.fit(("f1",), (), ("penn", "treebank"))
    assert (near, below, around) == (1.0, 0.8, 0.4)
    assert board.fit(("f1", "dev"), ("ptb",)) < below
    assert board.fit((), ("ptb", "f1")) == pytest.approx(0.8 * 0.8)
    assert board.fit(("recall",), ("ptb",)) == board.fit(("ptb", "size"), ()) == 0
