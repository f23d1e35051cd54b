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
from vivavoce.errors import InputError, VivaError
from vivavoce.networks import build_networks, load_network
from vivavoce.rounds import arrivals
from vivavoce.rounds.arrivals import bring_papers, open_service
from vivavoce.store import hash_tree, write_jsonl

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
    came = bring_papers(corpus, *days, arxiv="cat:cs.CL", service=open_service(arxiv.origin))
    assert (came.listing, came.texts) == (1, 0)
    assert (came.listed, came.papers_before, came.papers) == (3, 1, 4)
    assert "max_results=1000" in arxiv.asks[0].target
    wanted = {f"arxiv:{one.name}" for one in archive if days[0] <= one.day < days[1]}
    assert wanted < {paper.paper_id for paper in load_corpus(corpus).papers}
    # A listing takes as many requests as it has pages.
    monkeypatch.setattr(arrivals, "PAGE", 5)
    days = date(2023, 1, 1), date(2023, 2, 1)
    came = bring_papers(corpus, *days, arxiv="cat:cs.CL", service=open_service(arxiv.origin))
    assert (came.listing, len(arxiv.asks)) == (3, 1 + 3)


def test_texts_are_fetched_for_what_lacks_one_and_counted_apart(
    arxiv: ReplayServer, corpus: Path
) -> None:
    days = date(2023, 1, 5), date(2023, 1, 7)
    service = open_service(arxiv.origin)
    came = bring_papers(corpus, *days, arxiv="cat:cs.CL", texts=True, service=service)
    assert (came.listing, came.texts) == (1, 2)
    assert len(dict(load_corpus(corpus).sections())) == 2
    again = bring_papers(corpus, *days, arxiv="cat:cs.CL", texts=True, service=service)
    assert (again.listing, again.texts) == (1, 0)
    assert again.papers_before == again.papers


def test_a_text_that_is_not_there_yet_is_asked_for_at_three_later_updates(
    arxiv: ReplayServer, corpus: Path
) -> None:
    living = arxiv.script
    missing = Fault(b"", 404)
    arxiv.script = lambda ask: missing if "/html/" in ask.target else living(ask)
    days, again = (date(2023, 1, 5), date(2023, 1, 6)), []
    for _ in range(5):
        service = open_service(arxiv.origin)
        came = bring_papers(corpus, *days, arxiv="cat:cs.CL", texts=True, service=service)
        again.append(came.again)
    assert again == [0, 3, 3, 3, 0]  # as HTML, as sources, as PDF


def test_a_repository_brings_what_was_changed_in_the_days_asked_for(corpus: Path) -> None:
    repository = Repository(days_of_june(8), page=3)  # two papers a day, three a page
    with serving(repository, FakeClock()) as server:
        service = open_service(server.origin)
        came = bring_papers(corpus, JUNE, date(2024, 6, 3), oai="cs", service=service)
        assert came.listing == 2
        assert (came.listed, came.papers) == (4, 5)
        nothing = bring_papers(corpus, JULY, date(2024, 8, 1), oai="cs", service=service)
        assert (nothing.listing, nothing.listed, nothing.papers) == (1, 0, 5)


def test_a_newer_file_of_metadata_takes_no_request_and_networks_follow(
    corpus: Path, tmp_path: Path
) -> None:
    build_networks(load_corpus(corpus))
    file = tmp_path / "newer.jsonl"
    write_jsonl(file, [{"id": "b1", "title": "New", "authors": ["Author 001", "Bo"]}, {}])
    came = bring_papers(corpus, JUNE, JULY, metadata=file)
    assert (came.listing, came.texts) == (0, 0)
    assert (came.papers_before, came.papers, len(came.failed)) == (1, 2, 1)
    assert load_network(load_corpus(corpus), "coauthor").graph.n == 3  # one with an id, two without


def test_no_round_is_made_of_a_fetch_that_was_stopped(arxiv: ReplayServer, corpus: Path) -> None:
    living = arxiv.script
    refused = Fault(b"slow down", 429, {"Retry-After": "100000"})
    arxiv.script = lambda ask: refused if "/html/" in ask.target else living(ask)
    days = date(2023, 1, 5), date(2023, 1, 7)
    service = open_service(arxiv.origin)
    with pytest.raises(VivaError, match="stopped before its end, so no round was made"):
        bring_papers(corpus, *days, arxiv="cat:cs.CL", texts=True, service=service)
    assert len(load_corpus(corpus).papers) == 3  # what came is kept


def test_papers_come_from_one_place(corpus: Path) -> None:
    with pytest.raises(InputError, match="Give only one source of papers"):
        bring_papers(corpus, JUNE, JULY, oai="cs", arxiv="cat:cs.CL")
    with pytest.raises(InputError, match="is after the end"):
        bring_papers(corpus, JULY, JUNE, oai="cs")
    nothing = bring_papers(corpus, JUNE, JUNE, oai="cs")  # there is no day between them
    assert (nothing.listing, nothing.listed, nothing.papers) == (0, 0, 1)


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
                came = bring_papers(
                    folder / "corpus", since, until, arxiv="cat:cs.CL", service=service
                )
                opened = follow(opened, load_corpus(folder / "corpus"), until).round
                sums.append(came.listing)
        return sums

    assert live_through(tmp_path / "one") == live_through(tmp_path / "two") == [1, 1]
    one, two = (hash_tree(tmp_path / folder / "rounds") for folder in ("one", "two"))
    assert one == two
    assert len([name for name in one if name.endswith("/update.json")]) == 2
