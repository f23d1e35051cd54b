"""Rounds exported with the texts of openly licensed papers alone, through the command."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.servers.commands import only_json, viva_here

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.rounds import Round, load_round
from vivavoce.rounds.licences import is_open
from vivavoce.store import read_json, read_jsonl, write_jsonl
from vivavoce.tasks import build_round

CLOSED = "http://arxiv.org/licenses/nonexclusive-distrib/1.0/"
SPEC = {
    "round": {
        "id": "given",
        "window": {"start": "2023-07-01", "end": "2025-01-01"},
        "families": ["leaderboards", "tables", "writing"],
    },
}


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        ("http://creativecommons.org/licenses/by/4.0/", True),
        ("https://creativecommons.org/licenses/by-nc-sa/4.0/", True),
        ("http://creativecommons.org/publicdomain/zero/1.0/", True),
        ("http://creativecommons.org/licenses/publicdomain/", True),
        ("CC BY 4.0", True),
        ("CC-BY-SA-4.0", True),
        ("CCBYNC", True),
        ("CC0-1.0", True),
        ("CC BY-SA 3.0; CC BY-SA 4.0", True),
        ("Distributed under the terms of the Creative Commons Attribution License", True),
        ("https://creativecommons.org/licenses/by-nc-nd/4.0/", False),
        ("CCBYNCND", False),
        ("Creative Commons Attribution-NoDerivatives", False),
        (CLOSED, False),
        ("arXiv.org perpetual, non-exclusive license", False),
        ("CC BY 4.0; all rights reserved", False),
        ("open access", False),
        ("ACCBY", False),
        ("", False),
        (None, False),
    ],
)
def test_licences_that_let_a_text_be_passed_on(licence: str | None, expected: bool) -> None:
    assert is_open(licence) is expected


@pytest.fixture(scope="module")
def corpus(sample: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The sample papers, which are in CC0; each third is under arXiv's own licence."""
    folder = tmp_path_factory.mktemp("licences")
    shutil.copytree(sample.folder, folder / "c")
    names = [paper.paper_id for paper in sample.papers]
    rows = ({"id": name, "title": None, "licence": CLOSED} for name in names[::3])
    write_jsonl(folder / "rows.jsonl", rows)
    ingest("metadata", folder / "rows.jsonl", folder / "c")
    return load_corpus(folder / "c")


@pytest.fixture(scope="module")
def made(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_round(corpus, SPEC, tmp_path_factory.mktemp("rounds")).folder


def export(made: Path, out: Path) -> dict[str, Any]:
    words = ("round", "export", made, "--out", out, "--texts", "open", "--json")
    return dict(only_json(viva_here(*words).stdout))


def strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings_in(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings_in(one)


def strings_of(folder: Path) -> set[str]:
    """Every string of every table and file of an export."""
    found: set[str] = set()
    for path in folder.rglob("*"):
        if path.suffix == ".parquet":
            found.update(strings_in(pq.read_table(path).to_pylist()))
        elif path.suffix == ".jsonl":
            found.update(text for _, row in read_jsonl(path) for text in strings_in(row))
        elif path.suffix == ".json":
            found.update(strings_in(read_json(path)))
        elif path.is_file():
            found.add(path.read_text())
    return found


def texts_of(corpus: Corpus, *, is_closed: bool) -> set[str]:
    """Sections and abstracts of papers, but for those that papers of both kinds share."""
    kinds: dict[bool, set[str]] = {True: set(), False: set()}
    sections = {name: [one.text for one in found] for name, found in corpus.sections()}
    for paper in corpus.papers:
        texts = [paper.abstract, *sections.get(paper.paper_id, [])]
        kinds[paper.licence == CLOSED].update(text for text in texts if text)
    return kinds[is_closed] - kinds[not is_closed]


@pytest.mark.slow
def test_texts_of_closed_papers_are_in_no_file(corpus: Corpus, made: Path, tmp_path: Path) -> None:
    counts = export(made, tmp_path / "open")["texts"]
    licences = {paper.paper_id: paper.licence for paper in corpus.papers}
    named = read_json(made / "licences.json")["papers"]
    assert named == {name: licences[name] for name in named}
    closed = [name for name, licence in named.items() if licence == CLOSED]
    assert (counts["papers"], counts["ids_only"]) == (len(named), len(closed))
    assert counts["by_licence"][CLOSED] == {"papers": len(closed), "open": False}

    given = "\n".join(strings_of(tmp_path / "open"))
    shown = "\n".join(strings_of(made))
    hidden = [text for text in texts_of(corpus, is_closed=True) if text in shown]
    assert len(hidden) > 50
    assert not [text for text in hidden if text in given]
    free = [text for text in texts_of(corpus, is_closed=False) if text in shown]
    assert len(free) > 100
    assert all(text in given for text in free)


def rows_of(folder: Path, task: str) -> list[dict[str, Any]]:
    """The rows of all splits of a task, by id."""
    files = (folder / "data" / task).glob("*.parquet")
    rows = [row for path in files for row in pq.read_table(path).to_pylist()]
    return sorted(rows, key=lambda row: str(row["id"]))


def test_a_closed_item_keeps_its_ids_and_loses_its_gold(made: Path, tmp_path: Path) -> None:
    counts = export(made, tmp_path / "open")
    opened = load_round(made)
    closed = {n for n, one in read_json(made / "licences.json")["papers"].items() if one == CLOSED}
    rows = rows_of(tmp_path / "open", "title")
    before = opened.items("writing", "title")
    assert [row["id"] for row in rows] == [row["id"] for row in before]
    for row, was in zip(rows, before, strict=True):
        assert row["reference"] == (None if was["paper_id"] in closed else was["reference"])
        assert row["demos_random"] == was["demos_random"]
    lost = sum(row["paper_id"] in closed for row in before)
    assert counts["texts"]["rows_without_texts"]["writing/title.parquet"] == lost > 0
    table = {row["id"]: row for row in rows_of(tmp_path / "open", "table")}
    for was in opened.items("tables", "table"):
        assert (table[was["id"]]["rows"] is None) == (was["cluster"] in closed)


def test_a_round_of_open_papers_is_exported_whole(small: Round, tmp_path: Path) -> None:
    counts = export(small.folder, tmp_path / "open")["texts"]
    assert counts["by_licence"] == {"CC0-1.0": {"papers": counts["papers"], "open": True}}
    assert counts["ids_only"] == 0
    assert counts["rows_without_texts"] == {}
    viva_here("round", "export", small.folder, "--out", tmp_path / "all")
    whole = tmp_path / "all" / "data"
    for path in whole.rglob("*.parquet"):
        other = tmp_path / "open" / "data" / path.relative_to(whole)
        assert path.read_bytes() == other.read_bytes()
