"""A round opened and checked; what is published of a sealed one, and what shows later."""

import hashlib
import hmac
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tests.rounds.titles_family import build, corpus_of, spec_of

from vivavoce.corpus import Corpus
from vivavoce.errors import DamagedError, InputError, VivaError
from vivavoce.rounds import Round, load_round, verify_round
from vivavoce.rounds.reading import (
    check_reveal,
    commitment_of,
    reveal_of,
    write_commitment,
    write_reveal,
)
from vivavoce.store import hash_of, read_json, write_json, write_sealed


def test_items_come_by_family_and_task_sorted_by_id(built: Round) -> None:
    opened = load_round(str(built.folder))
    assert opened.tasks() == [
        ("writing", task) for task in ("abstract", "introduction", "related_work", "title")
    ]
    ids = [row["id"] for row in opened.items("writing", "title")]
    assert ids == sorted(ids)
    assert len(set(ids)) == len(ids)


def test_a_task_it_does_not_have_names_those_it_has(built: Round) -> None:
    with pytest.raises(InputError, match=r"writing/abstract, .*writing/title"):
        built.items("writing", "poem")
    # A file that items need is no task, though it is a table.
    with pytest.raises(InputError, match="no items for writing/papers"):
        built.items("writing", "papers")
    assert built.read_file("writing", "papers.parquet")


def test_a_folder_without_a_manifest_is_no_round(built: Round) -> None:
    draft = built.folder.parent / ".small.draft"
    draft.mkdir()
    (draft / "manifest.json").write_bytes((built.folder / "manifest.json").read_bytes())
    with pytest.raises(InputError, match=f"Did you mean {built.folder}"):
        load_round(built.folder.parent)
    with pytest.raises(InputError, match=r"manifest\.json"):
        load_round(built.folder / "missing")


@pytest.mark.parametrize(
    "name",
    ["card.md", "leakage.json", "spec.json", "manifest.json", "writing/title.parquet"],
)
def test_a_changed_file_is_named(built: Round, name: str) -> None:
    path = built.folder / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    (problem,) = verify_round(built.folder)
    assert str(path) in problem


def test_a_missing_and_an_extra_file_are_named(built: Round) -> None:
    (built.folder / "writing" / "title.parquet").unlink()
    (built.folder / "writing" / "more.parquet").touch()
    (built.folder / "notes").touch()
    assert verify_round(built.folder) == [
        f"{built.folder}/writing/title.parquet is missing",
        f"{built.folder}/notes is not in the manifest",
        f"{built.folder}/writing/more.parquet is not in the manifest",
    ]


def test_items_that_were_changed_are_not_handed_out(built: Round) -> None:
    path = built.folder / "writing" / "title.parquet"
    path.write_bytes((built.folder / "writing" / "abstract.parquet").read_bytes())
    with pytest.raises(DamagedError, match=r"title\.parquet.*viva round verify"):
        built.items("writing", "title")
    # What stands in another file is still sound.
    assert built.items("writing", "abstract")


def test_a_manifest_changed_by_hand_is_not_believed(built: Round) -> None:
    path = built.folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["window"]["start"] = "1999-01-01"
    path.write_text(json.dumps(manifest))
    with pytest.raises(DamagedError, match=r"manifest\.json"):
        load_round(built.folder)
    assert len(verify_round(built.folder)) == 1


def test_the_manifest_of_a_corpus_is_not_that_of_a_round(sample: Corpus) -> None:
    with pytest.raises(InputError, match="not the manifest of a round"):
        load_round(sample.folder / "tables")


TASK = "titles/first"
PAPERS = {f"a{n}": (f"2023-0{n}-01", ["Ada"]) for n in range(1, 5)}


@pytest.fixture
def opened(tmp_path: Path) -> Round:
    spec = spec_of(date(2024, 1, 1), sealed=True)
    return build(corpus_of(tmp_path, PAPERS), spec, tmp_path / "rounds")


@pytest.fixture
def published(opened: Round, tmp_path: Path) -> tuple[Path, Path]:
    out = tmp_path / "published"
    return write_commitment(opened, out), write_reveal(opened, out)


def test_a_sealed_round_is_built_with_its_commitment_beside_it(opened: Round) -> None:
    beside = opened.folder.parent / "live.sealed.json"
    assert {k: v for k, v in read_json(beside).items() if k != "seal"} == commitment_of(opened)
    assert not (opened.folder.parent / "live.revealed.json").exists()
    assert verify_round(opened.folder) == []


def test_a_commitment_tells_how_many_items_there_are_and_nothing_more(opened: Round) -> None:
    promised = commitment_of(opened)
    assert len(promised["items"][TASK]) == 4
    text = json.dumps(promised)
    assert "a1" not in promised["items"][TASK]
    assert opened.sha256 not in text
    assert opened.manifest["spec"] not in text
    salt = reveal_of(opened)["salt"]
    assert salt not in text
    assert salt not in (hash_of(opened.manifest), opened.sha256)
    assert promised["items"][TASK] == sorted(promised["items"][TASK])


