"""Boards under several names, by hand."""

from typing import Any

from tests.corpus.test_boards import make_boards, on

from vivavoce.corpus.build.results import find_boards


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
