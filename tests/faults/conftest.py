"""Commands in processes of their own, which may be killed or made to wait."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.servers.commands import Killer

from vivavoce.corpus import ingest
from vivavoce.store import hash_tree

PAPER = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
<title level="a" type="main">The matter of number {0}</title></titleStmt></fileDesc></teiHeader>
<text><body><div><head>Introduction</head><p>Some words on number {0}.</p></div></body>
<back><div type="references"><listBibl><biblStruct><analytic>
<title level="a">The matter of number {1}</title></analytic></biblStruct></listBibl></div></back>
</text></TEI>"""

RUN = """
import sys
from vivavoce.cli import app
app(sys.argv[1:])
"""
AT_CALL = """
import importlib, os, signal, sys
module, name, call = sys.argv[1:4]
home = importlib.import_module(module)
original, left = getattr(home, name), int(call)

def counted(*args, **kwargs):
    global left
    result = original(*args, **kwargs)
    left -= 1
    if not left:
        {then}
    return result

setattr(home, name, counted)
from vivavoce.cli import app
app(sys.argv[4:])
"""
KILL = AT_CALL.format(then="os.kill(os.getpid(), signal.SIGKILL)")
WAIT = AT_CALL.format(then="print('waiting', flush=True); sys.stdin.readline()")

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def write_papers(folder: Path) -> Path:
    """39 papers and a broken file, which make three shards."""
    folder.mkdir()
    for number in range(40):
        path = folder / f"{number:02d}.tei.xml"
        path.write_text(PAPER.format(number, number - 1), "utf-8")
    (folder / "20.tei.xml").write_text("<TEI>", "utf-8")
    return folder


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    return write_papers(tmp_path / "tei")


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The tree that an ingest of the papers leaves which nothing disturbs."""
    folder = tmp_path_factory.mktemp("whole")
    ingest("tei", write_papers(folder / "tei"), folder / "c")
    return hash_tree(folder / "c")


@pytest.fixture(scope="session")
def kill_after() -> Iterator[Callable[..., None]]:
    """Start a run against a server, and kill it once the server has sent so many answers."""
    killer = Killer()
    yield killer.kill_after
    killer.close()


@pytest.fixture
def viva() -> Run:
    """Run a command to its end."""

    def run(*words: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", RUN, *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def viva_killed() -> Callable[..., None]:
    """Run a command and kill it as soon as the function of a module was called so often."""

    def run(module: str, name: str, call: int, *words: object) -> None:
        command = [sys.executable, "-c", KILL, module, name, str(call), *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == -9, done.stderr

    return run


@pytest.fixture
def viva_waiting() -> Callable[..., subprocess.Popen[str]]:
    """Start a command that waits after so many calls, until it is written a line."""

    def run(module: str, name: str, call: int, *words: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", WAIT, module, name, str(call), *map(str, words)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout.readline() == "waiting\n"
        return process

    return run
