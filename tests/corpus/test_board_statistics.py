"""Boards counted, by hand."""

from __future__ import annotations

from typing import Any

from tests.corpus.in_memory_build import judged

from vivavoce.corpus.boards import count_boards


def row(board: str, method: str, score: float | None, paper: str | None, **other: Any) -> Any:
    task, dataset, metric = board.split("/")
    return {
        "task": task,
        "dataset": dataset,
        "metric": metric,
        "method": method,
        "score": score,
        "score_text": str(score),
        "paper_id": paper,
        "paper_url": None if paper else f"https://example.org/{method}",
        "date": None,
        "area": None,
        "modality": None,
        "higher_is_better": None,
        "listed_in": None,
        "position": None,
        **other,
    }


ROWS = [
    row("Parsing/Bank/F1", "A", 91.0, "p1", area="NLP", modality="Texts"),
    row("Parsing/Bank/F1", "B", 92.0, "p2"),
    row("Parsing/Bank/F1", "C", 93.0, None),
    row("Parsing/Bank/F1", "", 94.0, "p3"),  # a list that names no methods
    row("Parsing/Bank/LAS", "A", 81.0, "p1"),
    row("Tagging/Bank/Accuracy", "C", 97.0, None, area="NLP; Syntax", modality="Texts"),
    row("Tagging/Views/Accuracy", "D", 55.0, "p1", modality="Images; Texts"),
    row("Tagging/Views/Accuracy", "d", 56.0, "p1"),  # the same method, another score
    row("Tagging/Views/Accuracy", "E", 560.0, "p2"),
    row("Tagging/Views/Params", "E", 5e6, "p2"),
]


def test_boards_are_counted_for_all_results_and_for_those_of_papers() -> None:
    found = count_boards(judged(ROWS))
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
    assert found["disagreements"] == 1


def test_nothing_is_counted_without_results() -> None:
    found = count_boards([])
    assert found["all"]["boards"] == found["mapped"]["largest_board"] == 0
    assert found["quarantined"] == {}
