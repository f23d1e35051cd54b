"""A round opened and checked."""

import json

import pytest

from vivavoce.corpus import Corpus
from vivavoce.errors import DamagedError, InputError
from vivavoce.rounds import Round, load_round, verify_round


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
