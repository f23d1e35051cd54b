"""Boards out of rows of results, by hand."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.corpus import boards
from vivavoce.corpus.boards import CorpusBoard, count_boards
from vivavoce.corpus.build.results import judge_results
from vivavoce.readers.board_keys import board_id, board_names, dataset_key, measured_key, task_key
from vivavoce.readers.metric_values import direction_of, impossible, is_resource, off_scale
from vivavoce.readers.terms import metric_key, name_key


def row(method: str, score: float | None, paper: str | None = None, **other: Any) -> dict[str, Any]:
    return {
        "task": "Parsing",
        "dataset": "Penn Treebank",
        "metric": "F1 score",
        "method": method,
        "score": score,
        "score_text": "" if score is None else str(score),
        "paper_id": paper,
        **dict.fromkeys(("paper_url", "date", "area", "modality", "higher_is_better")),
        **dict.fromkeys(("listed_in", "position")),
        **other,
    }


def make_boards(rows: list[dict[str, Any]]) -> tuple[CorpusBoard, ...]:
    """The boards of a table of results that holds some rows."""
    return boards.make_boards(judged(rows))


def judged(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of results with what their boards say of them."""
    return [{**row, **verdict} for row, verdict in zip(rows, judge_results(rows), strict=True)]


@pytest.mark.parametrize(
    ("task", "dataset", "expected"),
    [
        # A heading that is a task; one that is a kind of model; one that announces results.
        ("Syntax", "Chunking > Penn Treebank", ("Chunking", "Penn Treebank")),
        ("Language modeling", "Word Level Models > Bank", ("Language modeling", "Bank")),
        ("Linking", "Evaluation > Experimental Results > FB15", ("Linking", "FB15")),
        (
            "Summarization",
            "Mail > Anonymized version",
            ("Summarization", "Mail > Anonymized version"),
        ),
        ("Hindi", "Chunking", ("Hindi", "Chunking")),
        ("Parsing", "Datasets", ("Parsing", "Datasets")),
    ],
)
def test_headings_in_the_name_of_a_dataset_are_told_apart(
    task: str, dataset: str, expected: tuple[str, str]
) -> None:
    assert board_names(task, dataset) == expected


def test_remarks_that_say_nothing_new_are_left_out() -> None:
    assert dataset_key("MCR (Machine Comprehension Rows)") == "mcr"
    assert dataset_key("Machine Comprehension Rows (MCR) corpus") == "machine comprehension rows"
    assert dataset_key("Bank (Perplexity when reading)", metric="Perplexity") == "bank"
    assert dataset_key("Bank (Word Level)", metric="Test perplexity") == "bank"
    assert dataset_key("Question Answering Squares", "question answering") == "squares"
    assert dataset_key("Eval-14 Shared Task") == "eval 14"
    assert task_key("Named Entity Recognition (NER)") == "named entity recognition"
    assert metric_key("Bits per Character (BPC)") == "bpc"
    assert metric_key("H@10") == metric_key("Hits@10") == "hits @ 10"
    assert name_key("Semantic role labelling") == name_key("Semantic Role Labeling")
    assert name_key("Tokenised, anonymised") == name_key("tokenized anonymized")
    assert name_key("Rumour behaviour") == name_key("rumor behavior")
    # These do say something.
    assert dataset_key("Bank (Word Level)", metric="F1") == "bank word level"
    assert dataset_key("Squares (English)") == "squares english"
    assert dataset_key("Question answering", "question answering") == "question answering"


def test_units_parts_of_the_data_and_sentences_are_no_names() -> None:
    assert measured_key("Test accuracy (%)") == measured_key("Accuracy") == "accuracy"
    assert measured_key("MPJPE (mm)") == "mpjpe"
    assert measured_key("Laptop (acc)") == measured_key("Accuracy on Laptop") == "accuracy laptop"
    assert measured_key("Validation perplexity") == measured_key("Perplexity on Dev")
    assert measured_key("Validation perplexity") == "perplexity dev"
    assert measured_key("Error reduction") == "error reduction"
    assert measured_key("TEST-EM") == measured_key("EM") == "exact match"
    assert measured_key("dev_F1") == measured_key("F1 (dev)") == "f1 dev"
    assert measured_key("ROUGE-L") == measured_key("rougeL")
    assert measured_key("QA->R") == "qa r"
    long = "Bank labeled attachment score (LAS). Here we also mention the unlabeled one"
    assert dataset_key(long, metric="LAS") == "bank"
    assert dataset_key("Stories test", metric="F1") == "stories"
    # A short remark says something.
    assert dataset_key("Bank (with gold segments)", metric="LAS") == "bank with gold segments"


