"""A round: the same bytes each time, and never changed once it is there."""

import json
from collections.abc import Callable
from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tests.rounds.conftest import SPEC
from tests.rounds.titles_family import Titles, build, corpus_of, spec_of

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.errors import LockedError, PluginError, VivaError
from vivavoce.rounds import Round, load_round
from vivavoce.rounds.family import EVERY_TASK, FamilyItems
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
PAPERS = {"a1": ("2023-02-01", ["Ada"]), "a2": ("2023-03-01", ["Ada"]), "a3": (None, ["Ada"])}


@pytest.fixture
def titles(tmp_path: Path) -> Corpus:
    return corpus_of(tmp_path, PAPERS)


def titles_spec(**opening: Any) -> dict[str, Any]:
    spec = spec_of(date(2024, 1, 1))
    return spec | {"round": spec["round"] | opening}


@pytest.mark.parametrize("name", [None, "a1"])
def test_every_item_of_a_family_has_an_id_of_its_own(
    titles: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str | None
) -> None:
    made = Titles.build

    def careless(*given: Any) -> FamilyItems:
        items = made(*given)
        items.tasks["first"][-1]["id"] = name
        return items

    monkeypatch.setattr(Titles, "build", careless)
    with pytest.raises(PluginError, match=r"test_build\.py:\d+: careless gave items of first with"):
        build(titles, titles_spec(), tmp_path / "rounds")


def test_the_same_corpus_and_spec_give_the_same_bytes_anywhere(
    small: Round, tmp_path: Path
) -> None:
    ingest("sample", Path("40"), tmp_path / "another corpus")
    path = tmp_path / "spec.toml"
    path.write_text(
        '[round]\nfamilies = ["writing"]\nid = "small"\n'
        "window = {end = 2025-01-01, start = 2023-07-01}\n"
    )
    elsewhere = build_round(tmp_path / "another corpus", path, tmp_path / "else" / "where")
    assert elsewhere.folder == tmp_path / "else" / "where" / "small"
    assert list(hash_tree(elsewhere.folder)) == FILES
    assert hash_tree(elsewhere.folder) == hash_tree(small.folder)
    assert not list((tmp_path / "else" / "where").glob(".*draft"))


def test_a_published_round_never_changes(titles: Corpus, tmp_path: Path) -> None:
    built = build(titles, titles_spec(), tmp_path / "rounds")
    before = {path: path.stat().st_mtime_ns for path in built.folder.rglob("*")}
    assert build(titles, titles_spec(), tmp_path / "rounds").sha256 == built.sha256
    with pytest.raises(VivaError, match=r"published round and would change .*spec\.json") as caught:
        build(titles, titles_spec(seed=1), tmp_path / "rounds")
    assert caught.value.exit_code == 1
    grown = corpus_of(tmp_path, {"a4": ("2023-04-01", ["Ada"])})
    with pytest.raises(VivaError, match=r"titles/first\.parquet"):
        build(grown, titles_spec(), tmp_path / "rounds")
    assert {path: path.stat().st_mtime_ns for path in built.folder.rglob("*")} == before
    assert not list((tmp_path / "rounds").glob(".*draft"))


def test_a_draft_that_a_kill_left_is_replaced(titles: Corpus, tmp_path: Path) -> None:
    draft = tmp_path / "rounds" / ".live.draft" / "titles"
    draft.mkdir(parents=True)
    (draft / "old.parquet").write_bytes(b"half")
    built = build(titles, titles_spec(), tmp_path / "rounds")
    assert sorted(path.name for path in (built.folder / "titles").iterdir()) == [
        "first.parquet",
        "papers.parquet",
    ]


def test_a_round_without_an_item_is_not_made_and_says_why(titles: Corpus, tmp_path: Path) -> None:
    window = {"start": "1990-01-01", "end": "1991-01-01"}
    with pytest.raises(VivaError) as caught:
        build(titles, titles_spec(window=window), tmp_path / "rounds")
    for reason in ("outside_window 2", "undated 1"):
        assert reason in str(caught.value)
    assert not (tmp_path / "rounds" / "live").exists()


def test_one_builds_into_a_folder_at_a_time(titles: Corpus, tmp_path: Path) -> None:
    with lock(tmp_path / "rounds"), pytest.raises(LockedError):
        build(titles, titles_spec(), tmp_path / "rounds")


def test_the_manifest_has_the_hash_of_every_file_and_of_what_it_was_made_from(
    small: Round, sample: Corpus
) -> None:
    manifest = json.loads((small.folder / "manifest.json").read_text())
    assert set(manifest["files"]) == set(FILES) - {"manifest.json"}
    for name, entry in manifest["files"].items():
        assert entry["sha256"] == hash_file(small.folder / name)
    assert manifest["corpus"] == sample.fingerprint
    assert manifest["window"] == {"start": "2023-07-01", "end": "2025-01-01"}


def test_every_paper_is_an_item_or_left_out_for_a_reason_that_is_counted(
    small: Round, sample: Corpus
) -> None:
    left_out = small.leakage["excluded"]
    for task in TASKS:
        items = [row["paper_id"] for row in small.items("writing", task)]
        of_task = [row for row in left_out if row["task"] in (EVERY_TASK, task)]
        others = [row["paper_id"] for row in of_task if "setting" not in row]
        assert sorted(items + others) == [paper.paper_id for paper in sample.papers]
        counts = small.manifest["counts"]["writing"][task]
        assert counts["items"] == counts["clusters"] == len(items)
        assert sum(counts["excluded"].values()) == len(others)
        for setting, reasons in counts["excluded_from"].items():
            assert sum(reasons.values()) == sum(row.get("setting") == setting for row in of_task)
            assert counts["settings"][setting] + sum(reasons.values()) == len(items)
    assert sum(small.leakage["counts"].values()) == len(left_out)


@pytest.mark.data
def test_real_papers_make_a_round(
    data_dir: Path, read_tei: Callable[[Path], Path], tmp_path: Path
) -> None:
    corpus = read_tei(tmp_path / "c")
    ingest("metadata", data_dir / "tei" / "index.jsonl", corpus)
    spec = deepcopy(SPEC)
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
