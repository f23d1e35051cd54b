"""Sources that installed packages register."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.plugin_packages import install

import vivavoce.sources as sources
from vivavoce.errors import PluginError, StaleError, VivaError
from vivavoce.plugins import load_plugins

GROUP = "vivavoce.sources"
NOTES = """
from vivavoce.records import Document
from vivavoce.sources import Source, one_piece


def read(piece, options):
    title, _, date = piece.path.read_text().partition("\\n")
    yield Document(kind="notes", key=piece.path.name, title=title, published=date.strip())


SOURCE = Source(
    kind="notes",
    summary="notes on papers (.note)",
    is_metadata=True,
    matches=lambda path: path.suffix == ".note",
    pieces=one_piece,
    read=read,
)
"""

Put = Callable[..., None]


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Put]:
    """Install a package into a folder of its own on the path."""

    def put(package: str, name: str, module: str, text: str | None = None) -> None:
        folder = tmp_path / package
        modules = {} if text is None else {f"{module}.py": text}
        install(folder, package, {GROUP: {name: module}}, modules)
        monkeypatch.syspath_prepend(folder)
        monkeypatch.delitem(sys.modules, module, raising=False)

    sources._registered.cache_clear()
    yield put
    sources._registered.cache_clear()


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(folder), *sys.path])
    return subprocess.run(
        [sys.executable, "-c", "from vivavoce.cli import app; app()", *words],
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_source_of_the_project_is_registered() -> None:
    folder = Path(sources.__file__).parent
    written = {path for path in folder.rglob("*.py") if "\nSOURCE = " in path.read_text("utf-8")}
    assert len(written) == len(sources.list_sources())
    assert list(sources.list_sources()) == sorted(sources.list_sources())
    assert sources.broken_sources() == {}


def test_a_source_of_another_package_is_listed_and_read(tmp_path: Path) -> None:
    install(tmp_path / "site", "notes-reader", {GROUP: {"notes": "notes_reader"}})
    (tmp_path / "site" / "notes_reader.py").write_text(NOTES)
    (tmp_path / "a.note").write_text("What Otters Do\n2024-05-17\n")
    listed = run(tmp_path / "site", "list", "sources", "--json")
    assert {"source": "notes", "summary": "notes on papers (.note)"} in json.loads(listed.stdout)
    corpus = tmp_path / "corpus"
    done = run(tmp_path / "site", "ingest", "notes", str(tmp_path), "--corpus", str(corpus))
    assert done.returncode == 0, done.stderr
    assert "1 read from notes" in done.stdout
    # Without the package the corpus says which source it lacks.
    lost = run(tmp_path, "ingest", "sample", "3", "--corpus", str(corpus))
    assert lost.returncode == 2
    assert "No source is called 'notes'" in lost.stderr
    assert "Traceback" not in lost.stderr


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import a_module_that_is_not_there", "No module named 'a_module_that_is_not_there'"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("SOURCE = 3", "defines no SOURCE"),
        (NOTES.replace('kind="notes",\n    summ', 'kind="other",\n    summ'), "called 'other'"),
    ],
)
def test_a_broken_package_is_named_and_the_others_work(
    put: Put, text: str | None, reason: str
) -> None:
    put("broken-reader", "notes", "broken_notes", text)
    assert "notes" not in sources.list_sources()
    assert sources.get_source("tei").kind == "tei"
    with pytest.raises(PluginError, match="broken-reader") as caught:
        sources.get_source("notes")
    assert reason in str(caught.value)
    assert isinstance(caught.value, VivaError)


def test_a_broken_package_is_reported_by_the_command(tmp_path: Path) -> None:
    install(tmp_path, "broken-reader", {GROUP: {"notes": "no_such_module"}})
    listed = run(tmp_path, "list", "sources")
    assert listed.returncode == 0
    assert "Skipped: The package broken-reader registers 'notes'" in listed.stderr
    assert "unarxive" in listed.stdout
    done = run(tmp_path, "ingest", "notes", str(tmp_path), "--corpus", str(tmp_path / "corpus"))
    assert done.returncode == 1
    assert "broken-reader" in done.stderr
    assert "Traceback" not in done.stderr


def test_two_packages_with_one_name_are_both_named(put: Put) -> None:
    put("pdf-reader", "pdf", "other_pdf", NOTES)
    with pytest.raises(PluginError, match=r"pdf-reader and vivavoce both register 'pdf'"):
        sources.list_sources()


def test_an_installation_older_than_the_code_says_so() -> None:
    with pytest.raises(StaleError, match="pip install -e"):
        load_plugins("vivavoce.nothing", lambda name, module: name)
