"""Boards as a window sees them: nothing on them that came after it."""

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.corpus.boards import boards_within, is_test_board
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
    path = tmp_path / "pwc.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ingest("metadata", write_rows("m.jsonl", papers), tmp_path / "c")
    ingest("pwc", path, tmp_path / "c")
    return load_corpus(tmp_path / "c")


def test_scores_of_papers_and_works_that_came_later_are_taken_off(corpus: Corpus) -> None:
    kept, left_out = boards_within(corpus, YEAR_2020)
    assert [(found.board.id, found.published) for found in kept] == [
        ("parsing/bank/f1", "2020-06-01")
    ]
    assert {entry.method for entry in kept[0].board.entries} == {
        "Early",
        "Mid",
        "Outside before",
    }
    assert kept[0].undated == 1
    lenient, _ = boards_within(corpus, YEAR_2020, keep_undated=True)
    assert {entry.method for entry in lenient[0].board.entries} == {
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
    share = sum(is_test_board(f"parsing/bank {n}/f1") for n in range(1_000)) / 1_000
    assert 0.45 < share < 0.55
    assert is_test_board("parsing/bank 1/f1") == is_test_board("parsing/bank 1/f1")
