"""The `viva` command, called in this process."""

import shutil
from pathlib import Path

import pytest
from tests.servers.commands import viva_here
from tests.support.tei import tei_text

from vivavoce.store import write_jsonl

SPEC = """[round]
id = "small"
families = ["writing"]
window = {start = 2023-01-01, end = 2025-01-01}
[writing]
settings = ["base"]
"""


@pytest.fixture
def tei(tmp_path: Path) -> Path:
    """A folder with two papers and a broken file."""
    folder = tmp_path / "tei"
    folder.mkdir()
    for name in ("one", "two"):
        (folder / f"{name}.tei.xml").write_text(tei_text(f"The matter of {name}"))
    (folder / "broken.tei.xml").write_text("<TEI>")
    (folder / "notes.txt").write_text("not a paper")
    return folder


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Metadata of one of the two papers, and a bad row."""
    dated = {"file": "one.tei.xml", "published": "2024-05", "mood": "good"}
    write_jsonl(tmp_path / "m.jsonl", [dated, {"title": "Nameless"}])
    return tmp_path / "m.jsonl"


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
