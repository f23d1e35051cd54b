"""Texts and listings fetched into a corpus: what is asked for and kept, and what never again."""

import json
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tests.corpus.fetching_corpus import READS_HTML, client_of, corpus_of, rows_of, three_papers
from tests.rounds import titles_family
from tests.servers.arxiv_replay import FakeClock, Fault, ReplayServer, replaying
from tests.servers.living_arxiv import LivingArxiv, Submission, submissions
from tests.servers.oai_replay import Repository, days_of_june, serving
from tests.servers.texts_replay import NO_HTML, Library, eprint, latexml_page, pdf

from vivavoce.corpus import ingest, load_corpus, verify_corpus
from vivavoce.corpus.ingestion import fetching
from vivavoce.corpus.ingestion.fetching import (
    AGAIN,
    FetchReport,
    fetch_texts,
    list_papers,
    open_service,
)
from vivavoce.sources.catalogues.arxiv.texts import Addresses
from vivavoce.store import hash_file, hash_tree, read_jsonl, write_jsonl

ONE, TWO, THREE = "2001.00001v1", "2001.00002v2", "2001.00003v1"

Fetch = Callable[..., FetchReport]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return three_papers(tmp_path)


@pytest.fixture
def server(clock: FakeClock, library: Library) -> Iterator[ReplayServer]:
    with replaying({}, clock) as running:
        running.script = library
        yield running


@pytest.fixture
def fetch(server: ReplayServer, clock: FakeClock) -> Fetch:
    def run(corpus: Path, **options: Any) -> FetchReport:
        addresses = Addresses.at(server.origin)
        return fetch_texts(corpus, client_of(server, clock), addresses=addresses, **options)

    return run


def ingest_row(folder: Path, **row: str) -> None:
    write_jsonl(folder / "m.jsonl", [row])
    ingest("metadata", folder / "m.jsonl", folder / "corpus")


def targets(server: ReplayServer) -> list[str]:
    return [ask.target for ask in server.asks]


def with_text(corpus: Path) -> list[str | None]:
    papers = load_corpus(corpus).papers
    return [paper.arxiv_id or paper.acl_id for paper in papers if "no_text" not in paper.gates]


def test_each_paper_gets_the_first_kind_of_text_that_is_there(
    fetch: Fetch, server: ReplayServer, tmp_path: Path
) -> None:
    corpus = corpus_of(tmp_path, THREE, TWO, ONE)
    report = fetch(corpus)
    assert targets(server) == [
        f"/html/{ONE}",
        f"/html/{TWO}",
        f"/e-print/{TWO}",
        f"/html/{THREE}",
        f"/e-print/{THREE}",
        f"/pdf/{THREE}",
    ]
    assert [ask.at for ask in server.asks] == [1000.0 + 3 * n for n in range(6)]
    assert dict(report.files) == {"eprint": 1, "html": 1, "pdf": 1}
    files = sorted(p.relative_to(corpus / "downloads") for p in corpus.rglob("2001.*"))
    assert list(map(str, files)) == [f"html/{ONE}.html", f"latex/{TWO}.tar.gz", f"pdf/{THREE}.pdf"]
    expected = ["2001.00002", "2001.00003"]
    assert with_text(corpus) == (["2001.00001", *expected] if READS_HTML else expected)
    assert (report.lacking, report.asked, report.left) == (3, 3, 0)
    assert (report.texts, report.waiting) == ((3, 0) if READS_HTML else (2, 1))
    assert verify_corpus(corpus) == []


def test_the_index_says_what_was_tried_and_what_came_of_it(fetch: Fetch, tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, ONE, TWO)
    report = fetch(corpus)
    page, sources, no_page = rows_of(corpus)  # by paper, then by kind
    assert page["stated_licence"] == "CC BY 4.0"
    assert no_page["outcome"] == "missing"
    assert no_page["status"] == 404
    assert (no_page["paper"], no_page["kind"], no_page["name"]) == ("arxiv:2001.00002", "html", TWO)
    for row in (page, sources):
        file = corpus / row["file"]
        assert (row["outcome"], row["bytes"]) == ("got", file.stat().st_size)
        assert row["sha256"] == hash_file(file)
    assert report.size == page["bytes"] + sources["bytes"]
    lines = report.index.read_text("utf-8").splitlines()
    assert lines == sorted(lines, key=lambda line: json.loads(line)["paper"])


