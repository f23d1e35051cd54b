"""Cited works fetched by DOI and title, by the command, from two services on loopback."""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from tests.corpus.fetching_corpus import feed_of, rows_of
from tests.servers.arxiv_replay import Ask, FakeClock, Fault, ReplayServer, replaying
from tests.servers.commands import viva_here
from tests.support.tei import tei_text
from typer.testing import Result

from vivavoce.corpus import ingest, load_corpus
from vivavoce.store import hash_tree

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
def server() -> Iterator[ReplayServer]:
    with replaying({}, FakeClock()) as running:
        running.script = answer
        yield running


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    works = (ON_ARXIV, BY_DOI, BY_TITLE, NOWHERE, "Preface")
    ids = {BY_DOI: f'<idno type="DOI">{DOI}</idno>'}
    path = tmp_path / "1901.00001.tei.xml"
    path.write_text(tei_text("One that cites", cited=works, ids=ids), "utf-8")
    ingest("tei", path, tmp_path / "corpus")
    return tmp_path / "corpus"


def fetch(corpus: Path, server: ReplayServer, *more: str, expect: int = 0) -> Result:
    words = ("fetch", "cited", "--corpus", corpus, "--base", server.origin, "--named")
    return viva_here(*words, *more, expect=expect)


def test_works_come_by_title_from_arxiv_and_by_doi_and_title_from_crossref(
    corpus: Path, server: ReplayServer
) -> None:
    done = fetch(corpus, server)
    assert "3 of 4 works without an arXiv id fetched" in done.output
    loaded = load_corpus(corpus)
    titles = {paper.paper_id: paper.title for paper in loaded.papers}
    resolved = [titles.get(row["cited_paper_id"]) for row in loaded.rows("references")]
    assert resolved == [ON_ARXIV, BY_DOI, BY_TITLE, None, None]
    outcomes = {row["work"]: row.get("service") for row in rows_of(corpus, "cited_named.jsonl")}
    assert outcomes[f"doi:{DOI}"] == "crossref"
    assert sorted(map(str, outcomes.values())) == ["None", "arxiv", "crossref", "crossref"]


def test_nothing_is_asked_for_twice_and_bytes_stay(corpus: Path, server: ReplayServer) -> None:
    fetch(corpus, server)
    tree, asks = hash_tree(corpus), len(server.asks)
    again = json.loads(fetch(corpus, server, "--json").stdout)["named"]
    assert (again["cited"], again["asked"], len(server.asks)) == (1, 0, asks)
    assert hash_tree(corpus) == tree


def test_a_limit_and_a_fault_leave_the_rest_for_later(corpus: Path, server: ReplayServer) -> None:
    first = json.loads(fetch(corpus, server, "--max", "1", "--json").stdout)["named"]
    assert (first["asked"], first["left"]) == (1, 3)
    server.script = lambda ask: Fault(b"", 429, {"Retry-After": "900"})
    assert "Run the same command again later." in fetch(corpus, server, expect=1).stderr
    server.script = answer
    fetch(corpus, server)
    assert len(load_corpus(corpus).papers) == 4


def test_only_works_that_tables_cite_are_asked_for(corpus: Path, server: ReplayServer) -> None:
    report = json.loads(fetch(corpus, server, "--tables", "--json").stdout)
    assert report["named"]["cited"] == 0
    assert server.asks == []
