"""Commands in processes of their own, which may be killed or made to wait."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.servers.forked import KILLED, Killer, Place

from vivavoce.corpus import ingest
from vivavoce.store import hash_tree

PAPER = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
<title level="a" type="main">The matter of number {0}</title></titleStmt></fileDesc></teiHeader>
<text><body><div><head>Introduction</head><p>Some words on number {0}.</p></div></body>
<back><div type="references"><listBibl><biblStruct><analytic>
<title level="a">The matter of number {1}</title></analytic></biblStruct></listBibl></div></back>
</text></TEI>"""

WAIT = """
import importlib, sys
module, name = sys.argv[1:3]
home = importlib.import_module(module)
original = getattr(home, name)

def waiting(*args, **kwargs):
    result = original(*args, **kwargs)
    print('waiting', flush=True)
    sys.stdin.readline()
    setattr(home, name, original)
    return result

setattr(home, name, waiting)
from vivavoce.cli import app
app(sys.argv[3:])
"""


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
def killer() -> Iterator[Killer]:
    """Starts runs and kills them."""
    with closing(Killer()) as made:
        yield made


@pytest.fixture
def kill_after(killer: Killer) -> Callable[..., None]:
    """Start a run against a server, and kill it once the server has sent so many answers."""
    return killer.kill_after


@pytest.fixture
def viva_killed(killer: Killer) -> Callable[..., None]:
    """Run a command and kill it as soon as the function of a module was called so often."""

    def run(module: str, name: str, call: int, *words: str | Path) -> None:
        assert killer.run(words, place=Place(module, name, call)) == KILLED

    return run


@pytest.fixture
def viva_waiting() -> Callable[..., subprocess.Popen[str]]:
    """Start a command that waits after the first call of a function, until it is written a line."""

    def run(module: str, name: str, *words: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", WAIT, module, name, *map(str, words)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout.readline() == "waiting\n"
        return process

    return run