def test_the_licence_of_the_metadata_stays_beside_that_of_the_page(
    fetch: Fetch, library: Library, tmp_path: Path
) -> None:
    ingest_row(tmp_path, arxiv_id="2001.00007", title="A b", licence="CC0")
    library.add("/html/2001.00007", latexml_page("2001.00007v2"))
    fetch(tmp_path / "corpus")
    (row,) = rows_of(tmp_path / "corpus")
    assert (row["licence"], row["stated_licence"]) == ("CC0", "CC BY 4.0")
    assert (row["name"], row["version"]) == ("2001.00007", "v2")
    assert row["file"] == "downloads/html/2001.00007v2.html"
    assert load_corpus(tmp_path / "corpus").papers[0].licence == "CC0"


def test_a_passing_fault_is_asked_for_again_and_a_definite_answer_is_not(
    fetch: Fetch, server: ReplayServer, library: Library, tmp_path: Path
) -> None:
    corpus = corpus_of(tmp_path, ONE)
    library.answers = {
        f"/html/{ONE}": Fault(NO_HTML),
        f"/e-print/{ONE}": Fault(b"", 403),
        f"/pdf/{ONE}": Fault(b"", 503),
    }
    report = fetch(corpus)
    (failed,) = report.failed
    assert (failed.where, "status 503" in failed.reason) == ("arxiv:2001.00001", True)
    assert [row["outcome"] for row in rows_of(corpus)] == ["refused", "missing", "failed"]
    library.add(f"/pdf/{ONE}", pdf(tmp_path))
    asked = len(server.asks)
    assert fetch(corpus).texts == 1
    assert targets(server)[asked:] == [f"/pdf/{ONE}"]


def test_a_withdrawn_paper_is_left_alone(
    fetch: Fetch, server: ReplayServer, library: Library, tmp_path: Path
) -> None:
    corpus = corpus_of(tmp_path, ONE)
    library.answers = {f"/e-print/{ONE}": Fault(b"<p>has been withdrawn</p>", 403)}
    for _ in range(2):
        assert fetch(corpus).without == 1
    assert targets(server) == [f"/html/{ONE}", f"/e-print/{ONE}"]
    assert [row["outcome"] for row in rows_of(corpus)] == ["withdrawn", "missing"]


def test_a_file_that_gives_no_text_makes_room_for_the_next_kind(
    fetch: Fetch, library: Library, tmp_path: Path
) -> None:
    corpus = corpus_of(tmp_path, TWO)
    library.add(f"/e-print/{TWO}", b"\x1f\x8b" + eprint()[2:200])
    library.add(f"/pdf/{TWO}", pdf(tmp_path))
    report = fetch(corpus)
    (unread,) = report.unread
    assert unread.where == f"{TWO}.tar.gz"
    assert unread.reason.startswith("the archive is damaged")
    assert [(row["kind"], row["outcome"]) for row in rows_of(corpus)] == [
        ("eprint", "unreadable"),
        ("html", "missing"),
        ("pdf", "got"),
    ]
    assert with_text(corpus) == ["2001.00002"]


def test_a_paper_of_the_anthology_comes_as_pdf(
    fetch: Fetch, server: ReplayServer, library: Library, tmp_path: Path
) -> None:
    ingest_row(tmp_path, id="P18-1001", title="A title of a paper")
    (paper,) = load_corpus(tmp_path / "corpus").papers
    assert paper.acl_id == "P18-1001"
    library.add("/P18-1001.pdf", pdf(tmp_path))
    assert fetch(tmp_path / "corpus").texts == 1
    assert targets(server) == ["/P18-1001.pdf"]
    assert with_text(tmp_path / "corpus") == ["P18-1001"]


def test_papers_that_have_a_text_or_no_id_are_not_asked_for(
    fetch: Fetch, server: ReplayServer, tmp_path: Path
) -> None:
    ingest("sample", Path("5"), tmp_path / "corpus")
    ingest_row(tmp_path, doi="10.1000/x", title="A title")
    assert fetch(tmp_path / "corpus").lacking == 0
    assert server.asks == []


