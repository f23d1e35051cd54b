"""`texts` and `cited`, the two verbs of `viva fetch`, called on an app of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.corpus.fetching_corpus import citing, corpus_of, knowing, three_papers
from tests.servers.arxiv_replay import FakeClock, Fault, ReplayServer, replaying
from tests.servers.commands import only_json
from typer.testing import CliRunner, Result

from vivavoce.cli.fetch import app

ONE, TWO = "2001.00001v1", "2001.00002v2"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ReplayServer]:
    with replaying({}, FakeClock()) as running:
        running.script = three_papers(tmp_path)
        yield running


def call(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_texts_tells_what_came_and_where_the_index_is(server: ReplayServer, tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, TWO, "2001.00009v1")
    done = call("texts", "--corpus", corpus, "--base", server.origin)
    assert done.exit_code == 0, done.output
    assert "Files fetched: 1 eprint" in done.output
    assert "1 of 2 papers without a text have one now. 1 have none to fetch" in done.output
    assert str(corpus / "downloads" / "texts.jsonl") in done.output


def test_texts_as_json_is_one_document(server: ReplayServer, tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, TWO)
    words = ("texts", "--corpus", corpus, "--base", server.origin, "--kinds", "eprint, pdf")
    report = only_json(call(*words, "--json").stdout)
    assert (report["lacking"], report["texts"], report["files"]) == (1, 1, {"eprint": 1})
    assert report["corpus"] == str(corpus)
    assert report["stopped"] is None
    assert [ask.target for ask in server.asks] == [f"/e-print/{TWO}"]


def test_a_server_that_asks_for_a_pause_ends_it_by_1(server: ReplayServer, tmp_path: Path) -> None:
    server.script = lambda ask: Fault(b"", 429, {"Retry-After": "900"})
    corpus = corpus_of(tmp_path, ONE, TWO)
    done = call("texts", "--corpus", corpus, "--base", server.origin, "--json")
    assert done.exit_code == 1
    assert "Run the same command again later." in done.stderr
    assert only_json(done.stdout)["left"] == 1


def test_cited_tells_how_many_works_came(server: ReplayServer, tmp_path: Path) -> None:
    corpus = citing(tmp_path, "2001.00001", "2001.00002")
    server.script = knowing("2001.00001")
    done = call("cited", "--corpus", corpus, "--base", server.origin)
    assert done.exit_code == 0, done.output
    assert "1 of 2 cited works fetched; arXiv does not have 1, 0 were not asked for" in done.output
    again = call("cited", "--corpus", corpus, "--base", server.origin, "--json", "--max", 5)
    report = only_json(again.stdout)
    assert (report["cited"], report["asked"], report["papers"]) == (1, 0, 2)
