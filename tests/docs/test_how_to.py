"""The how-to pages and the published tables: each is done, and prints what it says."""

import importlib.util
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import NO_PAPERS
from tests.docs.commands import ROOT, play, prepare, read_steps

pytestmark = pytest.mark.slow

PAGES = [
    *(page for page in sorted((ROOT / "docs" / "how-to").glob("*.md")) if read_steps(page)),
    *(ROOT / "docs" / name for name in ("reproductions.md", "scale.md")),
]


@pytest.fixture(autouse=True)
def _ray_in_a_short_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """For Ray, whose sockets need a short path, and which leaves nothing elsewhere."""
    with tempfile.TemporaryDirectory(prefix="r") as folder:
        monkeypatch.setitem(os.environ, "RAY_TMPDIR", folder)
        monkeypatch.setitem(os.environ, "RAY_AUTH_MODE", "disabled")
        monkeypatch.setitem(os.environ, "RAY_USAGE_STATS_ENABLED", "0")
        yield


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_prints_what_it_says(page: Path, programs: Path, tmp_path: Path) -> None:
    if page.stem == "scale" and importlib.util.find_spec("ray") is None:
        pytest.skip("needs Ray: pip install 'vivavoce[ray]'")
    papers = Path(os.environ.get("VIVAVOCE_DATA") or ROOT.parent / "shared" / "data")
    if not papers.is_dir() and all(step.is_real for step in read_steps(page)):
        pytest.skip(f"{NO_PAPERS} (VIVAVOCE_DATA)")
    folder = prepare(page, tmp_path / "here")
    done = 0
    for step, printed in play(page, folder, papers if papers.is_dir() else None, programs):
        assert printed == step.output, step.commands
        done += 1
    assert done > 0
