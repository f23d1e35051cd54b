"""The page on formulas as programs: its example becomes an item that its reference solves."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from vivavoce.corpus import ingest
from vivavoce.results.board import leaderboard
from vivavoce.running import RunSpec, run
from vivavoce.tasks import build_round
from vivavoce.tasks.implementation.formula import list_formulas
from vivavoce.tasks.implementation.items import formulas

PAGE = Path(__file__).resolve().parents[2] / "docs" / "families" / "implementation.md"


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The page's file beside the shipped ones; the name of its formula."""
    (source,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    (tmp_path / "items").mkdir()
    (tmp_path / "items" / "ranges_of_days.py").write_text(source, "utf-8")
    monkeypatch.setattr(formulas, "__path__", [*formulas.__path__, str(tmp_path / "items")])
    list_formulas.cache_clear()
    yield "daily_range"
    list_formulas.cache_clear()


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_the_example_becomes_an_item_that_its_reference_solves(
    example: str, tmp_path: Path
) -> None:
    ingest("sample", Path("4"), tmp_path / "corpus")
    window = {"start": "2023-07-01", "end": "2025-01-01"}
    spec = {
        "round": {"id": "own", "window": window, "families": ["implementation"]},
        "implementation": {"formulas": [example], "reports": [], "architectures": []},
    }
    opened = build_round(tmp_path / "corpus", spec, tmp_path)
    report = run(
        RunSpec(
            tasks=["formula"],
            round=opened.folder,
            logs=tmp_path / "logs",
            methods=["oracle"],
            display="none",
        )
    )
    assert report.failed == ()
    rows = leaderboard(tmp_path / "logs", resamples=0).rows
    assert {row["metric"]: row["value"] for row in rows}["skill"] == 1.0