def test_scores_of_training_data_and_of_no_name_are_on_no_board() -> None:
    sentence = "what all of these systems have been given to read beforehand " * 2
    rows = [
        row("A", 99.0, metric="% Train accuracy"),
        row("A", 98.0, dataset="Bank training set"),
        row("A", 97.0, dataset=sentence),
        row("A", 97.0, metric="Dev"),
        row("A", 91.0, dataset="Bank trained by hand"),
    ]
    assert [each["set_aside"] for each in judged(rows)] == [
        *("of training data", "of training data", "no name", "no name"),
        None,
    ]


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=40))
@settings(deadline=None)
def test_any_names_give_an_id_of_three_keys(task: str, dataset: str, metric: str) -> None:
    assert board_id(task, dataset, metric).count("/") == 2
    # Boards are shown under the names found, which have to lead to the same board again.
    names = board_names(task, dataset)
    assert board_names(*names).dataset == names.dataset


def test_scores_of_one_method_and_work_that_differ_are_kept() -> None:
    # 90.04 rounds to 90.0, and B of another work is another B.
    rows = [row("A", 91.0, "p1"), row("a", 92.5, "p1"), row("B", 90.04, "p2")]
    rows += [row("B", 90.0, "p2"), row("B", 80.0, "p3")]
    assert len(make_boards(rows)[0].entries) == 5


@pytest.mark.parametrize(
    ("metric", "higher"),
    [
        ("accuracy", True),
        ("percentage error", False),
        ("perplexity", False),
        ("bpc", False),
        ("elo", True),
        ("MPJPE (mm)", False),
        ("bits/dim", False),
        ("Mean Rank", False),
        ("Mean Reciprocal Rank", True),
        ("Ligand RMSD < 2 (%)", True),
    ],
)
def test_the_direction_is_told_by_the_name(metric: str, higher: bool) -> None:
    assert direction_of([metric]) == (higher, ("name",))


def test_a_list_in_order_tells_the_direction_where_nothing_else_does() -> None:
    falling, rising = [5.0, 4.0, 3.0, 2.0, 1.0], [1.0, 2.0, 3.0, 4.0, 5.0]
    assert direction_of(["zeta"], lists=[falling]) == (True, ("order",))
    assert direction_of(["zeta"], lists=[rising, [6.0, *rising[:2]]]) == (False, ("order",))
    # Too short; one pair the wrong way round; another list the other way round.
    for lists in ([rising[:4]], [[5.0, 4.0, 2.0, 3.0, 1.0]], [rising, falling]):
        assert direction_of(["zeta"], lists=lists) == (None, ())
    # A list may be in the order of its years, whatever its metric.
    for name in ("accuracy", "bank accuracy"):
        assert direction_of([name], lists=[rising]) == (True, ("name",))
    # What most lists say of the direction goes before the name.
    assert direction_of(["error"], [None, True, True, False]) == (True, ("source",))


@pytest.mark.parametrize(
    ("metric", "value", "reason"),
    [
        ("accuracy", 93.3, None),
        ("accuracy", 933.0, "above 100"),
        ("accuracy", -3.0, "negative"),
        ("pearson", -0.2, None),
        ("perplexity", 140.0, None),
        ("perplexity", 0.9, "below 1"),
        ("accuracy", None, "no number"),
        ("reward", -20000.0, None),
        ("Inception score", 250.0, None),
        ("NLL", -3.2, None),
        ("CHALLENGE-F1", 120.0, "above 100"),
    ],
)
def test_an_impossible_value_is_reported(
    metric: str, value: float | None, reason: str | None
) -> None:
    assert impossible(metric, value) == reason


def test_a_fraction_among_percentages_is_off_the_scale() -> None:
    assert off_scale("f1", [85.1, 0.851, 90.0, 88.0]) == [False, True, False, False]
    assert off_scale("f1", [0.85, 90.0, 0.9, 0.88]) == [False, True, False, False]
    # All of one scale, too few to tell, a weak baseline, a metric without an upper end.
    assert off_scale("f1", [85.1, 90.0, 88.0]) == [False] * 3
    assert off_scale("f1", [85.1, 0.851]) == [False] * 2
    assert off_scale("map", [2.3, 0.9, 4.0, 6.1]) == [False] * 4
    assert off_scale("perplexity", [85.1, 1.0, 90.0]) == [False] * 3


