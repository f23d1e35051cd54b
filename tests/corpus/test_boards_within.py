"""Boards as a window sees them: nothing on them that came after it."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tests.corpus.test_boards import make_boards, on

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.corpus.boards import boards_within
from vivavoce.corpus.build.results import find_boards
from vivavoce.records import Window

Write = Callable[..., Path]
YEAR_2020 = Window(date(2020, 1, 1), date(2021, 1, 1))


def score(dataset: str, method: str, work: str, day: str | None = None) -> dict[str, Any]:
    return {
        "task": "Parsing",
        "dataset": dataset,
        "metric": "F1",
        "method": method,
        "score": 90,
        "paper_url": f"https://example.org/{work}",
        "paper_date": day,
    }


@pytest.fixture
def corpus(tmp_path: Path, write_rows: Write) -> Corpus:
    """Papers of 2019, 2020, 2021 and of no date; a list of works, some of them these papers."""
    papers = [
        {"id": name, "source_url": f"https://example.org/{name}", "published": day}
        for name, day in (("early", "2019-05"), ("mid", "2020-06-01"), ("late", "2021-02-03"))
    ]
    papers.append({"id": "undated", "source_url": "https://example.org/undated"})
    rows = [
        *(score("Bank", name.title(), name) for name in ("early", "mid", "late", "undated")),
        score("Bank", "Outside before", "a", "2018-01-02"),
        score("Bank", "Outside after", "b", "2021-03"),
        score("Bank", "Outside in the year", "c", "2021"),  # a year is over when it ends
        score("Bank", "Outside undated", "d"),
        score("Pond", "Early", "early"),
        score("Lake", "Outside", "a", "2020-01-02"),
    ]
    ingest("metadata", write_rows("m.jsonl", papers), tmp_path / "c")
    ingest("pwc", write_rows("pwc.jsonl", rows), tmp_path / "c")
    return load_corpus(tmp_path / "c")


def test_scores_of_papers_and_works_that_came_later_are_taken_off(corpus: Corpus) -> None:
    kept, left_out = boards_within(corpus, YEAR_2020)
    assert [(found.id, found.published) for found in kept] == [("parsing/bank/f1", "2020-06-01")]
    assert {entry.method for entry in kept[0].entries} == {"Early", "Mid", "Outside before"}
    assert kept[0].undated == 1
    lenient, _ = boards_within(corpus, YEAR_2020, keep_undated=True)
    assert {entry.method for entry in lenient[0].entries} == {
        "Early",
        "Mid",
        "Outside before",
        "Outside undated",
    }
    assert {(out.board, out.reason) for out in left_out} == {
        ("parsing/pond/f1", "outside_window"),
        ("parsing/lake/f1", "no_paper"),
    }


def test_about_half_of_all_boards_are_for_testing() -> None:
    boards = make_boards([on(f"parsing/bank {n}/f1", "A", 90.0, "p1") for n in range(400)])
    assert 0.4 < sum(board.is_test for board in boards) / 400 < 0.6


def scored(board: str, scores: dict[str, float]) -> list[dict[str, Any]]:
    """Rows of a board: the scores of works by their addresses."""
    return [on(board, work.upper(), score, work) for work, score in scores.items()]


def boards_of(*boards: tuple[str, dict[str, float]]) -> list[str]:
    """The ids of the boards that some rows make, sorted."""
    return sorted(
        set(find_boards([one for name, scores in boards for one in scored(name, scores)]))
    )


def test_one_dataset_and_metric_are_one_board_where_a_work_has_one_score_on_both() -> None:
    segmentation = {"p1": 96.1, "p2": 95.0}
    assert boards_of(
        ("Word segmentation/AS/F1", segmentation),
        ("Tokenization of Chinese/AS/F1 score", {"p2": 95.0}),
    ) == ["word_segmentation/as/f1"]


def test_works_that_never_have_one_score_keep_two_boards_apart() -> None:
    """A tagger and a parser, and a task and a kind of it that are measured differently."""
    supertags = {"p1": 94.0, "p2": 95.0}
    for task in ("Parsing", "Supertagging with types"):
        apart = boards_of(
            ("Supertagging/Bank/Accuracy", supertags), (f"{task}/Bank/Accuracy", {"p1": 88.0})
        )
        assert len(apart) == 2
    assert len(boards_of(("Chunking/Bank/F1", supertags), ("Parsing/Bank/F1", {"p3": 90.0}))) == 2


def test_a_kind_of_a_task_is_the_task_where_no_work_is_on_both() -> None:
    assert boards_of(
        ("Reading comprehension/Squares/F1", {"p1": 70.0}),
        ("Chinese reading comprehension/Squares/F1", {"p2": 71.0, "p3": 72.0}),
    ) == ["chinese_reading_comprehension/squares/f1"]


def test_three_works_with_equal_scores_join_boards_whose_names_differ() -> None:
    scores = {"p1": 60.3, "p2": 58.6, "p3": 57.3, "p4": 54.4}
    named = ("Language modeling/Bank of words/Perplexity", scores)
    assert boards_of(named, ("Models/BoW/Test", dict(list(scores.items())[:3]))) == [
        "language_modeling/bank_of_words/perplexity"
    ]
    two = dict(list(scores.items())[:2])
    equal = dict.fromkeys(scores, 100.0)
    for others in (("Models/BoW/Test", two), ("Models/Toys 2/Accuracy", equal)):
        assert len(boards_of(named, ("Models/Toys 1/Accuracy", equal), others)) == 3


def test_most_works_on_both_have_to_agree() -> None:
    ones = {f"p{n}": 50.0 + n for n in range(9)}
    others = {work: score + (score > 53) for work, score in ones.items()}
    assert sum(ones[work] == others[work] for work in ones) == 4
    assert len(boards_of(("Reading/Stories/EM", ones), ("Reading/Tales/EM", others))) == 2


def test_a_direction_comes_from_any_name_of_a_board() -> None:
    scores = {"p1": 60.3, "p2": 58.6, "p3": 57.3}
    rows = [
        *scored("Models/Bank/Result", scores),
        *scored("Language modeling/Bank of words/Perplexity", scores),
    ]
    (board,) = make_boards(rows)
    assert board.higher_is_better is False
    assert [entry.score for entry in board.entries] == [57.3, 58.6, 60.3]
