"""Lists of results become tables: papers of a task, and their best scores on its boards."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from tests.tasks.ranking.board_corpora import Papers

from vivavoce.records import Window
from vivavoce.rounds.family import Exclusion
from vivavoce.tasks.tables.items.item import GoldTable, TablesOptions
from vivavoce.tasks.tables.items.results_tables import read_results

WINDOW = Window(date(2020, 1, 1), date(2022, 1, 1))
NAMES = ("ash", "bay", "cob", "dew")


def papers(folder: Path) -> Papers:
    made = Papers(folder)
    for name in NAMES:
        made.add(name, f"On {name} in text")
    return made


Found = tuple[list[tuple[GoldTable, frozenset[str]]], list[Exclusion]]


def read(made: Papers, texts: tuple[str, ...] = NAMES, window: Window = WINDOW) -> Found:
    corpus = made.corpus()
    ids = {made.name_of(paper.paper_id): paper.paper_id for paper in corpus.papers}
    return read_results(corpus, window, {ids[name] for name in texts}, TablesOptions())


def test_rows_are_papers_and_columns_boards_with_the_best_scores(tmp_path: Path) -> None:
    made = papers(tmp_path)
    made.board("Parsing", "PTB", "F1", [("ash", 90.1), ("ash", 91.5), ("bay", "88"), ("cob", 87)])
    made.board("Parsing", "CTB", "UAS", [("ash", 80.5), ("cob", 81.5)])
    ((table, _),), _ = read(made)
    assert table.id == "results/parsing"
    assert table.kind == "results"
    assert table.source_paper is None
    assert table.caption == "Published results on Parsing."
    assert table.columns == ("CTB – UAS", "PTB – F1")
    assert {made.name_of(row.paper): row.cells for row in table.rows} == {
        "ash": ("80.5", "91.5"),
        "bay": (None, "88"),
        "cob": ("81.5", "87"),
    }
    assert table.published == "2021-03-01"


def test_papers_without_a_text_are_no_rows_and_no_distractors(tmp_path: Path) -> None:
    made = papers(tmp_path)
    scores = [("ash", 90), ("bay", 88), ("cob", 87), ("dew", 86)]
    made.board("Parsing", "PTB", "F1", scores)
    made.board("Parsing", "CTB", "UAS", [(name, score - 9) for name, score in scores])
    ((table, related),), _ = read(made, texts=("ash", "bay", "cob"))
    assert sorted(map(made.name_of, table.papers)) == ["ash", "bay", "cob"]
    assert sorted(map(made.name_of, related)) == list(NAMES)


def test_a_task_needs_papers_and_columns(tmp_path: Path) -> None:
    made = papers(tmp_path)
    made.board("Parsing", "PTB", "F1", [("ash", 90), ("bay", 88), ("cob", 87)])
    made.board("Tagging", "PTB", "F1", [("ash", 97), ("bay", 96)])
    made.board("Tagging", "UD", "F1", [("ash", 80), ("bay", 78)])
    tables, excluded = read(made)
    assert tables == []
    assert {one.paper_id: one.reason for one in excluded} == {
        "results/parsing": "few_columns",
        "results/tagging": "few_papers",
    }


def test_a_board_with_one_paper_is_a_column_only_where_it_takes_it(tmp_path: Path) -> None:
    made = papers(tmp_path)
    made.board("Parsing", "PTB", "F1", [("ash", 90), ("bay", 88), ("cob", 87)])
    made.board("Parsing", "CTB", "UAS", [("ash", 80)])
    ((table, _),), _ = read(made)  # 4 of 6 cells
    assert table.columns == ("CTB – UAS", "PTB – F1")
    made.board("Parsing", "UD", "UAS", [("ash", 70), ("bay", 60)])
    ((table, _),), _ = read(made)
    assert table.columns == ("PTB – F1", "UD – UAS")


def test_two_names_of_one_board_are_one_column(tmp_path: Path) -> None:
    made = papers(tmp_path)
    made.board("Parsing", "PTB", "F1", [("ash", 90), ("bay", 88), ("cob", 87)])
    made.board("Parsing", "Section 23", "F1", [("ash", 90), ("bay", 88), ("cob", 87)])
    made.board("Parsing", "CTB", "F1", [("ash", 90), ("bay", 70), ("cob", 60)])
    ((table, _),), _ = read(made)
    assert table.columns == ("CTB – F1", "PTB – F1")


def test_what_leaves_most_cells_empty_goes(tmp_path: Path) -> None:
    made = Papers(tmp_path)
    for place in range(8):
        made.add(f"p{place}", f"Parsing number {place}")
    for dataset, start in (("Ctb", 40), ("Ptb", 50)):
        scores = [(f"p{place}", start + 3 * place) for place in range(6)]
        made.board("Parsing", dataset, "F1", scores)
    for dataset, start in (("Genia", 20), ("Toefl", 30), ("Webtext", 60)):
        made.board("Parsing", dataset, "UAS", [("p6", start), ("p7", start + 5)])
    ((table, _),), _ = read(made, tuple(f"p{place}" for place in range(8)))
    # Filled are 6 + 6 + 2 + 2 + 2 = 18 of 8 * 5 = 40 cells; without the first of the boards with
    # two scores 16 of 32, which is half.
    assert table.columns == ("Ctb – F1", "Ptb – F1", "Toefl – UAS", "Webtext – UAS")
    assert len(table.papers) == 8


def test_a_window_before_the_papers_holds_no_table(tmp_path: Path) -> None:
    made = papers(tmp_path)
    for dataset, first in (("PTB", 90), ("CTB", 70)):
        made.board("Parsing", dataset, "F1", [("ash", first), ("bay", 68), ("cob", 57)])
    assert read(made, window=Window(date(2019, 1, 1), date(2020, 1, 1)))[0] == []
