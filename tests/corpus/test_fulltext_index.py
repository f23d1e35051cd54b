"""The full-text index of a corpus: built, brought up to date, killed and damaged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from vivavoce.corpus import Corpus, fulltext, ingest, load_corpus, verify_corpus
from vivavoce.corpus.fulltext import (
    IndexReport,
    build_index,
    open_index,
    read_documents,
)
from vivavoce.corpus.reading import read_titles
from vivavoce.errors import DamagedError, LockedError, StaleError
from vivavoce.retrieval.all_terms import PostingsIndex
from vivavoce.store import lock, read_sealed

Write = Callable[..., Path]
Add = Callable[..., Corpus]

TITLES = {
    "p1": "Parsing trees",
    "p2": "Parsing graphs",
    "p3": "Trees of graphs",
    "p4": "Unlike the others",
}


@pytest.fixture
def add(tmp_path: Path, write_rows: Write) -> Add:
    """Ingest rows of metadata, given as titles by id or in full, into one corpus."""

    def ingest_rows(titles: Mapping[str, str] | None = None, *rows: dict[str, Any]) -> Corpus:
        named = [{"id": key, "title": title} for key, title in (titles or {}).items()]
        number = len(list(tmp_path.glob("*.jsonl")))
        ingest("metadata", write_rows(f"{number}.jsonl", [*named, *rows]), tmp_path / "c")
        return load_corpus(tmp_path / "c")

    return ingest_rows


def segments(corpus: Corpus) -> set[str]:
    """The files of terms, which are written once and never changed."""
    return {path.name for path in (corpus.folder / "index/abstracts/terms").glob("*.term")}


def answers(corpus: Corpus, text: str = "abstracts") -> dict[str, list[str]]:
    """What the index finds for each term of the corpus and some queries."""
    fulltext = open_index(corpus, text=text)
    queries = {word for doc in read_documents(corpus, text=text) for word in doc.text.split()[:40]}
    queries |= {"parsing trees", "graphs of", "nothing of this"}
    return {query: fulltext.all_terms(query) for query in sorted(queries)}


def assert_as_if_new(corpus: Corpus, text: str = "abstracts") -> None:
    """The index finds what one built from nothing finds."""
    oracle = PostingsIndex(read_documents(corpus, text=text))
    found = answers(corpus, text)
    assert found == {query: oracle.all_terms(query) for query in found}
    assert len(open_index(corpus, text=text)) == len(oracle)


def test_papers_are_found_by_the_words_of_title_and_abstract(add: Add) -> None:
    corpus = add(TITLES, {"id": "p5", "title": "Forests", "abstract": "Of many trees."})
    assert build_index(corpus) == IndexReport("abstracts", papers=5, added=5)
    fulltext = open_index(corpus)
    assert fulltext.all_terms("trees") == ["p1", "p3", "p5"]
    assert fulltext.all_terms("trees of") == ["p3", "p5"]
    assert_as_if_new(corpus)
    assert verify_corpus(corpus.folder) == []


def test_the_full_text_is_an_index_of_its_own(tmp_path: Path, write_tei: Write) -> None:
    write_tei("a.tei.xml", "Short title", sections={"Methods": "We count badgers."})
    write_tei("b.tei.xml", "Badgers counted", sections={"Aftermath": "Nothing followed."})
    ingest("tei", tmp_path / "tei", tmp_path / "c")
    corpus = load_corpus(tmp_path / "c")
    assert build_index(corpus, text="full").added == 2
    with pytest.raises(StaleError, match=r"viva corpus index --corpus \S+ --text abstracts"):
        open_index(corpus)
    build_index(corpus)
    named = {paper.title: paper.paper_id for paper in corpus.papers}
    a, b = named["Short title"], named["Badgers counted"]
    assert open_index(corpus).all_terms("badgers") == [b]
    assert open_index(corpus, text="full").all_terms("badgers") == sorted([a, b])
    assert open_index(corpus, text="full").all_terms("badgers methods") == [a]
    assert_as_if_new(corpus, "full")


def test_the_sample_gives_the_same_sets_on_disk_and_in_memory(tmp_path: Path) -> None:
    ingest("sample", Path("40"), tmp_path / "c")
    corpus = load_corpus(tmp_path / "c")
    for text in ("abstracts", "full"):
        build_index(corpus, text=text)
        assert_as_if_new(corpus, text)
    day = date(2023, 12, 1)
    oracle = PostingsIndex(read_documents(corpus))
    assert 0 < len(oracle.all_terms("the", as_of=day)) < len(oracle.all_terms("the"))
    assert open_index(corpus).all_terms("the", as_of=day) == oracle.all_terms("the", as_of=day)


def test_an_update_touches_what_changed_and_nothing_else(add: Add) -> None:
    build_index(add(TITLES))
    corpus = add({"p0": "Parsing badgers", "p3": "Trees and badgers"})
    before = segments(corpus)
    assert build_index(corpus) == IndexReport("abstracts", papers=5, added=1, changed=1)
    assert before < segments(corpus)
    assert open_index(corpus).all_terms("badgers") == ["p0", "p3"]
    assert open_index(corpus).all_terms("trees of") == []
    assert_as_if_new(corpus)


def test_a_new_date_alone_is_a_change(add: Add) -> None:
    build_index(add({}, {"id": "a", "title": "Trees", "published": "2023"}))
    corpus = add({}, {"id": "a", "title": "Trees", "published": "2021"})
    assert build_index(corpus).changed == 1
    assert open_index(corpus).all_terms("trees", as_of=date(2022, 1, 1)) == ["a"]


def test_papers_that_left_the_corpus_leave_the_index(add: Add) -> None:
    doi, arxiv = "10.1000/1", "2301.00001"
    build_index(
        add(
            TITLES,
            {"id": "x1", "title": "One paper of badgers", "doi": doi},
            {"arxiv_id": arxiv, "title": "The same paper of badgers"},
        )
    )
    corpus = add({}, {"id": "x1", "title": "One paper of badgers", "doi": doi, "arxiv_id": arxiv})
    report = build_index(corpus)
    assert (report.papers, report.removed) == (5, 1)
    assert len(open_index(corpus).all_terms("badgers")) == 1
    assert_as_if_new(corpus)


def test_nothing_is_done_when_nothing_changed(add: Add) -> None:
    corpus = add(TITLES)
    build_index(corpus)
    folder = corpus.folder / "index"
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    assert build_index(corpus) == IndexReport("abstracts", papers=4)
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_an_index_older_than_the_corpus_is_not_searched(add: Add) -> None:
    build_index(add(TITLES))
    with pytest.raises(StaleError, match=r"not up to date.*viva corpus index"):
        open_index(add({"p9": "New"}))


def test_other_rules_are_shown_and_fresh_starts_over(
    add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = add(TITLES)
    build_index(corpus)
    monkeypatch.setattr(fulltext, "FORMAT", 2)
    for call in (build_index, open_index):
        with pytest.raises(StaleError, match=r"format 1 -> 2.*--fresh"):
            call(corpus)
    assert build_index(corpus, fresh=True).added == 4
    assert_as_if_new(corpus)


def test_a_corpus_held_by_another_is_left_alone(add: Add) -> None:
    corpus = add(TITLES)
    with lock(corpus.folder), pytest.raises(LockedError):
        build_index(corpus)


def test_every_damaged_file_is_noticed_and_fresh_heals(add: Add) -> None:
    corpus = add(TITLES)
    build_index(corpus)
    folder = corpus.folder / "index/abstracts"
    names = [*read_sealed(folder / "state.json")["files"], "state.json"]
    assert len(names) > 8
    for name in names:
        whole = (folder / name).read_bytes()
        turned = bytearray(whole)
        turned[len(whole) // 2] ^= 1
        for damaged in (bytes(turned), whole[:-9]):
            (folder / name).write_bytes(damaged)
            for call in (open_index, build_index):
                with pytest.raises(DamagedError, match=r"viva corpus index --corpus \S+ .*--fresh"):
                    call(corpus)
        (folder / name).write_bytes(whole)
    assert_as_if_new(corpus)
    (folder / names[0]).unlink()
    with pytest.raises(DamagedError, match="missing"):
        open_index(corpus)
    assert build_index(corpus, fresh=True).added == 4
    assert_as_if_new(corpus)


def test_an_update_reads_even_files_whose_size_and_time_are_right(add: Add) -> None:
    corpus = add(TITLES)
    build_index(corpus)
    path = min((corpus.folder / "index/abstracts/terms").glob("*.term"))
    stat, turned = path.stat(), bytearray(path.read_bytes())
    turned[9] ^= 1
    path.write_bytes(turned)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    with pytest.raises(DamagedError, match="differs"):
        build_index(corpus)


def test_titles_of_some_papers(add: Add) -> None:
    corpus = add(TITLES)
    assert read_titles(corpus, ["p3", "p1"]) == [
        {"paper_id": "p1", "published": None, "title": "Parsing trees"},
        {"paper_id": "p3", "published": None, "title": "Trees of graphs"},
    ]
    assert read_titles(corpus, []) == []


UPDATE = """
import importlib, os, signal, sys
from pathlib import Path
from vivavoce.corpus import load_corpus
from vivavoce.corpus import fulltext
fulltext.PAPERS_PER_LIST = fulltext.CHANGES_PER_COMMIT = 10
module, name, call, corpus = sys.argv[1:]
home, left = importlib.import_module(module), int(call)
*inside, name = name.split(".")
for part in inside:
    home = getattr(home, part)
