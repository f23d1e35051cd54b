"""Cited works fetched into a corpus: a hundred arXiv ids at a time, and by DOI and title."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from tests.corpus.fetching_corpus import citing, client_of, feed_of, ids_asked, knowing, rows_of
from tests.servers.arxiv_replay import Ask, FakeClock, Fault, ReplayServer, replaying
from tests.servers.commands import viva_here
from tests.support.tei import tei_text
from typer.testing import Result

from vivavoce.corpus import ingest, load_corpus, verify_corpus
from vivavoce.corpus.ingestion.lookup import LookupReport, fetch_cited
from vivavoce.store import hash_tree

Fetch = Callable[..., LookupReport]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def server(clock: FakeClock) -> Iterator[ReplayServer]:
    with replaying({}, clock) as running:
        yield running


@pytest.fixture
def fetch(server: ReplayServer, clock: FakeClock) -> Fetch:
    def run(corpus: Path, **options: Any) -> LookupReport:
        return fetch_cited(corpus, client_of(server, clock), api=server.api, **options)

    return run


def names(count: int) -> list[str]:
    return [f"2001.{number:05d}" for number in range(1, count + 1)]


def test_cited_works_become_papers(fetch: Fetch, server: ReplayServer, tmp_path: Path) -> None:
    corpus = citing(tmp_path, "2001.00002", "2001.00001v3", "2001.00002")
    server.script = knowing(*names(2))
    report = fetch(corpus)
    assert ids_asked(server) == [["2001.00001", "2001.00002"]]  # once each, sorted, versionless
    assert (report.lacking, report.asked, report.found, report.papers) == (2, 2, 2, 3)
    loaded = load_corpus(corpus)
    gates = {paper.arxiv_id: paper.gates for paper in loaded.papers}
    assert "no_text" in gates["2001.00001"]
    assert "no_text" not in gates["1901.00001"]
    cited = [row["cited_paper_id"] for row in loaded.rows("references")]
    assert cited == ["arxiv:2001.00002", "arxiv:2001.00001", "arxiv:2001.00002"]
    assert verify_corpus(corpus) == []


def test_an_id_that_arxiv_does_not_know_is_recorded_and_not_asked_for_again(
    fetch: Fetch, server: ReplayServer, tmp_path: Path
) -> None:
    corpus = citing(tmp_path, *names(3))
    server.script = knowing("2001.00001", "2001.00003")
    assert fetch(corpus).unknown == ("2001.00002",)
    tree = hash_tree(corpus)
    report = fetch(corpus)
    assert (report.lacking, report.asked, report.left, len(server.asks)) == (1, 0, 0, 1)
    assert hash_tree(corpus) == tree
    outcomes = {row["arxiv_id"]: row["outcome"] for row in rows_of(corpus, "cited.jsonl")}
    assert outcomes == {"2001.00001": "got", "2001.00002": "unknown", "2001.00003": "got"}
    # A batch of which nothing is known leaves no file.
    server.script = knowing()
    corpus = citing(tmp_path / "nothing", *names(2))
    assert fetch(corpus).unknown == tuple(names(2))
    assert not (corpus / "downloads" / "cited").exists()


def test_an_id_that_arxiv_refuses_does_not_cost_the_others(
    fetch: Fetch, server: ReplayServer, tmp_path: Path
) -> None:
    corpus = citing(tmp_path, *names(4))
    good = knowing(*names(4))
    error = (
        b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/api/errors#x</id>'
        b"<title>Error</title><summary>incorrect id format</summary></entry></feed>"
    )
    server.script = lambda ask: Fault(error, 400) if "2001.00003" in ask.target else good(ask)
    report = fetch(corpus)
    assert report.unknown == ("2001.00003",)
    assert report.found == 3
    assert [len(asked) for asked in ids_asked(server)] == [4, 2, 2, 1, 1]


def test_a_fault_ends_the_fetch_and_what_came_before_is_kept(
    fetch: Fetch, server: ReplayServer, tmp_path: Path
) -> None:
    corpus = citing(tmp_path, *names(150))
    good = knowing(*names(150))

    def script(ask: Ask) -> Fault | None:
        return good(ask) if ask.number == 1 else Fault(b"Rate exceeded.")

    server.script = script
    report = fetch(corpus)
    assert "Rate exceeded." in report.stopped
    assert (report.found, report.left, report.papers) == (100, 50, 101)
    server.script = good
    again = fetch(corpus)
    assert (again.found, again.papers, again.stopped) == (50, 151, None)
    assert ids_asked(server)[-1] == names(150)[100:]


ON_ARXIV = "A Slow Walk Through Quiet Harbours"
BY_DOI = "Gauges of Tides Compared at Seven Piers"
BY_TITLE = "Winds Over the Inner Harbour in Winter"
NOWHERE = "Lost Letters About Lighthouses and Fog"
DOI = "10.1234/tides.7"


def answer(ask: Ask) -> Fault:
    """Both services, by the request alone."""
    parts = urlsplit(ask.target)
    query = parse_qs(parts.query)
    if parts.path == "/api/query":
        words = query.get("search_query", [""])[0]
        is_there = query.get("id_list") == ["2003.00001"] or "Quiet Harbours" in words
        return Fault(feed_of(["2003.00001v1"] if is_there else [], ON_ARXIV))
    if unquote(parts.path) == f"/works/{DOI}":
        return works({"DOI": DOI, "title": [BY_DOI]})
    if query.get("query.bibliographic") == [BY_TITLE]:
        near = {"DOI": "10.1234/other", "title": [f"{BY_TITLE} and Spring"]}
        return works(near, {"DOI": "10.1234/winds", "title": [BY_TITLE]})
    return works()


def works(*found: dict[str, object]) -> Fault:
    message = found[0] if len(found) == 1 else {"items": list(found)}
    return Fault(json.dumps({"status": "ok", "message": message}).encode())


@pytest.fixture
def services(server: ReplayServer) -> ReplayServer:
    server.script = answer
    return server


@pytest.fixture
def named(tmp_path: Path) -> Path:
    works = (ON_ARXIV, BY_DOI, BY_TITLE, NOWHERE, "Preface")
    ids = {BY_DOI: f'<idno type="DOI">{DOI}</idno>'}
    path = tmp_path / "1901.00001.tei.xml"
    path.write_text(tei_text("One that cites", cited=works, ids=ids), "utf-8")
    ingest("tei", path, tmp_path / "corpus")
    return tmp_path / "corpus"


def fetch_named(corpus: Path, server: ReplayServer, *more: str, expect: int = 0) -> Result:
    words = ("fetch", "cited", "--corpus", corpus, "--base", server.origin, "--named")
    return viva_here(*words, *more, expect=expect)


def test_works_come_by_title_from_arxiv_and_by_doi_and_title_from_crossref(
    named: Path, services: ReplayServer
) -> None:
    done = fetch_named(named, services)
    assert "3 of 4 works without an arXiv id fetched" in done.output
    loaded = load_corpus(named)
    titles = {paper.paper_id: paper.title for paper in loaded.papers}
    resolved = [titles.get(row["cited_paper_id"]) for row in loaded.rows("references")]
    assert resolved == [ON_ARXIV, BY_DOI, BY_TITLE, None, None]
    outcomes = {row["work"]: row.get("service") for row in rows_of(named, "cited_named.jsonl")}
    assert outcomes[f"doi:{DOI}"] == "crossref"
    assert sorted(map(str, outcomes.values())) == ["None", "arxiv", "crossref", "crossref"]


def test_nothing_is_asked_for_twice_and_bytes_stay(named: Path, services: ReplayServer) -> None:
    fetch_named(named, services)
    tree, asks = hash_tree(named), len(services.asks)
    again = json.loads(fetch_named(named, services, "--json").stdout)["named"]
    assert (again["cited"], again["asked"], len(services.asks)) == (1, 0, asks)
    assert hash_tree(named) == tree


def test_a_limit_and_a_fault_leave_the_rest_for_later(named: Path, services: ReplayServer) -> None:
    first = json.loads(fetch_named(named, services, "--max", "1", "--json").stdout)["named"]
    assert (first["asked"], first["left"]) == (1, 3)
    services.script = lambda ask: Fault(b"", 429, {"Retry-After": "900"})
    assert "Run the same command again later." in fetch_named(named, services, expect=1).stderr
    services.script = answer
    fetch_named(named, services)
    assert len(load_corpus(named).papers) == 4


def test_only_works_that_tables_cite_are_asked_for(named: Path, services: ReplayServer) -> None:
    report = json.loads(fetch_named(named, services, "--tables", "--json").stdout)
    assert report["named"]["cited"] == 0
    assert services.asks == []
