"""The sharded build: the same tables however the work is cut, and only what changed is redone."""

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vivavoce.corpus import ingest, load_corpus, verify_corpus
from vivavoce.corpus.build import identity, partitioning, tables
from vivavoce.corpus.build.tables import build_tables
from vivavoce.corpus.schema import TABLES
from vivavoce.store import hash_tree, write_jsonl

Write = Callable[..., Path]


def cut_small(patch: pytest.MonkeyPatch) -> None:
    """Cut shards of four papers or so, groups of five documents, files of forty rows."""
    patch.setattr(partitioning, "MEAN_PAPERS", 4)
    patch.setattr(identity, "AT_ONCE", 5)
    patch.setattr(tables, "ROWS_PER_FILE", 40)


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_small(monkeypatch)


@pytest.fixture(scope="module")
def in_small_shards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus in small shards, to copy."""
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch)
        return filled(tmp_path_factory.mktemp("small"), "c")


@pytest.fixture
def corpus(in_small_shards: Path, small_shards: None, tmp_path: Path) -> Path:
    """A corpus in small shards to do with as one likes, while all shards are cut small."""
    return Path(shutil.copytree(in_small_shards, tmp_path / "c"))


@pytest.fixture(scope="module")
def in_one_shard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpus as it is cut for users, to copy."""
    return filled(tmp_path_factory.mktemp("whole"), "c")


def filled(folder: Path, name: str, papers: int = 24) -> Path:
    """A corpus of the sample's papers, and of rows that complete, repeat or confuse them."""
    corpus = folder / name
    ingest("sample", Path(str(papers)), corpus)
    known = list(load_corpus(corpus).rows("papers"))
    rows = [{"id": row["paper_id"], "title": row["title"]} for row in known[::2]]
    rows += [{"id": f"m{n}", "title": r["title"], "published": r["published"]}
             for n, r in enumerate(known[1::2])]  # fmt: skip
    rows += [{**row, "id": f"other-{row['id']}", "year": 1980} for row in rows[::7]]
    rows += [{"file": "nowhere.xml", "title": "Of nothing"}, {"arxiv_id": "2001.00001"}]
    rows += [{"doi": "10.48550/arXiv.2001.00001", "title": "Named by a DOI"}]
    rows += [{"title": "Nameless"}]
    random.Random(0).shuffle(rows)
    write_jsonl(folder / "rows.jsonl", rows)
    ingest("metadata", folder / "rows.jsonl", corpus)
    return corpus


def rows_of(corpus: Path) -> dict[str, list[dict[str, Any]]]:
    opened = load_corpus(corpus)
    return {name: list(opened.rows(name)) for name in TABLES}


def rebuilt(corpus: Path) -> dict[str, str]:
    """The tree of the tables after they were made from nothing."""
    shutil.rmtree(corpus / "tables")
    build_tables(corpus)
    return hash_tree(corpus / "tables")


def test_small_shards_hold_the_rows_that_one_shard_holds(corpus: Path, in_one_shard: Path) -> None:
    opened = load_corpus(corpus)
    assert len(opened.files("papers")) > 4
    found, wanted = rows_of(corpus), rows_of(in_one_shard)
    for name in TABLES:
        assert found[name] == wanted[name], name
    assert any(row["cited_paper_id"] for row in found["references"])
    assert verify_corpus(corpus) == []


