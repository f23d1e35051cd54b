"""kill -9 placed by the requests that a server has had, and what a second fetch makes of the rest.

The command runs in a process of its own against a server of this one.
"""

import os
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.corpus.fetching_corpus import citing, corpus_of, knowing, three_papers
from tests.servers.arxiv_replay import Ask, FakeClock, Fault, ReplayServer, Script, replaying
from tests.servers.commands import VIVA
from tests.servers.texts_replay import eprint
from typer.testing import CliRunner

from vivavoce.cli import app
from vivavoce.corpus import verify_corpus
from vivavoce.store import hash_tree

pytestmark = pytest.mark.slow

NAMES = ("2001.00001v1", "2001.00002v2", "2001.00003v1", "2001.00004v1", "2001.00005v1")
READING = (
    "vivavoce.corpus.ingestion.imports",
    "vivavoce.corpus.build.parts",
    "vivavoce.corpus.ingestion.downloads",
)
PLACES = {
    "one source is read, the next is not": (READING[0], "mark_done", 1),
    "every source is read, some tables are written": (READING[1], "write_parquet_table", 3),
    "the index is written, its journal is there": (READING[2], "write_jsonl", 1),
}


@pytest.fixture(scope="module")
def shared() -> Iterator[ReplayServer]:
    with replaying({}, FakeClock()) as running:
        yield running


@pytest.fixture
def server(shared: ReplayServer) -> ReplayServer:
    """One server for all, since its address stands in what is compared."""
    shared.asks.clear()
    return shared


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Script:
    """Five papers: a page, two of sources, a PDF, and one that is nowhere."""
    library = three_papers(tmp_path_factory.mktemp("texts"))
    library.add("/e-print/2001.00004v1", eprint("Another source"))
    return library


@pytest.fixture(scope="module")
def whole(
    shared: ReplayServer, script: Script, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """The corpus that a fetch leaves which nothing disturbs."""
    shared.script = script
    corpus = corpus_of(tmp_path_factory.mktemp("whole"), *NAMES)
    run(shared, "texts", corpus)
    return hash_tree(corpus)


def words_of(server: ReplayServer, verb: str, corpus: Path) -> list[str]:
    return ["fetch", verb, "--corpus", str(corpus), "--base", server.origin]


def run(server: ReplayServer, verb: str, corpus: Path) -> None:
    """Run a command to its end."""
    done = CliRunner().invoke(app, words_of(server, verb, corpus))
    assert done.exit_code == 0, done.output


def kill_at(server: ReplayServer, script: Script, number: int, verb: str, corpus: Path) -> None:
    """Run a command and kill it when it has had the answers before this request."""
    process: list[subprocess.Popen[bytes]] = []
    started = threading.Event()

    def killing(ask: Ask) -> Fault | None:
        if ask.number < number:
            return script(ask)
        started.wait()
        os.kill(process[0].pid, signal.SIGKILL)
        process[0].wait()
        return Fault(b"to nobody")

    server.script = killing
    command = [str(VIVA), *words_of(server, verb, corpus)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        process.append(child)
        started.set()
        child.wait(timeout=100)
    assert child.returncode == -signal.SIGKILL
    server.script = script


@pytest.mark.parametrize("number", [4, 10])
def test_a_killed_fetch_goes_on_to_the_same_bytes_and_asks_for_nothing_twice(
    whole: dict[str, str],
    server: ReplayServer,
    script: Script,
    tmp_path: Path,
    number: int,
) -> None:
    corpus = corpus_of(tmp_path, *NAMES)
    kill_at(server, script, number, "texts", corpus)
    assert len(server.asks) == number
    run(server, "texts", corpus)
    asked = Counter(ask.target for ask in server.asks)
    in_flight = server.asks[number - 1].target
    assert asked.pop(in_flight) == 2  # the answer it was killed before
    assert set(asked.values()) == {1}
    assert hash_tree(corpus) == whole
    assert verify_corpus(corpus) == []
    assert not list(corpus.rglob("*.journal"))


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_fetch_killed_while_it_reads_goes_on_without_asking(
    whole: dict[str, str],
    server: ReplayServer,
    script: Script,
    tmp_path: Path,
    viva_killed: Callable[..., None],
    place: tuple[str, str, int],
) -> None:
    corpus = corpus_of(tmp_path, *NAMES)
    server.script = script
    viva_killed(*place, *words_of(server, "texts", corpus))
    asked = len(server.asks)
    run(server, "texts", corpus)
    assert len(server.asks) == asked
    assert hash_tree(corpus) == whole
    assert verify_corpus(corpus) == []


def test_a_line_of_the_journal_that_a_power_cut_left_half_is_asked_for_again(
    whole: dict[str, str], server: ReplayServer, script: Script, tmp_path: Path
) -> None:
    corpus = corpus_of(tmp_path, *NAMES)
    kill_at(server, script, 6, "texts", corpus)
    journal = corpus / "downloads" / "texts.jsonl.journal"
    journal.write_bytes(journal.read_bytes()[:-10])
    cut, in_flight = (ask.target for ask in server.asks[4:6])
    run(server, "texts", corpus)
    asked = Counter(ask.target for ask in server.asks)
    assert {target: count for target, count in asked.items() if count > 1} == {
        cut: 2,
        in_flight: 2,
    }
    assert hash_tree(corpus) == whole


def test_a_killed_fetch_of_cited_works_goes_on_to_the_same_bytes(
    server: ReplayServer, tmp_path: Path
) -> None:
    names = [f"2001.{number:05d}" for number in range(1, 251)]
    api = knowing(*names[:-1])
    server.script = api
    undisturbed = citing(tmp_path / "whole", *names)
    run(server, "cited", undisturbed)
    server.asks.clear()
    corpus = citing(tmp_path, *names)
    kill_at(server, api, 2, "cited", corpus)
    run(server, "cited", corpus)
    assert len(server.asks) == 4  # three batches, and the one that the kill cost
    assert hash_tree(corpus) == hash_tree(undisturbed)