def test_whoever_has_the_salt_can_compute_a_hash_with_other_tools(opened: Round) -> None:
    salt = reveal_of(opened)["salt"].encode()
    expected = hmac.new(salt, b'["titles/first","a1"]', hashlib.sha256).hexdigest()
    assert expected in commitment_of(opened)["items"][TASK]


@pytest.mark.parametrize(
    ("forged", "problems"),
    [
        ({}, []),  # a true one fits
        ({"items": {TASK: ["other", "a2", "a3", "a4"]}},
         ["other was not promised", "that are not there: 1"]),
        ({"items": {TASK: ["a1", "a2", "a3", "a4", "extra"]}}, ["extra was not promised"]),
        ({"items": {TASK: ["a1", "a2", "a3"]}}, ["that are not there: 1"]),
        ({"manifest": "0" * 64}, ["salt or manifest is not the one"]),
        ({"salt": "0" * 64},
         ["salt or manifest", *["was not promised"] * 4, "that are not there: 4"]),
    ],
)  # fmt: skip
def test_a_forged_reveal_is_refused(
    opened: Round, published: tuple[Path, Path], forged: dict[str, Any], problems: list[str]
) -> None:
    write_sealed(published[1], reveal_of(opened) | forged)
    lines = check_reveal(*published)
    assert len(lines) == len(problems)
    assert all(part in line for part, line in zip(problems, lines, strict=True))


def test_the_same_round_has_the_same_commitment_and_another_seed_another(
    opened: Round, tmp_path: Path
) -> None:
    spec = spec_of(date(2024, 1, 1), sealed=True)
    corpus = corpus_of(tmp_path / "again", PAPERS)
    again = build(corpus, spec, tmp_path / "again")
    assert commitment_of(again) == commitment_of(opened)
    spec["round"]["seed"] = 1
    seeded = build(corpus, spec, tmp_path / "seeded")
    shared = set(commitment_of(seeded)["items"][TASK]) & set(commitment_of(opened)["items"][TASK])
    assert shared == set()


def test_other_items_are_not_published_under_the_same_name(opened: Round, tmp_path: Path) -> None:
    spec = spec_of(date(2024, 1, 1), sealed=True)
    more = corpus_of(tmp_path / "more", {**PAPERS, "a5": ("2023-05-01", ["Ada"])})
    other = build(more, spec, tmp_path / "other")
    with pytest.raises(VivaError, match="was published for other items"):
        write_commitment(other, opened.folder.parent)


def test_a_round_is_checked_against_what_was_published_of_it(opened: Round) -> None:
    beside = opened.folder.parent / "live.sealed.json"
    write_sealed(beside, commitment_of(opened) | {"items": {TASK: []}})
    assert verify_round(opened.folder) == [f"{beside} is not of the round in {opened.folder}"]
    beside.write_text("{}")
    (problem,) = verify_round(opened.folder)
    assert "differs from what was written" in problem


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"round": "live", "salt": "x", "items": {}},
        {"manifest": "x", "salt": "x", "items": {}},
        {"round": "live", "manifest": "x", "salt": "x", "items": []},
        {"round": "live", "manifest": "x", "salt": "x", "items": {TASK: [1]}},
        {"round": "live", "manifest": "x", "salt": "x", "items": {TASK: "a1"}},
        {"round": "other", "manifest": "x", "salt": "x", "items": {}},
    ],
)
def test_what_is_no_reveal_of_the_round_is_refused(
    published: tuple[Path, Path], content: dict[str, Any]
) -> None:
    commitment, reveal = published
    write_sealed(reveal, content)
    with pytest.raises((InputError, DamagedError), match=r"revealed\.json"):
        check_reveal(commitment, reveal)


def test_a_file_without_a_key_is_named_by_what_it_should_be(published: tuple[Path, Path]) -> None:
    commitment, reveal = published
    write_sealed(reveal, {"round": "live", "manifest": "x", "items": {}})
    with pytest.raises(InputError, match="is not the reveal of a round"):
        check_reveal(commitment, reveal)
    write_sealed(commitment, {"round": "live", "manifest": "x", "items": {}})
    with pytest.raises(InputError, match="is not a commitment"):
        check_reveal(commitment, reveal)


def test_files_that_are_missing_or_altered_are_named(
    published: tuple[Path, Path], tmp_path: Path
) -> None:
    commitment, reveal = published
    with pytest.raises(InputError, match="does not exist"):
        check_reveal(tmp_path / "none.json", reveal)
    write_json(commitment, {**read_json(commitment), "round": "another"})
    with pytest.raises(DamagedError, match=r"live\.sealed\.json differs"):
        check_reveal(commitment, reveal)
