"""The wheel as somebody gets it: alone, in an empty environment and an empty folder.

Whether what it requires is enough for every family, `make demo` shows to a newcomer.
"""

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from tests.conftest import ROOT
from tests.examining.papers import save_pdfs

pytestmark = pytest.mark.slow

MAX_INSTALLED_MB = 700
"""Without the byte code of what was imported: a laptop on a slow line still gets it in minutes."""


def run(*command: object, cwd: Path) -> str:
    """Run a command to its end, with nothing of this environment on its paths."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=clean,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def programs(wheel: Path) -> Path:
    """Programs of an environment that holds the wheel and what it requires."""
    folder = wheel.parent
    environment = folder / "environment"
    venv.create(environment, with_pip=False)
    uv = Path(sys.executable).with_name("uv")
    pins = ("-c", ROOT / "requirements.lock")
    python = environment / "bin" / "python"
    run(uv, "pip", "install", "--python", python, *pins, wheel, cwd=folder)
    return environment / "bin"


def test_every_file_of_the_package_is_in_the_wheel(wheel: Path) -> None:
    package = ROOT / "src"
    files = {path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()}
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    assert {name for name in files - packed if "__pycache__" not in name} == set()
    assert "vivavoce/py.typed" in packed


def test_what_the_wheel_requires_is_small(programs: Path) -> None:
    files = (path for path in programs.parent.rglob("*") if not path.is_symlink())
    size = sum(path.stat().st_size for path in files if path.suffix != ".pyc")
    assert size < MAX_INSTALLED_MB << 20, size >> 20


def test_an_exam_of_three_pdfs_takes_the_tasks_that_it_can(programs: Path, tmp_path: Path) -> None:
    papers = save_pdfs(tmp_path / "papers", 3)
    done = json.loads(run(programs / "viva", "exam", papers, "--json", cwd=tmp_path))
    assert {"title", "abstract"} <= {row["task"] for row in done["plan"]["tasks"]}
    assert done["papers"]["used"] == 3
