"""New papers brought in by date from servers on the loopback interface, requests counted."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from tests.rounds.titles_family import build, corpus_of, follow, spec_of
from tests.servers.arxiv_replay import FakeClock, Fault, ReplayServer, replaying
from tests.servers.living_arxiv import LivingArxiv, Submission, submissions
from tests.servers.oai_replay import Repository, days_of_june, serving

from vivavoce.corpus import ingest, load_corpus
from vivavoce.corpus.ingestion import fetching
from vivavoce.corpus.ingestion.fetching import AGAIN, fetch_texts, list_papers, open_service
from vivavoce.store import hash_tree, read_jsonl

JUNE, JULY = date(2024, 6, 1), date(2024, 7, 1)


@pytest.fixture(scope="module")
def archive() -> tuple[Submission, ...]:
    """Twelve papers in the first twelve days of 2023."""
    return submissions(12, 12)


@pytest.fixture
def arxiv(archive: tuple[Submission, ...]) -> Iterator[ReplayServer]:
    with replaying({}, FakeClock()) as server:
        server.script = LivingArxiv(archive, date(2024, 1, 1))
        yield server


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return corpus_of(tmp_path, {"a1": ("2022-01-01", ["Author 001"])}).folder


def test_a_query_brings_what_was_submitted_in_the_days_asked_for(
    arxiv: ReplayServer,
    corpus: Path,
    archive: tuple[Submission, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    days = date(2023, 1, 5), date(2023, 1, 8)
    service = open_service(arxiv.origin)
    assert list_papers(corpus, "arxiv", "cat:cs.CL", *days, service) == (3, 1)
    assert "max_results=1000" in arxiv.asks[0].target
    wanted = {f"arxiv:{one.name}" for one in archive if days[0] <= one.day < days[1]}
    assert wanted < {paper.paper_id for paper in load_corpus(corpus).papers}
    # A listing takes as many requests as it has pages.
    monkeypatch.setattr(fetching, "PAGE", 5)
    days = date(2023, 1, 1), date(2023, 2, 1)
    assert list_papers(corpus, "arxiv", "cat:cs.CL", *days, service) == (12, 3)


def test_a_text_that_is_not_there_yet_is_asked_for_at_three_later_updates(
    arxiv: ReplayServer, corpus: Path
) -> None:
    living = arxiv.script
    missing = Fault(b"", 404)
    arxiv.script = lambda ask: missing if "/html/" in ask.target else living(ask)
    days, again = (date(2023, 1, 5), date(2023, 1, 6)), []
    for _ in range(5):
        service = open_service(arxiv.origin)
        list_papers(corpus, "arxiv", "cat:cs.CL", *days, service)
        addresses = service.addresses
        came = fetch_texts(corpus, service.client, again=AGAIN, addresses=addresses)
        again.append(came.again)
    assert again == [0, 3, 3, 3, 0]  # as HTML, as sources, as PDF
    (row, *_) = (row for _, row in read_jsonl(corpus / "downloads" / "texts.jsonl"))
    assert (row["outcome"], row["again"]) == ("missing", 3)


def test_a_repository_brings_what_was_changed_in_the_days_asked_for(corpus: Path) -> None:
    repository = Repository(days_of_june(8), page=3)  # two papers a day, three a page
    with serving(repository, FakeClock()) as server:
        service = open_service(server.origin)
        assert list_papers(corpus, "oai", "cs", JUNE, date(2024, 6, 3), service) == (4, 2)
        assert len(load_corpus(corpus).papers) == 5
        assert list_papers(corpus, "oai", "cs", JULY, date(2024, 8, 1), service) == (0, 1)


def test_two_months_are_the_same_when_they_are_lived_through_again(tmp_path: Path) -> None:
    archive = submissions(30, 90)  # one every three days from 2023 on
    january, february, march = (date(2023, month, 1) for month in (2, 3, 4))

    def live_through(folder: Path) -> list[int]:
        living = LivingArxiv(archive, january)
        living.save(folder / "base.atom.xml", january)
        ingest("arxiv", folder / "base.atom.xml", folder / "corpus")
        spec = spec_of(january, quota=6, keep_days=45, anchors=2)
        opened = build(load_corpus(folder / "corpus"), spec, folder / "rounds")
        sums = []
        with replaying({}, FakeClock()) as server:
            server.script = living
            service = open_service(server.origin)
            for since, until in ((january, february), (february, march)):
                living.today = until
                corpus = folder / "corpus"
                _, asked = list_papers(corpus, "arxiv", "cat:cs.CL", since, until, service)
                opened = follow(opened, load_corpus(corpus), until).round
                sums.append(asked)
        return sums

    assert live_through(tmp_path / "one") == live_through(tmp_path / "two") == [1, 1]
    one, two = (hash_tree(tmp_path / folder / "rounds") for folder in ("one", "two"))
    assert one == two
    assert len([name for name in one if name.endswith("/update.json")]) == 2
