"""Ingests: what goes in and what is said about it; cut short, resumed or refused."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from vivavoce.corpus import ingest, load_corpus, verify_corpus
from vivavoce.corpus.ingestion import imports
from vivavoce.errors import InputError, VivaError
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


def test_a_folder_is_walked_for_files_of_its_kind_alone(tmp_path: Path, write_tei: Write) -> None:
    write_tei("a.tei.xml", "Of graphs")
    write_tei("deep/er/b.tei.xml", "Of trees")
    for name in ("notes.txt", "a.pdf", "index.jsonl", "plain.xml", ".hidden"):
        (tmp_path / "tei" / name).write_text("nothing to read")
    (tmp_path / "tei" / "folder.tei.xml").mkdir()
    (tmp_path / "tei" / "dangling.tei.xml").symlink_to("nowhere")
    report = ingest("tei", tmp_path / "tei", tmp_path / "c")
    assert (report.read, report.failed, report.papers) == (2, (), 2)


def test_a_broken_file_is_reported_and_the_rest_goes_in(tmp_path: Path, write_tei: Write) -> None:
    write_tei("a.tei.xml", "Of graphs")
    write_tei("cut.tei.xml", "Of trees").write_text("<TEI><text>")
    write_tei("empty.tei.xml", "Of woods").write_bytes(b"")
    report = ingest("tei", tmp_path / "tei", tmp_path / "c")
    assert (report.read, report.papers) == (1, 1)
    assert [fault.where for fault in report.failed] == ["cut.tei.xml", "empty.tei.xml"]
    assert all(fault.reason for fault in report.failed)


def test_a_file_that_cannot_be_opened_is_one_of_those_that_failed(tmp_path: Path) -> None:
    report = ingest("tei", Path("/proc/self/mem"), tmp_path / "c")
    assert (report.read, report.papers) == (0, 0)
    assert "cannot be read" in report.failed[0].reason


def test_papers_in_files_of_one_name_are_told_apart(tmp_path: Path, write_tei: Write) -> None:
    write_tei("2019/paper.tei.xml", "Of graphs")
    write_tei("2020/paper.tei.xml", "Of trees")
    report = ingest("tei", tmp_path / "tei", tmp_path / "c")
    assert (report.read, report.papers) == (1, 1)
    assert "2020/paper.tei.xml has the same name as 2019/paper.tei.xml" in str(report.failed)


@pytest.mark.parametrize(
    ("name", "known_as"),
    [
        ("{}/survey/main.tex", "{}-survey"),
        ("{}/deep/survey/paper.tex", "{}-deep-survey"),
        ("{}/survey.gz", "{}-survey.gz"),
    ],
)
def test_latex_papers_of_one_name_are_told_apart_by_the_folders_above(
    tmp_path: Path, name: str, known_as: str
) -> None:
    for place, title in (("ants", "Of ants"), ("bees", "Of bees")):
        path = tmp_path / "tex" / name.format(place)
        path.parent.mkdir(parents=True)
        content = (
            f"\\documentclass{{article}}\\title{{{title}}}\\begin{{document}}X\\end{{document}}"
        )
        plain = content.encode()
        path.write_bytes(gzip.compress(plain) if path.suffix == ".gz" else plain)
    report = ingest("latex", tmp_path / "tex", tmp_path / "c")
    assert (report.read, report.failed, report.papers) == (2, (), 2)
    papers = load_corpus(tmp_path / "c").papers
    assert {paper.source_file: paper.title for paper in papers} == {
        known_as.format("ants"): "Of ants",
        known_as.format("bees"): "Of bees",
    }


def test_a_name_that_is_not_utf8_keeps_no_other_file_out(tmp_path: Path, write_tei: Write) -> None:
    path = write_tei("a.tei.xml", "Of graphs")
    (path.parent / os.fsdecode(b"caf\xe9.tei.xml")).write_bytes(path.read_bytes())
    report = ingest("tei", path.parent, tmp_path / "c")
    assert (report.read, report.papers) == (1, 1)
    assert [(f.where, f.reason) for f in report.failed] == [
        ("caf\ufffd.tei.xml", "the name of the file is not UTF-8: rename it")
    ]


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path, write_tei: Write) -> None:
    outside = write_tei("b.tei.xml", "Of trees", folder=tmp_path / "outside")
    write_tei("a.tei.xml", "Of graphs")
    (tmp_path / "tei" / "link.tei.xml").symlink_to(outside)
    assert ingest("tei", tmp_path / "tei", tmp_path / "c").read == 1


@pytest.mark.parametrize("name", ["missing", "missing/deeper", "empty"])
def test_nothing_to_read_is_wrong_use_and_leaves_no_corpus(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=name):
        ingest("tei", tmp_path / name, tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_the_same_ingest_anywhere_or_again_gives_the_same_bytes(
    tmp_path: Path, write_tei: Write
) -> None:
    for place in ("here", "far/away"):
        write_tei("a.tei.xml", "Of graphs", folder=tmp_path / place / "papers")
        first = ingest("tei", tmp_path / place / "papers", tmp_path / place / "c")
    assert hash_tree(tmp_path / "here/c") == hash_tree(tmp_path / "far/away/c")
    assert ingest("tei", tmp_path / "far/away/papers", tmp_path / "far/away/c") == first
    assert hash_tree(tmp_path / "here/c") == hash_tree(tmp_path / "far/away/c")