def test_a_server_that_asks_for_a_pause_is_left_alone_at_once(
    fetch: Fetch, server: ReplayServer, library: Library, tmp_path: Path
) -> None:
    corpus = corpus_of(tmp_path, ONE, TWO, THREE)
    library.answers[f"/html/{TWO}"] = Fault(b"", 429, {"Retry-After": "3600"})
    report = fetch(corpus)
    assert "in 3600 s" in report.stopped
    assert targets(server) == [f"/html/{ONE}", f"/html/{TWO}"]
    assert (report.asked, len(report.failed), report.left) == (2, 1, 1)
    assert dict(report.files) == {"html": 1}


def test_a_server_that_refuses_everything_is_left_alone_and_nothing_counts_against_papers(
    fetch: Fetch, server: ReplayServer, library: Library, tmp_path: Path
) -> None:
    names = [f"2001.{number:05d}v1" for number in range(1, 9)]
    corpus = corpus_of(tmp_path, *names)
    library.answers = {f"/html/{name}": Fault(b"denied", 403) for name in names}
    report = fetch(corpus, kinds=("html",))
    assert "failed or refused 5 texts in a row" in report.stopped
    assert (len(server.asks), report.left) == (5, 3)
    assert {row["outcome"] for row in rows_of(corpus)} == {"failed"}
    library.answers = {f"/html/{name}": Fault(NO_HTML) for name in names}
    assert fetch(corpus, kinds=("html",)).without == 8
    assert len(server.asks) == 5 + 8
    assert targets(server)[5] == f"/html/{names[5]}"  # what failed comes last


def test_refusals_between_good_answers_do_not_stop_the_fetch(
    fetch: Fetch, library: Library, tmp_path: Path
) -> None:
    names = [f"2001.{number:05d}v1" for number in range(1, 10)]
    corpus = corpus_of(tmp_path, *names)
    good = names[4]
    library.answers = {f"/html/{name}": Fault(b"", 403) for name in names if name != good}
    report = fetch(corpus, kinds=("html",))
    assert report.stopped is None  # four, a good answer, four
    outcomes = [row["outcome"] for row in rows_of(corpus)]
    assert outcomes == [*["refused"] * 4, "missing", *["refused"] * 4]


def test_what_was_fetched_before_a_kill_is_read_without_asking_unless_it_was_damaged(
    fetch: Fetch, server: ReplayServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = corpus_of(tmp_path, TWO, THREE)
    with monkeypatch.context() as patched:
        patched.setattr("vivavoce.corpus.ingestion.fetching.read_downloads", _killed)
        with pytest.raises(KeyboardInterrupt):
            fetch(corpus)
    asked = len(server.asks)
    assert with_text(corpus) == []
    (file,) = (corpus / "downloads" / "latex").iterdir()
    file.write_bytes(b"other")
    assert fetch(corpus).texts == 2
    assert targets(server)[asked:] == [f"/e-print/{TWO}"]
    assert with_text(corpus) == ["2001.00002", "2001.00003"]


def _killed(*arguments: object) -> None:
    raise KeyboardInterrupt


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
    return titles_family.corpus_of(tmp_path, {"a1": ("2022-01-01", ["Author 001"])}).folder


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
        spec = titles_family.spec_of(january, quota=6, keep_days=45, anchors=2)
        opened = titles_family.build(load_corpus(folder / "corpus"), spec, folder / "rounds")
        sums = []
        with replaying({}, FakeClock()) as server:
            server.script = living
            service = open_service(server.origin)
            for since, until in ((january, february), (february, march)):
                living.today = until
                corpus = folder / "corpus"
                _, asked = list_papers(corpus, "arxiv", "cat:cs.CL", since, until, service)
                opened = titles_family.follow(opened, load_corpus(corpus), until).round
                sums.append(asked)
        return sums

    assert live_through(tmp_path / "one") == live_through(tmp_path / "two") == [1, 1]
    one, two = (hash_tree(tmp_path / folder / "rounds") for folder in ("one", "two"))
    assert one == two
    assert len([name for name in one if name.endswith("/update.json")]) == 2
