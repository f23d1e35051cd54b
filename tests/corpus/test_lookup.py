"""Cited works fetched into a corpus, a hundred ids at a time."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.corpus.fetching_corpus import citing, client_of, ids_asked, knowing, rows_of
from tests.servers.arxiv_replay import Ask, FakeClock, Fault, ReplayServer, replaying

from vivavoce.corpus import load_corpus, verify_corpus
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
