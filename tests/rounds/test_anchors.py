"""Items kept between rounds, whatever the network drops."""

import io
from datetime import date
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.rounds.titles_family import build, corpus_of, follow, ids, spec_of

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.networks import build_networks
from vivavoce.rounds import Round
from vivavoce.rounds.anchors import anchors_of, is_same_item
from vivavoce.rounds.updating import update_round
from vivavoce.store import Row, write_jsonl
from vivavoce.tasks import build_round, builders

JANUARY, FEBRUARY, MARCH = date(2024, 1, 1), date(2024, 2, 1), date(2024, 3, 1)
OLD = {f"a{n}": (f"2023-0{n}-01", ["Ada"]) for n in range(1, 6)}
NEW = {f"b{n}": (f"2024-01-0{n}", ["Ada"]) for n in range(1, 4)}
NEWER = {f"c{n}": (f"2024-02-0{n}", ["Ada"]) for n in range(1, 4)}
TASK = "titles/first"
ANCHORED = {"keep_days": 31, "anchors": 2}
"""31 days: of each month only its own papers are kept."""


@pytest.fixture(scope="module")
def now(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return corpus_of(tmp_path_factory.mktemp("now"), OLD | NEW | NEWER)


def row_of(opened: Round, name: str) -> Row:
    return next(row for row in opened.items("titles", "first") if row["id"] == name)


def papers_of(opened: Round) -> dict[str, str]:
    content = io.BytesIO(opened.read_file("titles", "papers.parquet"))
    return {row["paper_id"]: row["abstract"] for row in pq.read_table(content).to_pylist()}


def test_anchors_stay_word_for_word_when_their_papers_are_dropped(
    now: Corpus, tmp_path: Path
) -> None:
    first = build(now, spec_of(JANUARY, **ANCHORED), tmp_path / "rounds")
    second = follow(first, now, FEBRUARY).round
    kept = anchors_of(second)[TASK]
    assert len(kept) == 2
    assert set(kept) < set(OLD)
    assert ids(second) == sorted([*kept, *NEW])
    for name in kept:
        assert row_of(second, name) == row_of(first, name)
        # What the item shows is there too: its paper, and the example before it.
        shown = {name, *row_of(first, name)["demos"]}
        assert shown <= papers_of(second).keys()
    assert "2 items of the round before" in second.card
    third = follow(second, now, MARCH).round
    assert third.id == "live-2024-03-01"
    assert anchors_of(third) == anchors_of(second)
    assert ids(third) == sorted([*kept, *NEWER])


def test_without_rules_anchors_are_named_and_nothing_is_put_in(now: Corpus, tmp_path: Path) -> None:
    first = build(now, spec_of(JANUARY, anchors=3), tmp_path / "rounds")
    second = follow(first, now, MARCH).round
    assert len(anchors_of(second)[TASK]) == 3
    anew = build(now, spec_of(MARCH, anchors=3), tmp_path / "anew")
    assert second.items("titles", "first") == anew.items("titles", "first")


def follow_a_change(folder: Path, changed: Row, **rules: int) -> tuple[Round, Round]:
    """A round of two papers, and its update after one of them was given other texts."""
    papers = {"a1": ("2024-01-01", ["Ada"]), "a2": ("2024-01-02", ["Ada"])}
    spec = spec_of(FEBRUARY, anchors=2, **rules)
    parent = build(corpus_of(folder / "then", papers), spec, folder / "rounds")
    now = corpus_of(folder / "now", papers | NEWER).folder
    published, authors = papers[changed["id"]]
    file = folder / "changed.jsonl"
    write_jsonl(file, [{**changed, "published": published, "authors": authors}])
    ingest("metadata", file, now)
    return parent, follow(parent, load_corpus(now), MARCH).round


@pytest.mark.parametrize(
    ("abstract", "rules"), [("Another abstract.", {"keep_days": 90}), ("What a2 says.", {})]
)
def test_a_paper_with_another_text_now_is_no_anchor(
    tmp_path: Path, abstract: str, rules: dict[str, int]
) -> None:
    changed = {"id": "a2", "title": "Another title", "abstract": abstract}
    _, done = follow_a_change(tmp_path, changed, **rules)
    assert anchors_of(done)[TASK] == ["a1"]
    assert row_of(done, "a2")["reference"] == "Another title"


def test_a_split_is_no_difference_and_anything_else_is() -> None:
    row = {"id": "a", "reference": "x", "split": "test"}
    assert is_same_item(row, {**row, "split": "train"})
    assert not is_same_item(row, {**row, "reference": "y"})
    assert not is_same_item(row, {"id": "a", "split": "test"})


def test_an_item_that_shows_a_paper_with_another_text_is_no_anchor(tmp_path: Path) -> None:
    changed = {"id": "a1", "title": "On the matter of a1", "abstract": "It says more now."}
    parent, done = follow_a_change(tmp_path, changed)
    # Both rows are as they were, but a1 has another abstract, and a2 shows it.
    assert row_of(done, "a2")["demos"] == row_of(parent, "a2")["demos"] == ["a1"]
    assert anchors_of(done)[TASK] == []


def test_an_item_that_points_into_a_file_by_number_is_no_anchor(
    sample: Corpus, grown: Corpus, tmp_path: Path
) -> None:
    for corpus in (sample, grown):
        build_networks(corpus)
    window = {"start": "2023-07-01", "end": "2024-04-15"}
    spec = {
        "round": {"id": "live", "window": window, "families": ["leaderboards", "ranking"]},
        "update": {"keep_days": 100, "anchors": 2, "items": "cumulative"},
    }
    first = build_round(sample, spec, tmp_path / "rounds")
    last = update_round(grown, first, builders(), tmp_path / "rounds", date(2025, 1, 1)).round
    found = anchors_of(last)
    assert found["ranking/rank_by_graph"] == []  # candidates are places in a list of papers
    for family, task in last.tasks():
        same = {str(row["id"]): row for row in first.items(family, task)}
        for row in last.items(family, task):
            if row["id"] in found[f"{family}/{task}"]:
                assert is_same_item(row, same[row["id"]])
    # Boards are those of a rebuild: they do not lose the results of papers that were dropped.
    window["end"] = "2025-01-01"
    anew = build_round(grown, spec, tmp_path / "anew")
    for family, task in last.tasks():
        assert last.items(family, task) == anew.items(family, task)


def test_no_anchors_are_kept_unless_asked_for(now: Corpus, tmp_path: Path) -> None:
    first = build(now, spec_of(JANUARY, keep_days=31), tmp_path / "rounds")
    second = follow(first, now, FEBRUARY).round
    assert (anchors_of(second), ids(second)) == ({}, sorted(NEW))
