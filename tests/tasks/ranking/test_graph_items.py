"""What a round holds for rankings by graph."""

import io
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.support.corpora import paper, write_papers

from vivavoce.corpus import Corpus
from vivavoce.errors import StaleError
from vivavoce.networks import build_networks
from vivavoce.records import Window
from vivavoce.tasks.ranking.build import (
    CANDIDATE_FIELDS,
    EDGES,
    PAPERS,
    RankingOptions,
    make_graph_part,
)

BOARD = {"id": "parsing/penn/f1", "task": "Parsing", "dataset": "Penn", "metric": "F1"}
WINDOW = Window(date(2019, 1, 1), date(2021, 1, 1))
RIGHT = "Parsing Penn F1"


def corpus_of_six(folder: Path) -> Corpus:
    """Three candidates, one of them `late`; gold that is none; and two others that cite."""
    return write_papers(
        folder,
        [
            paper("a", RIGHT, "2019-03"),
            paper("b", RIGHT, "2020-04-05", abstract="Of trees."),
            paper("gold", "Another matter", "2020"),
            paper("late", RIGHT, "2021"),
            paper("other", "Of citations", "2020"),
            paper("undated", "Of citations", None),
        ],
        cited={
            "b": ["a", "gold", "elsewhere"],
            "gold": ["a"],
            "late": ["a", "b", "gold"],
            "other": ["a", "b"],
            "undated": ["a", "b"],
        },
        compared={"b": [0], "late": [0, 1]},
    )


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The corpus with its networks."""
    corpus = corpus_of_six(tmp_path_factory.mktemp("networks"))
    build_networks(corpus)
    return corpus


def rows(part: tuple[object, dict[str, bytes]], name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(io.BytesIO(part[1][name])).to_pylist()
    return found


def test_papers_edges_and_candidates_of_a_round(corpus: Corpus) -> None:
    part = make_graph_part(corpus, [BOARD], ["b", "gold"], WINDOW, RankingOptions())

    papers = rows(part, PAPERS)
    assert [row["paper_id"] for row in papers] == ["a", "b", "gold"]
    # Of those that cite a, b and gold, `late` and `undated` were not there when the window ended.
    assert [row["in_citation"] for row in papers] == [3, 1, 1]
    assert [row["in_comparison"] for row in papers] == [1, 0, 0]
    assert papers[1]["title"] == RIGHT
    assert papers[1]["abstract"] == "Of trees."
    assert papers[1]["published"] == "2020-04-05"
    edges = [(row["network"], row["source"], row["target"]) for row in rows(part, EDGES)]
    assert edges == [
        ("citation", 1, 0),  # b cites a
        ("citation", 1, 2),
        ("citation", 2, 0),
        ("comparison", 1, 0),
    ]
    assert part[0] == {
        BOARD["id"]: {
            "candidates_abstracts": [0, 1],
            "cut_abstracts": 0,
            "candidates_fulltext": [0, 1],
            "cut_fulltext": 0,
        }
    }


def test_a_later_window_has_what_an_earlier_one_lacks(corpus: Corpus) -> None:
    later = Window(WINDOW.start, date(2022, 1, 1))
    part = make_graph_part(corpus, [BOARD], ["b", "gold"], later, RankingOptions())
    papers = {row["paper_id"]: row for row in rows(part, PAPERS)}
    assert sorted(papers) == ["a", "b", "gold", "late"]
    assert papers["a"]["in_citation"] == 4
    assert papers["b"]["in_comparison"] == 1
    assert part[0][BOARD["id"]]["candidates_abstracts"] == [0, 1, 3]


def test_papers_in_another_order_give_the_same_bytes(corpus: Corpus) -> None:
    one, other = (
        make_graph_part(corpus, [BOARD], papers, WINDOW, RankingOptions())
        for papers in (["b", "gold"], ["gold", "b", "b"])
    )
    assert one == other


def test_only_what_was_asked_for_is_in_the_round(tmp_path: Path) -> None:
    corpus = corpus_of_six(tmp_path)
    build_networks(corpus, only=["comparison"])
    part = make_graph_part(
        corpus,
        [BOARD],
        ["b"],
        WINDOW,
        RankingOptions(networks=("comparison",), texts=("abstracts",), candidates=1),
    )
    assert {row["network"] for row in rows(part, EDGES)} == {"comparison"}
    assert [row["in_citation"] for row in rows(part, PAPERS)] == [None, None]
    columns = part[0][BOARD["id"]]
    assert sorted(columns) == sorted(name for name, _ in CANDIDATE_FIELDS)
    assert columns["candidates_fulltext"] is None
    assert columns["cut_fulltext"] is None
    assert columns["cut_abstracts"] == 1


def test_networks_that_were_not_built_name_the_command(tmp_path: Path) -> None:
    corpus = corpus_of_six(tmp_path)
    for network in ("citation", "comparison"):
        options = RankingOptions(networks=(network,))  # type: ignore[arg-type]
        with pytest.raises(StaleError, match=f"viva network build --corpus {tmp_path}"):
            make_graph_part(corpus, [BOARD], ["b"], WINDOW, options)


def test_networks_of_another_state_of_the_corpus_are_refused(tmp_path: Path) -> None:
    build_networks(corpus_of_six(tmp_path))
    changed = write_papers(tmp_path, [paper("a", RIGHT)])
    with pytest.raises(StaleError, match="viva network build --corpus"):
        make_graph_part(changed, [BOARD], ["a"], WINDOW, RankingOptions())


def test_a_round_without_boards_is_empty(corpus: Corpus) -> None:
    part = make_graph_part(corpus, [], [], WINDOW, RankingOptions())
    assert rows(part, PAPERS) == rows(part, EDGES) == []
    assert part[0] == {}
