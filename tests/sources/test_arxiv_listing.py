"""Searches of arXiv that lose nothing: papers that come and go, kills, and empty answers."""

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from tests.servers.arxiv_replay import Ask, FakeClock, Fault, ReplayServer, replaying
from tests.servers.catalogue_arxiv import CatalogueArxiv, Entry
from tests.servers.commands import VIVA, only_json, viva_here

from vivavoce.corpus import ingest, load_corpus
from vivavoce.errors import InputError
from vivavoce.records import Document
from vivavoce.sources.catalogues.arxiv import read_feed
from vivavoce.sources.catalogues.arxiv.search import dated, save_search
from vivavoce.sources.http.client import Allowed, BadReplyError, Client

JUNE = date(2024, 6, 1)


def entry(number: int) -> Entry:
    """A paper of the day of its number."""
    return Entry(f"2406.{number:05d}", JUNE + timedelta(days=number), ("Ada First",))


@pytest.fixture
def arxiv() -> Iterator[ReplayServer]:
    with replaying({}, FakeClock()) as server:
        server.script = CatalogueArxiv([entry(number) for number in range(40)])
        yield server


def client_of(server: ReplayServer) -> Client:
    return Client(Allowed(frozenset(), loopback=server.origin), FakeClock().turns())


def numbers(server: ReplayServer, folder: Path, **options: object) -> list[int]:
    """Numbers of the papers that a search finds, in its order."""
    wanted = {"page": 10, "api": server.api, **options}
    saved = save_search(client_of(server), "cat:cs.CL", folder, **wanted)  # type: ignore[arg-type]
    pages = (read_feed((folder / name).read_bytes()).entries for name in saved.files)
    found = [int(one.key[-5:]) for page in pages for one in page if isinstance(one, Document)]
    assert saved.papers == len(set(found))
    return list(dict.fromkeys(found))


def meanwhile(server: ReplayServer, at: int, change: Callable[[list[Entry]], None]) -> None:
    """Change the catalogue before a request is answered, by its number."""
    catalogue = server.script
    assert isinstance(catalogue, CatalogueArxiv)

    def script(ask: Ask) -> Fault | None:
        if ask.number == at:
            change(catalogue.papers)
        return catalogue(ask)

    server.script = script


@pytest.mark.parametrize("coming", [1, 3, 25])
@pytest.mark.parametrize("at", [2, 3, 4])
def test_papers_that_arrive_between_two_pages_move_none(
    arxiv: ReplayServer, tmp_path: Path, coming: int, at: int
) -> None:
    meanwhile(arxiv, at, lambda papers: papers.extend(entry(40 + n) for n in range(coming)))
    assert numbers(arxiv, tmp_path) == list(range(40 + coming))
    assert arxiv.starts == list(range(0, 40 + coming, 10))


@pytest.mark.parametrize("going", [1, 5, 15])
@pytest.mark.parametrize("at", [2, 3, 4])
def test_papers_that_are_taken_down_between_two_pages_lose_no_other(
    arxiv: ReplayServer, tmp_path: Path, going: int, at: int
) -> None:
    meanwhile(arxiv, at, lambda papers: papers.__delitem__(slice(0, going)))
    found = numbers(arxiv, tmp_path)
    assert set(range(going, 40)) <= set(found)


def test_a_query_with_more_results_than_are_given_out_goes_on_from_the_day_it_reached(
    arxiv: ReplayServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vivavoce.sources.catalogues.arxiv.search.MAX_RESULTS", 20)
    assert numbers(arxiv, tmp_path) == list(range(40))
    assert arxiv.starts == [0, 10, 0, 10, 0]
    assert "submittedDate%3A%5B202406200000+TO" in arxiv.asks[2].target
    same = [replace(entry(number), day=JUNE) for number in range(40)]
    arxiv.script = CatalogueArxiv(same)
    with pytest.raises(BadReplyError, match="2024-06-01 alone has more than 20 results"):
        numbers(arxiv, tmp_path / "same")


def test_an_answer_without_results_is_asked_for_again_before_it_is_believed(
    arxiv: ReplayServer, tmp_path: Path
) -> None:
    catalogue = arxiv.script
    assert isinstance(catalogue, CatalogueArxiv)
    nothing = CatalogueArxiv([])
    arxiv.script = lambda ask: (nothing if ask.number == 1 else catalogue)(ask)
    assert len(numbers(arxiv, tmp_path)) == 40
    arxiv.script = nothing
    before = len(arxiv.asks)
    assert numbers(arxiv, tmp_path) == []
    assert len(arxiv.asks) - before == 2


def test_dates_are_the_date_range_of_the_query() -> None:
    june, july = date(2024, 6, 1), date(2024, 7, 1)
    assert dated("cat:cs.CL OR cat:cs.LG", june, july) == (
        "(cat:cs.CL OR cat:cs.LG) AND submittedDate:[202406010000 TO 202406302359]"
    )
    assert dated("a", None, None) == "a"
    assert dated("a", june, None).endswith("[202406010000 TO 210001010000]")
    assert dated("a", None, july).endswith("[199101010000 TO 202406302359]")
    with pytest.raises(InputError, match="is not before"):
        dated("a", july, june)


def test_the_command_asks_for_days_with_a_contact(arxiv: ReplayServer, tmp_path: Path) -> None:
    words = ["fetch", "arxiv", "cat:cs.CL", "--since", "2024-06-03", "--until", "2024-06-08"]
    more = ["--max", "3", "--contact", "me@uni.example", "--base", arxiv.origin, "--json"]
    listing = only_json(viva_here(*words, *more, "--out", tmp_path / "feeds").stdout)
    assert (listing["papers"], listing["total"]) == (3, 5)
    assert arxiv.asks[0].agent.endswith("(mailto:me@uni.example)")
    ingest("arxiv", tmp_path / "feeds", tmp_path / "c")
    days = sorted(str(paper.published) for paper in load_corpus(tmp_path / "c").papers)
    assert days == ["2024-06-03", "2024-06-04", "2024-06-05"]
    more[3] = "two words"
    done = viva_here(*words, *more, "--out", tmp_path / "x", expect=2)
    assert "is not a contact" in done.stderr


@pytest.mark.slow
def test_a_killed_command_asks_for_no_page_twice(arxiv: ReplayServer, tmp_path: Path) -> None:
    catalogue = arxiv.script
    assert isinstance(catalogue, CatalogueArxiv)
    catalogue.papers = [entry(number) for number in range(250)]
    command = [str(VIVA), "fetch", "arxiv", "cat:cs.CL", "--max", "400"]
    command += ["--out", str(tmp_path / "feeds"), "--base", arxiv.origin]
    running: list[subprocess.Popen[bytes]] = []

    def script(ask: Ask) -> Fault:
        if ask.number == 3:  # the third page is under way
            running[0].kill()
            running[0].wait()
        return catalogue(ask)

    arxiv.script = script
    running.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))
    assert running[0].wait() != 0
    assert subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode == 0
    assert arxiv.starts == [0, 100, 200, 200]  # the one under way, once more
    report = ingest("arxiv", tmp_path / "feeds", tmp_path / "c")
    assert (report.papers, report.failed) == (250, ())
