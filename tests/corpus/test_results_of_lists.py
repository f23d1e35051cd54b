"""Results of lists in a corpus: with the paper where it is there, else by themselves."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vivavoce.corpus import Corpus, ingest, load_corpus, verify_corpus
from vivavoce.corpus.boards import make_boards
from vivavoce.corpus.build import identity, partitioning
from vivavoce.corpus.schema import TABLES
from vivavoce.networks import build_networks
from vivavoce.store import hash_tree

Write = Callable[..., Path]
STUDY = "A study of small graphs"


def score(method: str, value: float, url: str | None = None, **other: Any) -> dict[str, Any]:
    row = {"task": "Parsing", "dataset": "Bank", "metric": "F1", "method": method, "score": value}
    return row | {"paper_url": url} | other


@pytest.fixture
def lists(write_rows: Write) -> dict[str, Path]:
    """Two lists, each of three works, of which one is that of a paper."""
    rows = {
        "pwc": [
            score("Old", 80.0, "https://example.org/old", paper_date="2001-02-03"),
            score("Ours", 91.0, "https://arxiv.org/abs/2001.00001", paper_date="2020-01-05"),
            score("Nobody's", 70.0, paper_date="1999"),
        ],
        "nlp_progress": [
            score("Old", 80.0, "https://example.org/old"),
            score("Ours, larger", 92.0, "https://example.org/ours", paper_title=STUDY),
            score("Theirs", 85.0, "https://example.org/theirs"),
        ],
    }
    return {kind: write_rows(f"{kind}.jsonl", listed) for kind, listed in rows.items()}


@pytest.fixture
def paper(write_rows: Write) -> Path:
    return write_rows("m.jsonl", [{"arxiv_id": "2001.00001", "title": STUDY}])


def owners(corpus: Corpus) -> dict[str, str | None]:
    return {row["method"]: row["paper_id"] for row in corpus.rows("results")}


def test_results_without_their_paper_are_kept_and_make_no_paper(
    tmp_path: Path, lists: dict[str, Path], paper: Path
) -> None:
    corpus = tmp_path / "c"
    first = ingest("pwc", lists["pwc"], corpus)
    assert (first.read, first.papers, first.failed) == (3, 0, ())
    assert (first.results, first.results_of_papers) == (3, 0)
    opened = load_corpus(corpus)
    assert [
        (row["method"], row["paper_id"], row["paper_url"], row["date"])
        for row in opened.rows("results")
    ] == [
        ("Nobody's", None, None, "1999"),
        ("Old", None, "https://example.org/old", "2001-02-03"),
        ("Ours", None, "https://arxiv.org/abs/2001.00001", "2020-01"),
    ]
    assert list(opened.rows("faults")) == []
    # The paper takes its results when it comes.
    second = ingest("metadata", paper, corpus)
    assert (second.papers, second.completed, second.results) == (1, 1, 0)
    assert owners(load_corpus(corpus)) == {
        "Nobody's": None,
        "Old": None,
        "Ours": "arxiv:2001.00001",
    }
    third = ingest("nlp_progress", lists["nlp_progress"], corpus)
    assert (third.papers, third.results, third.results_of_papers) == (1, 3, 1)
    assert load_corpus(corpus).papers[0].source == "metadata+nlp_progress+pwc"
    assert verify_corpus(corpus) == []


def test_a_work_outside_is_one_on_a_board_however_many_lists_name_it(
    tmp_path: Path, lists: dict[str, Path], paper: Path
) -> None:
    for kind, path in {"metadata": paper, **lists}.items():
        ingest(kind, path, tmp_path / "c")
    (board,) = make_boards(load_corpus(tmp_path / "c").rows("results"))
    assert [(entry.method, entry.paper_id) for entry in board.entries] == [
        ("Ours, larger", "arxiv:2001.00001"),
        ("Ours", "arxiv:2001.00001"),
        ("Theirs", None),
        ("Old", None),
        ("Nobody's", None),
    ]


def test_the_tables_depend_neither_on_the_order_nor_on_the_cut(
    tmp_path: Path, lists: dict[str, Path], paper: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = set()
    inputs = {"metadata": paper, **lists}
    for number, order in enumerate((list(inputs), list(inputs)[::-1], sorted(inputs)[::-1])):
        corpus = tmp_path / str(number)
        if number == 2:
            monkeypatch.setattr(partitioning, "MEAN_PAPERS", 1)
            monkeypatch.setattr(identity, "AT_ONCE", 1)
        for kind in order:
            ingest(kind, inputs[kind], corpus)
        opened = load_corpus(corpus)
        found = {name: list(opened.rows(name)) for name in TABLES}
        seen.add(json.dumps(found))
    assert len(seen) == 1


def test_an_undated_paper_takes_the_date_of_its_results(tmp_path: Path, write_rows: Write) -> None:
    row = score("A", 1.0, "https://example.org/a", paper_title=STUDY, paper_date="2019-03-02")
    ingest("pwc", write_rows("pwc.jsonl", [row]), tmp_path / "c")
    ingest("metadata", write_rows("m.jsonl", [{"id": "p", "title": STUDY}]), tmp_path / "c")
    (paper,) = load_corpus(tmp_path / "c").papers
    assert (paper.paper_id, paper.published, paper.date_source) == (
        "p",
        "2019-03-02",
        "results_list",
    )


def test_networks_see_no_listed_works(tmp_path: Path, lists: dict[str, Path], paper: Path) -> None:
    nodes = {}
    for name, inputs in (("with", {"metadata": paper, **lists}), ("without", {"metadata": paper})):
        for kind, path in inputs.items():
            ingest(kind, path, tmp_path / name)
        build_networks(load_corpus(tmp_path / name))
        tree = hash_tree(tmp_path / name / "networks" / "citation")
        nodes[name] = {file: digest for file, digest in tree.items() if file.endswith(".parquet")}
    assert nodes["with"] == nodes["without"] != {}
