"""An ingest that was cut short: resumed when it is the same, refused when it is not."""

from collections.abc import Callable
from pathlib import Path

import pytest

from vivavoce.corpus import ingest, verify_corpus
from vivavoce.corpus.ingestion import imports
from vivavoce.errors import VivaError
from vivavoce.sources import ReadOptions
from vivavoce.store import hash_tree

Write = Callable[..., Path]


class Stop(Exception):
    """Ends an ingest between two shards."""


def stop(done: int, total: int) -> None:
    raise Stop


@pytest.fixture
def cut_short(tmp_path: Path, write_tei: Write) -> Path:
    """A corpus of which 16 of 18 files were read."""
    for number in range(18):
        write_tei(f"{number:02d}.tei.xml", f"Title {number}")
    with pytest.raises(Stop):
        ingest("tei", tmp_path / "tei", tmp_path / "c", progress=stop)
    return tmp_path / "c"


def test_the_same_ingest_goes_on(cut_short: Path, tmp_path: Path) -> None:
    shard = next(cut_short.glob("imports/*/00000.parquet"))
    before = shard.stat()
    assert ingest("tei", tmp_path / "tei", cut_short).papers == 18
    assert (shard.stat().st_ino, shard.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    ingest("tei", tmp_path / "tei", tmp_path / "whole")
    assert hash_tree(cut_short) == hash_tree(tmp_path / "whole")


def test_files_that_changed_meanwhile_are_shown_and_the_two_are_not_mixed(
    cut_short: Path, tmp_path: Path, write_tei: Write
) -> None:
    write_tei("00.tei.xml", "Another title")
    write_tei("new.tei.xml", "A new one")
    (tmp_path / "tei" / "17.tei.xml").unlink()
    with pytest.raises(VivaError) as caught:
        ingest("tei", tmp_path / "tei", cut_short)
    assert caught.value.exit_code == 1
    for difference in (
        "files added: 1 (such as new.tei.xml)",
        "files gone: 1 (such as 17.tei.xml)",
        "files changed: 1 (such as 00.tei.xml)",
        "--fresh",
    ):
        assert difference in str(caught.value)


def test_code_that_changed_meanwhile_is_shown(
    cut_short: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier = imports.__version__
    monkeypatch.setattr(imports, "__version__", "9.9.9")
    with pytest.raises(VivaError, match=rf"code: {earlier} -> 9\.9\.9"):
        ingest("tei", tmp_path / "tei", cut_short)


def test_options_that_changed_meanwhile_are_shown(tmp_path: Path, write_rows: Write) -> None:
    where = write_rows("m.jsonl", [{"id": "p", "Name": "Of graphs"}])
    with pytest.raises(Stop):
        ingest("metadata", where, tmp_path / "c", progress=stop)
    with pytest.raises(VivaError, match=r"rename: none -> \{'Name': 'title'\}"):
        ingest("metadata", where, tmp_path / "c", options=ReadOptions({"Name": "title"}))


def test_fresh_drops_what_was_begun(cut_short: Path, tmp_path: Path, write_tei: Write) -> None:
    write_tei("00.tei.xml", "Another title")
    assert ingest("tei", tmp_path / "tei", cut_short, fresh=True).papers == 18
    ingest("tei", tmp_path / "tei", tmp_path / "whole")
    assert hash_tree(cut_short) == hash_tree(tmp_path / "whole")


def test_what_a_kill_leaves_of_a_dropped_batch_goes(cut_short: Path, tmp_path: Path) -> None:
    leftover = cut_short / "imports" / ".dropped-0001-tei-12345678"
    leftover.mkdir()
    (leftover / "00000.parquet").write_bytes(b"half")
    # A batch of which not even the plan was written.
    (cut_short / "imports" / "0002-metadata-12345678").mkdir()
    assert ingest("tei", tmp_path / "tei", cut_short).papers == 18
    assert not leftover.exists()
    assert verify_corpus(cut_short) == []
