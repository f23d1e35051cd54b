"""A round: the same bytes each time, and never changed once it is there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.errors import LockedError, VivaError
from vivavoce.rounds import Round, load_round
from vivavoce.rounds.family import EVERY_TASK
from vivavoce.store import hash_file, hash_tree, lock
from vivavoce.tasks import build_round

FILES = [
    "card.md",
    "leakage.json",
    "licences.json",
    "manifest.json",
    "spec.json",
    "writing/abstract.parquet",
    "writing/introduction.parquet",
    "writing/papers.parquet",
    "writing/related_work.parquet",
    "writing/title.parquet",
]
TASKS = ("title", "abstract", "introduction", "related_work")


def test_a_round_is_a_folder_named_by_its_id(built: Round, tmp_path: Path) -> None:
    assert built.folder == tmp_path / "rounds" / "small"
    assert list(hash_tree(built.folder)) == FILES
    assert not list((tmp_path / "rounds").glob(".*draft"))


def test_the_same_corpus_and_spec_give_the_same_bytes_anywhere(
    built: Round, spec: dict[str, Any], tmp_path: Path
) -> None:
    ingest("sample", Path("40"), tmp_path / "another corpus")
    elsewhere = build_round(tmp_path / "another corpus", spec, tmp_path / "else" / "where")
    assert hash_tree(elsewhere.folder) == hash_tree(built.folder)


def test_building_a_round_again_checks_it_and_touches_nothing(
    built: Round, sample: Corpus, spec: dict[str, Any], tmp_path: Path
) -> None:
    before = {path: path.stat().st_mtime_ns for path in built.folder.rglob("*")}
    assert build_round(sample, spec, tmp_path / "rounds").sha256 == built.sha256
    assert {path: path.stat().st_mtime_ns for path in built.folder.rglob("*")} == before


def test_a_toml_file_and_a_mapping_ask_for_the_same(
    built: Round, sample: Corpus, tmp_path: Path
) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(
        '[round]\nfamilies = ["writing"]\nid = "small"\n'
        "window = {end = 2025-01-01, start = 2023-07-01}\n"
    )
    assert build_round(sample, path, tmp_path / "other").sha256 == built.sha256


def test_a_published_round_never_changes(
    built: Round, sample: Corpus, spec: dict[str, Any], tmp_path: Path
) -> None:
    before = hash_tree(built.folder)
    spec["round"]["seed"] = 1
    with pytest.raises(VivaError, match=r"published round and would change .*spec\.json") as caught:
        build_round(sample, spec, tmp_path / "rounds")
    assert caught.value.exit_code == 1
    assert hash_tree(built.folder) == before
    assert not list((tmp_path / "rounds").glob(".*draft"))


def test_a_published_round_does_not_change_with_the_corpus(
    built: Round, spec: dict[str, Any], tmp_path: Path
) -> None:
    ingest("sample", Path("41"), tmp_path / "grown")
    with pytest.raises(VivaError, match=r"writing/title\.parquet"):
        build_round(tmp_path / "grown", spec, tmp_path / "rounds")


def test_a_draft_that_a_kill_left_is_replaced(
    sample: Corpus, spec: dict[str, Any], tmp_path: Path
) -> None:
    draft = tmp_path / "rounds" / ".small.draft" / "writing"
    draft.mkdir(parents=True)
    (draft / "old.parquet").write_bytes(b"half")
    build_round(sample, spec, tmp_path / "rounds")
    assert list(hash_tree(tmp_path / "rounds" / "small")) == FILES


def test_a_round_without_an_item_is_not_made_and_says_why(
    sample: Corpus, spec: dict[str, Any], tmp_path: Path
) -> None:
    spec["round"]["window"] = {"start": "1990-01-01", "end": "1991-01-01"}
    with pytest.raises(VivaError) as caught:
        build_round(sample, spec, tmp_path / "rounds")
    for reason in ("outside_window 38", "undated 1", "no_abstract 1"):
        assert reason in str(caught.value)
    assert not (tmp_path / "rounds" / "small").exists()


def test_the_manifest_has_the_hash_of_every_file_and_of_what_it_was_made_from(
    built: Round, sample: Corpus
) -> None:
    manifest = json.loads((built.folder / "manifest.json").read_text())
    assert set(manifest["files"]) == set(FILES) - {"manifest.json"}
    for name, entry in manifest["files"].items():
        assert entry["sha256"] == hash_file(built.folder / name)
    assert manifest["corpus"] == sample.fingerprint
    assert manifest["window"] == {"start": "2023-07-01", "end": "2025-01-01"}


def test_every_paper_is_an_item_or_left_out_for_a_reason_that_is_counted(
    built: Round, sample: Corpus
) -> None:
    left_out = built.leakage["excluded"]
    for task in TASKS:
        items = [row["paper_id"] for row in built.items("writing", task)]
        mine = [row for row in left_out if row["task"] in (EVERY_TASK, task)]
        others = [row["paper_id"] for row in mine if "setting" not in row]
        assert sorted(items + others) == [paper.paper_id for paper in sample.papers]
        counts = built.manifest["counts"]["writing"][task]
        assert counts["items"] == counts["clusters"] == len(items)
        assert sum(counts["excluded"].values()) == len(others)
        for setting, reasons in counts["excluded_from"].items():
            assert sum(reasons.values()) == sum(row.get("setting") == setting for row in mine)
            assert counts["settings"][setting] + sum(reasons.values()) == len(items)
    assert sum(built.leakage["counts"].values()) == len(left_out)


def test_one_builds_into_a_folder_at_a_time(
    sample: Corpus, spec: dict[str, Any], tmp_path: Path
) -> None:
    with lock(tmp_path / "rounds"), pytest.raises(LockedError):
        build_round(sample, spec, tmp_path / "rounds")


@pytest.mark.data
def test_real_papers_make_a_round(
    data_dir: Path, read_tei: Callable[[Path], Path], tmp_path: Path, spec: dict[str, Any]
) -> None:
    corpus = read_tei(tmp_path / "c")
    ingest("metadata", data_dir / "tei" / "index.jsonl", corpus)
    spec["round"]["window"] = {"start": "2014-01-01", "end": "2020-01-01"}
    built = build_round(corpus, spec, tmp_path / "rounds")
    published = {paper.paper_id: paper.published for paper in load_corpus(corpus).papers}
    counts = built.manifest["counts"]["writing"]
    for task in TASKS:
        items = load_round(built.folder).items("writing", task)
        assert len(items) >= (30 if task != "related_work" else 20)
        assert all("2014" <= str(published[row["paper_id"]]) < "2020" for row in items)
        assert counts[task]["excluded"]["undated"] <= 11
        assert len(items) + sum(counts[task]["excluded"].values()) == 101
