"""Damage to a corpus: noticed, named, and repaired by the same ingest."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.tei import tei_text

from vivavoce.corpus import ingest, load_corpus, verify_corpus
from vivavoce.errors import DamagedError
from vivavoce.store import hash_tree

Write = Callable[..., Path]
Damage = Callable[[Path], object]


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


DAMAGES = [flip, truncate, Path.unlink]


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a paper and a broken file, and their corpus beside it."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "tei").mkdir()
    text = tei_text("Of graphs", cited=["Of trees"], authors=["One"])
    (folder / "tei" / "a.tei.xml").write_text(text, "utf-8")
    (folder / "tei" / "broken.tei.xml").write_text("<TEI>")
    ingest("tei", folder / "tei", folder / "c")
    return folder / "tei"


@pytest.fixture
def corpus(papers: Path, tmp_path: Path) -> Path:
    """A copy of the corpus to damage."""
    return Path(shutil.copytree(papers.with_name("c"), tmp_path / "c"))


CLOSING = {"complete.json": "unfinished", "manifest.json": "cut short"}
"""What is said without the file that closes an import or the tables."""


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize(
    "name",
    [
        "imports/*/00000.parquet",
        "imports/*/00000.parquet.done.json",
        "imports/*/plan.json",
        "imports/*/complete.json",
        "tables/papers/000000000000.parquet",
        "tables/references/000000000000.parquet",
        "tables/results/00000.parquet",  # without a row
        "tables/papers/*.done.json",
        "tables/references/*.done.json",
        "tables/facts/*.parquet",
        "tables/index-*/keys.npy",
        "tables/manifest.json",
    ],
)
def test_damage_is_noticed_and_repaired_by_the_same_ingest(
    corpus: Path, papers: Path, name: str, damage: Damage
) -> None:
    whole = hash_tree(corpus)
    (path,) = corpus.glob(name)
    damage(path)
    problems = verify_corpus(corpus)
    # Without the file that closes them, imports or tables look like an ingest that was cut short.
    sign = CLOSING.get(path.name, str(path)) if damage is Path.unlink else str(path)
    assert any(sign in problem for problem in problems)
    ingest("tei", papers, corpus)
    assert hash_tree(corpus) == whole
    assert verify_corpus(corpus) == []


def test_a_figure_changed_by_hand_in_a_marker_or_manifest_is_noticed(corpus: Path) -> None:
    for pattern, key in (("imports/*/*.done.json", "n"), ("tables/manifest.json", "format")):
        (path,) = corpus.glob(pattern)
        value = json.loads(path.read_text())
        path.write_text(json.dumps({**value, key: value[key] + 1}))
        assert any(str(path) in problem for problem in verify_corpus(corpus))


def test_damage_is_not_read_past(corpus: Path) -> None:
    path = corpus / "tables" / "papers" / "000000000000.parquet"
    flip(path)
    with pytest.raises(DamagedError, match=str(path)):
        list(load_corpus(corpus).rows("papers"))


def test_an_ingest_names_another_import_that_is_damaged(corpus: Path, write_rows: Write) -> None:
    (shard,) = corpus.glob("imports/*/00000.parquet")
    truncate(shard)
    with pytest.raises(DamagedError, match=str(shard)):
        ingest("metadata", write_rows("m.jsonl", [{"id": "p", "title": "T"}]), corpus)


def test_fresh_gets_past_a_damaged_plan_of_other_files(corpus: Path, write_tei: Write) -> None:
    (plan,) = corpus.glob("imports/*/plan.json")
    truncate(plan)
    other = write_tei("b.tei.xml", "Of trees")
    with pytest.raises(DamagedError, match=str(plan)):
        ingest("tei", other, corpus)
    assert ingest("tei", other, corpus, fresh=True).papers == 1
    assert verify_corpus(corpus) == []
