"""A folder of PDFs alone becomes a round and a board, by the commands a user runs."""

from pathlib import Path
from typing import Any

import pytest
from tests.servers.commands import only_json, viva_here
from tests.sources.pdf_folder import printed, write_folder

from vivavoce.corpus import load_corpus

pytestmark = pytest.mark.slow

SPEC = """
[round]
id = "folder-2023"
window = { start = 2023-03-01, end = 2024-01-01 }
families = ["writing"]

[writing]
settings = ["base", "coauthor"]
"""


def test_twenty_pdfs_are_a_round_with_coauthors_and_related_work(tmp_path: Path) -> None:
    papers = write_folder(tmp_path / "pdfs", 20)
    corpus, rounds, logs = tmp_path / "corpus", tmp_path / "rounds", tmp_path / "logs"
    report = only_json(
        viva_here("ingest", "pdf", tmp_path / "pdfs", "--corpus", corpus, "--json").stdout
    )
    assert (report["read"], report["dated"], report["failed"]) == (20, 20, [])
    _check_corpus(corpus, papers)
    (tmp_path / "spec.toml").write_text(SPEC)
    viva_here("round", "build", tmp_path / "spec.toml", "--corpus", corpus, "--out", rounds)
    found = rounds / "folder-2023"
    stats = only_json(viva_here("round", "stats", found, "--json").stdout)["tasks"][
        "writing/related_work"
    ]
    assert stats["settings"]["base"] >= 12
    assert stats["settings"]["coauthor"] >= 4
    for setting in ("base", "coauthor"):
        words = ["--round", found, "--model", "extractive/lead", "--logs", logs]
        viva_here("run", "related_work", "--setting", setting, *words)
    rows = only_json(viva_here("board", "show", logs, "--json").stdout)
    shown = {(row["task"], row["setting"], row["n"], row["valid"]) for row in rows["rows"]}
    assert shown == {
        ("related_work", setting, stats["settings"][setting], 1.0)
        for setting in ("base", "coauthor")
    }


def _check_corpus(corpus: Path, papers: list[Any]) -> None:
    """Compare what was read with what was typeset."""
    read = {paper.title: paper for paper in load_corpus(corpus).papers}
    authors: dict[str, list[str]] = {}
    for row in load_corpus(corpus).rows("authorships"):
        authors.setdefault(row["paper_id"], []).append(row["name"])
    assert sum(paper.title in read for paper in papers) >= 19
    for paper in papers:
        if found := read.get(paper.title):
            assert found.first_public == paper.published
            assert authors[found.paper_id] == [printed(author.name) for author in paper.authors]