original = getattr(home, name)

def counted(*args, **kwargs):
    global left
    result = original(*args, **kwargs)
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    return result

setattr(home, name, counted)
fulltext.build_index(load_corpus(Path(corpus)))
"""
INDEX, STATE = "vivavoce.corpus.fulltext", "vivavoce.corpus.fulltext"
WRITER, COMMIT = "vivavoce.retrieval.all_terms", "TantivyWriter.commit"
PLACES = {
    "a list is written, nothing is committed": (INDEX, "write_parquet", 1),
    "what will be committed is written down": (STATE, "write_sealed", 1),
    "it is committed, not written down": (WRITER, COMMIT, 1),
    "the files are being hashed": (STATE, "hash_file", 12),
    "one of several commits is done": (INDEX, "write_state", 1),
    "everything is committed, the last is not written down": (WRITER, COMMIT, 3),
    "everything is done": (INDEX, "write_state", 3),
}


def killed_update(corpus: Corpus, place: tuple[str, str, int]) -> None:
    module, name, call = place
    command = [sys.executable, "-c", UPDATE, module, name, str(call), str(corpus.folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == -9, done.stderr


def many(numbers: range, word: str) -> dict[str, str]:
    return {f"p{number:02d}": f"Paper {number} of {word}" for number in numbers}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_killed_update_goes_on_whatever_the_corpus_is_by_then(
    add: Add, place: tuple[str, str, int]
) -> None:
    build_index(add(many(range(5, 20), "trees")))
    # 21 papers to add or change, ten a commit: the first ends within the list of the 15.
    corpus = add({**many(range(25), "badgers"), **many(range(15, 20), "trees"), "p30": "Last"})
    folder = corpus.folder / "index/abstracts"
    killed_update(corpus, place)
    is_done = place == PLACES["everything is done"]
    if is_done:
        assert_as_if_new(corpus)
    else:
        with pytest.raises(StaleError, match="viva corpus index"):
            open_index(corpus)
    # Papers that the killed update added, changed or had not come to are changed once more.
    corpus = add({"p00": "Owls", "p12": "Paper 12 of trees", "p24": "Owls", "p31": "Owls"})
    report = build_index(corpus)
    assert report.papers == 27
    assert_as_if_new(corpus)
    assert not (folder / "next.json").exists()
    held = {entry["name"] for entry in read_sealed(folder / "state.json")["lists"]}
    assert {f"papers/{path.name}" for path in (folder / "papers").iterdir()} == held


def test_a_killed_update_does_not_start_over(add: Add) -> None:
    corpus = add(many(range(35), "badgers"))
    killed_update(corpus, (WRITER, COMMIT, 3))  # the first is that of an empty index
    assert build_index(corpus) == IndexReport("abstracts", papers=35, added=15)
    assert_as_if_new(corpus)


@pytest.mark.parametrize("call", [1, 2])
def test_a_first_build_killed_at_its_start_begins_again(add: Add, call: int) -> None:
    corpus = add(TITLES)
    killed_update(corpus, (STATE, "committed_files" if call == 1 else "hash_file", 1))
    with pytest.raises(StaleError, match="no index"):
        open_index(corpus)
    assert build_index(corpus).added == 4
    assert_as_if_new(corpus)


def test_damage_beside_a_kill_is_noticed(add: Add) -> None:
    build_index(add(TITLES))
    corpus = add({"p9": "New"})
    killed_update(corpus, (WRITER, COMMIT, 1))
    folder = corpus.folder / "index/abstracts"
    recorded = read_sealed(folder / "state.json")["files"]
    path = folder / next(name for name in recorded if name.endswith(".term"))
    turned = bytearray(path.read_bytes())
    turned[9] ^= 1
    path.write_bytes(turned)
    with pytest.raises(DamagedError, match="--fresh"):
        build_index(corpus)


def test_a_commit_that_nothing_announced_is_taken_for_damage(add: Add) -> None:
    build_index(add(TITLES))
    corpus = add({"p9": "New"})
    killed_update(corpus, (WRITER, COMMIT, 1))
    announced = corpus.folder / "index/abstracts/next.json"
    assert json.loads(announced.read_text("utf-8"))["papers"] == 5
    announced.unlink()
    with pytest.raises(DamagedError, match="--fresh"):
        build_index(corpus)
    assert build_index(corpus, fresh=True).added == 5
