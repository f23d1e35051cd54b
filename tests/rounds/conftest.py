"""A sample corpus and a round made of it."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.rounds import Round, load_round
from vivavoce.tasks import build_round

SPEC: dict[str, Any] = {
    "round": {
        "id": "small",
        "window": {"start": "2023-07-01", "end": "2025-01-01"},
        "families": ["writing"],
    }
}


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """40 papers, one of them undated, one without an abstract."""
    folder = tmp_path_factory.mktemp("sample")
    ingest("sample", Path("40"), folder / "c")
    return load_corpus(folder / "c")


@pytest.fixture(scope="session")
def small(sample: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Round:
    """The round of `SPEC`, to be read only."""
    return build_round(sample, SPEC, tmp_path_factory.mktemp("small"))


@pytest.fixture
def built(small: Round, tmp_path: Path) -> Round:
    """A copy of it to damage."""
    return load_round(shutil.copytree(small.folder, tmp_path / "rounds" / "small"))


@pytest.fixture(scope="session")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The corpus of `sample` after twenty more papers came."""
    folder = tmp_path_factory.mktemp("grown")
    for papers in ("40", "60"):
        ingest("sample", Path(papers), folder / "c")
    return load_corpus(folder / "c")