def test_a_board_is_ordered_best_first_and_keeps_every_entry() -> None:
    rows = [
        row("A", 91.0, "p1", date="2018"),
        row("B", 92.5, "p2"),
        row("A+", 93.0, "p1"),
        row("C", 90.0),
        # The same score in a second list, without its date; and a name spelt otherwise.
        row("a", 91.0, "p1"),
    ]
    board = make_boards(rows)[0]
    assert [(e.method, e.score, e.paper_id) for e in board.entries] == [
        ("A+", 93.0, "p1"),
        ("B", 92.5, "p2"),
        ("A", 91.0, "p1"),
        ("C", 90.0, None),
    ]
    assert board.entries[2].date == "2018"
    assert board.papers == ("p1", "p2")
    assert [(e.paper_id, e.score) for e in board.best_by_paper()] == [("p1", 93.0), ("p2", 92.5)]


def test_what_is_set_aside_is_named_with_its_reason() -> None:
    rows = [
        row("A", 91.0),
        row("B", 92.0),
        row("C", 90.0),
        row("fraction", 0.9),
        row("typing error", 912.0),
        row("not given", None),
        row("A", 24e6, metric="Number of params"),
    ]
    assert [board.id for board in make_boards(rows)] == ["parsing/penn_treebank/f1"]
    aside = [each for each in judged(rows) if each["set_aside"] is not None]
    assert {(each["method"], each["set_aside"]) for each in aside} == {
        ("fraction", "of another scale"),
        ("typing error", "above 100"),
        ("not given", "no number"),
        ("A", "a resource"),
    }
    assert is_resource("training time")


def on(board: str, method: str, score: float, paper: str | None, **other: Any) -> dict[str, Any]:
    """A row of a board; a work that is not a paper of the corpus has an address instead."""
    task, dataset, metric = board.split("/")
    url = None if paper else f"https://example.org/{method}"
    names = {"task": task, "dataset": dataset, "metric": metric, "paper_url": url}
    return row(method, score, paper, **names, **other)


COUNTED = [
    on("Parsing/Bank/F1", "A", 91.0, "p1", area="NLP", modality="Texts"),
    on("Parsing/Bank/F1", "B", 92.0, "p2"),
    on("Parsing/Bank/F1", "C", 93.0, None),
    on("Parsing/Bank/F1", "", 94.0, "p3"),  # a list that names no methods
    on("Parsing/Bank/LAS", "A", 81.0, "p1"),
    on("Tagging/Bank/Accuracy", "C", 97.0, None, area="NLP; Syntax", modality="Texts"),
    on("Tagging/Views/Accuracy", "D", 55.0, "p1", modality="Images; Texts"),
    on("Tagging/Views/Accuracy", "d", 56.0, "p1"),  # the same method, another score
    on("Tagging/Views/Accuracy", "E", 560.0, "p2"),
    on("Tagging/Views/Params", "E", 5e6, "p2"),
]


def test_boards_are_counted_for_all_results_and_for_those_of_papers() -> None:
    found = count_boards(judged(COUNTED))
    # Entries: 4 + 1 + 1 + 2; a board of papers p1, p2, p3 and a work outside.
    # Methods: A, B and C of the first board, A, C and D of the others; one entry has none.
    assert found["all"] == {
        "results": 10,
        "datasets": 2,
        "tasks": 2,
        "metrics": 3,
        "entries": 8,
        "tuples": 6,
        "boards": 4,
        "boards_of_3_papers": 1,
        "largest_board": 4,
        "datasets_by_modality": {"Texts": 2, "Images": 1},
        "tasks_by_area": {"NLP": 2, "Syntax": 1},
    }
    # Without C: its tagging board goes, and with it what is known of the area of tagging.
    assert found["mapped"] == {
        "results": 8,
        "datasets": 2,
        "tasks": 2,
        "metrics": 3,
        "entries": 6,
        "tuples": 4,
        "boards": 3,
        "boards_of_3_papers": 1,
        "largest_board": 3,
        "datasets_by_modality": {"Texts": 2, "Images": 1},
        "tasks_by_area": {"NLP": 1, "not given": 1},
    }
    assert found["quarantined"] == {"a resource": 1, "above 100": 1}
