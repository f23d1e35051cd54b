"""How two rounds differ."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from tests.rounds.titles_family import build, corpus_of, follow, spec_of

from vivavoce.rounds import diff_rounds

JANUARY, FEBRUARY = date(2024, 1, 1), date(2024, 2, 1)
OLD = {f"a{n}": (f"2023-0{n}-01", ["Ada"]) for n in range(1, 4)}


def test_a_round_does_not_differ_from_itself(tmp_path: Path) -> None:
    opened = build(corpus_of(tmp_path, OLD), spec_of(JANUARY), tmp_path / "rounds")
    found = diff_rounds(opened, opened)
    assert (found["spec"], found["files"], found["b_follows_a"]) == ({}, [], False)
    task = found["tasks"]["titles/first"]
    assert (task["a"], task["b"], task["same"], task["changed"]) == (3, 3, 3, {})


def test_items_that_came_went_changed_and_stayed(tmp_path: Path) -> None:
    one = build(corpus_of(tmp_path, OLD), spec_of(JANUARY, keep_days=340), tmp_path / "rounds")
    corpus = corpus_of(tmp_path, {"b1": ("2024-01-02", ["Ada"])})
    # 340 days before February 2024: 26 February 2023. a1 and a2 go; a3 has no example any more.
    other = follow(one, corpus, FEBRUARY).round
    found = diff_rounds(one, other)
    assert found["b_follows_a"]
    assert not diff_rounds(other, one)["b_follows_a"]
    assert found["spec"] == {
        "round.id": ["live", "live-2024-02-01"],
        "round.parent": [None, "live"],
        "round.window.end": ["2024-01-01", "2024-02-01"],
    }
    task = found["tasks"]["titles/first"]
    assert (task["only_a"], task["only_b"]) == (["a1", "a2"], ["b1"])
    assert task["changed"] == {"a3": ["demos", "split"]}
    assert found["files"] == ["titles/papers.parquet"]


def test_an_item_of_another_split_is_not_changed(tmp_path: Path) -> None:
    one = build(corpus_of(tmp_path, OLD), spec_of(JANUARY, anchors=2), tmp_path / "rounds")
    corpus = corpus_of(tmp_path, {"b1": ("2024-01-02", ["Ada"])})
    task = diff_rounds(one, follow(one, corpus, FEBRUARY).round)["tasks"]["titles/first"]
    assert (task["same"], task["other_split"], task["changed"]) == (2, ["a3"], {})
    assert task["anchors"] == 2


def test_rounds_of_other_tasks_can_be_compared(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, OLD)
    one = build(corpus, spec_of(JANUARY), tmp_path / "rounds")
    spec = spec_of(JANUARY)
    other = build(corpus, {**spec, "titles": {"test": 2}}, tmp_path / "others")
    assert diff_rounds(one, other)["spec"] == {"titles.test": [1, 2]}
