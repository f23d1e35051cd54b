"""Which papers of a board are ranked, in which order, and what is left out."""

from datetime import date
from pathlib import Path

from tests.tasks.ranking.board_corpora import Papers, four_papers

from vivavoce.records import Window
from vivavoce.tasks.ranking.boards import RankedBoards, plain_title, ranked_boards
from vivavoce.tasks.ranking.build import tied_pairs

WINDOW = Window(date(2020, 1, 1), date(2022, 1, 1))


def ranked(papers: Papers, min_papers: int = 3) -> RankedBoards:
    return ranked_boards(papers.corpus, WINDOW, min_papers, 0)


def order(papers: Papers, found: RankedBoards) -> dict[str, list[str]]:
    return {row["id"]: [papers.name_of(p) for p in row["papers"]] for row in found.rows}


def test_each_paper_stands_once_with_its_best_score(tmp_path: Path) -> None:
    papers = four_papers(tmp_path)
    scores = [("ash", 70), ("bay", 90.5), ("ash", 91), ("cob", 88), ("outside", 99)]
    papers.board("Parsing", "Bank", "Accuracy", scores)
    found = ranked(papers)
    assert order(papers, found) == {"parsing/bank/accuracy": ["ash", "bay", "cob"]}
    assert found.rows[0]["scores"] == [91.0, 90.5, 88.0]
    assert found.rows[0]["cluster"] == "parsing/bank"


def test_where_less_is_better_the_lowest_score_is_first(tmp_path: Path) -> None:
    papers = four_papers(tmp_path)
    papers.board("Reading", "Web", "Perplexity", [("ash", 30), ("bay", 20), ("cob", 25)])
    assert order(papers, ranked(papers)) == {"reading/web/perplexity": ["bay", "cob", "ash"]}


def test_equal_scores_go_by_title_and_their_pairs_are_counted(tmp_path: Path) -> None:
    papers = Papers(tmp_path)
    for name, title in (("x1", "Zebra"), ("x2", "apple"), ("x3", "Mango"), ("x4", "Kiwi")):
        papers.add(name, title)
    papers.board("Parsing", "Bank", "F1", [("x1", 80), ("x2", 80), ("x3", 80), ("x4", 85)])
    [board] = ranked(papers).rows
    assert board["titles"] == ["Kiwi", "apple", "Mango", "Zebra"]
    assert tied_pairs(board["scores"]) == 3


def test_of_two_papers_with_one_title_the_better_stays(tmp_path: Path) -> None:
    papers = four_papers(tmp_path)
    papers.add("eve", "sparse attention!", "2021-05-01")
    scores = [("ash", 70), ("bay", 60), ("eve", 80), ("cob", 50)]
    papers.board("Parsing", "Bank", "F1", scores)
    found = ranked(papers)
    assert order(papers, found) == {"parsing/bank/f1": ["eve", "ash", "cob"]}
    [gone] = found.dropped
    assert papers.name_of(gone["paper_id"]) == "bay"
    assert (gone["reason"], papers.name_of(gone["detail"])) == ("same_title", "eve")


def test_a_board_is_left_out_for_want_of_papers_or_of_different_scores(tmp_path: Path) -> None:
    papers = four_papers(tmp_path)
    papers.add("old", "An Old Paper", "2010-01-01")
    papers.add("new", "A Paper of Later", "2023-01-01")
    papers.add("nil", "A Paper without a Date", None)
    papers.board("Parsing", "Few", "F1", [("ash", 70), ("bay", 60), ("outside", 50)])
    papers.board("Parsing", "Late", "F1", [("ash", 70), ("bay", 60), ("new", 65), ("nil", 61)])
    papers.board("Parsing", "Equal", "F1", [("ash", 70), ("bay", 70), ("cob", 70)])
    papers.board("Parsing", "Early", "F1", [("old", 70), ("outside", 60)])
    papers.board("Parsing", "Outside", "F1", [("outside", 70)])
    found = ranked(papers)
    assert found.rows == []
    assert {one.board: one.reason for one in found.left_out} == {
        "parsing/early/f1": "outside_window",
        "parsing/equal/f1": "equal_scores",
        "parsing/few/f1": "few_papers",
        "parsing/late/f1": "few_papers",
        "parsing/outside/f1": "no_paper",
    }
    assert order(papers, ranked(papers, 2)).keys() == {"parsing/few/f1", "parsing/late/f1"}


def test_a_paper_before_the_window_stays_on_a_board_of_the_window(tmp_path: Path) -> None:
    papers = four_papers(tmp_path)
    papers.add("old", "An Old Paper", "2010-01-01")
    papers.board("Parsing", "Bank", "F1", [("ash", 70), ("old", 75), ("bay", 60)])
    assert order(papers, ranked(papers)) == {"parsing/bank/f1": ["old", "ash", "bay"]}


def test_titles_lose_line_breaks_tags_and_entities(tmp_path: Path) -> None:
    assert plain_title("Parsing  <i>Fast</i>\n&amp; Well") == "Parsing Fast & Well"
    assert plain_title("Is 3 < 4 > 2?") == "Is 3 < 4 > 2?"
    papers = four_papers(tmp_path)
    papers.board("Parsing", "Bank", "F1", [("dew", 70), ("ash", 75), ("bay", 60)])
    [board] = ranked(papers).rows
    assert board["titles"][1] == "Parsing Quickly"
