"""`viva corpus index` and `search`, as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vivavoce.cli import app
from vivavoce.corpus import ingest
from vivavoce.errors import InputError, StaleError

ROWS = [
    {"id": "p1", "title": "Parsing of trees", "published": "2021-05"},
    {"id": "p2", "title": "Trees", "abstract": "On the parsing of badgers.", "published": "2023"},
    {"id": "p3", "title": "Badgers"},
]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "m.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    ingest("metadata", tmp_path / "m.jsonl", tmp_path / "c")
    return tmp_path / "c"


def run(*words: object) -> str:
    done = CliRunner().invoke(app, ["--debug", "corpus", *map(str, words)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_build_says_what_it_did_and_where(corpus: Path) -> None:
    assert run("index", "--corpus", corpus) == (
        f"  3 papers: 3 added, 0 changed, 0 removed\n{corpus}/index/abstracts\n"
    )
    assert json.loads(run("index", "--corpus", corpus, "--text", "full", "--json")) == {
        "text": "full",
        "papers": 3,
        "added": 3,
        "changed": 0,
        "removed": 0,
        "path": f"{corpus}/index/full",
    }
    assert "3 added" in run("index", "--corpus", corpus, "--fresh")


def test_search_shows_the_papers_that_have_every_word(corpus: Path) -> None:
    run("index", "--corpus", corpus)
    assert run("search", "TREES, parsing", "--corpus", corpus) == (
        "  p1  2021-05  Parsing of trees\n"
        "  p2  2023  Trees\n"
        f"{corpus}: 2 of 3 papers contain trees, parsing\n"
    )
    assert run("search", "badgers", "--limit", 1, "--corpus", corpus) == (
        "  p2  2023  Trees\n"
        "  and 1 more (--limit shows more)\n"
        f"{corpus}: 2 of 3 papers contain badgers\n"
    )
    assert run("search", "?!", "--corpus", corpus) == f"{corpus}: 0 of 3 papers contain no term\n"


def test_a_search_needs_an_index_and_a_date_that_is_one(corpus: Path) -> None:
    with pytest.raises(StaleError, match="viva corpus index"):
        run("search", "trees", "--corpus", corpus)
    with pytest.raises(InputError, match="'soon' is not a date"):
        run("search", "trees", "--before", "soon", "--corpus", corpus)
