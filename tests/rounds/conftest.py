"""A sample corpus and the rounds made of it."""

from pathlib import Path
from typing import Any

import pytest

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.rounds import Round
from vivavoce.tasks import build_round


@pytest.fixture
def spec() -> dict[str, Any]:
    return {
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


@pytest.fixture
def built(sample: Corpus, spec: dict[str, Any], tmp_path: Path) -> Round:
    return build_round(sample, spec, tmp_path / "rounds")


@pytest.fixture(scope="session")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The corpus of `sample` after twenty more papers came."""
    folder = tmp_path_factory.mktemp("grown")
    for papers in ("40", "60"):
        ingest("sample", Path(papers), folder / "c")
    return load_corpus(folder / "c")
