"""The `viva` command, called in this process."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.servers.commands import viva_here
from typer.testing import CliRunner, Result

from vivavoce.cli import app

PAPER = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
<title level="a" type="main">The matter of {0}</title></titleStmt></fileDesc></teiHeader><text>
<body><div><head>Introduction</head><p>Some words on {0}.</p></div></body></text></TEI>"""
SPEC = """[round]
id = "small"
families = ["writing"]
window = {start = 2023-01-01, end = 2025-01-01}
[writing]
settings = ["base"]
"""


@pytest.fixture
def viva() -> Callable[..., Result]:
    """Run a command line; every word may be a path."""

    def run(*words: object) -> Result:
        return CliRunner().invoke(app, [str(word) for word in words])

    return run


@pytest.fixture
def tei(tmp_path: Path) -> Path:
    """A folder with two papers and a broken file."""
    folder = tmp_path / "tei"
    folder.mkdir()
    for name in ("one", "two"):
        (folder / f"{name}.tei.xml").write_text(PAPER.format(name))
    (folder / "broken.tei.xml").write_text("<TEI>")
    (folder / "notes.txt").write_text("not a paper")
    return folder


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Metadata of one of the two papers, and a bad row."""
    path = tmp_path / "m.jsonl"
    lines = [{"file": "one.tei.xml", "published": "2024-05", "mood": "good"}, {"title": "Nameless"}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture(scope="session")
def sample_papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of 24 sample papers, to copy."""
    folder = tmp_path_factory.mktemp("papers") / "sample"
    viva_here("ingest", "sample", "24", "--corpus", folder)
    return folder


@pytest.fixture
def sample(sample_papers: Path, tmp_path: Path) -> Path:
    """A corpus of 24 sample papers to do with as one likes."""
    return Path(shutil.copytree(sample_papers, tmp_path / "sample"))


@pytest.fixture(scope="session")
def small(sample_papers: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The round that the command builds of them, to copy, and beside it what it said."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "spec.toml").write_text(SPEC)
    where = ("--corpus", sample_papers, "--out", folder / "rounds")
    said = viva_here("round", "build", folder / "spec.toml", *where).stdout
    (folder / "said.txt").write_text(said)
    return folder / "rounds" / "small"


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "spec.toml"
    path.write_text(SPEC)
    return path