@pytest.mark.slow
def test_documents_that_lie_scattered_are_dealt_out_to_the_same_bytes(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = hash_tree(corpus / "tables")
    monkeypatch.setattr(partitioning, "DOCUMENTS_PER_RUN", 20)
    dealt = []
    monkeypatch.setattr(
        tables, "repartition", lambda task: dealt.append(task) or partitioning.repartition(task)
    )
    assert rebuilt(corpus) == whole
    assert len(dealt) >= 2
    assert not (corpus / "tables" / "work").exists()


@pytest.mark.slow
def test_content_and_not_the_cut_decides_the_fingerprint_of_equal_builds(
    corpus: Path, small_shards: None, tmp_path: Path
) -> None:
    again = filled(tmp_path, "again")
    assert load_corpus(corpus).fingerprint == load_corpus(again).fingerprint


@pytest.mark.slow
def test_adding_papers_redoes_the_shards_they_fall_into_and_equals_a_rebuild(
    corpus: Path, write_rows: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = load_corpus(corpus)
    made: list[str] = []
    make = tables.make_shard
    monkeypatch.setattr(tables, "make_shard", lambda task: made.append(task["name"]) or make(task))
    unresolved = next(row for row in before.rows("references") if not row["cited_paper_id"])
    new = {"id": "zz-1", "title": unresolved["title"], "year": unresolved["year"]}
    ingest("metadata", write_rows("new.jsonl", [new, {"id": "zz-2", "title": "Last"}]), corpus)
    after = load_corpus(corpus)
    assert made == [after.manifest["shards"][-1]]
    shown = {(r["paper_id"], r["ordinal"]): r["cited_paper_id"] for r in after.rows("references")}
    assert shown[unresolved["paper_id"], unresolved["ordinal"]] == "zz-1"
    tree = hash_tree(corpus / "tables")
    assert rebuilt(corpus) == tree


def test_a_damaged_shard_alone_is_made_again(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = hash_tree(corpus / "tables")
    made: list[str] = []
    make = tables.make_shard
    monkeypatch.setattr(tables, "make_shard", lambda task: made.append(task["name"]) or make(task))
    shard = load_corpus(corpus).manifest["shards"][2]
    for part in ("sections", "references", "facts"):
        path = corpus / "tables" / part / f"{shard}.parquet"
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
        build_tables(corpus)
        assert hash_tree(corpus / "tables") == whole, part
    assert made == [shard] * 3


def test_a_step_whose_worker_died_after_it_is_done_again_to_the_same_bytes(
    small_shards: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for papers in ("6", "9"):
        ingest("sample", Path(papers), tmp_path / "once")
    done: list[str] = []
    for step in (tables.repartition, tables.make_shard, tables.resolve_references):

        def again(task: dict[str, Any], step: Any = step) -> Any:
            done.append(step.__name__)
            step(task)
            return step(task)

        monkeypatch.setattr(tables, step.__name__, again)
    for papers in ("6", "9"):
        ingest("sample", Path(papers), tmp_path / "again")
    assert {*done} == {"repartition", "make_shard", "resolve_references"}
    assert hash_tree(tmp_path / "again") == hash_tree(tmp_path / "once")


def test_the_cuts_stay_where_they_are_when_papers_are_added() -> None:
    ids = [f"p{number:05d}" for number in range(2_000)]
    cut = partitioning.cut_papers(ids, mean=64)
    assert [s.stop for s in cut[:-1]] == [s.start for s in cut[1:]]
    assert max(s.stop - s.start for s in cut) <= 3 * 64
    more = partitioning.cut_papers([*ids, *(f"q{number}" for number in range(100))], mean=64)
    assert more[: len(cut) - 1] == cut[:-1]
    # One paper in the middle changes the shard that it falls into, and moves no other cut.
    one = partitioning.cut_papers(sorted([*ids, "p01000x"]), mean=64)
    assert len({s.name for s in cut} ^ {s.name for s in one}) <= 2
    assert partitioning.cut_papers([]) == []


def test_a_long_run_without_a_cut_is_cut_more_finely() -> None:
    ids = [f"p{number:05d}" for number in range(500)]
    cut = partitioning.cut_papers(ids, mean=1 << 40)
    assert [s.name for s in cut] == [partitioning.FIRST]
    assert max(s.stop - s.start for s in partitioning.cut_papers(ids, mean=16)) <= 48


POOL = """
import sys
from pathlib import Path
from losing import die_once
from vivavoce.corpus.build import engine, identity, partitioning, tables

engine.attempt = die_once
partitioning.MEAN_PAPERS, identity.AT_ONCE, tables.ROWS_PER_FILE = 4, 5, 40
tables.build_tables(Path(sys.argv[1]), engine.Engine(few_documents=0))
assert "daft" not in sys.modules
"""
LOSING = """
import os, signal, sys
from pathlib import Path
from vivavoce.corpus.build import engine

attempt = engine.attempt
corpus = Path(sys.argv[1])

def die_once(step, task):
    outcome = attempt(step, task)
    if any(corpus.glob("tables/papers/*.done.json")):
        try:
            (corpus.parent / "lost").touch(exist_ok=False)
        except FileExistsError:
            return outcome
        os.kill(os.getpid(), signal.SIGKILL)  # a shard is done, and nobody was told so
    return outcome
"""
WAITING = """
import os, sys, time
from pathlib import Path
from vivavoce.corpus.build import engine
from vivavoce.corpus.build.engine import Engine
from vivavoce.corpus.build.tables import build_tables

def wait(step, task):
    (Path(sys.argv[-1]).parent / "worker.tmp").write_text(str(os.getpid()))
    (Path(sys.argv[-1]).parent / "worker.tmp").replace(Path(sys.argv[-1]).parent / "worker")
    time.sleep(300)

def build(corpus):
    engine.attempt = wait
    build_tables(Path(corpus), Engine(few_documents=0))
"""


@pytest.mark.slow
def test_worker_processes_of_which_one_is_killed_make_the_same_bytes(
    corpus: Path,
) -> None:
    whole = hash_tree(corpus / "tables")
    shutil.rmtree(corpus / "tables")
    (corpus.parent / "losing.py").write_text(LOSING)
    # Without a guard: the workers are not to import the program that started them.
    program = corpus.parent / "building.py"
    program.write_text(POOL)
    done = subprocess.run(
        [sys.executable, str(program), str(corpus)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert (corpus.parent / "lost").exists()
    assert hash_tree(corpus / "tables") == whole


def test_workers_end_with_the_process_that_started_them(in_one_shard: Path, tmp_path: Path) -> None:
    corpus = Path(shutil.copytree(in_one_shard, tmp_path / "c"))
    shutil.rmtree(corpus / "tables")
    (tmp_path / "waiting.py").write_text(WAITING)
    program = "import sys, waiting\nwaiting.build(sys.argv[1])\n"
    (tmp_path / "building.py").write_text(program)
    building = subprocess.Popen([sys.executable, str(tmp_path / "building.py"), str(corpus)])
    while not (corpus.parent / "worker").exists():
        assert building.poll() is None
        time.sleep(0.02)
    building.kill()
    building.wait()
    worker = Path("/proc") / (corpus.parent / "worker").read_text()
    for _ in range(500):
        if not worker.exists():
            break
        time.sleep(0.02)
    assert not worker.exists()
