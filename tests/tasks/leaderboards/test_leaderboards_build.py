"""Boards of a hand-built corpus turned into items: which, with what, and why others are not."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.tasks.leaderboards.board_corpora import DEV, TEST, parsing

from vivavoce.errors import VivaError
from vivavoce.metrics.leaderboards import Entry, read_board, score_board
from vivavoce.rounds import Round
from vivavoce.store import table_of_parquet
from vivavoce.tasks.leaderboards.items import gold_table
from vivavoce.tasks.library import read_library


def items(opened: Round) -> list[dict[str, Any]]:
    return opened.items("leaderboards", "leaderboard")


def development(opened: Round) -> list[dict[str, Any]]:
    content = opened.read_file("leaderboards", "development.parquet")
    rows: list[dict[str, Any]] = table_of_parquet(content).to_pylist()
    return rows


def library(opened: Round) -> list[str]:
    return list(read_library(opened.read_file("leaderboards", "papers.parquet")))


def methods(row: dict[str, Any]) -> list[str]:
    return [entry["method"] for entry in row["entries"]]


def test_boards_are_items_and_those_of_development_lie_apart(tmp_path: Path) -> None:
    """The other boards have too few methods, too few papers with a text, or none in the window."""
    made = parsing(tmp_path)
    for name in ("Two", "Three"):
        made.result("Fir", "7", made.paper(name), dataset="Few")
    first = made.paper("One")
    for method, score in (("Elm", "5"), ("elm", "6"), ("Fir", "7"), ("", "8"), ("--", "9")):
        made.result(method, score, first, dataset="Few")
    for place in range(3):
        bare = made.paper(f"Bare {place}", has_text=False)
        made.result(f"M{place}", str(place + 1), bare, dataset="Textless")
        made.result(f"M{place}", str(place + 1), dataset="Elsewhere")
        old = made.paper(f"Old {place}", "2019-05-01")
        made.result(f"Old {place}", f"{70 + place}", old, dataset="Attic")
    opened = made.round()
    [item] = items(opened)
    assert (item["id"], item["cluster"]) == ("parsing/treebank/f1", "parsing/treebank")
    assert (item["task"], item["dataset"], item["metric"]) == ("Parsing", "Treebank", "F1")
    assert (item["split"], item["published"], item["settings"]) == ("test", "2024-03-15", ["base"])
    assert item["higher_is_better"]
    assert [(e["method"], e["score"]) for e in item["entries"]] == [
        *(("Cedar", 93.0), ("Birch", 92.25), ("Alder", 91.5))
    ]
    names = ["2401.00001", "2402.00002", "2403.00003"]
    assert item["papers"] == [f"arxiv:{name}" for name in names] == library(opened)
    [other] = development(opened)
    assert (other["dataset"], other["split"]) == ("Webbank", "dev")
    assert {row["paper_id"]: row["reason"] for row in opened.leakage["excluded"]} == {
        "parsing/attic/f1": "outside_window",
        "parsing/elsewhere/f1": "no_paper",
        "parsing/few/f1": "few_entries",  # two: Elm, however it is written, and Fir
        "parsing/textless/f1": "few_papers",
        "parsing/webbank/f1": "development",
    }
    counts = opened.manifest["counts"]["leaderboards"]["leaderboard"]
    assert (counts["items"], counts["excluded"]["development"]) == (1, 1)
    lenient = made.round(name="lenient", min_entries=2, min_papers=1)
    rows = {row["dataset"]: row for row in (*items(lenient), *development(lenient))}
    assert rows.keys() == {TEST, DEV, "Few"}
    assert methods(rows["Few"]) == ["Fir", "Fir", "Fir", "elm", "Elm"]


def test_what_came_late_or_stands_in_no_text_is_gold_only_on_demand(tmp_path: Path) -> None:
    made = parsing(tmp_path)
    late = made.paper("Willow", "2025-03-01", tables={"F1": [["Willow", "99.9"]]})
    made.result("Willow", "99.9", late, dataset=TEST)
    made.result("Poplar", "99.8", date="2026-01-01", dataset=TEST)  # a work outside, and late
    made.result("Aspen", "60.5", date="2012-01-01", dataset=TEST)
    made.result("Hazel", "60.25", dataset=TEST)  # a work outside without a date may be later
    made.result("Yew", "99.7", made.paper("Yew", None), dataset=TEST)
    made.result("Bare", "60", made.paper("Bare", has_text=False), dataset=TEST)
    [item] = items(made.round())
    assert (methods(item), item["others"]) == (["Cedar", "Birch", "Alder"], ["Aspen", "Bare"])
    whole = made.round(name="all", entries="all")
    [item] = items(whole)
    assert (methods(item), item["others"]) == (["Cedar", "Birch", "Alder", "Aspen", "Bare"], [])
    report = json.loads(whole.read_file("leaderboards", "boards.json"))
    undated_entries = {"parsing/treebank/f1": 1}
    assert report == {"undated": "drop", "undated_entries": undated_entries, "names": {}}
    [lenient] = items(made.round(name="lenient", undated="keep", entries="all"))
    assert methods(lenient) == ["Cedar", "Birch", "Alder", "Aspen", "Hazel", "Bare"]
    assert [entry["date"] for entry in lenient["entries"]][-3:-1] == ["2012-01-01", None]
    assert library(whole) == item["papers"]
    for path in whole.folder.rglob("*.parquet"):
        assert b"Willow" not in path.read_bytes()


def test_a_date_known_to_the_year_is_over_only_with_the_year(tmp_path: Path) -> None:
    made = parsing(tmp_path)
    address = made.paper("Vague", "2024")
    made.result("Vague", "50", address, dataset=TEST)
    whole = made.round(name="whole")
    assert "Vague" in methods(items(whole)[0])
    half = made.round(end="2024-07-01", name="half")
    assert "Vague" not in methods(items(half)[0])


def test_a_pool_of_the_whole_corpus_holds_what_was_there_in_time(tmp_path: Path) -> None:
    made = parsing(tmp_path)
    made.paper("Late", "2025-02-01")
    made.paper("Undated", None)
    opened = made.round(pool="corpus")
    [item] = items(opened)
    assert item["settings"] == ["base", "corpus"]
    names = ["2401.00001", "2402.00002", "2403.00003", "2403.00004"]
    assert library(opened) == [f"arxiv:{name}" for name in names]  # soup, too
    assert len(item["papers"]) == 3


def test_a_round_without_a_board_says_why(tmp_path: Path) -> None:
    with pytest.raises(VivaError, match="outside_window 2"):
        parsing(tmp_path).round(start="2030-01-01", end="2031-01-01")


@pytest.mark.parametrize(
    ("method", "printed"),
    [
        ("A | B", "91.5"),
        ("back\\slash", "91.5%"),
        ("**bold** (Weir et al., 2019)", "~91.5"),
        ("two\nlines", "91.5 ± 0.2"),
        ("C# & C++ <b>", "91,5"),
        ("$\\alpha$-net", "best of five"),
    ],
)
def test_the_gold_as_a_table_is_read_as_the_gold(method: str, printed: str) -> None:
    row = {
        "metric": "F1",
        "entries": [
            {"method": method, "score": 91.5, "score_text": printed, "paper_id": None},
            {"method": "Other", "score": 33e6, "score_text": "33M", "paper_id": None},
            {"method": "other", "score": 3.0, "score_text": "3", "paper_id": None},
        ],
    }
    gold = [Entry(entry["method"], entry["score"]) for entry in row["entries"]]
    scored = score_board(gold, read_board(gold_table(row), "F1"))
    assert (scored.f1, scored.ratios["sp_matched"].value, scored.ktau) == (1.0, 1.0, 1.0)
    assert scored.faults["repeated"] == 0
