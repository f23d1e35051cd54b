"""The site of the documentation: built without a warning, it asks nothing of other machines."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from vivavoce.tasks import list_families

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
_LOADED = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\bsrc=[\"']?([^\"' >]+)"
    r"|<link\b(?=[^>]*\brel=[\"'](?:stylesheet|icon|preload|preconnect))"
    r"[^>]*\bhref=[\"']?([^\"' >]+)"
)
_STYLE = re.compile(r"url\([\"']?(?!data:)([^\"')]+)|@import\s+[\"']([^\"']+)")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `make docs` builds it; a link to a page that is not there ends the build."""
    if importlib.util.find_spec("furo") is None:
        pytest.skip("the documentation's packages are missing: pip install 'vivavoce[docs]'")
    out = tmp_path_factory.mktemp("docs")
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-E", "-W", "--keep-going", "-q"]
    done = subprocess.run(
        [*command, str(DOCS), str(out)], capture_output=True, text=True, check=False, timeout=500
    )
    assert done.returncode == 0, done.stderr
    return out


@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 40
    loaded = [
        next(filter(None, found))
        for page in pages
        for found in _LOADED.findall(page.read_text("utf-8"))
    ]
    loaded += [
        next(filter(None, found))
        for style in sorted(site.rglob("*.css"))
        for found in _STYLE.findall(style.read_text("utf-8"))
    ]
    assert loaded
    assert [where for where in loaded if re.match(r"[a-z]+:|//", where)] == []


@pytest.mark.slow
def test_the_reference_knows_every_task_metric_and_command(site: Path) -> None:
    for family, card in list_families().items():
        page = (site / "reference" / "tasks" / f"{family}.html").read_text("utf-8")
        assert all(f"vivavoce/{task}" in page for task in card.tasks)
    assert "rougeL" in (site / "reference" / "metrics.html").read_text("utf-8")
    assert "--cost-limit" in (site / "reference" / "commands.html").read_text("utf-8")
    assert "viva board verify" in (site / "reference/commands/board.html").read_text("utf-8")
    assert "max_overlap" in (site / "reference" / "rounds.html").read_text("utf-8")


def test_every_group_of_commands_has_its_page() -> None:
    import typer

    from vivavoce.cli import app

    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    groups = {name for name, verb in commands.items() if hasattr(verb, "commands")}
    assert groups == {page.stem for page in (DOCS / "reference" / "commands").glob("*.md")}
