"""A round of ranking items: what stands in them, and that nothing gives the order away."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.tasks.ranking.board_corpora import TITLES, Papers, four_papers

from vivavoce.errors import InputError
from vivavoce.rounds import Round, parse_spec
from vivavoce.tasks.ranking.boards import shown_order
from vivavoce.tasks.ranking.build import OPTIONS

TEST, DEV = "parsing/bank/uas", "parsing/bank/las"
"""Two boards of one data set; the one is a test board."""


def two_boards(folder: Path) -> Papers:
    papers = four_papers(folder)
    papers.board("Parsing", "Bank", "UAS", [("ash", 70), ("bay", 90.5), ("cob", 88), ("far", 99)])
    papers.board("Parsing", "Bank", "LAS", [("dew", 60), ("ash", 50), ("bay", 55)])
    return papers


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return two_boards(tmp_path_factory.mktemp("round")).ranking_round()


def rows(opened: Round, name: str) -> list[dict[str, Any]]:
    content = pa.BufferReader(opened.read_file("ranking", name))
    found: list[dict[str, Any]] = pq.read_table(content).to_pylist()
    return found


def test_test_boards_are_items_and_the_others_lie_apart(opened: Round) -> None:
    counts = opened.manifest["counts"]["ranking"]
    assert {task: each["items"] for task, each in counts.items()} == {
        "rank_by_graph": 1,
        "rank_by_prompt": 1,
    }
    [item] = opened.items("ranking", "rank_by_prompt")
    [other] = rows(opened, "development.parquet")
    assert (item["id"], item["split"]) == (TEST, "test")
    assert (other["id"], other["split"]) == (DEV, "dev")
    assert item["cluster"] == other["cluster"] == "parsing/bank"


def test_an_item_has_the_board_best_first(opened: Round) -> None:
    [item] = opened.items("ranking", "rank_by_prompt")
    assert item["titles"] == [TITLES[name] for name in ("bay", "cob", "ash")]
    assert item["scores"] == [90.5, 88.0, 70.0]
    assert (item["task"], item["dataset"], item["metric"]) == ("Parsing", "Bank", "UAS")
    assert item["higher_is_better"] is True
    assert (item["settings"], item["dates"]) == (["base"], ["2021-03-01"] * 3)
    assert sorted(item["shown"]) == [0, 1, 2]


def test_graph_items_add_candidates_to_the_same_boards(opened: Round) -> None:
    [plain] = opened.items("ranking", "rank_by_prompt")
    [item] = opened.items("ranking", "rank_by_graph")
    assert {name: item[name] for name in plain if name != "settings"} == {
        name: plain[name] for name in plain if name != "settings"
    }
    assert item["settings"] == ["base", "fulltext", "comparison", "comparison_fulltext"]
    # No abstract has all of the words `parsing`, `bank` and `uas`.
    assert item["candidates_abstracts"] == []
    assert {row["title"] for row in rows(opened, "papers.parquet")} >= {TITLES["bay"]}


def test_a_board_left_out_is_named_with_the_reason(tmp_path: Path) -> None:
    papers = two_boards(tmp_path)
    papers.board("Parsing", "Few", "F1", [("ash", 70), ("bay", 60)])
    opened = papers.ranking_round(networks=[], texts=[])
    assert [task for _, task in opened.tasks()] == ["rank_by_prompt"]
    [left_out] = opened.leakage["excluded"]
    assert (left_out["paper_id"], left_out["reason"]) == ("parsing/few/f1", "few_papers")
    report = json.loads(opened.read_file("ranking", "boards.json"))
    assert (report["test"], report["development"]) == (1, 1)


@pytest.mark.parametrize(
    "options", [{"networks": []}, {"min_papers": 1}, {"texts": ["titles"]}, {"candidates": 0}]
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any]) -> None:
    window = {"start": "2020-01-01", "end": "2022-01-01"}
    values = {"round": {"id": "r", "window": window, "families": ["ranking"]}, "ranking": options}
    with pytest.raises(InputError, match="ranking"):
        parse_spec(values, {"ranking": OPTIONS})


def test_the_order_shown_depends_on_seed_and_board_but_not_on_the_scores() -> None:
    papers = ["a", "b", "c", "d", "e"]
    listed = [papers[place] for place in shown_order(papers, 0, "x/y/z")]
    turned = papers[::-1]
    assert [turned[place] for place in shown_order(turned, 0, "x/y/z")] == listed
    assert len({tuple(shown_order(papers, seed, "x/y/z")) for seed in range(20)}) > 10


def test_the_order_shown_is_uniform() -> None:
    # 6 orders of 3 papers over 6,000 boards: 1,000 each, give or take. The chi-square of 5 degrees
    # of freedom is above 20.5 once in a thousand; the draw is seeded, so this cannot flicker.
    papers = ["a", "b", "c"]
    counts = Counter(tuple(shown_order(papers, 0, f"task/data/{n}")) for n in range(6_000))
    assert len(counts) == 6
    assert sum((count - 1_000) ** 2 / 1_000 for count in counts.values()) < 20.5
