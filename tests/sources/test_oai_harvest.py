"""Harvests of a repository that forgets, stalls and answers nonsense: never a shorter corpus."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from tests.servers.arxiv_replay import Ask, FakeClock, Fault, ReplayServer, only
from tests.servers.oai_replay import Repository, days_of_june, envelope, error_of, serving, starts

from vivavoce.corpus import ingest, load_corpus
from vivavoce.errors import DamagedError, InputError, LockedError, VivaError
from vivavoce.sources.catalogues.oai.harvest import HarvestReport, harvest
from vivavoce.sources.http.client import Allowed, BadReplyError, Client, Limits
from vivavoce.store import hash_tree, lock


@pytest.fixture
def repository() -> Repository:
    """Eight papers, two a day, three a page: pages of 3, 3 and 2."""
    return Repository(days_of_june(8))


@pytest.fixture
def server(repository: Repository, clock: FakeClock) -> Iterator[ReplayServer]:
    with serving(repository, clock) as running:
        yield running


class Harvester:
    """Harvests from the server into a folder, each time with a client of its own."""

    def __init__(self, server: ReplayServer, clock: FakeClock, folder: Path) -> None:
        self.server = server
        self.folder = folder
        self.client = Client(
            Allowed(frozenset(), loopback=server.origin), clock.turns(), limits=Limits(tries=3)
        )

    def __call__(
        self,
        start: str | None = None,
        until: str | None = None,
        *,
        folder: Path | None = None,
        part: str | None = None,
        fresh: bool = False,
    ) -> HarvestReport:
        return harvest(
            self.client,
            folder or self.folder,
            base=f"{self.server.origin}/oai",
            set=part,
            start=date.fromisoformat(start) if start else None,
            until=date.fromisoformat(until) if until else None,
            fresh=fresh,
        )


@pytest.fixture
def run(server: ReplayServer, clock: FakeClock, tmp_path: Path) -> Harvester:
    return Harvester(server, clock, tmp_path / "listings")


def papers_in(folder: Path, corpus: Path) -> list[str]:
    """The arXiv ids that an ingest of a folder leaves in a corpus."""
    assert ingest("oai", folder, corpus).failed == ()
    return sorted(str(paper.arxiv_id) for paper in load_corpus(corpus).papers)


def test_every_page_is_saved_and_goes_into_a_corpus(
    run: Harvester, repository: Repository, clock: FakeClock, tmp_path: Path
) -> None:
    report = run(part="cs")
    assert report.files == tuple(f"{n:06d}-arXivRaw-cs.oai.xml" for n in (1, 2, 3))
    assert (report.records, report.newest, report.restarts) == (8, "2024-06-04", 0)
    assert papers_in(run.folder, tmp_path / "corpus") == sorted(repository.days)
    first, second, third = starts(run.server)
    assert first == {"metadataPrefix": "arXivRaw", "set": "cs"}
    assert list(second) == list(third) == ["resumptionToken"]  # nothing may stand beside it
    assert [ask.at for ask in run.server.asks] == [1000.0, 1003.0, 1006.0]


def test_a_later_harvest_asks_for_what_changed_since(
    run: Harvester, repository: Repository, tmp_path: Path
) -> None:
    run(part="cs")
    repository.days |= {"2406.00002": "2024-06-09", "2406.00099": "2024-06-08"}
    repository.titles = {"2406.00002": "A new title"}
    before = len(run.server.asks)
    report = run(part="cs")
    # From the newest day on, whose two papers come again, and the two changed ones.
    assert starts(run.server)[before] == {
        "metadataPrefix": "arXivRaw",
        "set": "cs",
        "from": "2024-06-04",
    }
    assert (report.records, report.newest) == (4, "2024-06-09")
    assert papers_in(run.folder, tmp_path / "corpus") == sorted(repository.days)
    titles = {paper.arxiv_id: paper.title for paper in load_corpus(tmp_path / "corpus").papers}
    assert titles["2406.00002"] == "A new title"


def test_deleted_records_are_counted(run: Harvester, repository: Repository) -> None:
    repository.deleted = frozenset({"2406.00003"})
    assert run().deleted == 1


FAULTS = {
    "empty page": Fault(envelope("<ListRecords></ListRecords>")),
    "nothing at all": Fault(b""),
    "web page": Fault(b"<!DOCTYPE html><html><body>Sorry</body></html>"),
    "rate exceeded": Fault(b"Rate exceeded."),
    "truncated": Fault(envelope("<ListRecords><record><header>")[:-30]),
    "another verb": Fault(envelope("<Identify><repositoryName>A</repositoryName></Identify>")),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_lasting_fault_is_an_error_with_the_offset_and_then_goes_on_from_there(
    run: Harvester, repository: Repository, name: str, tmp_path: Path
) -> None:
    repository.script = only(range(2, 100), FAULTS[name])
    with pytest.raises(BadReplyError, match="results from offset 3") as caught:
        run()
    assert caught.value.offset == 3
    assert len(run.server.asks) == 4  # the first page, and three tries at the second
    repository.script = lambda ask: None
    report = run()
    assert (report.resumed, len(report.files), report.records) == (True, 2, 5)
    assert papers_in(run.folder, tmp_path / "corpus") == sorted(repository.days)


def test_a_page_shorter_than_announced_is_refused(run: Harvester, repository: Repository) -> None:
    record = repository.record("2406.00001", "2024-06-01")
    token = '<resumptionToken completeListSize="5" cursor="0"/>'
    short = Fault(envelope(f"<ListRecords>{record}{token}</ListRecords>"))
    repository.script = lambda ask: short
    with pytest.raises(BadReplyError, match="ends after 1 of 5 records"):
        run()
    shifted = Fault(envelope(f"<ListRecords>{record}{token}</ListRecords>".replace('"0"', '"7"')))
    repository.script = lambda ask: shifted
    with pytest.raises(BadReplyError, match="starts at record 7 instead of 0"):
        run()


def test_an_expired_token_starts_again_from_the_newest_day(
    run: Harvester, repository: Repository, tmp_path: Path
) -> None:
    repository.script = only([3], Fault(error_of("badResumptionToken", "expired")))
    report = run()
    # Pages of 3 and 3 came, up to 3 June; from that day on there are 4 more, on pages of 3 and 1.
    assert (report.restarts, report.records, len(report.files)) == (1, 10, 4)
    assert starts(run.server)[3] == {"metadataPrefix": "arXivRaw", "from": "2024-06-03"}
    assert papers_in(run.folder, tmp_path / "corpus") == sorted(repository.days)


def test_a_list_without_end_is_an_error(run: Harvester, repository: Repository) -> None:
    record = repository.record("2406.00001", "2024-06-01")

    def turn(ask: Ask) -> Fault:
        token = f"<resumptionToken>{'ab'[ask.number % 2]}</resumptionToken>"
        return Fault(envelope(f"<ListRecords>{record}{token}</ListRecords>"))

    repository.script = turn
    with pytest.raises(BadReplyError, match="leads back to an earlier page"):
        run()
    assert len(run.server.asks) == 3


@pytest.mark.parametrize(("status", "code"), [(200, "badArgument"), (400, "badArgument")])
def test_what_the_repository_complains_of_is_not_asked_for_again(
    run: Harvester, repository: Repository, status: int, code: str
) -> None:
    repository.script = lambda ask: Fault(error_of(code, "no such set"), status)
    with pytest.raises(BadReplyError, match=f"{code}: no such set"):
        run(part="no:such")
    assert len(run.server.asks) == 1


def test_a_harvest_killed_between_page_and_state_ends_in_the_same_files(
    run: Harvester, repository: Repository, tmp_path: Path
) -> None:
    whole = tmp_path / "whole"
    run(folder=whole)
    repository.script = only(range(len(run.server.asks) + 3, 100), FAULTS["web page"])
    with pytest.raises(BadReplyError):
        run()
    # As after a kill: the page is there, and the state does not know of it.
    (run.folder / "000003-arXivRaw.oai.xml").write_bytes(b"half a pa")
    repository.script = lambda ask: None
    run()
    assert hash_tree(run.folder) == hash_tree(whole)


CHILD = """
import sys
from pathlib import Path
from vivavoce.sources.http.client import Allowed
from vivavoce.sources.http.client import Client
from vivavoce.sources.http import Turns
from vivavoce.sources.catalogues.oai.harvest import harvest
origin, folder = sys.argv[1:]
client = Client(Allowed(frozenset(), loopback=origin), Turns({"127.0.0.1": 0}))
harvest(client, Path(folder), base=f"{origin}/oai")
"""


@pytest.mark.parametrize("number", [1, 3])
def test_a_killed_harvest_ends_in_the_same_files(
    run: Harvester, repository: Repository, tmp_path: Path, number: int
) -> None:
    run(folder=tmp_path / "whole")
    before = len(run.server.asks)
    asked = threading.Event()

    def stall(ask: Ask) -> Fault | None:
        if ask.number - before == number:
            asked.set()
            return Fault(b"x" * 100, drip=0.2)
        return None

    repository.script = stall
    command = [sys.executable, "-c", CHILD, run.server.origin, str(run.folder)]
    with subprocess.Popen(command) as child:
        assert asked.wait(60)
        child.kill()
    repository.script = lambda ask: None
    assert len(run().files) == 4 - number  # the pages that were not there yet
    assert hash_tree(run.folder) == hash_tree(tmp_path / "whole")


def test_an_unfinished_harvest_is_finished_with_its_own_days_or_dropped(
    run: Harvester, repository: Repository
) -> None:
    repository.script = only(range(2, 100), FAULTS["web page"])
    with pytest.raises(BadReplyError):
        run("2024-06-01", "2024-06-03")
    repository.script = lambda ask: None
    with pytest.raises(VivaError, match="covers 2024-06-01 to 2024-06-03"):
        run("2024-06-02")
    assert run().until == "2024-06-03"
    repository.script = only([len(run.server.asks) + 2], FAULTS["web page"])
    assert run("2024-06-02", fresh=True).records == 6


def test_a_changed_state_is_noticed(run: Harvester) -> None:
    run()
    path = run.folder / "harvest.json"
    state = json.loads(path.read_text())
    state["next"] = 1
    path.write_text(json.dumps(state))
    with pytest.raises(DamagedError, match="Delete it to start a new harvest"):
        run()


def test_two_harvests_into_one_folder_at_once_are_refused(run: Harvester) -> None:
    with lock(run.folder), pytest.raises(LockedError):
        run()
    assert run.server.asks == []


def test_what_cannot_be_asked_is_refused_before_anything_is(run: Harvester) -> None:
    for part, start, until, why in (
        ("cs&verb=Identify", None, None, "is not a set"),
        ("cs", "2024-06-02", "2024-06-01", "is after"),
    ):
        with pytest.raises(InputError, match=why):
            run(start, until, part=part)
    assert run.server.asks == []
