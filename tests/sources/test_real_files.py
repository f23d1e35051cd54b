"""Real files of every kind: each is taken by its own source, and a folder of them is a corpus."""

from collections import Counter
from pathlib import Path

import pytest

from vivavoce.corpus import ingest, load_corpus
from vivavoce.sources import get_source

pytestmark = pytest.mark.data

KINDS = ("jats", "latex", "pdf", "s2orc", "tei", "unarxive")
S2ORC = ["s2orc_2020.acl-main.207.json", "s2orc_24e6b80e338a4e543de6b49cada07156c9149d22.json"]


def test_each_real_file_is_of_one_kind_at_most(data_dir: Path) -> None:
    taken: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for path in sorted(path for path in data_dir.rglob("*") if path.is_file()):
        for kind in KINDS:
            if get_source(kind).matches(path):
                taken[kind].append(path.name)
    assert sorted(taken["s2orc"]) == S2ORC
    assert taken["unarxive"] == ["unarXive_sample.jsonl.gz"]
    assert sorted(taken["jats"]) == ["PMC5828200.nxml", "PMC7417471.nxml"]
    assert len(taken["tei"]) == 101
    several = Counter(name for kind in KINDS if kind != "latex" for name in taken[kind])
    assert set(several.values()) == {1}


@pytest.mark.parametrize(
    ("kind", "read", "whole"), [("jats", 2, 2), ("s2orc", 1, 1), ("unarxive", 28, 25)]
)
def test_a_folder_of_real_files_gives_papers_past_the_gates(
    data_dir: Path, tmp_path: Path, kind: str, read: int, whole: int
) -> None:
    report = ingest(kind, data_dir / "fulltext", tmp_path / "corpus")
    assert (report.read, report.failed, report.dated) == (read, (), read)
    gates = [paper.gates for paper in load_corpus(tmp_path / "corpus").papers]
    assert len(gates) == read
    assert gates.count(()) >= whole
