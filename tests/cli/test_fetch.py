"""viva fetch, against a repository and an arXiv on the loopback interface."""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from tests.corpus.fetching_corpus import citing, corpus_of, knowing, three_papers
from tests.servers.arxiv_replay import FakeClock, Fault, ReplayServer, replaying
from tests.servers.catalogue_arxiv import CatalogueArxiv, Entry
from tests.servers.commands import only_json, viva_here
from tests.servers.oai_replay import Repository, days_of_june, serving

from vivavoce.corpus import ingest, load_corpus


@pytest.fixture
def repository() -> Repository:
    return Repository(days_of_june(4))


@pytest.fixture
def oai(repository: Repository) -> Iterator[ReplayServer]:
    with serving(repository, FakeClock()) as server:
        yield server


@pytest.fixture
def arxiv() -> Iterator[ReplayServer]:
    """Five papers."""
    papers = [Entry(f"2001.0000{n}", date(2020, 1, 30), ("Ada First",)) for n in range(5)]
    with replaying({}, FakeClock()) as server:
        server.script = CatalogueArxiv(papers)
        yield server


def test_a_listing_is_saved_and_the_next_command_printed(
    oai: ReplayServer, repository: Repository, tmp_path: Path
) -> None:
    out = tmp_path / "my listings"
    words = ["oai", "--set", "cs", "--from", "2024-06-01", "--until", "2024-06-30", "--out", out]
    result = viva_here("fetch", *words, "--base", oai.origin)
    assert result.stdout.splitlines() == [
        f"{out}: 4 records, files: 2",
        f"Next: viva ingest oai '{out}' --corpus corpus",
    ]
    assert "from=2024-06-01" in oai.asks[0].target
    assert "until=2024-06-30" in oai.asks[0].target
    ingest("oai", out, tmp_path / "corpus")
    assert [paper.arxiv_id for paper in load_corpus(tmp_path / "corpus").papers] == sorted(
        repository.days
    )


def test_the_same_command_again_goes_on_and_json_says_from_where(
    oai: ReplayServer, tmp_path: Path
) -> None:
    words = ["oai", "--out", tmp_path, "--json"]
    viva_here("fetch", *words, "--base", oai.origin)
    again = json.loads(viva_here("fetch", *words, "--base", oai.origin).stdout)
    assert again == {
        "folder": str(tmp_path),
        "files": ["000003-arXivRaw.oai.xml"],
        "records": 2,
        "deleted": 0,
        "start": "2024-06-02",
        "until": None,
        "newest": "2024-06-02",
        "resumed": False,
        "restarts": 0,
        "next": f"viva ingest oai {tmp_path} --corpus corpus",
    }


def test_only_encrypted_addresses_are_asked(tmp_path: Path) -> None:
    result = viva_here("fetch", "oai", "--out", tmp_path, "--base", "http://example.org", expect=1)
    assert "not https" in result.stderr


def test_a_search_is_saved_to_be_ingested(arxiv: ReplayServer, tmp_path: Path) -> None:
    out = tmp_path / "feeds"
    result = viva_here(
        "fetch", "arxiv", "cat:cs.CL", "--max", 3, "--out", out, "--base", arxiv.origin
    )
    assert result.stdout.splitlines() == [
        f"{out}: 3 of the 5 papers found, files: 1",
        f"Next: viva ingest arxiv {out} --corpus corpus",
    ]
    report = ingest("arxiv", out, tmp_path / "corpus")
    assert (report.read, report.failed) == (3, ())


def test_a_search_again_replaces_its_pages(arxiv: ReplayServer, tmp_path: Path) -> None:
    first = viva_here("fetch", "arxiv", "a", "--out", tmp_path, "--base", arxiv.origin, "--json")
    other = viva_here("fetch", "arxiv", "b", "--out", tmp_path, "--base", arxiv.origin, "--json")
    (mine,), (theirs,) = json.loads(first.stdout)["files"], json.loads(other.stdout)["files"]
    stale = tmp_path / mine.replace("-00000", "-00100")
    stale.write_bytes(b"an earlier, longer answer")
    found = json.loads(
        viva_here("fetch", "arxiv", "a", "--out", tmp_path, "--base", arxiv.origin, "--json").stdout
    )
    assert (found["files"], found["papers"], found["total"]) == ([mine], 5, 5)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([mine, theirs])


def test_an_empty_search_leaves_no_file(arxiv: ReplayServer, tmp_path: Path) -> None:
    result = viva_here("fetch", "arxiv", "au:nobody", "--out", tmp_path, "--base", arxiv.origin)
    assert result.stdout == f"{tmp_path}: 0 of the 0 papers found, files: 0\n"
    assert list(tmp_path.iterdir()) == []


ONE, TWO = "2001.00001v1", "2001.00002v2"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ReplayServer]:
    with replaying({}, FakeClock()) as running:
        running.script = three_papers(tmp_path)
        yield running


def test_texts_tells_what_came_and_where_the_index_is(server: ReplayServer, tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, TWO, "2001.00009v1")
    done = viva_here("fetch", "texts", "--corpus", corpus, "--base", server.origin)
    assert "Files fetched: 1 eprint" in done.output
    assert "1 of 2 papers without a text have one now. 1 have none to fetch" in done.output
    assert str(corpus / "downloads" / "texts.jsonl") in done.output


def test_texts_as_json_is_one_document(server: ReplayServer, tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, TWO)
    words = ("texts", "--corpus", corpus, "--base", server.origin, "--kinds", "eprint, pdf")
    report = only_json(viva_here("fetch", *words, "--json").stdout)
    assert (report["lacking"], report["texts"], report["files"]) == (1, 1, {"eprint": 1})
    assert report["corpus"] == str(corpus)
    assert report["stopped"] is None
    assert [ask.target for ask in server.asks] == [f"/e-print/{TWO}"]


def test_a_server_that_asks_for_a_pause_ends_it_by_1(server: ReplayServer, tmp_path: Path) -> None:
    server.script = lambda ask: Fault(b"", 429, {"Retry-After": "900"})
    corpus = corpus_of(tmp_path, ONE, TWO)
    done = viva_here(
        "fetch", "texts", "--corpus", corpus, "--base", server.origin, "--json", expect=1
    )
    assert "Run the same command again later." in done.stderr
    assert only_json(done.stdout)["left"] == 1


def test_cited_tells_how_many_works_came(server: ReplayServer, tmp_path: Path) -> None:
    corpus = citing(tmp_path, "2001.00001", "2001.00002")
    server.script = knowing("2001.00001")
    done = viva_here("fetch", "cited", "--corpus", corpus, "--base", server.origin)
    assert "1 of 2 cited works fetched; arXiv does not have 1, 0 were not asked for" in done.output
    again = viva_here(
        "fetch", "cited", "--corpus", corpus, "--base", server.origin, "--json", "--max", 5
    )
    report = only_json(again.stdout)
    assert (report["cited"], report["asked"], report["papers"]) == (1, 0, 2)
